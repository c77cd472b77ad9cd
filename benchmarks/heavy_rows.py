"""Large data where single points outweigh thousands of others: how near fits come to the minimum.

    python benchmarks/heavy_rows.py            about three minutes
    python benchmarks/heavy_rows.py --quick    a tenth of the rows

Points that occur very often, a rare class as heavy as the other, and weights that differ by orders
of magnitude. Each is fitted as it is, and with the treatment of such rows switched off; the best
objective known is that of kink steps on all different rows, from four seeds, and of the fits.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hyplane.native import core
from hyplane.solvers import Points, SoftMarginResult, solve_soft_margin

SEEDS = range(3)


class Data(NamedTuple):
    """Rows as they are given, and each different one with its weight."""

    name: str
    points: Points
    labels: Any
    weights: Any
    different: Points
    labels_of_different: Any
    weights_of_different: Any


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
    points = Points.from_chart(np.r_[V, W], "tangent")
    labels = np.r_[y, z]
    rows = np.r_[np.arange(m), np.repeat(np.arange(m, m + k), times)]
    weights = np.r_[np.ones(m), np.full(k, float(times))]
    points_named = "1 point" if k == 1 else f"{k} points"
    name = f"{points_named} {times} times each among {m} rows of {n} dimensions"
    return Data(name, points[rows], labels[rows], None, points, labels, weights)


def rare(m: int, n: int, k: int, seed: int) -> Data:
    """Return k rows of one class that weigh as much as all others."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((m, n))
    score = V[:, 0] + 0.7 * rng.standard_normal(m)
    positive = score >= np.sort(score)[-k]
    y = np.where(positive, 1, -1).astype(np.int8)
    weights = np.where(positive, m / (2 * k), m / (2 * (m - k)))
    points = Points.from_chart(V, "tangent")
    name = f"{k} of {m} rows of {n} dimensions as heavy as the others"
    return Data(name, points, y, weights, points, y, weights)


def uneven(m: int, n: int, spread: float, seed: int) -> Data:
    """Return rows whose weights are lognormal."""
    rng = np.random.default_rng(seed)
    V, y = overlapping(m, n, 0.4, rng)
    weights = np.exp(spread * rng.standard_normal(m))
    weights /= weights.mean()
    points = Points.from_chart(V, "tangent")
    name = f"lognormal weights (σ = {spread:g}) of {m} rows of {n} dimensions"
    return Data(name, points, y, weights, points, y, weights)


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


def switched_off() -> core.Tuning:
    """Return the numbers of a search that takes heavy rows for rows like any other."""
    tuning = core.Tuning()
    tuning.often_seen, tuning.heavy_share, tuning.narrowest_band = 10**9, 1e9, 0.0
    return tuning


def kinks_everywhere() -> core.Tuning:
    """Return the numbers of a search that takes kink steps on any number of rows."""
    tuning = core.Tuning()
    tuning.kink_steps_rows = 10**9
    return tuning


def fits(data: Data, C: float, tuning: core.Tuning) -> list[tuple[SoftMarginResult, float]]:
    """Return what each seed found, and its seconds of processor time."""
    found = []
    for seed in SEEDS:
        start = time.process_time()
        result = solve_soft_margin(
            data.points, data.labels, data.weights, C=C, seed=seed, tuning=tuning
        )
        found.append((result, time.process_time() - start))
    return found


def described(found: list[tuple[SoftMarginResult, float]], best: float) -> str:
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
        "| data | C | off: worst excess | converged | time | now: worst excess | converged | time |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for data in data_sets(scale):
        for C in (0.01, 1.0):
            different = data.different, data.labels_of_different, data.weights_of_different
            known = [
                solve_soft_margin(*different, C=C, seed=seed, tuning=kinks_everywhere()).objective
                for seed in range(4)
            ]
            off, now = fits(data, C, switched_off()), fits(data, C, core.Tuning())
            best = min(known + [result.objective for result, _ in off + now])
            print(
                f"| {data.name} | {C:g} | {described(off, best)} | {described(now, best)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
