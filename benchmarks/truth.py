"""Which classifier to pick: all of hyplane's and their Euclidean rivals, each at its best.

    python benchmarks/truth.py                  every cell that is not in truth.csv yet, then tables
    python benchmarks/truth.py --tables         the tables from truth.csv alone
    python benchmarks/truth.py --quick          three small sets, one split, nothing is stored

Twelve data sets that need no download, ten stratified halves each. Every method gets the same
points of the same training half and searches its own settings there by three folds (the choice
among the methods, ``auto``, by its default, five). The measures are taken on the other half. A cell
(data set, split, method) is written to ``truth.csv`` beside this file as soon as it is known, so
that a long run can be stopped and continued. ``auto`` is a method like the others: it sees the
training half only.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, average_precision_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler, label_binarize
from sklearn.svm import SVC, LinearSVC
from tangent_svc import TangentSVC

from hyplane import (
    CurvedHyperbolicSVC,
    HyperbolicClassifier,
    HyperbolicForestClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    HyperbolicSVC,
    HyperbolicSVCCV,
)
from hyplane.datasets import (
    load_football,
    load_polbooks,
    make_hyperbolic_gaussians,
    make_hyperbolic_tree,
    popularity_similarity_graph,
    propagate_labels,
)
from hyplane.embeddings import HyperbolicSkipGram
from hyplane.features import scale_gamma
from hyplane.geometry import convert

STORE = Path(__file__).with_name("truth.csv")
COLUMNS = ("data set", "split", "method", "accuracy", "macro F1", "macro AUPR", "fit", "predict")
MEASURES = COLUMNS[3:6]
RIVAL = "Euclidean RBF SVC"
CHOICE = "HyperbolicClassifier (auto)"
CHART = {"coordinates": "tangent"}  # which holds points at any radius
Points = NDArray[np.float64]
Labels = NDArray[Any]


def embedded(load: Callable[..., Any], most: int = 900) -> tuple[Points, Labels]:
    """Embed a table: at most ten standard principal components as tangent vectors, size 2."""
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:most]
    X, y = StandardScaler().fit_transform(X[rows]), y[rows]
    X = PCA(min(10, X.shape[1]), random_state=0).fit_transform(X)
    return X * (2.0 / np.sqrt((X**2).sum(axis=1).mean())), y


def network_label(seed: int, size: tuple[int, int]) -> tuple[Points, Labels]:
    """Return a label that spread over a network of 500 nodes, at the true places of the nodes."""
    network = popularity_similarity_graph(500, random_state=seed)
    labels, _ = propagate_labels(network, 1, size, random_state=seed)
    return network.points("tangent"), labels[:, 0]


def walked(load: Callable[[], Any]) -> tuple[Points, Labels]:
    """Return a real network in the plane, by random walks, with the classes of five or more."""
    network = load()
    embedding = HyperbolicSkipGram.converged(random_state=0, coordinates="tangent")
    X = embedding.fit_transform(network.graph)
    y = np.asarray(network.target)
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= 6])
    return X[kept], y[kept]


def subtree(depth: int, seed: int) -> tuple[Points, Labels]:
    """Return whether nodes of a noisy random tree are below one node, as a taxonomy asks."""
    tree = make_hyperbolic_tree(
        3, 7, n_nodes=900, label_depth=depth, edge_length=1.2, random_state=seed, **CHART
    )
    classes, counts = np.unique(tree.target, return_counts=True)
    one = classes[np.argmin(np.abs(counts - 0.1 * len(tree.target)))]
    noise = np.random.default_rng(seed).normal(scale=0.3, size=tree.data.shape)
    return tree.data + noise, (tree.target == one).astype(int)


gaussians = partial(make_hyperbolic_gaussians, **CHART)
tree_of_16 = partial(
    make_hyperbolic_tree,
    *(4, 6),
    n_nodes=800,
    label_depth=2,
    edge_length=1.5,
    return_X_y=True,
    random_state=0,
    **CHART,
)
DATA_SETS: dict[str, Callable[[], tuple[Points, Labels]]] = {
    "Gaussians, 4 classes": partial(gaussians, 400, random_state=0),
    "Gaussians, 12 classes": partial(
        gaussians, 960, n_classes=12, center_variance=4.0, random_state=0
    ),
    "label of 100-200 nodes": partial(network_label, 0, (100, 200)),
    "label of 20-50 nodes": partial(network_label, 1, (20, 50)),
    "tree, 16 classes": tree_of_16,
    "subtree of a taxonomy": partial(subtree, 2, 0),
    "polbooks": partial(walked, load_polbooks),
    "football": partial(walked, load_football),
    "digits": partial(embedded, load_digits),
    "wine": partial(embedded, load_wine),
    "breast cancer": partial(embedded, load_breast_cancer),
    "iris": partial(embedded, load_iris),
}
QUICK = ("Gaussians, 4 classes", "wine", "iris")


class Method:
    """An estimator, the settings it searches, and the coordinates it sees."""

    def __init__(self, estimator: Any, grid: dict[str, Iterable[Any]], ball: bool = False) -> None:
        self.estimator, self.grid, self.ball = estimator, grid, ball

    def fit(self, X: Points, y: Labels, seed: int) -> Any:
        """Search the settings on the rows and fit the best."""
        if not self.grid:
            return self.estimator.fit(X, y)
        folds = StratifiedKFold(3, shuffle=True, random_state=seed)
        grid = {key: list(values) for key, values in self.grid.items()}
        return GridSearchCV(self.estimator, grid, cv=folds).fit(X, y)


def methods(X: Points) -> dict[str, Method]:
    """Return the methods for a training half; γ is searched around the scale of its points."""
    wide = (0.1, 1.0, 10.0, 100.0)
    ours = {"random_state": 0, **CHART}
    gammas = {
        kernel: [factor * scale_gamma(X, kernel, **CHART) for factor in (0.25, 1.0, 4.0)]
        for kernel in ("secant", "laplacian")
    }
    euclidean = {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)}
    return {
        "HyperbolicSVC, one-vs-rest": Method(HyperbolicSVC(**ours), {"C": wide}),
        "HyperbolicSVC, one-vs-one": Method(
            HyperbolicSVC(multi_class="ovo", **ours), {"C": wide}
        ),
        "HyperbolicSVCCV": Method(HyperbolicSVCCV(wide, cv=3, **ours), {}),
        "HyperbolicSVCCV, one-vs-one": Method(
            HyperbolicSVCCV(wide, cv=3, multi_class="ovo", **ours), {}
        ),
        "CurvedHyperbolicSVC": Method(CurvedHyperbolicSVC(**ours), {"C": wide}),
        "HyperbolicLogisticRegression, hyperplanes": Method(
            HyperbolicLogisticRegression(surface="hyperplane", **ours), {"C": wide}
        ),
        "HyperbolicLogisticRegression, circles": Method(
            HyperbolicLogisticRegression(**ours), {"C": wide}
        ),
        **{
            f"HyperbolicKernelSVC, {kernel}": Method(
                HyperbolicKernelSVC(kernel=kernel, **CHART), {"C": wide, "gamma": gammas[kernel]}
            )
            for kernel in gammas
        },
        **{
            f"HyperbolicKernelLogisticRegression, {kernel}": Method(
                HyperbolicKernelLogisticRegression(kernel=kernel, n_landmarks=200, **ours),
                {"C": wide, "gamma": gammas[kernel]},
            )
            for kernel in gammas
        },
        "HyperbolicKNeighborsClassifier": Method(
            HyperbolicKNeighborsClassifier(**CHART), {"n_neighbors": (1, 5, 15)}
        ),
        "HyperbolicForestClassifier": Method(
            HyperbolicForestClassifier(**ours), {"min_samples_leaf": (1, 3)}
        ),
        # The time for its search is not what is measured here.
        CHOICE: Method(HyperbolicClassifier(max_seconds=3600.0, **ours), {}),
        "TangentSVC (Poincaré SVM)": Method(
            OneVsRestClassifier(TangentSVC(**CHART)), {"estimator__C": wide}
        ),
        "Euclidean linear SVC": Method(LinearSVC(dual=False), euclidean, ball=True),
        RIVAL: Method(
            SVC(), {**euclidean, "gamma": ("scale", 1.0, 4.0, 16.0)}, ball=True
        ),
        "Euclidean k-NN": Method(KNeighborsClassifier(), {"n_neighbors": (1, 5, 15)}, ball=True),
        "Euclidean forest": Method(
            ExtraTreesClassifier(random_state=0), {"min_samples_leaf": (1, 3)}, ball=True
        ),
        "Euclidean boosting": Method(
            HistGradientBoostingClassifier(max_iter=100, random_state=0),
            {"learning_rate": (0.05, 0.2)},
            ball=True,
        ),
    }  # fmt: skip


def measure(method: Method, split: tuple[Points, Labels, Points, Labels], seed: int):
    """Return accuracy, macro F1, macro AUPR in per cent, and processor seconds of both steps."""
    X, y, X_test, y_test = split
    if method.ball:
        X, X_test = (convert(part, "tangent", "ball") for part in (X, X_test))
    start = time.process_time()
    model = method.fit(X, y, seed)
    middle = time.process_time()
    labels = model.predict(X_test)
    end = time.process_time()
    probabilities = hasattr(model, "predict_proba")
    values = model.predict_proba(X_test) if probabilities else model.decision_function(X_test)
    truth = label_binarize(y_test, classes=model.classes_)
    if truth.shape[1] == 1:
        truth = np.hstack([1 - truth, truth])
    if values.ndim == 1:
        values = np.column_stack([-values, values])
    return (
        100 * accuracy_score(y_test, labels),
        100 * f1_score(y_test, labels, average="macro"),
        100 * average_precision_score(truth, values, average="macro"),
        middle - start,
        end - middle,
    )


def run(sets: Iterable[str], splits: int, known: dict[tuple[str, ...], Any], store: bool) -> None:
    """Measure every cell that is not known."""
    for name in sets:
        X, y = DATA_SETS[name]()
        halves = StratifiedShuffleSplit(splits, test_size=0.5, random_state=0).split(X, y)
        for seed, (train, test) in enumerate(halves):
            split = X[train], y[train], X[test], y[test]
            for title, method in methods(X[train]).items():
                key = (name, str(seed), title)
                if key in known:
                    continue
                known[key] = measure(method, split, seed)
                if store:
                    new = not STORE.exists()
                    with STORE.open("a", newline="") as file:
                        writer = csv.writer(file)
                        writer.writerows([COLUMNS] * new)
                        writer.writerow([*key, *(f"{value:.6g}" for value in known[key])])


def stored() -> dict[tuple[str, ...], Any]:
    if not STORE.exists():
        return {}
    with STORE.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {tuple(row[:3]): tuple(map(float, row[3:])) for row in rows}


def print_tables(known: dict[tuple[str, ...], Any]) -> None:
    sets = list(dict.fromkeys(key[0] for key in known))
    titles = list(dict.fromkeys(key[2] for key in known))
    # Only splits that every method has: the comparisons are paired.
    splits = {
        name: [
            seed
            for seed in dict.fromkeys(key[1] for key in known if key[0] == name)
            if all((name, seed, title) in known for title in titles)
        ]
        for name in sets
    }
    sets = [name for name in sets if splits[name]]
    values = np.array(
        [
            [np.mean([known[name, seed, title] for seed in splits[name]], axis=0) for name in sets]
            for title in titles
        ]
    )  # methods × sets × columns
    rival = titles.index(RIVAL)
    count = {len(seeds) for name, seeds in splits.items() if seeds}
    print(f"{len(sets)} data sets, {min(count)} to {max(count)} halves each.\n")
    print(f"Mean difference to {RIVAL} in points ± standard error over the data sets; mean rank;")
    print("processor time of the search and of a prediction of the other half, mean over sets.\n")
    print(
        "| method | accuracy | macro F1 | macro AUPR | rank: accuracy | AUPR | search | predict |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    ranks = [rankdata(-values[:, :, k], axis=0).mean(axis=1) for k in (0, 2)]
    for k in np.argsort(-values[:, :, 0].mean(axis=1)):
        cells = []
        for column in range(len(MEASURES)):
            apart = values[k, :, column] - values[rival, :, column]
            cells.append("—" if k == rival else _paired(apart))
        cells += [f"{rank[k]:.1f}" for rank in ranks]
        cells += [f"{values[k, :, 3].mean():.2f} s", f"{1e3 * values[k, :, 4].mean():.1f} ms"]
        print(f"| {titles[k]} | " + " | ".join(cells) + " |")
    for column, measure_name in ((0, "Accuracy"), (2, "Macro AUPR")):
        print(f"\n{measure_name} in %, mean over the halves; the best in bold.\n")
        print("| method | " + " | ".join(sets) + " |\n|---" + "|--:" * len(sets) + "|")
        best = values[:, :, column].max(axis=0)
        for title, row in zip(titles, values[:, :, column], strict=True):
            cells = [
                f"**{v:.1f}**" if v > top - 0.05 else f"{v:.1f}"
                for v, top in zip(row, best, strict=True)
            ]
            print(f"| {title} | " + " | ".join(cells) + " |")


def print_choice(known: dict[tuple[str, ...], Any]) -> None:
    """Print how the choice on the training half did against the rival and against each method."""
    print(f"\n{CHOICE} minus {RIVAL}; minus the method with the best mean on the set, in")
    print("hindsight; and minus the method that was best on the other halves of the set.")
    print("In points ± standard error over the halves (paired; halves of one set share rows).\n")
    print(
        f"| data set | minus {RIVAL}: accuracy | macro AUPR | minus the best: accuracy "
        "| macro AUPR | minus the best on the other halves: accuracy | macro AUPR |"
    )
    print("|---" + "|--:" * 6 + "|")
    for name in dict.fromkeys(key[0] for key in known):
        seeds = [seed for other, seed, title in known if (other, title) == (name, CHOICE)]
        titles = [t for t in dict.fromkeys(key[2] for key in known) if (name, seeds[0], t) in known]
        values = np.array([[known[name, seed, title] for seed in seeds] for title in titles])
        own, rival = values[titles.index(CHOICE)], values[titles.index(RIVAL)]
        singles = np.delete(values, titles.index(CHOICE), axis=0)
        cells = [_paired(own[:, k] - rival[:, k]) for k in (0, 2)]
        cells += [_paired(own[:, k] - _best(singles[:, :, k])) for k in (0, 2)]
        cells += [_paired(own[:, k] - _best_elsewhere(singles[:, :, k])) for k in (0, 2)]
        print(f"| {name} | " + " | ".join(cells) + " |")


def _best(values: Points) -> Points:
    """Return the row of the method with the best mean over the halves."""
    return values[values.mean(axis=1).argmax()]


def _best_elsewhere(values: Points) -> Points:
    """Return for each half the method with the best mean over the other halves."""
    others = values.sum(axis=1, keepdims=True) - values
    return values[others.argmax(axis=0), np.arange(values.shape[1])]


def _paired(difference: Points) -> str:
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if len(difference) > 1 else np.nan
    return f"{difference.mean():+.2f} ± {error:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three sets, one split, not stored")
    parser.add_argument("--tables", action="store_true", help="no run: what is stored")
    parser.add_argument("--splits", type=int, default=10)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # a grid has corners where solvers stop early
    known = {} if arguments.quick else stored()
    if arguments.quick:
        run(QUICK, 1, known, store=False)
    elif not arguments.tables:
        run(DATA_SETS, arguments.splits, known, store=True)
    print_tables(known)
    print_choice(known)


if __name__ == "__main__":
    main()
