"""Fit a varied set of models, and compare their numbers with those of an earlier version.

python tools/compare_fits.py before.json
python tools/compare_fits.py after.json --against before.json

Writes predictions, probabilities, decision values, objectives and coefficients. With --against,
prints every number that differs by more than 1e-9 (relative to numbers above 1) with the name of
its fit, and exits with 1 if there is any. Takes a quarter of a minute on one core.
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import dask.array
import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

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
    NeighborIndex,
    load_model,
    predict_to_file,
    save_model,
)
from hyplane.baselines import (
    EuclideanSVCCV,
    NestedCV,
    ambient_svm,
    ball_svm,
    klein_svm,
    logistic_regression,
    rbf_svc,
)
from hyplane.datasets import load_karate, make_hyperbolic_gaussians
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram, LaBNE
from hyplane.features import ChartTransformer, HorofunctionFeatures, HyperbolicRandomFeatures
from hyplane.geometry import convert
from hyplane.out_of_core import ParquetTable

# All names of the package are above, and names of parameters that may change are here.
SURFACE = "surface"

TOLERANCE = 1e-9
CHARTS = ("ball", "hyperboloid", "halfspace", "klein", "polar", "tangent")
METHODS = ("predict", "predict_proba", "decision_function", "signed_distance")
LEARNED = (
    *("classes_", "coef_", "intercept_", "level_", "objective_", "converged_", "margin_"),
    *("support_", "dual_coef_", "gamma_", "C_", "cv_scores_", "n_folds_", "score_functions_"),
    *("weights_", "power_", "reference_points_"),
)
SEED = {"random_state": 0}

Numbers = dict[str, Any]
Fit = Callable[[], Numbers]


def points(
    m: int = 150, n_classes: int = 3, n_dim: int = 2, *, spread: float = 0.9, seed: int = 0
) -> tuple[Any, Any]:
    """Return tangent vectors around a centre for each class, and the classes."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((n_classes, n_dim))
    centres *= 1.6 / np.linalg.norm(centres, axis=1, keepdims=True)
    y = np.arange(m) % n_classes
    return centres[y] + spread * rng.standard_normal((m, n_dim)), y


def numbers_of(model: Any, X: Any) -> Numbers:
    """Return what a fitted classifier says of rows, and what it learned."""
    found = {name: getattr(model, name)(X) for name in METHODS if hasattr(model, name)}
    last = model[-1] if hasattr(model, "steps") else model
    return found | {name: getattr(last, name) for name in LEARNED if hasattr(last, name)}


def fit(
    model: Any,
    data: tuple[Any, Any] | None = None,
    chart: str = "ball",
    curvature: float = -1.0,
    sample_weight: Any = None,
) -> Fit:
    """Return a call that fits tangent vectors in a chart and predicts the first 40 of them."""

    def run() -> Numbers:
        V, y = points() if data is None else data
        X = convert(V, "tangent", chart, curvature=curvature)
        if sample_weight is None:
            return numbers_of(model.fit(X, y), X[:40])
        return numbers_of(model.fit(X, y, sample_weight=sample_weight), X[:40])

    return run


def transform(model: Any) -> Fit:
    """Return a call that fits a transformer and transforms ten points."""

    def run() -> Numbers:
        X = convert(points()[0], "tangent", "ball")
        return {"transform": model.fit(X).transform(X[:10])}

    return run


