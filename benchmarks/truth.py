"""Which classifier to pick: hyplane's beside scikit-learn's, each with its settings searched.

    python benchmarks/truth.py              all cells that truth.csv does not have yet, and a table
    python benchmarks/truth.py --table      the table from truth.csv alone
    python benchmarks/truth.py --quick      three small sets, one split, nothing is stored
    python benchmarks/truth.py --times      times and memory of HyperbolicClassifier by rows

The data sets need no download. Each is divided at random, with the same shares of the classes, into
a training and a test half; the large one into 65 000 training and 16 000 test rows. All methods get
the same points of the same training rows and search their settings there by three folds, on a
sample of 2000 rows where there are more; ``HyperbolicClassifier`` searches by itself. A cell (data
set, split, method) is written to ``truth.csv`` beside this file as soon as it is known, so that a
long run can be stopped and continued.
"""

import argparse
import csv
import resource
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, average_precision_score, f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler, label_binarize
from sklearn.svm import SVC

from hyplane import (
    HyperbolicClassifier,
    HyperbolicForestClassifier,
    HyperbolicKernelSVC,
    HyperbolicSVC,
)
from hyplane.datasets import (
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
COLUMNS = ("data set", "split", "method", "accuracy", "macro F1", "macro AP", "fit", "predict")
CHOICE = "HyperbolicClassifier"
CHART = {"coordinates": "tangent"}  # which holds points at any radius
SEARCHED = 2000  # rows on which the settings of a single method are searched
Points = NDArray[np.float64]
Labels = NDArray[Any]


def embedded(load: Callable[..., Any], seed: int = 0) -> tuple[Points, Labels]:
    """Embed a table: at most ten standard principal components as tangent vectors, size 2."""
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(X))
    X, y = StandardScaler().fit_transform(X[rows]), y[rows]
    X = PCA(min(10, X.shape[1]), random_state=0).fit_transform(X)
    return X * (2.0 / np.sqrt((X**2).sum(axis=1).mean())), y


def network_label(size: tuple[int, int], seed: int = 0) -> tuple[Points, Labels]:
    """Return a label that spread over a network of 500 nodes, at the true places of the nodes."""
    network = popularity_similarity_graph(500, random_state=seed)
    labels, _ = propagate_labels(network, 1, size, random_state=seed)
    return network.points("tangent"), labels[:, 0]


def walked(load: Callable[[], Any], seed: int = 0) -> tuple[Points, Labels]:
    """Return a real network in the plane, by random walks, with the classes of six or more."""
    network = load()
    embedding = HyperbolicSkipGram.converged(random_state=seed, **CHART)
    X, y = embedding.fit_transform(network.graph), np.asarray(network.target)
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= 6])
    return X[kept], y[kept]


def subtree(seed: int = 0) -> tuple[Points, Labels]:
    """Return whether nodes of a noisy random tree are below one node, as a taxonomy asks."""
    tree = make_hyperbolic_tree(
        3, 7, n_nodes=900, label_depth=2, edge_length=1.2, random_state=seed, **CHART
    )
    classes, counts = np.unique(tree.target, return_counts=True)
    one = classes[np.argmin(np.abs(counts - 0.1 * len(tree.target)))]
    noise = np.random.default_rng(seed).normal(scale=0.3, size=tree.data.shape)
    return tree.data + noise, (tree.target == one).astype(int)


def ring(seed: int = 0, n_rows: int = 3000, n_arcs: int = 60) -> tuple[Points, Labels]:
    """Return points near radius 5 whose classes are sets of short arcs, most of them rare.

    One row of twenty has the class of another arc.
    """
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, 11) ** 1.5
    of_arc = np.r_[np.arange(10), rng.choice(10, n_arcs - 10, p=shares / shares.sum())]
    ends = np.sort(rng.uniform(0.0, 2.0 * np.pi, n_arcs))
    angle, radius = rng.uniform(0.0, 2.0 * np.pi, n_rows), rng.normal(5.0, 0.3, n_rows)
    arc = np.searchsorted(ends, angle) % n_arcs
    moved = rng.uniform(size=n_rows) < 0.05
    arc[moved] = rng.integers(n_arcs, size=moved.sum())
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), of_arc[arc]


