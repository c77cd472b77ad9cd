"""Run pieces side by side, show progress, stop cleanly."""

import gc
import hashlib
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController, threadpool_limits

from hyplane._utils.parallel import ClusterError, connect, shielded_workers
from hyplane._utils.progress import Progress, silence
from hyplane.experiments._digest import package_digest
from hyplane.experiments.pieces import DamagedPiece, Piece, PieceStore

# Told which pieces run now and, where there is one, which has finished.
Report = Callable[[Sequence[Piece], Piece | None], None]
# Begins the call of a function on arguments, in another process if there are any.
Begin = Callable[..., Future[Any]]


class ReproductionInterrupted(KeyboardInterrupt):
    """The run was stopped; its message says how to go on.

    Examples
    --------
    >>> from hyplane.experiments import ReproductionInterrupted
    >>> issubclass(ReproductionInterrupted, KeyboardInterrupt)
    True
    """


def run_pieces(
    pieces: Sequence[Piece],
    store: PieceStore,
    *,
    n_jobs: int | None = None,
    dask: str | None = None,
    progress: bool = True,
    then: Callable[[Begin], None] | None = None,
) -> int:
    """Compute the pieces that are not in the store yet.

    Parameters
    ----------
    pieces : sequence of Piece
        Begun by stage, the longest first.
    store : PieceStore
        Keeps each piece as soon as it is finished.
    n_jobs : int, optional
        Processes; all processors by default, as -1. The results do not depend on it.
    dask : str, optional
        Address of the scheduler of a Dask cluster, whose workers compute the pieces instead.
    progress : bool, default=True
        Show progress on the standard error: a bar on a terminal, else a line now and then.
    then : callable, optional
        Called when all pieces are finished, with a function that begins calls in the same
        processes: new ones would take seconds to start.

    Returns
    -------
    n_computed : int
        How many were not there.

    Raises
    ------
    ReproductionInterrupted
        On Ctrl-C. What is finished is kept.

    Warns
    -----
    UserWarning
        For a finished piece whose file was changed; it is computed anew.
    """
    store.clear_unfinished()
    missing = [piece for piece in pieces if not _is_finished(piece, store)]
    missing.sort(key=lambda piece: (piece.stage, -piece.cost))
    n_workers = min(effective_n_jobs(-1 if n_jobs is None else n_jobs), max(len(missing), 1))
    n_here = 1 if dask is not None else n_workers
    try:
        with _processes(n_here) as begin:
            with _reporting(pieces, missing, shown=progress) as report:
                if dask is not None and missing:
                    _on_cluster(missing, store, dask, report)
                elif n_here == 1:
                    _one_by_one(missing, store, report)
                else:
                    for _ in _results(missing, partial(begin, _work, store), n_here, report):
                        pass
            if then is not None:
                then(begin)
    except KeyboardInterrupt:
        done = len(pieces) - sum(not (store.folder / each.file_name).exists() for each in missing)
        raise ReproductionInterrupted(
            f"Stopped: {done} of {len(pieces)} pieces are finished and kept in {store.folder}. "
            "Run the same again to go on from there."
        ) from None
    return len(missing)


def _is_finished(piece: Piece, store: PieceStore) -> bool:
    try:
        return store.load(piece) is not None
    except DamagedPiece as damage:
        warnings.warn(f"{damage}; the piece is computed anew.", UserWarning, stacklevel=3)
        return False


def _one_by_one(pieces: list[Piece], store: PieceStore, report: Report) -> None:
    for piece in pieces:
        report([piece], None)
        _work(store, piece)
        report([], piece)


