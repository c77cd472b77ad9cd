"""How much each number of the solver's tuning matters.

    python benchmarks/tuning.py                 every number, about five minutes
    python benchmarks/tuning.py --only carried  one number
    python benchmarks/tuning.py --folds         the shorter searches of cross validation

Each number of `core.Tuning` is halved and doubled, alone, and the solver runs over the same random
problems. Prints a Markdown table: how many problems end more than 1e-5 above the lowest value known
of them (from all runs of the script and from a search with many rounds), and the evaluations of the
objective relative to those of the default.

`--folds` compares the fits of folds, which only choose C, with two usual rounds and with the whole
search on the same rows: the minima, the C that they choose, and the processor time.
"""

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.metrics import average_precision
from hyplane.native import core
from hyplane.solvers import Points
from hyplane.solvers.fitted import Hyperplanes
from hyplane.svm.folds import stratified_folds

N_PROBLEMS = 150
N_FOLDS, CS = 5, np.array([0.1, 1.0, 10.0])


def small_problem(rng: np.random.Generator):
    """One with kink steps from the start: rare or balanced classes, near or far from the origin."""
    n = int(rng.choice([2, 2, 3, 5, 10, 20]))
    m = int(rng.choice([34, 60, 102]))
    n_positive = max(2, round(m * rng.choice([0.5, 0.2, 0.02])))
    y = np.r_[np.ones(n_positive), -np.ones(m - n_positive)]
    V = rng.standard_normal((m, n)) / np.sqrt(n)
    V[:, 0] += 0.5 * rng.choice([0.0, 1.0, 3.0]) * y
    V += 0.5 * rng.standard_normal(n)
    V *= rng.choice([0.5, 2.0, 5.0, 12.0]) / np.linalg.norm(V, axis=1).max()
    return V, y, float(rng.choice([0.01, 0.1, 1.0, 10.0, 100.0]))


def large_problem(rng: np.random.Generator):
    """One that is sampled, or has too many columns for kink steps from the start."""
    m, n = [(3_000, 2), (20_000, 5), (600, 60), (400, 150)][rng.integers(4)]
    y = np.where(rng.random(m) < rng.choice([0.5, 0.1]), 1.0, -1.0)
    V = rng.standard_normal((m, n))
    V[:, 0] += 0.8 * y
    return V, y, float(rng.choice([0.1, 1.0]))


def problems():
    for seed in range(N_PROBLEMS):
        rng = np.random.default_rng(seed)
        V, y, C = large_problem(rng) if seed % 10 == 9 else small_problem(rng)
        yield Points.from_chart(V, "tangent").packed, y.astype(np.int8), C


def solve_all(cases: list[tuple], tuning: core.Tuning):
    runs = [core.solve_soft_margin(p, y, None, C, 1e-6, 1000, 0, None, tuning) for p, y, C in cases]
    return np.array([run[3] for run in runs]), sum(run[5] for run in runs)


def changed(name: str, factor: float) -> core.Tuning:
    tuning = core.Tuning()
    value = getattr(tuning, name)
    setattr(tuning, name, type(value)(max(value * factor, 1 if type(value) is int else 0)))
    return tuning


def thorough() -> core.Tuning:
    tuning = core.Tuning()
    tuning.easy_share = 1.0
    tuning.hits = tuning.hits_if_rare = 16
    tuning.rounds = tuning.rounds_if_rare = 40
    return tuning


def two_usual_rounds() -> core.Tuning:
    tuning = core.Tuning()
    tuning.compared_kinks, tuning.compared_again = tuning.least_kinks, tuning.carried_again
    return tuning


def fold_problems():
    """One class against the others: mixtures of Gaussians, and the small problems of above."""
    for seed in range(40):
        X, y = make_hyperbolic_gaussians(200, n_classes=4, random_state=seed)
        points = Points.from_chart(X)
        for positive in range(4):
            yield points, np.where(y == positive, 1, -1).astype(np.int8)
    for seed in range(1000, 1200):
        V, y, _ = small_problem(np.random.default_rng(seed))
        if (y > 0).sum() >= N_FOLDS:
            yield Points.from_chart(V, "tangent"), y.astype(np.int8)


