"""More calls of the catalogue: the newer classifiers, evaluation, experiments, drawing, others."""

import itertools
import os
from functools import partial

from calls import CLASSIFIERS, SMALL_GRAPH, fitted_on, fitted_with, parameters, predicted
from files import work_is_left_out
from values import CLASS_WEIGHTS, GRAPHS, LABELS, SCALARS, TABLES, WEIGHTS, X, y

from hyplane import (
    CurvedHyperbolicSVC,
    HorofunctionForestClassifier,
    HyperbolicClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    HyperbolicSVC,
    NeighborIndex,
    datasets,
    embeddings,
    evaluation,
    features,
    model_files,
    paper,
)
from hyplane.baselines import EuclideanSVCCV, NestedCV
from hyplane.paper import reproduction

FAMILIES = {
    "CurvedHyperbolicSVC": CurvedHyperbolicSVC,
    "HyperbolicLogisticRegression": HyperbolicLogisticRegression,
    "HyperbolicKernelLogisticRegression": HyperbolicKernelLogisticRegression,
    "HyperbolicKNeighborsClassifier": partial(HyperbolicKNeighborsClassifier, n_neighbors=3),
    "HorofunctionForestClassifier": partial(HorofunctionForestClassifier, n_estimators=5),
    "HyperbolicClassifier": partial(HyperbolicClassifier, family=("neighbors",), cv=2),
    "NestedCV": partial(NestedCV, HyperbolicSVC(), cv=2),
}
# Counts and times that may be any number and are obeyed.
OBEYED = {"n_estimators", "n_components", "n_starts", "max_seconds", "max_rows", "n_landmarks"}
METHOD = {"euclidean": EuclideanSVCCV(cv=2)}
SLOW = ("2**31", "2**63", "10**400", "1e308", "inf")
WEIGHTED = ("Curved", "HyperbolicLog", "HyperbolicKernelLog", "Horo", "HyperbolicClassifier")


def families():
    for kind, make in FAMILIES.items():
        for name in parameters(make):
            values = {**SCALARS, **(CLASS_WEIGHTS if name == "class_weight" else {})}
            for what, value in values.items():
                if not (name in OBEYED and what in SLOW):
                    call = fitted_with(make, name, value)
                    yield f"parameter {name}", f"{kind}({name}: {what})", call
        for what, table in TABLES.items():
            yield "points to fit", f"{kind}.fit({what})", fitted_on(make, table, y)
            yield "points to predict", f"{kind}.predict({what})", predicted(make, table)
        for what, labels in LABELS.items():
            yield "labels", f"{kind}.fit(y: {what})", fitted_on(make, X, labels)
        for what, weights in WEIGHTS.items() if kind.startswith(WEIGHTED) else ():
            call = fitted_on(make, X, y, sample_weight=weights)
            yield "weights", f"{kind}.fit(sample_weight: {what})", call
    yield from transformers()


def transformers():
    makers = {
        "ChartTransformer": features.ChartTransformer,
        "HorofunctionFeatures": features.HorofunctionFeatures,
    }
    for kind, make in makers.items():
        for name, (what, value) in itertools.product(parameters(make), SCALARS.items()):
            if not (name in OBEYED and what in SLOW):
                call = partial(make, **{name: value})
                name_of = f"{kind}({name}: {what})"
                yield f"parameter {name}", name_of, lambda c=call: c().fit_transform(X)
        for what, table in TABLES.items():
            call = partial(make().fit_transform, table)
            yield "points to fit", f"{kind}.fit({what})", call
    for what, table in TABLES.items():
        yield "points of an index", f"NeighborIndex({what})", partial(NeighborIndex, table)
        call = partial(NeighborIndex(X).query, table)
        yield "points of an index", f"NeighborIndex.query({what})", call
    for what, value in SCALARS.items():
        call = partial(NeighborIndex(X).query, X, value)
        yield "points of an index", f"NeighborIndex.query(k: {what})", call


