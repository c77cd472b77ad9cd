"""Every classifier of hyplane and the baselines, over data sets that need no download.

Run ``python benchmarks/classifiers.py`` (``--quick`` for a smoke run). Each classifier gets the
same points and the same stratified halves; C is chosen among 0.1, 1 and 10 by three folds of the
training half. One table is printed: accuracy, macro F1 and macro AUPR in per cent, and the
processor time of one fit at the chosen C, means over the repetitions.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics import accuracy_score, average_precision_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, label_binarize
from sklearn.svm import LinearSVC

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import (
    make_hyperbolic_gaussians,
    make_hyperbolic_tree,
    popularity_similarity_graph,
    propagate_labels,
)
from hyplane.evaluation import METHODS
from hyplane.kernels import HyperbolicKernel, HyperbolicRandomFeatures, scale_gamma

BASELINES = ("euclidean", "klein", "ambient", "tangent", "logistic", "rbf")
C_GRID = (0.1, 1.0, 10.0)
CHART = {"coordinates": "tangent"}  # which holds points at any radius


def embedded(load: Callable[..., Any], n_dim: int = 10, radius: float = 2.0):
    """Embed a table of numbers in hyperbolic space.

    Standardise, keep at most ten principal components, scale the rows to a root mean square length
    of 2 and take them as tangent vectors at the origin.
    """
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    X = PCA(min(n_dim, X.shape[1]), random_state=0).fit_transform(X)
    return X * (radius / np.sqrt((X**2).sum(axis=1).mean())), y


def network_label():
    """Return a label that spread over a network of 500 nodes, at the true places of the nodes."""
    network = popularity_similarity_graph(500, random_state=0)
    labels, _ = propagate_labels(network, 1, (100, 200), random_state=0)
    return network.points("tangent"), labels[:, 0]


def data_sets():
    return {
        "Gaussians, 4 classes": make_hyperbolic_gaussians(400, random_state=0, **CHART),
        "Gaussians, 12 classes": make_hyperbolic_gaussians(
            960, n_classes=12, center_variance=4.0, random_state=0, **CHART
        ),
        "network label": network_label(),
        "tree, 16 classes": make_hyperbolic_tree(
            4, 6, n_nodes=800, label_depth=2, edge_length=1.5, return_X_y=True, random_state=0,
            **CHART,
        ),
        "digits": embedded(load_digits),
        "wine": embedded(load_wine),
        "breast cancer": embedded(load_breast_cancer),
        "iris": embedded(load_iris),
    }  # fmt: skip


def classifiers(X: NDArray[Any]):
    """Return the estimators by name; what a grid search sets is found by its name, C."""
    waves = HyperbolicRandomFeatures(n_components=200, random_state=0, **CHART)
    secant = HyperbolicKernel("secant", scale_gamma(X, **CHART), **CHART)
    # A third of the points is what the folds of a half have to train on.
    landmarks = Nystroem(secant, n_components=min(100, len(X) // 3 - 3), random_state=0)
    return {
        "HyperbolicSVC, ovr": HyperbolicSVC(random_state=0, **CHART),
        "HyperbolicSVC, ovo": HyperbolicSVC(multi_class="ovo", random_state=0, **CHART),
        "HyperbolicSVCCV": HyperbolicSVCCV(C_GRID, cv=3, random_state=0, **CHART),
        "kernel SVC, secant": HyperbolicKernelSVC(kernel="secant", **CHART),
        "kernel SVC, laplacian": HyperbolicKernelSVC(kernel="laplacian", **CHART),
        "kernel SVC, tangent RBF": HyperbolicKernelSVC(kernel="tangent_rbf", **CHART),
        "secant, up to 100 landmarks (Nystroem)": make_pipeline(landmarks, LinearSVC(dual=False)),
        "secant, 200 random features": make_pipeline(waves, LinearSVC(dual=False, tol=1e-2)),
        **{METHODS[name].title: METHODS[name].single(**CHART) for name in BASELINES},
    }


def fitted(estimator: Any, X: NDArray[Any], y: NDArray[Any], seed: int):
    """Return the estimator at its best C, and the processor seconds of one fit.

    HyperbolicSVCCV chooses C itself, so that its fit is the whole search.
    """
    names = [key for key in estimator.get_params() if key == "C" or key.endswith("__C")]
    if names:
        folds = StratifiedKFold(3, shuffle=True, random_state=seed)
        search = GridSearchCV(estimator, {names[0]: C_GRID}, cv=folds, refit=False).fit(X, y)
        estimator = clone(estimator).set_params(**search.best_params_)
    start = time.process_time()  # of this process alone, whatever else the machine does
    return estimator.fit(X, y), time.process_time() - start


def scores(estimator: Any, X: NDArray[Any], y: NDArray[Any]):
    labels = estimator.predict(X)
    values = (
        estimator.predict_proba(X)
        if hasattr(estimator, "predict_proba")
        else estimator.decision_function(X)
    )
    truth = label_binarize(y, classes=estimator.classes_)
    if truth.shape[1] == 1:
        truth = np.hstack([1 - truth, truth])
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    return (
        100 * accuracy_score(y, labels),
        100 * f1_score(y, labels, average="macro"),
        100 * average_precision_score(truth, values, average="macro"),
    )


def measure(estimator: Any, X: NDArray[Any], y: NDArray[Any], repetitions: int):
    splits = StratifiedShuffleSplit(repetitions, test_size=0.5, random_state=0)
    rows = []
    for seed, (train, test) in enumerate(splits.split(X, y)):
        model, seconds = fitted(estimator, X[train], y[train], seed)
        rows.append((*scores(model, X[test], y[test]), 1000 * seconds))
    return np.mean(rows, axis=0)


def print_table(results: dict[str, list[NDArray[Any]]], names: list[str]):
    accuracy = np.array([[cell[0] for cell in row] for row in results.values()])
    best = accuracy.max(axis=0)
    print(
        "Accuracy / macro F1 / macro AUPR in %, processor time of a fit; best accuracy in bold.\n"
    )
    print("| classifier | " + " | ".join(names) + " | mean accuracy |")
    print("|---" * (len(names) + 2) + "|")
    for name, row in results.items():
        cells = []
        for cell, top in zip(row, best, strict=True):
            first = f"**{cell[0]:.1f}**" if cell[0] == top else f"{cell[0]:.1f}"
            cells.append(f"{first} / {cell[1]:.1f} / {cell[2]:.1f}, {cell[3]:.0f} ms")
        mean = np.mean([cell[0] for cell in row])
        print(f"| {name} | " + " | ".join(cells) + f" | {mean:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one repetition, small sets only")
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    sets = data_sets()
    if arguments.quick:
        sets = {name: sets[name] for name in ("Gaussians, 4 classes", "wine", "iris")}
    warnings.simplefilter("ignore", ConvergenceWarning)  # liblinear far out in the ambient space
    start = time.perf_counter()
    repetitions = 1 if arguments.quick else arguments.repetitions
    results: dict[str, list[NDArray[Any]]] = {}
    for X, y in sets.values():
        for name, estimator in classifiers(X).items():
            results.setdefault(name, []).append(measure(estimator, X, y, repetitions))
    sizes = [f"{name} ({len(y)} × {X.shape[1]})" for name, (X, y) in sets.items()]
    print_table(results, sizes)
    print(f"\n{time.perf_counter() - start:.0f} s in all.")


if __name__ == "__main__":
    main()
