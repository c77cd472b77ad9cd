"""A demonstration: ``python -m hyplane.demo`` compares two classifiers and draws their decisions.

Points are drawn from hyperbolic Gaussians, one per class. A hyperbolic SVM and a linear SVM on the
ball coordinates are fitted to half of the points and tested on the other half.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from hyplane._utils.optional import import_optional
from hyplane.classifiers.svc import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.plotting import PoincareDisplay


def compare(seed: int) -> tuple[dict[str, BaseEstimator], dict[str, float], tuple[Any, Any]]:
    """Fit both classifiers on half of a random data set, and test them on the other half.

    Parameters
    ----------
    seed : int
        Seed of the data set and of its halves.

    Returns
    -------
    models : dict
        The fitted classifiers by name.
    accuracies : dict
        Their test accuracies.
    test : tuple
        The test points and their classes.

    Examples
    --------
    >>> models, accuracies, test = compare(seed=0)
    >>> list(models)
    ['Hyperbolic SVM', 'Linear SVM']
    """
    X, y, *_ = make_hyperbolic_gaussians(800, n_classes=4, random_state=seed)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=seed
    )
    models = {"Hyperbolic SVM": HyperbolicSVC(C=1.0), "Linear SVM": LinearSVC(C=1.0)}
    for model in models.values():
        model.fit(X_train, y_train)
    accuracies = {name: float(model.score(X_test, y_test)) for name, model in models.items()}
    return models, accuracies, (X_test, y_test)


def draw(
    models: dict[str, BaseEstimator],
    accuracies: dict[str, float],
    test: tuple[Any, Any],
    figure: Any = None,
) -> Any:
    """Draw the decisions of the classifiers over the test points, side by side.

    Parameters
    ----------
    models, accuracies, test
        The result of `compare`.
    figure : matplotlib Figure, optional
        Figure to draw in; a new one by default.

    Returns
    -------
    figure : matplotlib Figure

    Examples
    --------
    >>> figure = draw(*compare(seed=0))
    >>> len(figure.axes)
    2
    """
    if figure is None:
        kind = import_optional("matplotlib.figure", "plot").Figure
        figure = kind(figsize=(9.0, 5.35), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(models)), models, strict=True):
        names = [f"class {label}" for label in models[name].classes_]
        PoincareDisplay.from_estimator(models[name], *test, ax=ax, class_names=names)
        ax.set_title(f"{name}\ntest accuracy {accuracies[name]:.1%}")
    return figure


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, print and draw.

    Parameters
    ----------
    arguments : sequence of str, optional
        The command line; by default that of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m hyplane.demo", description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("decision_boundary.png"))
    parser.add_argument("--seed", type=int, default=5, help="seed of the data set (default: 5)")
    parser.add_argument(
        "--repeats", type=int, default=20, help="number of data sets to average (default: 20)"
    )
    options = parser.parse_args(arguments)

    models, accuracies, test = compare(options.seed)
    repeats = [compare(seed)[1] for seed in range(options.repeats)]
    print(f"{'test accuracy':<16}{'this picture':>14}{f'mean of {options.repeats} data sets':>24}")
    for name in models:
        mean = np.mean([accuracy[name] for accuracy in repeats]) if repeats else np.nan
        print(f"{name:<16}{accuracies[name]:>14.1%}{mean:>24.1%}")
    draw(models, accuracies, test).savefig(options.output, dpi=150)
    print(f"picture: {options.output.resolve()}")


if __name__ == "__main__":
    main()
