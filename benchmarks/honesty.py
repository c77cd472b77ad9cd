"""Whether `converged_` holds where radii vary widely, and how far apart several seeds end.

    python benchmarks/honesty.py                          both tables
    python benchmarks/honesty.py --rows 20000 --seeds 0   the first one, 20 000 rows only

Rows have radii of a heavy-tailed distribution, so the kinks of their losses have very different
widths. First table: an independent descent (`smoothed_descent.py`) from the hyperplane of each fit.
A fit that says that it has converged should leave it nothing to gain; more than 1e-5 counts as
false. Second table: objectives of several seeds, relative to the lowest of them.
"""

import argparse
import itertools
import os
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from smoothed_descent import BEYOND, gain

from hyplane import HyperbolicSVC
from hyplane.solvers import SoftMarginResult

RADII = ("t(2)", "exponential", "gaussian")
FARTHEST = 14.0
CS = (0.01, 1.0)
GAIN = 1e-5  # a larger one: the fit had not converged


def wide_rows(n_rows: int, n_dim: int, radii: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points on two sides of a hyperplane, some of them on the wrong one, and labels."""
    rng = np.random.default_rng(seed)
    if radii == "t(2)":
        radius = np.abs(rng.standard_t(2, n_rows))
    elif radii == "exponential":
        radius = rng.exponential(2.0, n_rows)
    else:
        radius = np.abs(rng.normal(0.0, 2.0, n_rows))
    radius = np.minimum(radius, FARTHEST)
    direction = rng.normal(size=(n_rows, n_dim))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    normal = rng.normal(size=n_dim)
    normal /= np.linalg.norm(normal)
    side = np.sinh(0.3) * np.cosh(radius) - np.cosh(0.3) * np.sinh(radius) * (direction @ normal)
    labels = np.where(np.arcsinh(side) + rng.normal(0.0, 0.5, n_rows) > 0.0, 1, -1)
    flipped = rng.random(n_rows) < 0.1
    labels[flipped] = -labels[flipped]
    return np.column_stack([radius, direction]), labels


def timed_fit(
    X: np.ndarray, y: np.ndarray, C: float, bound: str, seed: int = 0
) -> tuple[SoftMarginResult, float]:
    """Return what a fit found, and its seconds of processor time."""
    model = HyperbolicSVC(C=C, bound=bound, coordinates="polar", random_state=seed)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the table says whether it converged
        [result] = model.fit(X, y).results_
    return result, time.process_time() - start


def further_descent(rows: list[int], dims: list[int], radii: list[str], bounds: list[str]) -> None:
    print("\n### What an independent descent gains\n")
    print("| rows | n | radii | C | bound | converged | gain | iterations | time |")
    print("|--:|--:|---|--:|---|---|--:|--:|--:|")
    converged, gains = [], []
    for n_rows, n_dim, kind, C in itertools.product(rows, dims, radii, CS):
        X, y = wide_rows(n_rows, n_dim, kind, seed=n_dim)
        for bound in bounds:
            result, seconds = timed_fit(X, y, C, bound)
            converged.append(result.converged)
            gains.append(gain(result, X, y, C, bound=bound))
            print(
                f"| {n_rows} | {n_dim} | {kind} | {C:g} | {bound} | "
                f"{'yes' if result.converged else 'no'} | {gains[-1]:.1e} | {result.n_iter} | "
                f"{seconds:.2f} s |",
                flush=True,
            )
    says_so, wrong = np.array(converged), np.array(gains) > GAIN
    print(
        f"\n{len(gains)} fits, {says_so.sum()} converged, {(says_so & wrong).sum()} of these more "
        f"than {GAIN:g} above what the descent found."
    )


def several_seeds(n_rows: int, dims: list[int], radii: list[str], n_seeds: int) -> None:
    print(f"\n### Objectives of {n_seeds} seeds above the lowest of them, {n_rows} rows\n")
    print("| n | radii | C | mean | worst |\n|--:|---|--:|--:|--:|")
    excess = []
    for n_dim, kind, C in itertools.product(dims, radii, CS):
        X, y = wide_rows(n_rows, n_dim, kind, seed=100 + n_dim)
        values = np.array(
            [timed_fit(X, y, C, "ball", seed)[0].objective for seed in range(n_seeds)]
        )
        excess.append(values / values.min() - 1.0)
        print(
            f"| {n_dim} | {kind} | {C:g} | {excess[-1].mean():.1e} | {excess[-1].max():.1e} |",
            flush=True,
        )
    print(f"\nMean {np.mean(excess):.1e}, worst {np.max(excess):.1e}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rows",
        type=int,
        nargs="+",
        default=[20_000, 100_000, 400_000],
        help="rows of the first table",
    )
    parser.add_argument("--dims", type=int, nargs="+", default=[2, 5, 20], help="dimensions")
    parser.add_argument(
        "--radii", nargs="+", choices=RADII, default=RADII[:2], help="distributions of the radii"
    )
    parser.add_argument(
        "--bounds", nargs="+", choices=list(BEYOND), default=list(BEYOND), help="values of bound"
    )
    parser.add_argument(
        "--seeds", type=int, default=5, help="seeds of the second table; 0 leaves it out"
    )
    parser.add_argument("--seed-rows", type=int, default=40_000, help="rows of the second table")
    options = parser.parse_args()
    further_descent(options.rows, options.dims, options.radii, options.bounds)
    if options.seeds:
        several_seeds(options.seed_rows, options.dims, options.radii, options.seeds)


if __name__ == "__main__":
    main()
