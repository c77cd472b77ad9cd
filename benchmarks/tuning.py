"""How much each number of the solver's tuning matters.

    python benchmarks/tuning.py                 every number, about five minutes
    python benchmarks/tuning.py --only carried  one number

Each number of `core.Tuning` is halved and doubled, alone, and the solver runs over the same random
problems. Prints a Markdown table: how many problems end more than 1e-5 above the lowest value known
of them (from all runs of the script and from a search with many rounds), and the evaluations of the
objective relative to those of the default.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from hyplane.native import core
from hyplane.solvers import Points

N_PROBLEMS = 150


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="one number only")
    only = parser.parse_args().only
    cases = list(problems())
    values, evaluations = solve_all(cases, core.Tuning())
    best = np.minimum(values, solve_all(cases, thorough())[0])
    names = [name for name in dir(core.Tuning) if not name.startswith("_")]
    found = {("default", 1.0): (values, evaluations)}
    for name in [only] if only else names:
        for factor in (0.5, 2.0):
            found[name, factor] = solve_all(cases, changed(name, factor))
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
            for factor in (0.5, 2.0)
        ]
        print(f"| {name} | {getattr(core.Tuning(), name):g} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
