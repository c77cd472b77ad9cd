"""Blocks of rows that Dask workers hold."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from hyplane._utils.optional import import_optional
from hyplane._utils.parallel import ClusterError
from hyplane._utils.typing import ArrayLike
from hyplane.out_of_core.dask_calls import call_holders
from hyplane.out_of_core.dask_parts import (
    SMALL_ARGUMENTS,
    as_labels,
    as_weights,
    check_rows,
    columns_of,
    delayed,
    held_by_workers,
    is_dask,
    known_lengths,
    matrix_of_chunk,
    packed_arguments,
    parts_beside,
    pieces_of,
)
from hyplane.out_of_core.dask_places import PART, share_out
from hyplane.out_of_core.rows_protocol import Block, Blocks, Step

R = TypeVar("R")
# Numbers that one task goes over: a few tenths of a second, against milliseconds of the scheduler.
# A worker needs them, 1 GiB, in memory at a time.
NUMBERS_OF_A_TASK = 1 << 27


@dataclass(frozen=True)
class _Held:
    """Blocks that a worker holds as one list."""

    places: list[int]  # of the blocks among all
    blocks: Any  # a future, or a task that is done


class DaskBlocks(Blocks):
    """Blocks of a Dask array or data frame, one for each chunk of rows that is not empty.

    The rows are read once, in the first pass, and stay with the workers as the pass wants them. A
    pass calls a function there, or sends it as one task for the blocks of a worker where they are
    not made yet, and brings back what it returns for each block, in the order of the chunks. So the
    result depends on the chunks, and neither on the number of workers nor on which of them is
    faster. What a lost worker held is computed again from its source.

    Parameters
    ----------
    X : dask array of shape (m, n_columns), or dask data frame
    y : dask array, series or data frame, or array of shape (m,) or (m, n_labels), default=None
        In chunks of the same rows as X, or of known sizes.
    weight : like y, of one column, default=None

    Attributes
    ----------
    n_rows : int
    n_columns : int
    column_names : list of str or None

    Notes
    -----
    Without a ``distributed.Client`` the blocks stay in this process, and Dask's threads go over
    them.

    Examples
    --------
    >>> import dask.array as da
    >>> blocks = DaskBlocks(da.ones((5, 2), chunks=(2, 2)))
    >>> list(blocks.map(len))
    [2, 2, 1]
    """

    def __init__(
        self, X: ArrayLike, y: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> None:
        check_rows(X)
        parts = pieces_of(X)
        self.n_columns, self.column_names = columns = columns_of(X)
        lengths = known_lengths(X)
        if lengths is None and not all(is_dask(each) for each in (y, weight) if each is not None):
            # Which rows of an ordinary array belong to a chunk depends on the sizes of all.
            task = delayed(matrix_of_chunk)
            parts = _persisted([task(part, *columns, n) for n, part in enumerate(parts)])
            lengths = _computed(parts, len)
        labels = parts_beside(parts, lengths, y, "y")
        weights = parts_beside(parts, lengths, weight, "sample_weight")
        task = delayed(_block)
        blocks = [
            task(*each, n, *columns)
            for n, each in enumerate(zip(parts, labels, weights, strict=True))
        ]
        if lengths is None:
            blocks = _persisted(blocks)
            lengths = _computed(blocks, len)
        firsts = np.concatenate([[0], np.cumsum(lengths)]).tolist()
        self.n_rows = firsts.pop()
        if not self.n_rows:
            raise ValueError("no points: at least one row is needed.")
        chunks = [number for number, size in enumerate(lengths) if size]
        # What makes each block, and the number of its first row.
        self._makers = [(blocks[number], firsts[number]) for number in chunks]
        self._sizes = [lengths[number] for number in chunks]
        self._client = _client()  # the one that will hold the blocks
        held = held_by_workers(self._client, X, y, weight)
        self._sources = (
            None if held is None else [(*held[number], number, *columns) for number in chunks]
        )
        self._steps: list[Step] = []
        self._before: list[_Held] | None = None  # what the steps are for, where it is held
        self._held: list[_Held] | None = None

    def map(self, function: Callable[..., R], *args: Any) -> Iterator[R]:
        """Yield the function of each block; see `Blocks.map`.

        Yields
        ------
        result
        """
        try:
            yield from self._results(function, args)
        except Exception as error:  # of many kinds, and none of them names the reason
            if self._client is not None and self._client.status != "running":
                raise ClusterError(
                    "the Dask client that holds the rows was closed or lost its scheduler. Keep it "
                    "open until the fit ends, and fit again."
                ) from error
            raise

    def _results(self, function: Callable[..., R], args: tuple[Any, ...]) -> Iterator[R]:
        # One task a worker makes the blocks of rows that it holds; else there is one task a block.
        by_few_tasks = self._held is None and (self._before or self._sources) is not None
        held, client = self._hold(), _client()
        if client is None:
            task, sent = delayed(_apply_to_each), packed_arguments(args)
            tasks = [task(each.blocks, function, sent) for each in held]
            return (result for each in _computed_here(tasks) for result in each)
        places = [each.places for each in held]
        if len(self._sizes) <= PART:  # all results are here at a time
            futures, sent = [each.blocks for each in held], pickle.dumps(args, protocol=4)
            if by_few_tasks:  # a call after them takes less time than a task after each
                import_optional("distributed", "dask").wait(futures)
            lists = call_holders(client, futures, _apply_to_each, function, sent)
            if lists is not None:
                return _in_order(places, lists)
        found = client.map(
            _apply_to_each,
            [each.blocks for each in held],
            function=function,
            args=_sent(client, args),
            pure=False,
        )
        return _gathered(client, places, found)

    def prepared(self, function: Callable[..., Any], *args: Any) -> "DaskBlocks":
        """Return blocks of the function of each, kept by the workers; see `Blocks.prepared`.

        They are made in the first pass over them.
        """
        ready = object.__new__(DaskBlocks)
        ready.__dict__.update(self.__dict__, _held=None, _steps=[*self._steps, (function, args)])
        if self._held is not None:
            ready._before, ready._steps = self._held, [(function, args)]
        return ready

    def _hold(self) -> list[_Held]:
        """Return the blocks where they are held; make them if they are not."""
        if self._held is None:
            client = _client()
            if self._before is None:
                self._held = self._made(client)
            elif client is None:
                task, steps = delayed(_after_steps), packed_arguments((self._steps,))
                tasks = _persisted([task([each.blocks], steps) for each in self._before])
                self._held = [
                    replace(each, blocks=blocks)
                    for each, blocks in zip(self._before, tasks, strict=True)
                ]
            else:
                lists = [each.blocks for each in self._before]
                self._held = self._submitted(client, _after_steps, self._before, lists)
            self._before, self._steps = None, []
        return self._held

    def _made(self, client: Any) -> list[_Held]:
        """Read the rows: one task for each block, so that free workers take the next.

        Where workers hold them already, one task for those of each worker.
        """
        if client is not None and self._sources is not None:
            rows = [_Held([place], X) for place, (X, *_) in enumerate(self._sources)]
            sources = [
                (*source, first)
                for source, (_, first) in zip(self._sources, self._makers, strict=True)
            ]
            return self._submitted(client, _made_of_several, rows, sources)
        task, steps = delayed(_made), packed_arguments((self._steps,))
        made = _persisted([task(block, first, steps) for block, first in self._makers])
        if client is not None:
            made = [client.futures_of(each)[0] for each in made]
        return [_Held([place], each) for place, each in enumerate(made)]

    def _submitted(
        self, client: Any, task: Callable[..., Any], held: list[_Held], inputs: list[Any]
    ) -> list[_Held]:
        """Apply the steps to what is held, one task for the blocks of a worker."""
        steps = _sent(client, (self._steps,))
        if any(len(each.places) > 1 for each in held):  # shared out before
            return [
                replace(each, blocks=client.submit(task, [one], steps, pure=False))
                for each, one in zip(held, inputs, strict=True)
            ]
        holders = client.who_has([each.blocks for each in held])
        known = [min(holders.get(each.blocks.key) or [None]) for each in held]
        largest = NUMBERS_OF_A_TASK // (self.n_columns + 1)
        return [
            _Held(
                places,
                client.submit(
                    task,
                    [inputs[place] for place in places],
                    steps,
                    pure=False,
                    workers=None if worker is None else [worker],
                    allow_other_workers=worker is not None,
                ),
            )
            for worker, places in share_out(known, self._sizes, client.nthreads(), largest)
        ]


def dask_blocks(
    X: ArrayLike, y: ArrayLike | None, weight: ArrayLike | None, n_threads: int
) -> DaskBlocks:
    """Make blocks of Dask collections; how many threads work on them is the cluster's to say."""
    return DaskBlocks(X, y, weight)


