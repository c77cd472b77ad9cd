"""Many classes: time and memory of fits and of scores.

``python benchmarks/many_classes.py`` prints the table of benchmarks/README.md;
``--largest 20000`` adds more classes, ``--against`` the solver on all rows for the first classes.
Rows on disk: ``benchmarks/scale.py --classes 20000``.
"""

import argparse
import resource
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from hyplane import HyperbolicSVC
from hyplane.solvers import OneVsRest, Points, solve_soft_margin


def make(n_classes: int, n_per_class: int, n_dim: int, spread: float = 0.3):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), n_per_class)
    centers = 1.5 * rng.normal(size=(n_classes, n_dim))
    return centers[y] + spread * rng.normal(size=(len(y), n_dim)), y


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def fits(largest: int) -> None:
    print("| classes × rows | dimensions | one-vs-rest fit, s | predict 2000 rows, s |")
    print("| --- | --- | --- | --- |")
    for n_classes, n_per_class, n_dim in [
        (1000, 10, 2), (1000, 10, 10), (50, 4000, 2), (50, 4000, 10), (4000, 10, 5), (20000, 10, 5),
    ]:  # fmt: skip
        if n_classes > largest:
            continue
        X, y = make(n_classes, n_per_class, n_dim)
        clf = HyperbolicSVC(coordinates="tangent", random_state=0)
        fit, _ = timed(lambda clf=clf, X=X, y=y: clf.fit(X, y))
        predict, _ = timed(lambda clf=clf, X=X: clf.predict(np.resize(X, (2000, X.shape[1]))))
        print(f"| {n_classes} × {n_per_class} | {n_dim} | {fit:.2f} | {predict:.4f} |", flush=True)


def pairs() -> None:
    X, y = make(200, 10, 2)
    clf = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fit, _ = timed(lambda: clf.fit(X, y))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    score, _ = timed(lambda: clf.decision_function(X))
    more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        f"\none-vs-one, 200 classes: fit {fit:.1f} s; scores of 2000 rows {score:.2f} s and "
        f"{more:.0f} MB more"
    )


def against() -> None:
    print("\n| classes × rows | dimensions | spread | ours / all rows, time | objective, mean |")
    print("| --- | --- | --- | --- | --- |")
    for n_dim, spread in ((2, 0.3), (5, 1.0), (10, 0.3)):
        X, y = make(1000, 10, n_dim, spread)
        points = Points.from_chart(X, "tangent")
        shared, ratios, times = OneVsRest(points, y), [], np.zeros(2)
        for k in range(60):
            labels = np.where(y == k, np.int8(1), np.int8(-1))
            seconds, ours = timed(lambda k=k, shared=shared: shared.solve(k, seed=k))
            alone, theirs = timed(
                lambda k=k, labels=labels, points=points: solve_soft_margin(points, labels, seed=k)
            )
            times += seconds, alone
            ratios.append(ours.objective / theirs.objective - 1.0)
        print(
            f"| 1000 × 10 | {n_dim} | {spread} | {times[0] / times[1]:.2f} | "
            f"{np.mean(ratios):+.4f} |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=4000)
    parser.add_argument("--against", action="store_true")
    arguments = parser.parse_args()
    pairs()
    fits(arguments.largest)
    if arguments.against:
        against()
