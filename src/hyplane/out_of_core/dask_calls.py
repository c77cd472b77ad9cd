"""Functions of blocks called on the workers that hold them, past the queue of the scheduler."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

R = TypeVar("R")
# Seconds between two looks whether the workers of a long call are still there.
_LOOK = 5.0


def call_holders(
    client: Any, futures: Sequence[Any], function: Callable[..., R], *args: Any
) -> list[R] | None:
    """Call a function of each piece of data on the worker that holds it.

    A task takes some 30 ms from the client through the scheduler to a worker and back, such a call
    3 ms. It cannot compute what is missing or lost.

    Parameters
    ----------
    client : distributed.Client
    futures : sequence of distributed.Future
    function : callable
        Takes the data and the arguments.
    *args
        The same for all.

    Returns
    -------
    results : list or None
        In the order of the futures. None where not all data are held, or a call did not succeed:
        then tasks find out why, or compute again what was lost.

    Examples
    --------
    >>> from distributed import Client
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     futures = client.map(range, [3, 4])
    ...     done = client.gather(futures)
    ...     call_holders(client, futures, sum)
    [3, 6]
    """
    holders, keys = client.who_has(list(futures)), [future.key for future in futures]
    of_worker: dict[str, list[str]] = {}
    for key in keys:
        if not holders.get(key):
            return None
        of_worker.setdefault(min(holders[key]), []).append(key)
    try:
        answers = client.sync(_answers, client, of_worker, function, args)
    except Exception:  # of any kind: a worker that is gone, data that moved, the function's own
        return None
    found = {
        key: result
        for worker, own in of_worker.items()
        for key, result in zip(own, answers[worker], strict=True)
    }
    return [found[key] for key in keys]


async def _answers(
    client: Any,
    of_worker: dict[str, list[str]],
    function: Callable[..., R],
    args: tuple[Any, ...],
) -> dict[str, list[R]]:
    """Call all workers. A connection to one that vanished may stay open: the scheduler knows."""
    call = asyncio.ensure_future(client.run(_call, of_worker, function, args, workers=[*of_worker]))
    try:
        while not call.done():
            await asyncio.wait([call], timeout=_LOOK)
            if not call.done() and not of_worker.keys() <= (await client.nthreads()).keys():
                raise ConnectionError("a worker is gone")
        answers: dict[str, list[R]] = call.result()
        return answers
    finally:
        call.cancel()


async def _call(
    of_worker: dict[str, list[str]],
    function: Callable[..., R],
    args: tuple[Any, ...],
    dask_worker: Any,
) -> list[R]:
    # In threads, so that the worker goes on answering messages. Not in those of its tasks: one of
    # them may be waiting for this call.
    n_threads = dask_worker.state.nthreads
    loop, limit, threads = (
        asyncio.get_running_loop(),
        asyncio.Semaphore(n_threads),
        ThreadPoolExecutor(n_threads),
    )

    async def of_one(key: str) -> R:
        async with limit:  # what is on the worker's disk is read here, a few at a time
            return await loop.run_in_executor(threads, function, dask_worker.data[key], *args)

    try:
        return await asyncio.gather(*(of_one(key) for key in of_worker[dask_worker.address]))
    finally:
        threads.shutdown(wait=False)