def evaluation_functions():
    evaluate = partial(evaluation.evaluate, METHOD, X, y, n_trials=2)
    trials = partial(evaluation.stratified_trials, y)
    for name, (what, value) in itertools.product(
        ("n_trials", "test_size", "protocol", "random_state", "n_jobs"), SCALARS.items()
    ):
        if name != "n_jobs" or what not in ("0.5", "2**31"):
            yield f"option {name}", f"evaluate({name}: {what})", partial(evaluate, **{name: value})
        if name not in ("protocol", "n_jobs"):
            call = partial(trials, **{name: value})
            yield f"option {name}", f"stratified_trials({name}: {what})", lambda c=call: list(c())
    for what, table in TABLES.items():
        call = partial(evaluation.evaluate, METHOD, table, y, n_trials=2)
        yield "points to evaluate", f"evaluate({what})", call
        for place, name in enumerate(("first", "second")):
            pair = [X[:, 0], X[:, 1]]
            pair[place] = table
            call = partial(evaluation.paired_t_test, *pair)
            yield "scores to compare", f"paired_t_test({name}: {what})", call
        call = partial(evaluation.score_predictions, y, table, y, [0, 1])
        yield "scores to compare", f"score_predictions({what})", call
    for what, labels in LABELS.items():
        call = partial(evaluation.evaluate, METHOD, X, labels, n_trials=2)
        yield "labels to evaluate", f"evaluate(y: {what})", call
        call = partial(evaluation.stratified_trials, labels)
        yield "labels to evaluate", f"stratified_trials({what})", lambda c=call: list(c())
        call = partial(evaluation.score_predictions, labels, X[:, 0], y, [0, 1])
        yield "labels to evaluate", f"score_predictions(y: {what})", call
    for what, value in SCALARS.items():
        call = partial(evaluation.paired_t_test, X[:, 0], X[:, 1], train_test_ratio=value)
        yield "option train_test_ratio", f"paired_t_test(ratio: {what})", call
        call = partial(evaluation.evaluate, value, X, y)
        yield "methods to evaluate", f"evaluate(estimators: {what})", call
        call = partial(evaluation.evaluate, {"a": value}, X, y)
        yield "methods to evaluate", f"evaluate(estimator: {what})", call


def experiment_calls():
    reproduction.run_pieces = work_is_left_out
    for name in ("which", "output", "methods", "data", "protocol", "seed", "n_jobs"):
        for what, value in SCALARS.items():
            given = {"which": "gaussian", "output": "report", "quick": True, "progress": False}
            call = partial(paper.reproduce, **{**given, name: value})
            yield f"reproduce {name}", f"reproduce({name}: {what})", call
    for what, value in SCALARS.items():
        call = partial(paper.reproduce, value, output="report", progress=False)
        yield "experiments", f"reproduce({what})", call
        call = partial(paper.reproduce, [value], output="report", progress=False)
        yield "experiments", f"reproduce([{what}])", call
    for path in ("t.csv", "/dev/null", "/proc/nowhere", "a\0b", "x" * 5000, "loop.csv/x"):
        call = partial(paper.reproduce, "gaussian", output=path, quick=True, progress=False)
        yield "reproduce output", f"reproduce(output: {path[:12]!r})", call
    makers = {
        "GaussianMixtures": paper.GaussianMixtures,
        "EvolvingNetworks": paper.EvolvingNetworks,
        "RealNetworks": paper.RealNetworks,
        "OwnData": paper.OwnData,
    }
    for kind, make in makers.items():
        for name, (what, value) in itertools.product(parameters(make), SCALARS.items()):
            call = partial(make, **{name: value})
            yield f"experiment {name}", f"{kind}({name}: {what})", lambda c=call: repr(c())


