"""Run pieces side by side, say how far it is, stop cleanly."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from joblib import effective_n_jobs
from threadpoolctl import threadpool_limits

from hyplane.experiments.pieces import Piece, PieceStore

Report = Callable[[list[Piece], Piece | None], None]


class ReproductionInterrupted(KeyboardInterrupt):
    """The run was stopped; its message says how to go on.

    Examples
    --------
    >>> from hyplane.experiments import ReproductionInterrupted
    >>> issubclass(ReproductionInterrupted, KeyboardInterrupt)
    True
    """


def run_pieces(
    pieces: Sequence[Piece], store: PieceStore, *, n_jobs: int | None = None, progress: bool = True
) -> int:
    """Compute the pieces that are not in the store yet.

    Parameters
    ----------
    pieces : sequence of Piece
        In the order in which to begin them.
    store : PieceStore
        Keeps each piece as soon as it is finished.
    n_jobs : int, optional
        Processes; all processors by default, as -1. The results do not depend on it.
    progress : bool, default=True
        Show a bar on a terminal.

    Returns
    -------
    n_computed : int
        How many were not there.

    Raises
    ------
    ReproductionInterrupted
        On Ctrl-C. What is finished is kept.
    """
    store.clear_unfinished()
    missing = [piece for piece in pieces if store.load(piece) is None]
    n_workers = min(effective_n_jobs(-1 if n_jobs is None else n_jobs), max(len(missing), 1))
    run = _one_by_one if n_workers == 1 else _side_by_side
    try:
        with _bar(pieces, missing, shown=progress) as report:
            run(missing, store, n_workers, report)
    except KeyboardInterrupt:
        done = sum(store.load(piece) is not None for piece in pieces)
        raise ReproductionInterrupted(
            f"Stopped: {done} of {len(pieces)} pieces are finished and kept in {store.folder}. "
            "Run the same again to go on from there."
        ) from None
    return len(missing)


def _one_by_one(pieces: list[Piece], store: PieceStore, n_workers: int, report: Report) -> None:
    for piece in pieces:
        report([piece], None)
        _work(piece, store)
        report([], piece)


def _side_by_side(pieces: list[Piece], store: PieceStore, n_workers: int, report: Report) -> None:
    loky = import_module("joblib.externals.loky")
    # Not the reusable executor: its workers would outlive this run, without its settings.
    executor = loky.ProcessPoolExecutor(
        max_workers=n_workers,
        initializer=_prepare_worker,
        initargs=(os.getpid(),),
        env={"TQDM_DISABLE": "1"},
    )
    running: dict[Future[None], Piece] = {}
    waiting = iter(pieces)
    try:
        while True:
            # One piece ahead per worker, so that none waits for the parent.
            for piece in waiting:
                running[executor.submit(_work, piece, store)] = piece
                if len(running) >= 2 * n_workers:
                    break
            if not running:
                break
            report(list(running.values())[:n_workers], None)
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                future.result()
                report([], running.pop(future))
    except BaseException:
        with _deaf_to_interrupts():
            executor.shutdown(wait=True, kill_workers=True)
        raise
    executor.shutdown(wait=True)


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


def _work(piece: Piece, store: PieceStore) -> None:
    # Sums over blocks of another size round otherwise: one thread, whatever the machine.
    with threadpool_limits(limits=1):
        store.obtain(piece)


def _prepare_worker(parent: int) -> None:
    # Ctrl-C reaches every process of the terminal; only the parent knows what to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when its parent was killed and could not tell it to."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


@contextmanager
def _bar(pieces: Sequence[Piece], missing: Sequence[Piece], *, shown: bool) -> Iterator[Report]:
    total = sum(piece.cost for piece in pieces)
    n_done = len(pieces) - len(missing)
    bar = _tqdm()(
        total=total,
        initial=total - sum(piece.cost for piece in missing),
        bar_format="{percentage:3.0f}%|{bar:24}| {elapsed}<{remaining}{postfix}",
        smoothing=0.05,
        dynamic_ncols=True,
        disable=None if shown else True,
    )

    def report(running: list[Piece], finished: Piece | None) -> None:
        nonlocal n_done
        if finished is not None:
            n_done += 1
            bar.update(finished.cost)
        elif running:
            names = " · ".join(piece.name for piece in running)
            bar.set_postfix_str(f"{n_done}/{len(pieces)}, running: {names}")

    try:
        yield report
    finally:
        bar.close()


def _tqdm() -> Any:
    try:
        return import_module("tqdm").tqdm
    except ImportError:
        return _Silent


class _Silent:
    """Stands in where tqdm is not installed."""

    def __init__(self, **settings: Any) -> None:
        pass

    def update(self, amount: float) -> None:
        """Do nothing."""

    def set_postfix_str(self, text: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