def concentric(n_dim: int, seed: int = 0, n_rows: int = 1200) -> tuple[Points, Labels]:
    """Return three classes of normal tangent vectors, which differ in their covariance alone."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    scales = np.exp(rng.normal(scale=0.9 / n_dim**0.25, size=(3, n_dim)))
    X = rng.normal(size=(n_rows, n_dim)) * scales[y]
    return X * (2.0 / np.sqrt((X**2).sum(axis=1).mean())), y


def grouped(n_rows: int, seed: int = 0, shares: Any = None) -> tuple[Points, Labels]:
    """Return rows in 40 groups of 8 dimensions, and the group of each row."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=0.8, size=(40, 8))
    group = rng.choice(40, n_rows, p=shares)
    return centres[group] + rng.normal(scale=0.45, size=(n_rows, 8)), group


def rare(seed: int = 0) -> tuple[Points, Labels]:
    """Return 81 000 rows of which one in a hundred is 1, in three of 40 groups."""
    shares = np.r_[np.full(3, 0.01 / 3), np.full(37, 0.99 / 37)]
    X, group = grouped(81_000, seed, shares)
    return X, (group < 3).astype(int)


gaussians = partial(make_hyperbolic_gaussians, **CHART)


def far_normals(n_dim: int, seed: int = 0) -> tuple[Points, Labels]:
    """Return six normal laws of tangent vectors, with most points far from the origin."""
    rng = np.random.default_rng(seed)
    y = rng.integers(6, size=900)
    X = rng.normal(size=(900, n_dim)) + 0.6 * rng.normal(size=(6, n_dim))[y]
    return X * (6.0 / np.sqrt((X**2).sum(axis=1).mean())), y


def tree(seed: int = 0) -> tuple[Points, Labels]:
    """Return the nodes of a tree with the 16 subtrees of depth two as classes."""
    shape = {"n_nodes": 800, "label_depth": 2, "edge_length": 1.5, "return_X_y": True}
    return make_hyperbolic_tree(4, 6, **shape, random_state=seed, **CHART)


LARGE = "1 % positive, 65 000 rows"
DATA_SETS: dict[str, Callable[..., tuple[Points, Labels]]] = {
    "ring with rare arcs": ring,
    **{f"concentric, dimension {n}": partial(concentric, n) for n in (2, 8, 64)},
    "far normal laws, dimension 16": partial(far_normals, 16),
    "label of 100-200 nodes": partial(network_label, (100, 200)),
    "label of 20-50 nodes": partial(network_label, (20, 50)),
    "subtree of a taxonomy": subtree,
    LARGE: rare,
    "Gaussians, 4 classes": lambda seed=0: gaussians(400, random_state=seed),
    "tree, 16 classes": tree,
    "digits": partial(embedded, load_digits),
    "breast cancer": partial(embedded, load_breast_cancer),
    "polbooks": partial(walked, load_polbooks),
    "wine": partial(embedded, load_wine),
    "iris": partial(embedded, load_iris),
}
QUICK = ("Gaussians, 4 classes", "wine", "iris")