def _block(
    X: Any, y: Any, weight: Any, number: int, n_columns: int, names: list[str] | None
) -> Block:
    rows = matrix_of_chunk(X, n_columns, names, number)
    labels = None if y is None else as_labels(y)
    weights = None if weight is None else as_weights(weight)
    for name, column in (("y", labels), ("sample_weight", weights)):
        if column is not None and len(column) != len(rows):
            raise ValueError(
                f"chunk {number} of X has {len(rows)} rows and that of {name} {len(column)}: both "
                "need the same rows. Make them of one data frame, or of arrays of known chunk "
                "sizes (compute_chunk_sizes())."
            )
    return Block(0, rows, labels, weights)


def _made(block: Block, first: int, steps: bytes) -> list[Any]:
    return _after_steps([[replace(block, first=first)]], steps)


def _made_of_several(sources: list[tuple[Any, ...]], steps: bytes) -> list[Any]:
    blocks = [replace(_block(*source), first=first) for *source, first in sources]
    return _after_steps([blocks], steps)


def _after_steps(lists: list[list[Any]], steps: bytes) -> list[Any]:
    [loaded] = pickle.loads(steps)
    blocks = [_aligned(block) for some in lists for block in some]
    for function, args in loaded:
        blocks = [function(block, *args) for block in blocks]
    return blocks


