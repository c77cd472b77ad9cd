"""Fits in 100 to 512 dimensions: kink steps against quasi-Newton, and both against LinearSVC.

    python benchmarks/high_dimension.py            about two minutes
    python benchmarks/high_dimension.py --quick    up to 2000 rows of 256 dimensions

Two Gaussian clouds of points at distances of about 2 from the origin; times of the processor.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody

import numpy as np
from sklearn.svm import LinearSVC

from hyplane.geometry import convert
from hyplane.native import core
from hyplane.solvers import Points, SoftMarginResult, solve_soft_margin

# How far apart the class means are, in standard deviations, and C.
CASES = (("separated", 18.0, 1.0), ("some", 4.8, 1.0), ("strong", 1.2, 1.0), ("strong", 1.2, 100.0))


def clouds(m: int, n: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Return two clouds in tangent coordinates, and their labels."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(m) < 0.5, 1, -1).astype(np.int8)
    V = rng.standard_normal((m, n))
    V[:, 0] += 0.5 * apart * y
    return 2.0 / np.sqrt(n) * V, y


def timed_fit(
    points: Points, y: np.ndarray, C: float, most_parameters: int
) -> tuple[SoftMarginResult, float]:
    """Fit with kink steps up to that many parameters; return the result and its seconds."""
    tuning = core.Tuning()
    tuning.kink_steps_parameters = most_parameters
    start = time.process_time()
    result = solve_soft_margin(points, y, C=C, tuning=tuning)
    return result, time.process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    quick = parser.parse_args().quick
    print(
        "| n | m | overlap | C | LinearSVC | quasi-Newton | converged | kink steps | converged | "
        "objective of kink steps against quasi-Newton |"
    )
    print("|--:|--:|---|--:|--:|--:|---|--:|---|--:|")
    for n in (100, 150, 256) if quick else (100, 150, 256, 512):
        for m in (500, 2000) if quick else (500, 2000, 10_000):
            for overlap, apart, C in CASES:
                V, y = clouds(m, n, apart)
                X, points = convert(V, "tangent", "ball"), Points.from_chart(V, "tangent")
                start = time.process_time()
                LinearSVC(dual=False).fit(X, y)
                linear = time.process_time() - start
                old, before = timed_fit(points, y, C, 0)
                new, now = timed_fit(points, y, C, core.Tuning().kink_steps_parameters)
                print(
                    f"| {n} | {m} | {overlap} | {C:g} | {1e3 * linear:.0f} ms | "
                    f"{1e3 * before:.0f} ms | {'yes' if old.converged else 'no'} | "
                    f"{1e3 * now:.0f} ms | {'yes' if new.converged else 'no'} | "
                    f"{new.objective / old.objective - 1.0:+.0e} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