def classifiers() -> Iterator[tuple[str, Fit]]:
    """Yield every kind of fit in memory with its name."""
    two, many = points(n_classes=2), points(200, 6, seed=1)
    apart = points(60, 2, spread=0.15, seed=2)
    V, y = points()
    # The last label has no row.
    several = np.column_stack([y == 0, V[:, 0] > 0, V[:, 1] > 0.5, y < 0]).astype(int)
    names = np.array(["ant", "bee", "cat"])[y]
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 4.0], len(y))

    for C in (1e-3, 0.1, 1.0, 100.0):
        yield f"soft, C={C:g}", fit(HyperbolicSVC(C, **SEED), two)
    for kind in ("ovr", "ovo"):
        yield f"soft, {kind}", fit(HyperbolicSVC(multi_class=kind, **SEED), many)
        yield f"cv, {kind}", fit(HyperbolicSVCCV(multi_class=kind, **SEED), many)
    for bound in ("ball", "horosphere"):
        yield f"soft, bound {bound}", fit(HyperbolicSVC(1e4, bound=bound, **SEED), apart)
        yield f"cv, bound {bound}", fit(HyperbolicSVCCV(bound=bound, **SEED), apart)
    for chart in CHARTS:
        yield f"soft, {chart}", fit(HyperbolicSVC(coordinates=chart, **SEED), chart=chart)
        model = HyperbolicSVC(coordinates=chart, curvature=-0.25, **SEED)
        yield f"soft, {chart}, curvature", fit(model, chart=chart, curvature=-0.25)
    for n_dim in (1, 5, 20, 120):
        yield f"soft, {n_dim} dimensions", fit(HyperbolicSVC(**SEED), points(100, 3, n_dim))
    for m in (2, 12, 600, 5000, 40_000):
        yield f"soft, {m} rows", fit(HyperbolicSVC(**SEED), points(m, 2, seed=m))
    yield "cv, 5000 rows", fit(HyperbolicSVCCV(**SEED), points(5000, 3, seed=7))
    twice = np.repeat(two[0], 2, axis=0), np.repeat(two[1], 2)
    yield "soft, every row twice", fit(HyperbolicSVC(**SEED), twice)
    far = 12.0 * points(120, 2, seed=4)[0], points(120, 2, seed=4)[1]
    yield "soft, far points", fit(HyperbolicSVC(coordinates="tangent", **SEED), far, "tangent")
    yield "hard", fit(HyperbolicSVC(np.inf, **SEED), apart)
    yield "hard, several classes", fit(HyperbolicSVC(np.inf, **SEED), points(60, 3, spread=0.1))

    for options in (
        {"scoring": "roc_auc"},
        {"score_function": "auto", "Cs": (0.01, 0.1, 1.0, 10.0, 100.0)},
        {"score_function": "klein", "cv": 3},
        {"class_weight": "balanced"},
    ):
        words = ", ".join(f"{key} {value}" for key, value in options.items())
        yield f"cv, {words}", fit(HyperbolicSVCCV(**options, **SEED))

    for surface in ("hyperplane", "horosphere", "sphere", "any"):
        model = CurvedHyperbolicSVC(**{SURFACE: surface}, **SEED)
        yield f"curved, {surface}", fit(model)
    yield "curved, ovo", fit(CurvedHyperbolicSVC(multi_class="ovo", **SEED))
    for kernel in ("secant", "laplacian", "tangent_rbf"):
        yield f"kernel svc, {kernel}", fit(HyperbolicKernelSVC(kernel=kernel, tol=1e-10))
    yield (
        "kernel svc, gamma, ovo",
        fit(HyperbolicKernelSVC(gamma=0.7, decision_function_shape="ovo", tol=1e-10), many),
    )
    for surface in ("hyperplane", "any"):
        model = HyperbolicLogisticRegression(**{SURFACE: surface}, **SEED)
        yield f"logistic, {surface}", fit(model)
    yield "logistic, two classes", fit(HyperbolicLogisticRegression(10.0, **SEED), two)
    for kernel, n_landmarks in (("secant", 1000), ("laplacian", 30)):
        model = HyperbolicKernelLogisticRegression(kernel=kernel, n_landmarks=n_landmarks, **SEED)
        yield f"kernel logistic, {kernel}, {n_landmarks}", fit(model)
    for kind in ("uniform", "distance"):
        for algorithm in ("tree", "brute"):
            model = HyperbolicKNeighborsClassifier(7, weights=kind, algorithm=algorithm)
            yield f"neighbors, {kind}, {algorithm}", fit(model)
    for ideal in ("geodesic", "harmonic", "uniform"):
        model = HyperbolicForestClassifier(20, ideal_points=ideal, **SEED)
        yield f"forest, {ideal}", fit(model)
    for ensemble in ("average", "best"):
        model = HyperbolicClassifier(ensemble=ensemble, cv=3, **SEED)
        yield f"automatic, {ensemble}", fit(model, points(80))

    makers: dict[str, Callable[..., Any]] = {
        "soft": lambda **options: HyperbolicSVC(**options, **SEED),
        "cv": lambda **options: HyperbolicSVCCV((0.1, 10.0), **options, **SEED),
        "curved": lambda **options: CurvedHyperbolicSVC(**options, **SEED),
        "kernel svc": lambda **options: HyperbolicKernelSVC(tol=1e-10, **options),
        "logistic": lambda **options: HyperbolicLogisticRegression(**options, **SEED),
        "kernel logistic": lambda **options: HyperbolicKernelLogisticRegression(**options, **SEED),
        "forest": lambda **options: HyperbolicForestClassifier(10, **options, **SEED),
    }
    for name, make in makers.items():
        yield f"{name}, words as labels", fit(make(), (V, names))
        yield f"{name}, balanced", fit(make(class_weight="balanced"), (V[:90], y[:90]))
        own = {"ant": 1.0, "bee": 3.0, "cat": 0.5}
        yield f"{name}, own class weights", fit(make(class_weight=own), (V, names))
        yield f"{name}, weights", fit(make(), sample_weight=weights)
        if name != "kernel svc":
            yield f"{name}, several labels", fit(make(), (V, several))
        model = make(coordinates="klein", curvature=-2.0)
        yield f"{name}, other chart and curvature", fit(model, chart="klein", curvature=-2.0)

    for make in (ball_svm, klein_svm, ambient_svm, logistic_regression, rbf_svc):
        yield f"baseline {make.__name__}", fit(make())
    yield "baseline EuclideanSVCCV", fit(EuclideanSVCCV(**SEED))
    yield "baseline NestedCV", fit(NestedCV(HyperbolicKernelSVC(tol=1e-10), cv=3, **SEED))


