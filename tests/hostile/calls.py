"""The calls of the catalogue: each public name with each kind of bad input."""

import inspect
from functools import partial

import numpy as np
from values import CLASS_WEIGHTS, GRAPHS, LABELS, SCALARS, TABLES, WEIGHTS, X, y

import hyplane.geometry
from hyplane import (
    HyperbolicKernelSVC,
    HyperbolicSVC,
    HyperbolicSVCCV,
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
    "ball_svm": baselines.ball_svm,
    "klein_svm": baselines.klein_svm,
    "ambient_svm": baselines.ambient_svm,
    "logistic_regression": baselines.logistic_regression,
    "rbf_svc": baselines.rbf_svc,
}
# Counts that are harmless to accept and slow to obey.
SLOW_COUNTS = ("2**31", "2**63", "10**400", "1e308")


def parameters(function):
    """Return the names that a class or a function takes, the data left out."""
    function = function.func if isinstance(function, partial) else function
    skip = {"self", "args", "kwargs", "X", "Y", "y", "estimator", "parameters"}
    return [name for name in inspect.signature(function).parameters if name not in skip]


def fitted_with(make, name, value):
    def call():
        return make(**{name: value}).fit(X, y).predict(X)

    return call


def predicted(make, table):
    def call():
        return make().fit(X, y).predict(table)

    return call


def fitted_on(make, table, labels, **fit):
    def call():
        return make().fit(table, labels, **fit).predict(X)

    return call


def classifiers():
    for kind, make in CLASSIFIERS.items():
        # In the pipelines, C and the like are scikit-learn's: liblinear goes on for ever with some.
        ours = kind[0].isupper()
        for name in parameters(make) if ours else ("coordinates", "curvature"):
            values = {**SCALARS, **(CLASS_WEIGHTS if name == "class_weight" else {})}
            for what, value in values.items():
                yield f"parameter {name}", f"{kind}({name}: {what})", fitted_with(make, name, value)
        for what, table in TABLES.items():
            if ours or what not in ("1e-308", "subnormal"):
                yield "points to fit", f"{kind}.fit({what})", fitted_on(make, table, y)
            yield "points to predict", f"{kind}.predict({what})", predicted(make, table)
        for what, labels in LABELS.items():
            yield "labels", f"{kind}.fit(y: {what})", fitted_on(make, X, labels)
        if kind.startswith(("Hyperbolic", "Euclidean")):
            for what, weights in WEIGHTS.items():
                call = fitted_on(make, X, y, sample_weight=weights)
                yield "weights", f"{kind}.fit(sample_weight: {what})", call


def geometry():
    for name in hyplane.geometry.__all__:
        function = getattr(hyplane.geometry, name)
        if not inspect.isfunction(function):
            continue
        wanted = [
            p for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind is not p.KEYWORD_ONLY
        ]  # fmt: skip
        for what, table in TABLES.items():
            yield (
                "points of a function",
                f"{name}({what})",
                partial(function, *[table] * len(wanted)),
            )
        for option in ("coordinates", "curvature"):
            if option in inspect.signature(function).parameters:
                for what, value in SCALARS.items():
                    call = partial(function, *[X] * len(wanted), **{option: value})
                    yield f"option {option}", f"{name}({option}: {what})", call


def kernel_functions():
    for name in ("secant_kernel", "laplacian_kernel", "tangent_rbf_kernel", "scale_gamma"):
        function = getattr(features, name)
        for what, table in TABLES.items():
            yield "points of a kernel", f"{name}({what})", partial(function, table)
        for option in parameters(function):
            for what, value in SCALARS.items():
                call = partial(function, X, **{option: value})
                yield f"option {option}", f"{name}({option}: {what})", call
    for what, value in SCALARS.items():
        for option in ("gamma", "kernel", "coordinates", "curvature"):
            make = partial(features.HyperbolicKernel, **{option: value})
            yield f"option {option}", f"HyperbolicKernel({option}: {what})", lambda m=make: m()(X)
        for option in parameters(features.HyperbolicRandomFeatures):
            if option == "n_components" and what in SLOW_COUNTS:
                continue
            make = partial(features.HyperbolicRandomFeatures, **{option: value})
            name = f"HyperbolicRandomFeatures({option}: {what})"
            yield f"option {option}", name, lambda m=make: m().fit_transform(X)


def metric_functions():
    for name, metric in METRICS.items():
        for what, labels in LABELS.items():
            yield "labels of a metric", f"{name}({what})", partial(metric, labels, X[:, 0])
        for what, weights in WEIGHTS.items():
            yield (
                "weights of a metric",
                f"{name}(weights: {what})",
                partial(metric, y, X[:, 0], weights),
            )
        for what, table in TABLES.items():
            yield "scores of a metric", f"{name}(scores: {what})", partial(metric, y, table)
    for what, labels in LABELS.items():
        call = partial(metrics.indicator_matrix, labels, [0, 1])
        yield "labels of a metric", f"indicator_matrix({what})", call
    for average in (metrics.macro_average, metrics.micro_average):
        for what, table in TABLES.items():
            call = partial(average, np.column_stack([y, 1 - y]), table)
            yield "scores of a metric", f"{average.__name__}({what})", call


def graph_functions():
    for kind in ("LaBNE", "HyperbolicSkipGram", "DeepWalk"):
        make = getattr(embeddings, kind)
        for what, graph in GRAPHS.items():
            yield "graphs", f"{kind}.fit({what})", lambda m=make, g=graph: m().fit_transform(g)
        for name in parameters(make):
            for what, value in SCALARS.items():
                call = partial(make, **{name: value})
                name_of = f"{kind}({name}: {what})"
                yield f"parameter {name}", name_of, lambda c=call: c().fit_transform(SMALL_GRAPH)
    for what, graph in GRAPHS.items():
        yield "graphs", f"load_graph({what})", partial(datasets.load_graph, graph)
        yield "graphs", f"random_walks({what})", partial(embeddings.random_walks, graph)


def generators():
    for name in (
        "make_hyperbolic_gaussians",
        "make_hyperbolic_tree",
        "popularity_similarity_graph",
    ):
        function = getattr(datasets, name)
        for option in parameters(function):
            for what, value in SCALARS.items():
                call = partial(function, **{option: value})
                if name == "popularity_similarity_graph" and option != "n_nodes":
                    call = partial(function, 20, **{option: value})
                yield f"option {option}", f"{name}({option}: {what})", call


GROUPS = {
    "classifiers": classifiers,
    "geometry": geometry,
    "kernels": kernel_functions,
    "metrics": metric_functions,
    "graphs": graph_functions,
    "generators": generators,
}
