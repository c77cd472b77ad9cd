"""What the shortcut for scores without ties saves in a cross validation.

`hyplane.metrics.areas_of_columns` judges all values of C of a problem at once where no two scores
of a column are equal, and calls scikit-learn's functions one by one otherwise. The fits are the
same with and without the shortcut.
"""

import time
from unittest.mock import patch

from hyplane import HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV
from hyplane.datasets import make_hyperbolic_gaussians

REPEATS = 9


def milliseconds(estimator: object, m: int, n_classes: int) -> float:
    """Return the shortest processor time of a fit."""
    X, y = make_hyperbolic_gaussians(m, n_classes=n_classes, random_state=0)
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        estimator.fit(X, y)
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def main() -> None:
    """Print the table."""
    print("| rows | classes | classifier | with | without | ratio |")
    print("|--:|--:|---|--:|--:|--:|")
    for m, n_classes in ((200, 2), (400, 4), (1000, 4), (300, 12), (10_000, 4)):
        for make in (HyperbolicSVCCV, EuclideanSVCCV):
            fast = milliseconds(make(random_state=0), m, n_classes)
            with patch("hyplane.metrics._areas_without_ties", return_value=None):
                slow = milliseconds(make(random_state=0), m, n_classes)
            times = f"{fast:.1f} ms | {slow:.1f} ms | {slow / fast:.2f}"
            print(f"| {m} | {n_classes} | {make.__name__} | {times} |")


if __name__ == "__main__":
    main()
