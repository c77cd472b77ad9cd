"""More calls of the catalogue: evaluation, experiments, drawing, and functions beside them."""

import os
from functools import partial
from importlib.util import find_spec

from calls import SMALL_GRAPH, feed, feed_options, parameters, then
from files import work_is_left_out
from values import GRAPHS, LABELS, SCALARS, TABLES, X, y

from hyplane import (
    HyperbolicSVC,
    datasets,
    embeddings,
    evaluation,
    paper,
    persistence,
)
from hyplane.baselines import EuclideanSVCCV
from hyplane.cli import main
from hyplane.paper import reproduction

METHOD = {"euclidean": EuclideanSVCCV(cv=2)}


def evaluation_functions():
    evaluate = partial(evaluation.evaluate, METHOD, X, y, n_trials=2)
    options = ["n_trials", "test_size", "protocol", "random_state"]
    yield from feed_options("evaluate", evaluate, options)
    jobs = {what: value for what, value in SCALARS.items() if what not in ("0.5", "2**31")}
    yield from feed_options("evaluate", evaluate, ["n_jobs"], values=jobs)
    call = then(partial(evaluation.stratified_trials, y), list)
    yield from feed_options("stratified_trials", call, ["n_trials", "test_size", "random_state"])
    call = lambda table: evaluation.evaluate(METHOD, table, y, n_trials=2)  # noqa: E731
    yield from feed("points to evaluate", "evaluate", call, TABLES)
    word, scores = "scores to compare", X[:, 0]
    call = lambda table: evaluation.paired_t_test(table, scores)  # noqa: E731
    yield from feed(word, "paired_t_test", call, TABLES, "first: ")
    yield from feed(
        word, "paired_t_test", partial(evaluation.paired_t_test, scores), TABLES, "second: "
    )
    call = lambda table: evaluation.score_predictions(y, table, y, [0, 1])  # noqa: E731
    yield from feed(word, "score_predictions", call, TABLES)
    word = "labels to evaluate"
    call = lambda labels: evaluation.evaluate(METHOD, X, labels, n_trials=2)  # noqa: E731
    yield from feed(word, "evaluate", call, LABELS, "y: ")
    call = then(evaluation.stratified_trials, list)
    yield from feed(word, "stratified_trials", call, LABELS)
    call = lambda labels: evaluation.score_predictions(labels, scores, y, [0, 1])  # noqa: E731
    yield from feed(word, "score_predictions", call, LABELS, "y: ")
    compared = partial(evaluation.paired_t_test, X[:, 0], X[:, 1])
    yield from feed_options("paired_t_test", compared, ["train_test_ratio"])
    word = "methods to evaluate"
    call = lambda value: evaluation.evaluate(value, X, y)  # noqa: E731
    yield from feed(word, "evaluate", call, SCALARS, "estimators: ")
    call = lambda value: evaluation.evaluate({"a": value}, X, y)  # noqa: E731
    yield from feed(word, "evaluate", call, SCALARS, "estimator: ")


def experiment_calls():
    reproduction.run_pieces = work_is_left_out
    given = {"which": "gaussian", "output": "report", "quick": True, "progress": False}
    call = lambda **changed: paper.reproduce(**{**given, **changed})  # noqa: E731
    options = ["which", "output", "methods", "data", "protocol", "seed", "n_jobs"]
    yield from feed_options("reproduce", call, options, "reproduce")
    paths = ("t.csv", "/dev/null", "/proc/nowhere", "a\0b", "x" * 5000, "loop.csv/x")
    outputs = {repr(path[:12]): path for path in paths}
    yield from feed_options("reproduce", call, ["output"], "reproduce", outputs)
    run = partial(paper.reproduce, output="report", progress=False)
    yield from feed("experiments", "reproduce", run, SCALARS)
    yield from feed("experiments", "reproduce", lambda each: run([each]), SCALARS, "one ")
    for kind in ("GaussianMixtures", "EvolvingNetworks", "RealNetworks", "OwnData"):
        make = getattr(paper, kind)
        yield from feed_options(kind, then(make, repr), parameters(make), "experiment")


