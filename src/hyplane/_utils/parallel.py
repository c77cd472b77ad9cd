"""Worker processes, threads and clusters; Ctrl-C while they work; memory that is left."""

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, effective_n_jobs

from hyplane._utils.optional import import_optional

T = TypeVar("T")


def interruptible(work: Callable[[], T]) -> T:
    """Call compiled code of another library that does not look for Ctrl-C.

    It runs in a thread of its own, so that Ctrl-C is answered at once. The thread then goes on
    until its work is done or the process ends.
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


def results_of(tasks: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Yield the results of joblib's delayed calls in their order, each as soon as it is there."""
    results = None
    try:
        with shielded_workers(effective_n_jobs(n_jobs)):
            results = Parallel(n_jobs=n_jobs, return_as="generator")(tasks)
        yield from results
    finally:
        # joblib warns of tasks that were cancelled, also after Ctrl-C.
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.close()


@contextmanager
def shielded_workers(n_workers: int) -> Iterator[None]:
    """Let processes that are started in the block not see Ctrl-C, nor the current folder.

    A terminal sends Ctrl-C to all processes. Only this one has an answer, and it ends its workers;
    one that is still starting would print a traceback. Ctrl-C takes effect after the block.

    While a worker starts, it would import joblib from the current folder, which may hold files of
    other people. Later it finds modules where this process does.
    """
    if n_workers == 1:  # there are no processes
        yield
        return
    with ExitStack() as stack:
        if not os.environ.get("PYTHONSAFEPATH"):
            os.environ["PYTHONSAFEPATH"] = "1"
            stack.callback(os.environ.pop, "PYTHONSAFEPATH")
        if hasattr(signal, "pthread_sigmask"):
            # Trackers that start within the block would undo it.
            for tracker in ("multiprocessing", "joblib.externals.loky.backend"):
                import_module(f"{tracker}.resource_tracker").ensure_running()
            before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            stack.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
        yield


class ClusterError(OSError):
    """A cluster cannot be used; the message says why."""


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Connect to the scheduler of a Dask cluster whose workers have this version of hyplane."""
    distributed = import_optional("distributed", "dask")
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address}: start one with 'dask scheduler', and workers "
            "with 'dask worker ADDRESS'."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=20)
        except TimeoutError as error:
            raise ClusterError(
                f"the Dask scheduler at {address} has no workers: start some with 'dask worker "
                f"{address}'."
            ) from error
        own = version("hyplane")
        for worker, found in client.run(version, "hyplane", on_error="return").items():
            if found != own:  # or an error
                raise ClusterError(
                    f"the worker {worker} needs hyplane {own}, as this process has; found: {found}"
                )
        yield client


def available_memory() -> float:
    """Return the bytes that a computation can take; infinite where the system does not say."""
    found = [float("inf")]
    with suppress(OSError, ValueError, KeyError):
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        found.append(1024.0 * int(lines["MemAvailable"].split()[0]))
    with suppress(AttributeError, OSError, ValueError):  # on Windows there is no sysconf
        found.append(float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    with suppress(OSError, ValueError):  # of a container; no limit is written as "max"
        found.append(float(Path("/sys/fs/cgroup/memory.max").read_text()))
    with suppress(ImportError):  # Windows has no such limits
        resource: Any = import_module("resource")
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found.append(limit if limit != resource.RLIM_INFINITY else found[0])
    return min(found)


def check_memory(needed: float, what: str, remedy: str) -> None:
    """Raise a MemoryError before a computation takes more bytes than there are."""
    there = available_memory()
    if needed > there:
        raise MemoryError(
            f"{what} needs {needed / 1e9:,.1f} GB of memory, and {there / 1e9:,.1f} GB are "
            f"available. {remedy}"
        )