def methods(X: Points) -> dict[str, tuple[Any, dict[str, Iterable[Any]]]]:
    """Return estimators and the grids of their settings, made for some training rows."""
    wide = (0.1, 1.0, 10.0, 100.0)
    ours = {"random_state": 0, **CHART}
    gammas = [factor * scale_gamma(X, **CHART) for factor in (0.3, 3.0)]
    kernel = {"C": wide[1:], "gamma": gammas, "radius_scale": (1.0, "auto")}
    forest = {"method": ("extra_trees", "boosting")}
    return {
        CHOICE: (HyperbolicClassifier(**ours), {}),
        "HyperbolicSVC": (HyperbolicSVC(**ours), {"C": wide, "multi_class": ("ovr", "ovo")}),
        "kernel SVC": (HyperbolicKernelSVC(**ours), kernel),
        "hyperbolic forest": (HyperbolicForestClassifier(**ours), forest),
        "RBF SVC": (SVC(), {"C": (*wide[1:], 1000.0), "gamma": ("scale", 1.0, 8.0, 64.0)}),
        "extra trees": (ExtraTreesClassifier(random_state=0), {"min_samples_leaf": (1, 3)}),
        "boosting": (
            HistGradientBoostingClassifier(random_state=0),
            {"learning_rate": (0.05, 0.2)},
        ),
    }


EUCLIDEAN = ("RBF SVC", "extra trees", "boosting")  # see ball coordinates


def fitted(estimator: Any, grid: dict[str, Iterable[Any]], X: Points, y: Labels) -> Any:
    """Search the settings on the rows, or on a sample of them, and fit the best to all rows."""
    if not grid:
        return estimator.fit(X, y)
    sample = np.arange(len(y))
    if len(y) > SEARCHED:
        sample, _ = train_test_split(sample, train_size=SEARCHED, stratify=y, random_state=0)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(estimator, grid, cv=folds, refit=False).fit(X[sample], y[sample])
    return clone(estimator).set_params(**search.best_params_).fit(X, y)


def measure(title: str, split: tuple[Points, Points, Labels, Labels]) -> tuple[float, ...]:
    """Return accuracy, macro F1 and macro AP in per cent, and processor seconds of both steps."""
    X, X_test, y, y_test = split
    estimator, grid = methods(X)[title]
    if title in EUCLIDEAN:
        X, X_test = (convert(part, "tangent", "ball") for part in (X, X_test))
    start = time.process_time()
    model = fitted(estimator, grid, X, y)
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


def split_of(name: str, seed: int) -> tuple[Points, Points, Labels, Labels]:
    """Return training points, test points, training labels, test labels."""
    X, y = DATA_SETS[name]()
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= 4])
    n_test = 16_000 if name == LARGE else 0.5
    X, y = X[kept], y[kept]
    return tuple(train_test_split(X, y, test_size=n_test, stratify=y, random_state=seed))


def run(sets: Iterable[str], n_splits: int, known: dict[tuple[str, ...], Any], store: bool) -> None:
    """Measure every cell that is not known."""
    for seed, name in product(range(n_splits), sets):
        if name == LARGE and seed > 0:
            continue
        split = split_of(name, seed)
        for title in methods(split[0]):
            key = (name, str(seed), title)
            if key in known:
                continue
            known[key] = measure(title, split)
            print(*key, *(f"{value:.4g}" for value in known[key]), flush=True)
            if store:
                new = not STORE.exists()
                with STORE.open("a", newline="") as file:
                    writer = csv.writer(file)
                    writer.writerows([COLUMNS] * new)
                    writer.writerow([*key, *(f"{value:.6g}" for value in known[key])])


def stored() -> dict[tuple[str, ...], Any]:
    """Return the cells of ``truth.csv``."""
    if not STORE.exists():
        return {}
    with STORE.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {tuple(row[:3]): tuple(map(float, row[3:])) for row in rows}