def others() -> Iterator[tuple[str, Fit]]:
    """Yield certificates, transformers, neighbours, files and embeddings with their names."""
    V, y = points()
    X = convert(V, "tangent", "ball")

    def certified() -> Numbers:
        two = X[y < 2][:40], y[y < 2][:40]
        model = HyperbolicSVC(tol=1e-10, **SEED).fit(*two)
        [found] = model.certify(*two, rel_gap=1e-3, max_seconds=60.0)
        return {"objective": found.objective, "proved": found.gap <= 1e-3 * found.objective}

    def saved() -> Numbers:
        with tempfile.TemporaryDirectory() as folder:
            save_model(HyperbolicSVCCV(**SEED).fit(X, y), Path(folder, "model.json"))
            return numbers_of(load_model(Path(folder, "model.json")), X[:40])

    def warm() -> Numbers:
        model = HyperbolicSVC(warm_start=True, **SEED).fit(X, y)
        return numbers_of(model.set_params(C=3.0).fit(X, y), X[:40])

    def near() -> Numbers:
        distances, rows = NeighborIndex(X).query(X[:20], 5)
        return {"distances": distances, "rows": rows}

    def generated() -> Numbers:
        X, y = make_hyperbolic_gaussians(60, random_state=0)
        return {"X": X, "y": y}

    yield "certificate", certified
    yield "saved and loaded", saved
    yield "warm start", warm
    yield "neighbour index", near
    yield "gaussians", generated
    yield "features, horofunctions", transform(HorofunctionFeatures(n_components=8, **SEED))
    for kernel in ("secant", "heat", "normal"):
        model = HyperbolicRandomFeatures(kernel, n_components=20, n_anchors=30, **SEED)
        yield f"features, random {kernel}", transform(model)
    yield "features, charts", transform(ChartTransformer("halfspace"))
    network = load_karate()
    for model in (LaBNE(2.5), HyperbolicSkipGram(**SEED), DeepWalk(n_walks=2, **SEED)):
        # The model as a default argument: a closure would see the last one only.
        yield (
            f"embedding, {type(model).__name__}",
            lambda model=model: {"embedding": model.fit_transform(network.graph)},
        )


