"""The calls of the catalogue: each public name with each kind of bad input."""

import inspect
from functools import partial
from itertools import product

import numpy as np
from values import CLASS_WEIGHTS, GRAPHS, LABELS, SCALARS, TABLES, WEIGHTS, X, y

import hyplane.geometry
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
    baselines,
    datasets,
    embeddings,
    features,
    metrics,
)
from hyplane.metrics import METRICS

SMALL_GRAPH = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]]
CLASSIFIERS = {
    "HyperbolicSVC": HyperbolicSVC,
    "HyperbolicSVCCV": partial(HyperbolicSVCCV, cv=2),
    "HyperbolicKernelSVC": HyperbolicKernelSVC,
    "EuclideanSVCCV": partial(baselines.EuclideanSVCCV, cv=2),
}
# In the pipelines, C and the like are scikit-learn's: liblinear goes on for ever with some.
PIPELINES = ("ball_svm", "klein_svm", "ambient_svm", "logistic_regression", "rbf_svc")
FAMILIES = {
    "CurvedHyperbolicSVC": CurvedHyperbolicSVC,
    "HyperbolicLogisticRegression": HyperbolicLogisticRegression,
    "HyperbolicKernelLogisticRegression": HyperbolicKernelLogisticRegression,
    "HyperbolicKNeighborsClassifier": partial(HyperbolicKNeighborsClassifier, n_neighbors=3),
    "HyperbolicForestClassifier": partial(HyperbolicForestClassifier, n_estimators=5),
    "HyperbolicClassifier": partial(HyperbolicClassifier, family=("neighbors",), cv=2),
    "NestedCV": partial(baselines.NestedCV, HyperbolicSVC(), cv=2),
}
NOT_WEIGHTED = (*PIPELINES, "HyperbolicKNeighborsClassifier", "NestedCV")
# Counts and times that may be any number and are obeyed.
OBEYED = {"n_estimators", "n_components", "n_starts", "max_seconds", "max_rows", "n_landmarks"}
SLOW = ("2**31", "2**63", "10**400", "1e308", "inf")


def parameters(function):
    """Return the names that a class or a function takes, the data left out."""
    function = function.func if isinstance(function, partial) else function
    skip = {"self", "args", "kwargs", "X", "Y", "y", "estimator", "parameters"}
    return [name for name in inspect.signature(function).parameters if name not in skip]


def feed(name, call, values, argument=""):
    """Yield a call with each of the values; the argument is named in front of it."""
    for what, value in values.items():
        yield f"{name}({argument}{what})", partial(call, value)


def feed_options(name, call, options=None, values=SCALARS, skip=None):
    """Yield a call for each option and value, but for those to skip."""
    skip = skip or (lambda option, what: option in OBEYED and what in SLOW)
    for option, (what, value) in product(options or parameters(call), values.items()):
        if not skip(option, what):
            yield f"{name}({option}: {what})", partial(call, **{option: value})


def then(make, finish):
    """Return a call that makes something and uses it; its options are those of making."""
    return lambda *words, **options: finish(make(*words, **options))


def fits(kind, make, options=None):
    """Feed a classifier: its parameters, its points, labels and weights."""
    fitted = then(make, lambda clf: clf.fit(X, y).predict(X))
    options = options or parameters(make)
    yield from feed_options(kind, fitted, options)
    if "class_weight" in options:
        yield from feed_options(kind, fitted, ["class_weight"], CLASS_WEIGHTS)
    tables = TABLES
    if kind in PIPELINES:
        tables = {what: t for what, t in TABLES.items() if what not in ("1e-308", "subnormal")}
    yield from feed(f"{kind}.fit", lambda t: make().fit(t, y).predict(X), tables)
    yield from feed(f"{kind}.predict", lambda t: make().fit(X, y).predict(t), TABLES)
    yield from feed(f"{kind}.fit", lambda labels: make().fit(X, labels).predict(X), LABELS, "y: ")
    if kind not in NOT_WEIGHTED:
        weighted = lambda w: make().fit(X, y, sample_weight=w).predict(X)  # noqa: E731
        yield from feed(f"{kind}.fit", weighted, WEIGHTS, "sample_weight: ")


