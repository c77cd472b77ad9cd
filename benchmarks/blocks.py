"""Fits of rows read block by block against fits of the same rows in memory.

    python benchmarks/blocks.py            some minutes
    python benchmarks/blocks.py --quick    one seed

The same 60 000 rows in memory, as one block, as blocks of 1000 and of 7777 rows and as chunks of a
Dask array. The solver begins with a sample of 4096 rows in place of 131 072, so that most rows
are seen in passes only. The table has the largest difference between any two divisions, and how far
the objectives of blocks and of memory are above the lower of the two, the largest of all seeds.
"""

import argparse
import os
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import dask.array as da
import numpy as np
from heavy_rows import Data, overlapping, rare, repeated, uneven
from honesty import wide_rows

from hyplane.out_of_core import MemoryBlocks
from hyplane.out_of_core.dask import DaskBlocks
from hyplane.solvers import Points, SoftMargin, SoftMarginResult, solve_soft_margin, tuning
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.over_blocks import solve_over_blocks
from hyplane.solvers.rows import BinaryProblem

N_ROWS = 60_000


def data_sets() -> Iterator[Data]:
    """Yield rows of Gaussian and of wide radii, of a rare class, heavy rows and repeated rows."""
    for n in (2, 10):
        for name, apart in (("separated", 3.0), ("some overlap", 0.8), ("strong overlap", 0.2)):
            V, y = overlapping(N_ROWS, n, apart, np.random.default_rng(n))
            yield Data(f"Gaussian, {n} dimensions, {name}", V, y, None)
    yield rare(N_ROWS, 2, 30, 3)
    yield rare(N_ROWS, 10, 300, 3)
    yield repeated(N_ROWS // 2, 2, 10, 3000, 0)
    yield repeated(N_ROWS // 2, 10, 15, 2000, 0)
    yield uneven(N_ROWS, 2, 2.0, 5)
    yield uneven(N_ROWS, 10, 2.0, 5)
    for n in (2, 5):
        for radii in ("t(2)", "exponential"):
            X, y = wide_rows(N_ROWS, n, radii, seed=n)
            V = X[:, :1] * X[:, 1:]
            yield Data(f"radii {radii}, {n} dimensions", V, y.astype(np.int8), None)


def divisions(V: Any, y: Any, weights: Any) -> Iterator[Any]:
    """Yield the rows in blocks."""
    for rows_per_block in (len(V), 1000, 7777):
        yield MemoryBlocks(V, y, weights, rows_per_block=rows_per_block)
    chunked = [da.from_array(V, (5000, V.shape[1])), da.from_array(y, 5000)]
    yield DaskBlocks(*chunked, None if weights is None else da.from_array(weights, 5000))


def over_blocks(blocks: Any, C: float, seed: int) -> SoftMarginResult:
    rows = OutOfCoreRows.read(blocks, "tangent", -1.0, seed)
    return solve_over_blocks(SoftMargin(), rows, [BinaryProblem(1)], [C], seed=seed)[0]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed")
    seeds = range(1 if parser.parse_args().quick else 3)
    tuning.SAMPLE_ROWS, tuning.MOST_SAMPLED = 4096, 8192
    print(
        "| rows | C | between divisions | blocks above | memory above | converged | "
        "time of one block / memory |\n|---|--:|--:|--:|--:|--:|--:|"
    )
    for data in data_sets():
        V, y, weights = data.given
        points = Points.from_chart(V, "tangent")
        for C in (0.01, 1.0):
            apart, above, below, n_converged, seconds = 0.0, 0.0, 0.0, 0, [0.0, 0.0]
            for seed in seeds:
                start = time.process_time()
                memory = solve_soft_margin(points, y, weights, C=C, seed=seed)
                seconds[0] += time.process_time() - start
                found = []
                for blocks in divisions(V, y, weights):
                    start = time.process_time()
                    found.append(over_blocks(blocks, C, seed))
                    seconds[1] += time.process_time() - start if len(found) == 1 else 0.0
                values = np.array([each.objective for each in found])
                apart = max(apart, values.max() / values.min() - 1.0)
                above = max(above, values.max() / memory.objective - 1.0)
                below = max(below, memory.objective / values.min() - 1.0)
                n_converged += sum(each.converged for each in [memory, *found])
            print(
                f"| {data.name} | {C:g} | {apart:.0e} | {above:.0e} | {below:.0e} | "
                f"{n_converged} of {5 * len(seeds)} | {seconds[1] / seconds[0]:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
