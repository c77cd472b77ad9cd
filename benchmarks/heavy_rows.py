"""Large data where single points outweigh thousands of others: how near fits come to the minimum.

    python benchmarks/heavy_rows.py            some minutes
    python benchmarks/heavy_rows.py --quick    a tenth of the rows

Points that occur very often, a rare class as heavy as the other, and weights that differ by orders
of magnitude, in memory and over blocks. The best objective known is the lowest of these fits, of
fits of each different row once with the weight of its copies, and of an independent descent from
there (`smoothed_descent.py`).
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from smoothed_descent import gain

from hyplane.out_of_core import MemoryBlocks
from hyplane.solvers import Points, SoftMargin, SoftMarginResult, solve_soft_margin
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.over_blocks import solve_over_blocks
from hyplane.solvers.rows import BinaryProblem

SEEDS = range(3)
Found = list[tuple[SoftMarginResult, float]]


class Data(NamedTuple):
    """Each different row in tangent coordinates, and which of them the data consist of."""

    name: str
    V: Any
    labels: Any
    weights: Any  # of each different row, all its copies together
    rows: Any = None  # else each row occurs once, with its weight

    @property
    def given(self) -> tuple[Any, Any, Any]:
        """Rows, labels and weights as they are fitted."""
        if self.rows is None:
            return self.V, self.labels, self.weights
        return self.V[self.rows], self.labels[self.rows], None


def overlapping(m: int, n: int, apart: float, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return two Gaussian clouds that overlap, and their labels."""
    y = np.where(rng.random(m) < 0.5, 1, -1).astype(np.int8)
    V = rng.standard_normal((m, n))
    V[:, 0] += apart * y
    return V, y


def repeated(m: int, n: int, k: int, times: int, seed: int) -> Data:
    """Return rows that are all different, and k points that occur many times each."""
    rng = np.random.default_rng(seed)
    V, y = overlapping(m, n, 0.8, rng)
    W, z = overlapping(k, n, 0.3, rng)
    rows = np.r_[np.arange(m), np.repeat(np.arange(m, m + k), times)]
    weights = np.r_[np.ones(m), np.full(k, float(times))]
    points = "1 point" if k == 1 else f"{k} points"
    name = f"{points} {times} times each among {m} rows of {n} dimensions"
    return Data(name, np.r_[V, W], np.r_[y, z], weights, rng.permutation(rows))


def rare(m: int, n: int, k: int, seed: int) -> Data:
    """Return k rows of one class that weigh as much as all others."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((m, n))
    score = V[:, 0] + 0.7 * rng.standard_normal(m)
    positive = score >= np.sort(score)[-k]
    y = np.where(positive, 1, -1).astype(np.int8)
    weights = np.where(positive, m / (2 * k), m / (2 * (m - k)))
    return Data(f"{k} of {m} rows of {n} dimensions as heavy as the others", V, y, weights)


def uneven(m: int, n: int, spread: float, seed: int) -> Data:
    """Return rows whose weights are lognormal."""
    rng = np.random.default_rng(seed)
    V, y = overlapping(m, n, 0.4, rng)
    weights = np.exp(spread * rng.standard_normal(m))
    weights /= weights.mean()
    return Data(f"lognormal weights (σ = {spread:g}) of {m} rows of {n} dimensions", V, y, weights)


def data_sets(scale: int) -> Iterator[Data]:
    """Yield the data, with that part of the rows."""
    for m, n, k, times in (
        (120_000, 2, 1, 10_000),
        (120_000, 2, 10, 20_000),
        (300_000, 2, 10, 20_000),
        (120_000, 5, 8, 30_000),
        (120_000, 10, 15, 20_000),
        (300_000, 10, 15, 20_000),
        (120_000, 30, 30, 10_000),
    ):
        yield repeated(m // scale, n, k, times // scale, 0)
    for m, n, k in ((400_000, 2, 30), (400_000, 10, 30), (400_000, 10, 500), (100_000, 30, 500)):
        yield rare(m // scale, n, k, 3)
    for m, n, spread in ((200_000, 2, 2.0), (200_000, 10, 2.0), (50_000, 10, 4.0)):
        yield uneven(m // scale, n, spread, 5)


def fits(solve: Callable[[int], SoftMarginResult]) -> Found:
    """Return what each seed found, and its seconds of processor time."""
    found = []
    for seed in SEEDS:
        start = time.process_time()
        result = solve(seed)
        found.append((result, time.process_time() - start))
    return found


def in_memory(data: Data, C: float) -> Found:
    V, y, weights = data.given
    points = Points.from_chart(V, "tangent")
    return fits(lambda seed: solve_soft_margin(points, y, weights, C=C, seed=seed))


def over_blocks(data: Data, C: float) -> Found:
    V, y, weights = data.given
    blocks, problem = MemoryBlocks(V, y, weights), BinaryProblem(positive=1)

    def solve(seed: int) -> SoftMarginResult:
        rows = OutOfCoreRows.read(blocks, "tangent", -1.0, seed)
        return solve_over_blocks(SoftMargin(), rows, [problem], [C], seed=seed)[0]

    return fits(solve)


def lowest_known(data: Data, C: float) -> float:
    """Return the lowest objective of fits of the different rows, and of descent from there."""
    points = Points.from_chart(data.V, "tangent")
    results = [
        solve_soft_margin(points, data.labels, data.weights, C=C, seed=seed) for seed in SEEDS
    ]
    best = min(results, key=lambda each: each.objective)
    radius = np.linalg.norm(data.V, axis=1, keepdims=True)
    polar = np.hstack([radius, data.V / radius])
    gained = gain(best, polar, data.labels, C, weights=data.weights, max_iter=100)
    return best.objective * (1.0 - gained)


def described(found: Found, best: float) -> str:
    """Return the worst excess, how many converged and the mean time as columns of a table."""
    excess = max(result.objective for result, _ in found) / best - 1.0
    converged = sum(result.converged for result, _ in found)
    seconds = float(np.mean([each for _, each in found]))
    return f"{max(excess, 0.0):.0e} | {converged} of {len(found)} | {1e3 * seconds:.0f} ms"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    scale = 10 if parser.parse_args().quick else 1
    print(
        "| data | C | in memory: worst excess | converged | time | over blocks: worst excess | "
        "converged | time |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for data in data_sets(scale):
        for C in (0.01, 1.0):
            memory, blocks = in_memory(data, C), over_blocks(data, C)
            values = [result.objective for result, _ in memory + blocks]
            best = min([lowest_known(data, C), *values])
            print(
                f"| {data.name} | {C:g} | {described(memory, best)} | {described(blocks, best)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
