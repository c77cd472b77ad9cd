"""Functions of blocks called on the workers that hold them, past the queue of the scheduler."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

R = TypeVar("R")


def call_holders(
    client: Any, futures: Sequence[Any], function: Callable[..., R], *args: Any
) -> list[R] | None:
    """Call a function of each piece of data on the worker that holds it.

    A task takes some 30 ms from the client through the scheduler to a worker and back, such a call
    3 ms. It knows nothing of what is not computed yet, or lost.

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
        answers = client.run(_call, of_worker, function, args, workers=list(of_worker))
    except Exception:  # of any kind: a worker that is gone, or the function's own
        return None
    found = {
        key: result
        for worker, own in of_worker.items()
        for key, result in zip(own, answers[worker], strict=True)
    }
    return [found[key] for key in keys]


async def _call(
    of_worker: dict[str, list[str]],
    function: Callable[..., R],
    args: tuple[Any, ...],
    dask_worker: Any,
) -> list[R]:
    # In the threads of the worker's tasks, so that it goes on answering messages.
    loop, threads = asyncio.get_running_loop(), dask_worker.executors["default"]
    data = [dask_worker.data[key] for key in of_worker[dask_worker.address]]
    return await asyncio.gather(
        *(loop.run_in_executor(threads, function, each, *args) for each in data)
    )
