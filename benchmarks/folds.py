"""Fits of folds, which only choose C, against whole searches on the same rows.

    python benchmarks/folds.py             about a minute
    python benchmarks/folds.py --quick     a tenth of the problems

Prints a Markdown table: processor time, how many fits end above the lower objective of the two, and
for how many problems another C is chosen.
"""

import argparse
import os
import time
from collections.abc import Iterator

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sklearn.metrics import average_precision_score

from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.native import core
from hyplane.solvers import Points
from hyplane.solvers.result import Hyperplanes
from hyplane.solvers.rows import folds_by_class

N_FOLDS, CS = 5, np.array([0.1, 1.0, 10.0])
BRIEF, WHOLE = "as in cross validation", "the whole search"


def small_problem(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return one with rare or balanced classes, near or far from the origin."""
    n = int(rng.choice([2, 2, 3, 5, 10, 20]))
    m = int(rng.choice([34, 60, 102]))
    n_positive = max(2, round(m * rng.choice([0.5, 0.2, 0.02])))
    y = np.r_[np.ones(n_positive), -np.ones(m - n_positive)].astype(np.int8)
    V = rng.standard_normal((m, n)) / np.sqrt(n)
    V[:, 0] += 0.5 * rng.choice([0.0, 1.0, 3.0]) * y
    V += 0.5 * rng.standard_normal(n)
    V *= rng.choice([0.5, 2.0, 5.0, 12.0]) / np.linalg.norm(V, axis=1).max()
    return V, y


def problems(tenth: int) -> Iterator[tuple[Points, np.ndarray]]:
    """Yield classes of Gaussians, each against the others, and small problems."""
    for seed in range(40 // tenth):
        X, y = make_hyperbolic_gaussians(200, n_classes=4, random_state=seed)
        points = Points.from_chart(X)
        for positive in range(4):
            yield points, np.where(y == positive, 1, -1).astype(np.int8)
    for seed in range(1000, 1000 + 200 // tenth):
        V, y = small_problem(np.random.default_rng(seed))
        if (y > 0).sum() >= N_FOLDS:
            yield Points.from_chart(V, "tangent"), y


def brief_searches(points: Points, labels: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Return (log s, a, u) for each fold and each C."""
    planes = core.fit_folds(
        points.packed, labels, None, folds, np.arange(N_FOLDS), CS, 1e-6, 1000, 0
    )
    return planes.reshape(-1, points.n_dim + 2)


def whole_searches(points: Points, labels: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Return the same, of fits that know nothing of each other."""
    planes = []
    for k in range(N_FOLDS):
        kept = np.where(folds == k, 0, labels).astype(np.int8)
        for C in CS:
            log_scale, offset, normal, *_ = core.solve_soft_margin(
                points.packed, kept, None, C, 1e-6, 1000, 0
            )
            planes.append([log_scale, offset, *normal])
    return np.array(planes)


def judged(
    points: Points, labels: np.ndarray, folds: np.ndarray, planes: np.ndarray
) -> tuple[list[float], int]:
    """Return the objective of each hyperplane, and which C ranks the rows left out best."""
    values, scores = [], np.zeros((len(labels), len(CS)))
    for number, plane in enumerate(planes):
        k, c = divmod(number, len(CS))
        left_out = folds == k
        kept = np.where(left_out, 0, labels).astype(np.int8)
        values.append(
            core.loss_and_gradient(
                points.packed, kept, None, CS[c], plane[0], plane[1], plane[2:].copy()
            )[0]
        )
        found = Hyperplanes(plane[:1], plane[1:2], plane[None, 2:])
        scores[left_out, c] = points[left_out].scores(found).ravel()
    return values, int(np.argmax([average_precision_score(labels > 0, each) for each in scores.T]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the problems")
    ways = {BRIEF: brief_searches, WHOLE: whole_searches}
    seconds = dict.fromkeys(ways, 0.0)
    values: dict[str, list[float]] = {name: [] for name in ways}
    chosen: dict[str, list[int]] = {name: [] for name in ways}
    for points, labels in problems(10 if parser.parse_args().quick else 1):
        folds = folds_by_class((labels > 0).astype(int), N_FOLDS, 0).astype(np.int64)
        for name, search in ways.items():
            start = time.process_time()
            planes = search(points, labels, folds)
            seconds[name] += time.process_time() - start
            objectives, best_C = judged(points, labels, folds, planes)
            values[name] += objectives
            chosen[name].append(best_C)
    best = np.min(list(values.values()), axis=0)
    print("| fits of folds | processor time | above the best by 1e-5 | by 1e-2 | other C |")
    print("|---|--:|--:|--:|--:|")
    for name in ways:
        ratio = np.array(values[name]) / best - 1.0
        other = np.not_equal(chosen[name], chosen[WHOLE]).sum()
        print(
            f"| {name} | {seconds[name]:.2f} s | {(ratio > 1e-5).sum()} of {len(best)} | "
            f"{(ratio > 1e-2).sum()} | {other} of {len(chosen[name])} |"
        )


if __name__ == "__main__":
    main()
