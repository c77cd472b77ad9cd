"""Which worker goes over which blocks."""

from collections.abc import Mapping, Sequence

# Blocks whose results are fetched at a time: tasks are for blocks of one such part.
PART = 256


def share_out(
    holders: Sequence[str | None],
    sizes: Sequence[int],
    n_threads: Mapping[str, int],
    largest: int,
) -> list[tuple[str | None, list[int]]]:
    """Divide blocks into tasks: blocks of one worker each, and about equal work for all threads.

    Parameters
    ----------
    holders : sequence of str or None
        The worker that holds each block; None where it is not known.
    sizes : sequence of int
        Rows of each block.
    n_threads : mapping of str to int
        All workers.
    largest : int
        Rows of a task, unless it is a single block.

    Returns
    -------
    tasks : list of (str or None, list of int)
        Workers, and the places of the blocks, in ascending order within each task; the tasks in
        the order of their first blocks.

    Examples
    --------
    >>> share_out(["a", "a", "a", "b"], [5, 5, 5, 5], {"a": 1, "b": 1}, 100)
    [('b', [0, 3]), ('a', [1, 2])]
    """
    tasks: list[tuple[str | None, list[int]]] = []
    for first in range(0, len(sizes), PART):
        of_worker: dict[str, list[int]] = {worker: [] for worker in sorted(n_threads)}
        for place in range(first, min(first + PART, len(sizes))):
            holder = holders[place]
            if holder in of_worker:
                of_worker[holder].append(place)
            else:  # made anew, anywhere
                tasks.append((None, [place]))
        _even_out(of_worker, sizes, n_threads)
        for worker, places in of_worker.items():
            rows = sum(sizes[place] for place in places)
            n_tasks = max(n_threads[worker], -(-rows // largest))
            step = max(1, -(-len(places) // n_tasks))
            ordered = sorted(places)
            tasks += [(worker, ordered[k : k + step]) for k in range(0, len(ordered), step)]
    return sorted(tasks, key=lambda task: task[1][0])


def _even_out(
    of_worker: dict[str, list[int]], sizes: Sequence[int], n_threads: Mapping[str, int]
) -> None:
    """Move blocks from busy workers to others, as long as this makes the longest work shorter."""
    load = {
        worker: sum(sizes[place] for place in places) / n_threads[worker]
        for worker, places in of_worker.items()
    }
    while load:
        busy, free = max(load, key=load.__getitem__), min(load, key=load.__getitem__)
        smallest = min(of_worker[busy], key=sizes.__getitem__, default=None)
        if smallest is None or load[free] + sizes[smallest] / n_threads[free] >= load[busy]:
            return
        of_worker[busy].remove(smallest)
        of_worker[free].append(smallest)
        load[busy] -= sizes[smallest] / n_threads[busy]
        load[free] += sizes[smallest] / n_threads[free]