def _apply_to_each(blocks: list[Any], function: Callable[..., R], args: bytes) -> list[R]:
    loaded = pickle.loads(args)
    return [function(_aligned(block), *loaded) for block in blocks]


def _aligned(block: Any) -> Any:
    """Copy arrays that Dask put at odd addresses when it moved the block to another worker."""
    if not is_dataclass(block) or isinstance(block, type):
        return block
    arrays = {field.name: getattr(block, field.name) for field in fields(block)}
    odd = {
        name: np.array(array)
        for name, array in arrays.items()
        if isinstance(array, np.ndarray) and not array.flags.aligned
    }
    return replace(block, **odd) if odd else block


def _persisted(tasks: list[Any]) -> list[Any]:
    return list(import_optional("dask", "dask").persist(*tasks))


def _computed(parts: list[Any], function: Callable[[Any], int]) -> list[int]:
    task, client = delayed(function), _client()
    tasks = [task(part) for part in parts]
    return list(_computed_here(tasks) if client is None else client.gather(client.compute(tasks)))


def _client() -> Any:
    """Return the client of the cluster that computes by default; None where there is none."""
    return getattr(import_optional("dask.base", "dask").get_scheduler(), "__self__", None)


def _sent(client: Any, args: tuple[Any, ...]) -> Any:
    """Return arguments in bytes, those that are large as a future: they travel once."""
    sent = pickle.dumps(args, protocol=4)
    return client.submit(_itself, sent, pure=False) if len(sent) > SMALL_ARGUMENTS else sent


def _computed_here(tasks: list[Any]) -> Iterator[Any]:
    """Yield the results of tasks in order, a few of them at a time."""
    base = import_optional("dask.base", "dask")
    for first in range(0, len(tasks), PART):
        yield from base.compute(*tasks[first : first + PART])


def _gathered(client: Any, places: list[list[int]], futures: list[Any]) -> Iterator[Any]:
    """Yield the results in the order of the blocks; only a few of them are here at a time."""
    while futures:
        last = places[0][0] // PART
        n = sum(each[0] // PART == last for each in places)
        yield from _in_order(places[:n], client.gather(futures[:n]))
        places, futures = places[n:], futures[n:]


def _in_order(places: list[list[int]], lists: list[list[R]]) -> Iterator[R]:
    results = {
        place: result
        for here, each in zip(places, lists, strict=True)
        for place, result in zip(here, each, strict=True)
    }
    for place in sorted(results):
        yield results.pop(place)


def _itself(value: Any) -> Any:
    return value