def out_of_core() -> Iterator[tuple[str, Fit]]:
    """Yield fits of rows on disk and of streams, with their names."""
    m = 140_000  # more than are read into memory
    V, y = points(m, seed=5)
    X, weights = convert(V, "tangent", "ball"), np.random.default_rng(0).random(m) + 0.5

    def with_table(run: Callable[[ParquetTable, Path], Numbers]) -> Fit:
        def made() -> Numbers:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                columns = {"x": X[:, 0], "y": X[:, 1], "label": y, "weight": weights}
                parquet.write_table(pa.table(columns), folder / "t.parquet", row_group_size=30_000)
                return run(ParquetTable(folder / "t.parquet"), folder)

        return made

    def soft(table: ParquetTable, folder: Path) -> Numbers:
        rows = table[["x", "y"]]
        model = HyperbolicSVC(**SEED).fit(rows, table["label"], sample_weight=table["weight"])
        predict_to_file(model, rows, folder / "p.npy")
        predicted = np.load(folder / "p.npy")
        return _learned(model) | {"predict_to_file": predicted[:200], "sum": predicted.sum()}

    def chosen(table: ParquetTable, folder: Path) -> Numbers:
        model = HyperbolicSVCCV((0.01, 1.0), cv=3, **SEED)
        rows = table[["x", "y"]]
        model.fit(rows, table["label"])
        return _learned(model) | {"predict_proba": np.asarray(model.predict_proba(rows))[:40]}

    def mapped() -> Numbers:
        m, n_dim = 140_000, 60  # 64 MiB, from which on a memory map is read block by block
        V, y = points(m, 2, n_dim, seed=6)
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder, "X.npy"), V)
            rows = np.load(Path(folder, "X.npy"), mmap_mode="r")
            model = HyperbolicSVC(coordinates="tangent", **SEED).fit(rows, y)
            return numbers_of(model, V[:40])

    def on_dask() -> Numbers:
        rows = dask.array.from_array(X, chunks=(50_000, 2))
        labels = dask.array.from_array(y, chunks=50_000)
        return _learned(HyperbolicSVC(**SEED).fit(rows, labels))

    def streamed() -> Numbers:
        model = HyperbolicSVC(**SEED)
        for begin in range(0, 3000, 500):
            part = slice(begin, begin + 500)
            model.partial_fit(X[part], y[part], classes=[0, 1, 2])
        return numbers_of(model, X[:40])

    yield "parquet, soft", with_table(soft)
    yield "parquet, cv", with_table(chosen)
    yield "memory map", mapped
    yield "dask", on_dask
    yield "partial_fit", streamed


def _learned(model: Any) -> Numbers:
    return {name: getattr(model, name) for name in LEARNED if hasattr(model, name)}


def run_all() -> dict[str, Numbers]:
    """Run every fit; an error is kept in place of its numbers."""
    found: dict[str, Numbers] = {}
    for source in (classifiers, others, out_of_core):
        for name, call in source():
            if name in found:
                raise ValueError(f"two fits are named {name!r}")
            try:
                found[name] = {key: _plain(value) for key, value in call().items()}
            except Exception as error:
                found[name] = {"error": f"{type(error).__name__}: {error}"}
    return found


def _plain(value: Any) -> Any:
    """Return an array, or a list of arrays, as JSON holds it."""
    if isinstance(value, list) and value and np.ndim(value[0]):
        return [_plain(each) for each in value]
    return np.asarray(value).tolist()


def differences(before: Mapping[str, Numbers], after: Mapping[str, Numbers]) -> list[str]:
    """Return a line for each quantity that is missing or not the same."""
    lines = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, {}), after.get(name, {})
        for key in sorted({*old, *new}):
            if key not in new or key not in old:
                lines.append(f"{name}: {key} only {'before' if key in old else 'after'}")
            elif words := _difference(old[key], new[key]):
                lines.append(f"{name}: {key}: {words}")
    return lines


def _difference(old: Any, new: Any) -> str:
    """Say how two values differ; an empty string if they do not."""
    if old == new:
        return ""
    a, b = np.asarray(old), np.asarray(new)
    if a.shape != b.shape:
        return f"shape {a.shape} before, {b.shape} after"
    if a.dtype.kind not in "fiub" or b.dtype.kind not in "fiub":
        return f"{np.sum(a != b)} of {a.size} differ, as in {old!r:.60} and {new!r:.60}"
    a, b = a.astype(float), b.astype(float)
    near = np.isclose(b, a, rtol=0.0, atol=TOLERANCE, equal_nan=True)
    far = ~(near | np.isclose(b, a, rtol=TOLERANCE, atol=0.0))
    if not far.any():
        return ""
    gaps = np.where(far, np.abs(a - b), -1.0)
    worst = np.unravel_index(np.argmax(gaps), a.shape)
    place = list(map(int, worst))
    return f"{far.sum()} of {a.size} differ, most at {place}: {a[worst]} before, {b[worst]} after"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("output", type=Path, help="file to write the numbers to")
    parser.add_argument("--against", type=Path, help="file of an earlier run to compare with")
    options = parser.parse_args()
    before = None if options.against is None else json.loads(options.against.read_text())
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run_all()
    options.output.write_text(json.dumps(found, indent=0) + "\n")
    for name, numbers in found.items():
        if "error" in numbers:
            print(f"{name}: {numbers['error']}", file=sys.stderr)
    print(f"{len(found)} fits in {time.perf_counter() - start:.0f} s: {options.output}")
    if before is None:
        return 0
    # Through JSON, as the earlier numbers came.
    lines = differences(before, json.loads(options.output.read_text()))
    print("\n".join(lines) or "no differences")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
