"""Blocks shared out among workers: where they are, evenly, and each in one task."""

import numpy as np
import pytest

from hyplane.out_of_core.dask_places import PART, share_out

WORKERS = {"a": 1, "b": 2, "c": 1}


def all_places(tasks):
    return sorted(place for _, some in tasks for place in some)


@pytest.mark.parametrize("n_blocks", [1, 2, 7, 40, PART + 9])
def test_every_block_is_in_one_task_and_no_thread_has_much_more_than_others(n_blocks):
    rng = np.random.default_rng(n_blocks)
    sizes = rng.integers(1, 100, n_blocks).tolist()
    holders = rng.choice(["a", "a", "b"], n_blocks).tolist()
    tasks = share_out(holders, sizes, WORKERS, 10**9)
    assert all_places(tasks) == list(range(n_blocks))
    of_worker = dict.fromkeys(WORKERS, 0.0)
    for worker, some in tasks:
        assert some == sorted(some)
        assert some[0] // PART == some[-1] // PART
        of_worker[worker] += sum(sizes[place] for place in some) / WORKERS[worker]
    even = sum(sizes) / sum(WORKERS.values())
    assert max(of_worker.values()) <= even + 2 * max(sizes)


def test_even_blocks_stay_where_they_are():
    tasks = share_out(list("abbcabbc"), [10] * 8, WORKERS, 10**9)
    assert tasks == [("a", [0, 4]), ("b", [1, 2]), ("c", [3, 7]), ("b", [5, 6])]


def test_a_large_share_is_several_tasks():
    assert share_out(["a"] * 6, [10] * 6, {"a": 1}, 25) == [
        ("a", [0, 1]),
        ("a", [2, 3]),
        ("a", [4, 5]),
    ]


def test_a_block_that_nobody_holds_is_a_task_for_anyone():
    assert share_out([None, "gone", "a"], [1, 1, 1], {"a": 1}, 9) == [
        (None, [0]),
        (None, [1]),
        ("a", [2]),
    ]


def test_tasks_are_in_the_order_of_their_first_blocks():
    tasks = share_out(list("abab") + [None] * 2, [1] * 6, {"a": 2, "b": 2}, 9)
    assert [places for _, places in tasks] == [[0], [1], [2], [3], [4], [5]]