def other_functions():
    network = datasets.popularity_similarity_graph(20, random_state=0)
    for name in ("as_network", "propagate_labels"):
        yield from feed("graphs", name, getattr(datasets, name), GRAPHS)
    call = partial(datasets.as_network, SMALL_GRAPH)
    yield from feed_options("as_network", call, ["dense", "format", "delimiter"])
    call = partial(datasets.load_graph, SMALL_GRAPH)
    options = ["labels", "label_column", "directed", "weighted"]
    yield from feed_options("load_graph", call, options)
    call = partial(datasets.propagate_labels, network)
    yield from feed_options("propagate_labels", call, parameters(datasets.propagate_labels)[1:])
    yield from feed("degrees", "fit_power_law", embeddings.fit_power_law, SCALARS)
    yield from feed("degrees", "fit_power_law", embeddings.fit_power_law, TABLES, "table: ")
    word, url = "addresses", "https://localhost:9/x"
    yield from feed(word, "fetch", lambda value: datasets.fetch(value, "x"), SCALARS)
    call = lambda value: datasets.fetch(url, value, data_home="nowhere")  # noqa: E731
    yield from feed(word, "fetch", call, SCALARS, "path: ")
    call = lambda value: datasets.fetch(url, "x", sha256=value, data_home="no")  # noqa: E731
    yield from feed(word, "fetch", call, SCALARS, "sha256: ")
    yield from feed(word, "fetch_hyplinear", datasets.fetch_hyplinear, SCALARS)
    word, clf = "models to save", HyperbolicSVC().fit(X, y)
    yield from feed(word, "save_model", lambda value: persistence.save_model(value, "m"), SCALARS)
    paths = {what: value for what, value in SCALARS.items() if what != "word"}  # a name
    yield from feed(word, "save_model", partial(persistence.save_model, clf), paths, "path: ")
    yield from feed(word, "load_model", persistence.load_model, paths)
    yield from feed("models to read", "read_model", persistence.read_model, {**SCALARS, **GRAPHS})
    word = "foreign points"
    yield from feed(word, "from_geoopt", embeddings.from_geoopt, TABLES)
    yield from feed(word, "from_gensim_poincare", embeddings.from_gensim_poincare, TABLES)
    if find_spec("torch"):
        yield from feed(word, "to_geoopt", embeddings.to_geoopt, TABLES)
    values, place = {**SCALARS, **GRAPHS}, partial(embeddings.place_new_nodes, X)
    yield from feed("neighbours", "place_new_nodes", place, values, "neighbors: ")
    yield from feed(
        "neighbours", "place_new_nodes", lambda each: place([each]), values, "neighbors of one: "
    )
    weighted = lambda weights: place([[0, 1]], weights=weights)  # noqa: E731
    yield from feed("neighbours", "place_new_nodes", weighted, values, "weights: ")
    call = lambda table: embeddings.place_new_nodes(table, [[0]])  # noqa: E731
    yield from feed("points of a function", "place_new_nodes", call, TABLES)
    folders = {what: v for what, v in values.items() if what not in ("word", "empty word")}
    yield from feed("folders", "get_data_home", datasets.get_data_home, folders)
    yield from feed("words of a command", "main", lambda value: main([value]), SCALARS)


def drawing():
    os.environ["MPLBACKEND"] = "Agg"
    import matplotlib.pyplot as plt

    from hyplane import explorer, plotting

    functions = {**vars(plotting), "explore": explorer.explore}

    def closed(function, *words):
        def call(*more, **options):
            try:
                function(*words, *more, **options)
            finally:
                plt.close("all")

        return call

    w, word = [0.1, 1.0, 0.0], "points to draw"
    for name in ("draw_points", "to_disk", "draw_hyperplane", "explore", "draw_models"):
        yield from feed(word, name, closed(functions[name]), TABLES)
    call = closed(lambda table: plotting.draw_graph(table, [[0, 1]]))
    yield from feed(word, "draw_graph", call, TABLES)
    call = closed(lambda table: plotting.draw_geodesic(table, X[0]))
    yield from feed(word, "draw_geodesic", call, TABLES)
    yield from feed(word, "draw_models", closed(plotting.draw_models, w), TABLES, "X: ")
    for name in ("draw_points", "explore"):
        call = closed(functions[name], X)
        yield from feed("labels to draw", name, call, LABELS, "y: ")
    for name, words, options in (
        ("draw_points", (X, y), "coordinates curvature numeric size density legend"),
        ("draw_hyperplane", (w,), "model margin shade"),
        ("draw_models", (w, X, y), "models coordinates curvature margin"),
        ("draw_disk", (), "facecolor edgecolor"),
    ):
        call = closed(getattr(plotting, name), *words)
        yield from feed_options(name, call, options.split(), "drawing,")
    call = closed(lambda width: plotting.paper_style(width).__enter__())
    yield from feed("drawing, width", "paper_style", call, SCALARS)
    yield from feed(
        "edges to draw", "draw_graph", closed(plotting.draw_graph, X), SCALARS, "edges: "
    )


MORE_GROUPS = {
    "evaluation": evaluation_functions,
    "experiments": experiment_calls,
    "others": other_functions,
    "drawing": drawing,
}
