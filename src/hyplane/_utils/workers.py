"""Worker processes and threads, and Ctrl-C."""

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from importlib import import_module
from typing import Any, TypeVar

from joblib import Parallel, effective_n_jobs

T = TypeVar("T")


def interruptible(work: Callable[[], T]) -> T:
    """Call compiled code of another library that does not look for Ctrl-C.

    It runs in a thread of its own, so that Ctrl-C is answered at once. The thread then goes on
    until its work is done or the process ends.

    Parameters
    ----------
    work : callable
        It has to release the interpreter's lock while it computes.

    Returns
    -------
    result : object
        What it returns; what it raises is raised.

    Examples
    --------
    >>> interruptible(lambda: sum(range(10)))
    45
    """
    if threading.current_thread() is not threading.main_thread():
        return work()  # Python answers in the main thread only
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    # With the settings of this thread, such as numpy.errstate.
    threading.Thread(target=copy_context().run, args=(run,), daemon=True).start()
    # A signal need not wake a thread that waits for ever.
    while not wait([answer], timeout=0.2).done:
        pass
    return answer.result()


@contextmanager
def deaf_workers(n_workers: int) -> Iterator[None]:
    """Let the processes that are started in the block not see Ctrl-C, nor the current folder.

    A terminal sends it to all of them. Only this process has an answer, and it ends its workers;
    one that is still starting would print a traceback. Ctrl-C takes effect after the block.

    Workers find modules where this process does. Before they are told where that is, they would
    import joblib from the current folder, which may hold files of other people.

    Parameters
    ----------
    n_workers : int
        With 1 there are no processes, and nothing is done.

    Examples
    --------
    >>> import subprocess, sys
    >>> code = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    >>> with deaf_workers(2):
    ...     done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    >>> "SIGINT" in done.stdout
    True
    """
    if n_workers == 1:
        yield
        return
    with _safe_path(), _without_interrupts():
        yield


@contextmanager
def _safe_path() -> Iterator[None]:
    """Let Python processes that are started in the block import nothing from the current folder."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("PYTHONSAFEPATH", None)
        else:
            os.environ["PYTHONSAFEPATH"] = before


@contextmanager
def _without_interrupts() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Their start within the block would undo it.
    for tracker in ("multiprocessing", "joblib.externals.loky.backend"):
        import_module(f"{tracker}.resource_tracker").ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def results_of(tasks: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Give the results of joblib's delayed calls in their order, each as soon as it is there.

    Parameters
    ----------
    tasks : iterable of joblib.delayed calls
    n_jobs : int or None

    Yields
    ------
    result : object

    Examples
    --------
    >>> from joblib import delayed
    >>> list(results_of([delayed(abs)(-1), delayed(abs)(2)], None))
    [1, 2]
    """
    results = None
    try:
        with deaf_workers(effective_n_jobs(n_jobs)):
            results = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
        yield from results
    finally:
        # joblib warns of tasks that were cancelled, also after Ctrl-C.
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()