@contextmanager
def _processes(n_workers: int) -> Iterator[Begin]:
    """Give what begins a call in one of several processes; with one, it is made at once here."""
    if n_workers == 1:
        yield _called
        return
    loky = import_module("joblib.externals.loky")
    # Not the reusable executor: its workers would outlive this run, without its settings.
    executor = loky.ProcessPoolExecutor(
        max_workers=n_workers, initializer=_prepare_worker, initargs=(os.getpid(),)
    )

    def begin(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        with shielded_workers(n_workers):
            future: Future[Any] = executor.submit(function, *arguments)
        return future

    try:
        yield begin
    except BaseException:
        with _deaf_to_interrupts():
            executor.shutdown(wait=True, kill_workers=True)
        raise
    executor.shutdown(wait=True)


def _called(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(function(*arguments))
    return future


def _on_cluster(pieces: list[Piece], store: PieceStore, address: str, report: Report) -> None:
    with connect(address) as client:
        executor = client.get_executor(pure=False)
        folder, code = str(store.folder.resolve()), package_digest()

        def submit(piece: Piece) -> Any:
            return executor.submit(_work_elsewhere, piece, folder, code)

        n_workers = sum(client.nthreads().values())
        for piece, result in _results(pieces, submit, n_workers, report):
            # The worker kept it, but maybe in a folder of another machine.
            if not (store.folder / piece.file_name).exists():
                store.save(piece, result)


def _results(
    pieces: list[Piece], submit: Callable[[Piece], Any], n_workers: int, report: Report
) -> Iterator[tuple[Piece, Any]]:
    """Submit the pieces one by one; yield each with its result as soon as it is finished."""
    running: dict[Future[Any], Piece] = {}
    waiting = iter(pieces)
    while True:
        # One piece ahead per worker, so that none waits for the parent.
        while len(running) < 2 * n_workers and (piece := next(waiting, None)) is not None:
            running[submit(piece)] = piece
        if not running:
            break
        # A second at most, so that the clock on the screen moves.
        finished, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED)
        for future in finished:
            result = future.result()
            piece = running.pop(future)
            yield piece, result
            report(list(running.values())[:n_workers], piece)
        if not finished:
            report(list(running.values())[:n_workers], None)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let nothing cut the clean-up short: a second Ctrl-C would also end the helpers it calls."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(store: PieceStore, piece: Piece) -> None:
    # One thread on every machine: with more, BLAS adds in another order and rounds differently.
    with _libraries_with_threads(len(sys.modules)).limit(limits=1):
        store.obtain(piece)


@lru_cache(maxsize=1)
def _libraries_with_threads(n_modules: int) -> ThreadpoolController:
    """Find the libraries of this process that have threads; again only after further imports.

    To look for them takes milliseconds, as long as a small piece.
    """
    return ThreadpoolController()


def _work_elsewhere(piece: Piece, folder: str, code: str) -> dict[str, Any]:
    """Compute a piece in a Dask worker, which may be on a machine that has no such folder."""
    if package_digest() != code:
        raise ClusterError(
            "a worker has other code of hyplane than this process: install the same."
        )
    silence()
    # For the whole process: other pieces may run in threads beside this one.
    threadpool_limits(limits=1)
    if not Path(folder).is_dir():
        name = hashlib.sha256(folder.encode()).hexdigest()[:16]
        folder = os.path.join(tempfile.gettempdir(), f"hyplane-pieces-{name}")
    return PieceStore(folder).obtain(piece)


def _prepare_worker(parent: int) -> None:
    silence()
    gc.freeze()  # what is imported by now stays: collections need not look at it
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when its parent was killed and could not tell it to."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


@contextmanager
def _reporting(
    pieces: Sequence[Piece], missing: Sequence[Piece], *, shown: bool
) -> Iterator[Report]:
    total = sum(piece.cost for piece in pieces)
    n_done = len(pieces) - len(missing)
    bar = Progress(
        total,
        f"{n_done}/{len(pieces)} pieces",
        initial=total - sum(piece.cost for piece in missing),
        lines=True,
        shown=shown and bool(missing),
    )

    def report(running: Sequence[Piece], finished: Piece | None) -> None:
        nonlocal n_done
        n_done += finished is not None
        names = " · ".join(each.name for each in running)
        bar.advance(0, f"{n_done}/{len(pieces)} pieces, {names}")
        if finished is not None:
            bar.advance(finished.cost)

    with bar:
        yield report
