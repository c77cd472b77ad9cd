"""Many classes: time and memory of fits and of scores.

``python benchmarks/many_classes.py`` prints the table of benchmarks/README.md;
``--largest 20000`` adds more classes. Times are those of the processor.
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=4000, help="most classes")
    arguments = parser.parse_args()
    pairs()
    fits(arguments.largest)