def classifiers():
    for kind, make in CLASSIFIERS.items():
        yield from fits(kind, make)
    for kind in PIPELINES:
        yield from fits(kind, getattr(baselines, kind), ["coordinates", "curvature"])


def families():
    for kind, make in FAMILIES.items():
        yield from fits(kind, make)
    transformers = {
        "ChartTransformer": features.ChartTransformer,
        "HorofunctionFeatures": features.HorofunctionFeatures,
        "HyperbolicProjection": features.HyperbolicProjection,
        "HyperplaneView": partial(features.HyperplaneView, HyperbolicSVC().fit(X, y)),
        "TangentScaler": features.TangentScaler,
    }
    for kind, make in transformers.items():
        call = then(make, lambda transformer: transformer.fit_transform(X))
        yield from feed_options(kind, call, parameters(make))
        yield from feed(f"{kind}.fit", make().fit_transform, TABLES)
    index = NeighborIndex(X)
    yield from feed("NeighborIndex", NeighborIndex, TABLES)
    yield from feed("NeighborIndex.query", index.query, TABLES)
    yield from feed("NeighborIndex.query", partial(index.query, X), SCALARS, "k: ")


def geometry():
    for name in hyplane.geometry.__all__:
        function = getattr(hyplane.geometry, name)
        if not inspect.isfunction(function):
            continue
        taken = inspect.signature(function).parameters
        wanted = sum(p.default is p.empty and p.kind is not p.KEYWORD_ONLY for p in taken.values())
        yield from feed(name, lambda table, f=function, n=wanted: f(*[table] * n), TABLES)
        options = [option for option in ("coordinates", "curvature") if option in taken]
        if options:
            yield from feed_options(name, partial(function, *[X] * wanted), options)


def kernel_functions():
    for name in (
        "secant_kernel",
        "laplacian_kernel",
        "scale_gamma",
        "scale_radius",
        "gamma_grid",
    ):
        function = getattr(features, name)
        yield from feed(name, function, TABLES)
        yield from feed_options(name, partial(function, X), parameters(function))
    call = then(features.HyperbolicKernel, lambda kernel: kernel(X))
    options = ["gamma", "radius_scale", "kernel", "coordinates", "curvature"]
    yield from feed_options("HyperbolicKernel", call, options)
    make = features.HyperbolicRandomFeatures
    call = then(make, lambda transformer: transformer.fit_transform(X))
    yield from feed_options("HyperbolicRandomFeatures", call, parameters(make))


def metric_functions():
    for name, metric in METRICS.items():
        yield from feed(name, lambda labels, metric=metric: metric(labels, X[:, 0]), LABELS)
        yield from feed(name, partial(metric, y, X[:, 0]), WEIGHTS, "weights: ")
        yield from feed(name, partial(metric, y), TABLES, "scores: ")
    call = lambda labels: metrics.indicator_matrix(labels, [0, 1])  # noqa: E731
    yield from feed("indicator_matrix", call, LABELS)
    for average in (metrics.macro_average, metrics.micro_average):
        yield from feed(average.__name__, partial(average, np.column_stack([y, 1 - y])), TABLES)


def graph_functions():
    for kind in ("LaBNE", "HyperbolicSkipGram", "DeepWalk"):
        make = getattr(embeddings, kind)
        yield from feed(f"{kind}.fit", lambda g, make=make: make().fit_transform(g), GRAPHS)
        call = then(make, lambda embedding: embedding.fit_transform(SMALL_GRAPH))
        yield from feed_options(kind, call, parameters(make), skip=lambda *_: False)
    yield from feed("load_graph", datasets.load_graph, GRAPHS)
    yield from feed("random_walks", embeddings.random_walks, GRAPHS)


def generators():
    for name in ("make_hyperbolic_gaussians", "make_hyperbolic_tree"):
        yield from feed_options(name, getattr(datasets, name))
    name, network = "popularity_similarity_graph", datasets.popularity_similarity_graph
    others = [option for option in parameters(network) if option != "n_nodes"]
    yield from feed_options(name, network, ["n_nodes"])
    yield from feed_options(name, partial(network, 20), others)


GROUPS = {
    "classifiers": classifiers,
    "families": families,
    "geometry": geometry,
    "kernels": kernel_functions,
    "metrics": metric_functions,
    "graphs": graph_functions,
    "generators": generators,
}