def searched(
    points: Points, labels: np.ndarray, folds: np.ndarray, tuning: core.Tuning | None
) -> np.ndarray:
    """(log s, a, u) for each fold and each C; by whole searches without a tuning."""
    which = np.arange(N_FOLDS)
    if tuning is not None:
        return core.fit_folds(
            points.packed, labels, None, folds, which, CS, 1e-6, 1000, 0, tuning
        ).reshape(-1, points.n_dim + 2)
    planes = []
    for k in which:
        kept = np.where(folds == k, 0, labels).astype(np.int8)
        for C in CS:
            log_scale, offset, normal, *_ = core.solve_soft_margin(
                points.packed, kept, None, C, 1e-6, 1000, 0, None, core.Tuning()
            )
            planes.append([log_scale, offset, *normal])
    return np.array(planes)


def compare_folds() -> None:
    ways = {
        "as in cross validation": core.Tuning(),
        "two usual rounds": two_usual_rounds(),
        "the whole search": None,
    }
    seconds = dict.fromkeys(ways, 0.0)
    values = {name: [] for name in ways}
    chosen = {name: [] for name in ways}
    for points, labels in fold_problems():
        folds = stratified_folds(labels, N_FOLDS, 0)
        for name, tuning in ways.items():
            start = time.process_time()
            planes = searched(points, labels, folds, tuning)
            seconds[name] += time.process_time() - start
            scores = np.zeros((len(labels), len(CS)))
            for number, plane in enumerate(planes):
                k, c = divmod(number, len(CS))
                kept = np.where(folds == k, 0, labels).astype(np.int8)
                log_scale, offset, *normal = plane
                objective = core.loss_and_gradient(
                    points.packed, kept, None, CS[c], log_scale, offset, np.array(normal)
                )[0]
                values[name].append(objective)
                found = Hyperplanes(plane[:1], plane[1:2], plane[None, 2:])
                scores[folds == k, c] = points[folds == k].scores(found).ravel()
            areas = [average_precision(labels, scores[:, c]) for c in range(len(CS))]
            chosen[name].append(int(np.argmax(areas)))
    best = np.min([np.array(each).ravel() for each in values.values()], axis=0)
    usual = np.array(chosen["the whole search"])
    print("| fits of folds | processor time | above the best by 1e-5 | by 1e-2 | other C |")
    print("|---|--:|--:|--:|--:|")
    for name in ways:
        ratio = np.array(values[name]).ravel() / best - 1.0
        print(
            f"| {name} | {seconds[name]:.2f} s | {(ratio > 1e-5).sum()} of {len(best)} | "
            f"{(ratio > 1e-2).sum()} | {(np.array(chosen[name]) != usual).sum()} of {len(usual)} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one number only")
    parser.add_argument("--folds", action="store_true", help="the fits of folds")
    options = parser.parse_args()
    if options.folds:
        compare_folds()
        return
    only = options.only
    cases = list(problems())
    values, evaluations = solve_all(cases, core.Tuning())
    best = np.minimum(values, solve_all(cases, thorough())[0])
    names = [name for name in dir(core.Tuning) if not name.startswith("_")]
    found = {("default", 1.0): (values, evaluations)}
    for name in [only] if only else names:
        for factor in (0.5, 2.0):
            try:
                found[name, factor] = solve_all(cases, changed(name, factor))
            except ValueError:  # the solver refuses numbers with which it would not end
                continue
            best = np.minimum(best, found[name, factor][0])
    print("| number | default | halved: above, evaluations | doubled: above, evaluations |")
    print("|---|--:|--:|--:|")
    above = {key: int((run[0] > best * (1 + 1e-5)).sum()) for key, run in found.items()}
    for name in ["default", *([only] if only else names)]:
        if name == "default":
            print(f"| all at their default | | {above[name, 1.0]}, 1.00 | |")
            continue
        cells = [
            f"{above[name, factor]}, {found[name, factor][1] / evaluations:.2f}"
            if (name, factor) in found
            else "refused"
            for factor in (0.5, 2.0)
        ]
        print(f"| {name} | {getattr(core.Tuning(), name):g} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
