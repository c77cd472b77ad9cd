"""Several solvers that ask for sums over rows, answered by the same passes over the blocks."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, Mask
from hyplane.blocks import Blocks
from hyplane.native import core
from hyplane.solvers.ready_blocks import ReadyBlock, signs

T = TypeVar("T")
# Hyperplanes whose near rows are found at a time: what is found on the way takes memory.
_NEAR_AT_A_TIME = 256


@dataclass(frozen=True)
class Ask:
    """What a solver wants to know of all rows.

    Attributes
    ----------
    plane : ndarray of shape (n + 2,)
        ``(log s, a, u)``.
    problem : tuple of int
        The positive class, the negative class (-1 for all others), the fold left out (-1 for none).
    reach : float, default=0.0
        If positive, the rows with ``y w*x`` below this are wanted, not sums.
    most : int, default=0
        At most so many of them, the smallest products.
    sides : tuple of float, default=(1.0, 1.0)
        What the weights of the positive and of the negative rows are multiplied by in sums.
    """

    plane: Array
    problem: tuple[int, int, int]
    reach: float = 0.0
    most: int = 0
    sides: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class NearRows:
    """Rows near a hyperplane, or on its wrong side.

    Attributes
    ----------
    points : PackedPoints or None
        None where there is none.
    products : ndarray of shape (m,)
        ``y w*x``.
    labels : ndarray of int8 of shape (m,)
        1 or -1.
    rows : ndarray of int64 of shape (m,)
        The number of each among all.
    weights : ndarray of shape (m,)
    n_with_loss : int
        Rows with a loss, those that are not among these included.
    """

    points: core.PackedPoints | None
    products: Array
    labels: NDArray[np.int8]
    rows: NDArray[np.int64]
    weights: Array
    n_with_loss: int

    def taking(self, which: Mask) -> "NearRows":
        """Return some of these rows."""
        places = np.flatnonzero(which)
        return NearRows(
            self.points.take(places) if self.points is not None and len(places) else None,
            self.products[places],
            self.labels[places],
            self.rows[places],
            self.weights[places],
            self.n_with_loss,
        )


Solver: TypeAlias = Generator[Ask, Any, T]


def run_solvers(
    solvers: Iterable[Solver[T]],
    blocks: Blocks,
    *,
    at_a_time: int,
    n_threads: int = 1,
    total: int = 0,
) -> list[T]:
    """Run solvers to their ends; each pass over the blocks answers all that are waiting.

    Parameters
    ----------
    solvers : iterable of generators
        They yield `Ask` and are sent the sums (an array of n + 3 numbers) or `NearRows`.
    blocks : Blocks
        Blocks of `ReadyBlock`.
    at_a_time : int
        Solvers under way. Where one ends the next begins, so that a few slow ones do not have
        passes of their own.
    n_threads : int, default=1
        Solvers that compute at a time, between the passes.
    total : int, default=0
        How many solvers there are, where watchers of the blocks are told how many are done.

    Returns
    -------
    results : list
        In the order of the solvers.
    """
    results: dict[int, T] = {}
    asking: dict[int, Ask] = {}
    under_way: dict[int, Solver[T]] = {}
    answers: dict[int, Any] = {}
    upcoming = enumerate(solvers)

    def go_on(k: int, answer: Any) -> None:
        try:
            asking[k] = under_way[k].send(answer)
        except StopIteration as stop:
            results[k] = stop.value

    try:
        with ThreadPoolExecutor(n_threads) as pool:
            while True:
                for k, solver in islice(upcoming, at_a_time - len(under_way)):
                    under_way[k], answers[k] = solver, None
                moved = pool.map(go_on, answers.keys(), answers.values())
                for done, _ in enumerate(moved, start=1):
                    if total:
                        about = f"{len(results)} of {total} problems solved"
                        blocks.tell(about, done, len(answers))
                ended = [k for k in under_way if k in results]
                for k in ended:
                    del under_way[k]
                answers = {}
                if not ended:  # and so no other one can begin
                    if not under_way:
                        return [results[k] for k in sorted(results)]
                    answers = _one_pass(dict(sorted(asking.items())), blocks)
                    asking.clear()
    finally:
        for solver in under_way.values():
            solver.close()


def _one_pass(asking: dict[int, Ask], blocks: Blocks) -> dict[int, Any]:
    if not asking:
        return {}
    sums = [k for k, ask in asking.items() if not ask.reach]
    near = [k for k, ask in asking.items() if ask.reach]
    reach = max((asking[k].reach for k in near), default=0.0)
    most = [asking[k].most for k in near]
    total: Array | None = None
    found: list[list[NearRows]] = [[] for _ in near]
    wanted = (_lines(asking, sums), _sides(asking, sums), _lines(asking, near), reach, most)
    for part in blocks.map(_answer_of_block, *wanted):
        sums_here, near_here = part
        if sums_here is not None:
            total = sums_here if total is None else total + sums_here
        for k, rows, each in zip(near, found, near_here, strict=False):
            rows.append(each)
            if sum(len(some.rows) for some in rows) > 1.5 * asking[k].most:
                rows[:] = [_nearest(rows, asking[k].most)]
    answers: dict[int, Any] = {}
    if total is not None:
        answers = dict(zip(sums, total, strict=True))
    for k, rows in zip(near, found, strict=True):
        answers[k] = _nearest(rows, asking[k].most)
    return answers


def _lines(asking: dict[int, Ask], which: list[int]) -> tuple[Array, NDArray[np.int32]] | None:
    if not which:
        return None
    planes = np.array([asking[k].plane for k in which])
    return planes, np.array([asking[k].problem for k in which], dtype=np.int32)


def _sides(asking: dict[int, Ask], which: list[int]) -> Array | None:
    sides = np.array([asking[k].sides for k in which])
    return None if (sides == 1.0).all() else sides


def _answer_of_block(
    block: ReadyBlock,
    sums: tuple[Array, NDArray[np.int32]] | None,
    sides: Array | None,
    near: tuple[Array, NDArray[np.int32]] | None,
    reach: float,
    most: list[int],
) -> tuple[Array | None, list[NearRows]]:
    points = block.points
    if points is None:
        return None, []
    total = None
    if sums is not None:
        total = core.sums_of_block(points, block.codes, block.weights, block.folds, *sums, sides)
    found = []
    for first in range(0, len(most), _NEAR_AT_A_TIME):
        assert near is not None
        some = slice(first, first + _NEAR_AT_A_TIME)
        planes, problems = near[0][some], near[1][some]
        answers = core.near_rows_of_block(
            points, block.codes, block.folds, planes, problems, reach, most[some]
        )
        for problem, (rows, products, n_with_loss) in zip(problems, answers, strict=True):
            weights = np.ones(len(rows)) if block.weights is None else block.weights[rows]
            taken = points.take(rows) if len(rows) else None
            labels = signs(block.codes[rows], None, tuple(problem))
            found.append(NearRows(taken, products, labels, block.rows[rows], weights, n_with_loss))
    return total, found


def _nearest(parts: list[NearRows], most: int) -> NearRows:
    """Join the near rows of several blocks, and keep the nearest."""
    points = [part.points for part in parts if part.points is not None]
    joined = NearRows(
        core.join(points) if points else None,
        np.concatenate([part.products for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.weights for part in parts]),
        sum(part.n_with_loss for part in parts),
    )
    if len(joined.rows) <= most:
        return joined
    kept = np.zeros(len(joined.rows), dtype=bool)
    kept[np.argpartition(joined.products, most)[:most]] = True
    return joined.taking(kept)


class _Closed(Exception):
    """The solver was cancelled."""


def asking_from_a_thread(
    compute: Callable[[Callable[[Any], Any]], T],
) -> Generator[Any, Any, T]:
    """Turn a function that calls another one for answers into a generator that yields questions.

    Parameters
    ----------
    compute : callable
        Gets the function to ask with, and runs in a thread of its own.

    Yields
    ------
    question

    Returns
    -------
    result
        What the function returned.

    Examples
    --------
    >>> questions = asking_from_a_thread(lambda ask: ask(2) + ask(3))
    >>> questions.send(None), questions.send(10)
    (2, 3)
    >>> try:
    ...     questions.send(20)
    ... except StopIteration as stop:
    ...     print(stop.value)
    30
    """
    questions: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    answers: SimpleQueue[tuple[bool, Any]] = SimpleQueue()

    def ask(question: Any) -> Any:
        questions.put(("question", question))
        closed, answer = answers.get()
        if closed:
            raise _Closed
        return answer

    def run() -> None:
        try:
            questions.put(("result", compute(ask)))
        except BaseException as error:
            questions.put(("error", error))

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        while True:
            kind, value = questions.get()
            if kind == "result":
                result: T = value
                return result
            if kind == "error":
                raise value
            answers.put((False, (yield value)))
    finally:
        answers.put((True, None))
        thread.join()