def other_functions():
    network = datasets.popularity_similarity_graph(20, random_state=0)
    for what, graph in GRAPHS.items():
        yield "graphs", f"as_network({what})", partial(datasets.as_network, graph)
        yield "graphs", f"propagate_labels({what})", partial(datasets.propagate_labels, graph)
    for what, value in SCALARS.items():
        for name in ("dense", "n_nodes", "format", "delimiter"):
            call = partial(datasets.as_network, SMALL_GRAPH, **{name: value})
            yield f"option {name}", f"as_network({name}: {what})", call
        for name in ("labels", "label_column", "label_attribute", "directed"):
            call = partial(datasets.load_graph, SMALL_GRAPH, **{name: value})
            yield f"option {name}", f"load_graph({name}: {what})", call
        for name in parameters(datasets.propagate_labels)[1:]:
            call = partial(datasets.propagate_labels, network, **{name: value})
            yield f"option {name}", f"propagate_labels({name}: {what})", call
        yield "degrees", f"fit_power_law({what})", partial(embeddings.fit_power_law, value)
        yield "addresses", f"fetch({what})", partial(datasets.fetch, value, "x")
        call = partial(datasets.fetch, "https://localhost:9/x", value, data_home="nowhere")
        yield "addresses", f"fetch(path: {what})", call
        call = partial(datasets.fetch, "https://localhost:9/x", "x", sha256=value, data_home="no")
        yield "addresses", f"fetch(sha256: {what})", call
        yield "addresses", f"fetch_hyplinear({what})", partial(datasets.fetch_hyplinear, value)
        yield "models to save", f"save_model({what})", partial(model_files.save_model, value, "m")
        clf = HyperbolicSVC().fit(X, y)
        call = partial(model_files.save_model, clf, value)
        if what != "word":  # a name
            yield "models to save", f"save_model(path: {what})", call
            yield "models to save", f"load_model({what})", partial(model_files.load_model, value)
    for what, table in TABLES.items():
        yield "degrees", f"fit_power_law(table: {what})", partial(embeddings.fit_power_law, table)
        yield "foreign points", f"from_geoopt({what})", partial(embeddings.from_geoopt, table)
        call = partial(embeddings.from_gensim_poincare, table)
        yield "foreign points", f"from_gensim_poincare({what})", call


def drawing():
    os.environ["MPLBACKEND"] = "Agg"
    import matplotlib.pyplot as plt

    from hyplane import plotting

    def closed(function, *words, **options):
        def call():
            try:
                function(*words, **options)
            finally:
                plt.close("all")

        return call

    w = [0.1, 1.0, 0.0]
    for what, table in TABLES.items():
        yield "points to draw", f"draw_points({what})", closed(plotting.draw_points, table)
        yield "points to draw", f"draw_graph({what})", closed(plotting.draw_graph, table, [[0, 1]])
        yield "points to draw", f"to_disk({what})", closed(plotting.to_disk, table)
        call = closed(plotting.draw_geodesic, table, X[0])
        yield "points to draw", f"draw_geodesic({what})", call
        yield "points to draw", f"draw_hyperplane({what})", closed(plotting.draw_hyperplane, table)
        yield "points to draw", f"explore({what})", closed(plotting.explore, table)
        yield "points to draw", f"draw_models({what})", closed(plotting.draw_models, table)
        call = closed(plotting.draw_models, w, table)
        yield "points to draw", f"draw_models(X: {what})", call
    for what, labels in LABELS.items():
        yield "labels to draw", f"draw_points(y: {what})", closed(plotting.draw_points, X, labels)
        yield "labels to draw", f"explore(y: {what})", closed(plotting.explore, X, labels)
    for what, value in SCALARS.items():
        for name in ("coordinates", "curvature", "numeric", "size", "density", "legend"):
            call = closed(plotting.draw_points, X, y, **{name: value})
            yield f"drawing, {name}", f"draw_points({name}: {what})", call
        for name in ("model", "margin", "shade"):
            call = closed(plotting.draw_hyperplane, w, **{name: value})
            yield f"drawing, {name}", f"draw_hyperplane({name}: {what})", call
        for name in ("models", "coordinates", "curvature", "margin"):
            call = closed(plotting.draw_models, w, X, y, **{name: value})
            yield f"drawing, {name}", f"draw_models({name}: {what})", call
        for name in ("facecolor", "edgecolor"):
            call = closed(plotting.draw_disk, **{name: value})
            yield f"drawing, {name}", f"draw_disk({name}: {what})", call
        call = closed(lambda width: plotting.paper_style(width).__enter__(), value)
        yield "drawing, width", f"paper_style({what})", call
        call = closed(plotting.draw_graph, X, value)
        yield "edges to draw", f"draw_graph(edges: {what})", call


MORE_GROUPS = {
    "families": families,
    "evaluation": evaluation_functions,
    "experiments": experiment_calls,
    "others": other_functions,
    "drawing": drawing,
}
assert not set(FAMILIES) & set(CLASSIFIERS)