def print_table(known: dict[tuple[str, ...], Any]) -> None:
    """Print accuracy, macro F1 and macro AP by data set and method, and the times below."""
    titles = sorted(dict.fromkeys(key[2] for key in known), key=lambda title: title != CHOICE)
    found: dict[str, list[Any]] = {}  # splits × methods × columns, of the splits that all have
    for name, seed in dict.fromkeys(key[:2] for key in known):
        if all((name, seed, title) in known for title in titles):
            found.setdefault(name, []).append([known[name, seed, title] for title in titles])
    print("| accuracy, macro F1, macro AP | " + " | ".join(titles) + " |")
    print("|---" + "|--:" * len(titles) + "|")
    means = {name: np.mean(splits, axis=0) for name, splits in found.items()}
    small = [row for name, row in means.items() if name != LARGE]
    for name, row in {**means, "mean of all but 65 000 rows": np.mean(small, axis=0)}.items():
        best = row[:, :3].max(axis=0) - 0.05
        cells = [
            " ".join(f"**{v:.1f}**" if v > b else f"{v:.1f}" for v, b in zip(c, best, strict=False))
            for c in row
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")
    for part, rows in (("mean", np.array(small)), ("65 000 rows", means.get(LARGE))):
        for column, what in ((3, "fit"), (4, "predict")):
            if rows is not None:
                seconds = rows[..., column].reshape(-1, len(titles)).mean(axis=0)
                print(f"| {what}, s, {part} | " + " | ".join(f"{s:.2g}" for s in seconds) + " |")
    print_differences(known, titles[1:])
    print(f"\nSplits: {', '.join(f'{name} {len(splits)}' for name, splits in found.items())}")


def print_differences(known: dict[tuple[str, ...], Any], titles: list[str]) -> None:
    """Print accuracy and macro AP of HyperbolicClassifier minus others: mean ± standard error."""
    print(f"\n| {CHOICE} minus | " + " | ".join(titles) + " |\n|---" + "|--:" * len(titles) + "|")
    every: dict[str, list[Any]] = {title: [] for title in titles}
    for name in dict.fromkeys(name for name, *_ in known):
        cells = []
        for title in titles:
            splits = [seed for of_set, seed, method in known if (of_set, method) == (name, title)]
            pairs = [(known[name, s, CHOICE], known[name, s, title]) for s in splits]
            values = np.array([np.subtract(*pair)[[0, 2]] for pair in pairs])
            if len(values) > 2:  # fewer have no standard error to speak of
                every[title].append(values.mean(axis=0))
            cells.append(_with_errors(values))
        if any(cells):
            print(f"| {name} | " + " | ".join(cells) + " |")
    cells = [_with_errors(np.array(every[title])) for title in titles]
    print("| mean of these sets | " + " | ".join(cells) + " |")


def _with_errors(values: NDArray[np.float64]) -> str:
    if len(values) < 3:
        return ""
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return ", ".join(
        f"{m:+.1f} ± {e:.1f}" for m, e in zip(values.mean(axis=0), errors, strict=True)
    )


def print_times() -> None:
    """Print processor seconds of HyperbolicClassifier, and the most memory so far."""
    print("| rows | classes | fit, s | 16 000 predictions, s | memory, MB | choice |")
    print("|--:|--:|--:|--:|--:|---|")
    for n_classes, n_rows in product((2, 10), (300, 1000, 3000, 10_000, 65_000)):
        X, group = grouped(n_rows + 16_000)
        y = group % n_classes
        start = time.process_time()
        model = HyperbolicClassifier(random_state=0, **CHART).fit(X[:n_rows], y[:n_rows])
        middle = time.process_time()
        model.predict(X[n_rows:])
        seconds = f"{middle - start:.1f} | {time.process_time() - middle:.2f}"
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"| {n_rows} | {n_classes} | {seconds} | {memory:.0f} | {model.choice_} |", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three sets, one split, not stored")
    parser.add_argument("--table", action="store_true", help="no run: what is stored")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--times", action="store_true", help="times and memory by rows")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # a grid has corners where solvers stop early
    if arguments.times:
        print_times()
        return
    known = {} if arguments.quick else stored()
    if arguments.quick:
        run(QUICK, 1, known, store=False)
    elif not arguments.table:
        run(DATA_SETS, arguments.splits, known, store=True)
    print_table(known)


if __name__ == "__main__":
    main()
