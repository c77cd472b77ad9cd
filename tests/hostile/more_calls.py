"""More calls of the catalogue: evaluation, experiments, drawing, and functions beside them."""

import os
from functools import partial
from importlib.util import find_spec

from calls import SMALL_GRAPH, feed, feed_options, parameters, then
from files import work_is_left_out
from values import GRAPHS, LABELS, SCALARS, TABLES, X, y

from hyplane import HyperbolicSVC, datasets, embeddings, evaluation, paper, persistence
from hyplane.baselines import EuclideanSVCCV
from hyplane.cli import main
from hyplane.paper import reproduction


def evaluation_functions():
    methods, scores, classes = {"euclidean": EuclideanSVCCV(cv=2)}, X[:, 0], [0, 1]
    trials, judged = evaluation.stratified_trials, evaluation.score_predictions
    evaluate = partial(evaluation.evaluate, n_trials=2)
    options = ["n_trials", "test_size", "protocol", "random_state"]
    yield from feed_options("evaluate", partial(evaluate, methods, X, y), options)
    jobs = {what: value for what, value in SCALARS.items() if what not in ("0.5", "2**31")}
    yield from feed_options("evaluate", partial(evaluate, methods, X, y), ["n_jobs"], jobs)
    yield from feed("evaluate", lambda table: evaluate(methods, table, y), TABLES)
    yield from feed("evaluate", partial(evaluate, methods, X), LABELS, "y: ")
    yield from feed("evaluate", lambda value: evaluate(value, X, y), SCALARS, "estimators: ")
    yield from feed("evaluate", lambda value: evaluate({"a": value}, X, y), SCALARS, "estimator: ")
    options = ["n_trials", "test_size", "random_state"]
    yield from feed_options("stratified_trials", then(partial(trials, y), list), options)
    yield from feed("stratified_trials", then(trials, list), LABELS)
    test = evaluation.paired_t_test
    yield from feed("paired_t_test", lambda table: test(table, scores), TABLES, "first: ")
    yield from feed("paired_t_test", partial(test, scores), TABLES, "second: ")
    yield from feed_options("paired_t_test", partial(test, *X.T), ["train_test_ratio"])
    yield from feed("score_predictions", lambda table: judged(y, table, y, classes), TABLES)
    call = lambda labels: judged(labels, scores, y, classes)  # noqa: E731
    yield from feed("score_predictions", call, LABELS, "y: ")


def experiment_calls():
    reproduction.run_pieces = work_is_left_out
    given = {"which": "gaussian", "output": "report", "quick": True, "progress": False}
    call = lambda **changed: paper.reproduce(**{**given, **changed})  # noqa: E731
    options = ["which", "output", "methods", "data", "protocol", "seed", "n_jobs"]
    yield from feed_options("reproduce", call, options)
    paths = ("t.csv", "/dev/null", "/proc/nowhere", "a\0b", "x" * 5000, "loop.csv/x")
    yield from feed_options(
        "reproduce", call, ["output"], {repr(path[:12]): path for path in paths}
    )
    run = partial(paper.reproduce, output="report", progress=False)
    yield from feed("reproduce", run, SCALARS)
    yield from feed("reproduce", lambda each: run([each]), SCALARS, "one ")
    for kind in ("GaussianMixtures", "EvolvingNetworks", "RealNetworks", "OwnData"):
        make = getattr(paper, kind)
        yield from feed_options(kind, then(make, repr), parameters(make))


def data_functions():
    network = datasets.popularity_similarity_graph(20, random_state=0)
    for name in ("as_network", "propagate_labels"):
        yield from feed(name, getattr(datasets, name), GRAPHS)
    call = partial(datasets.as_network, SMALL_GRAPH)
    yield from feed_options("as_network", call, ["dense", "format", "delimiter"])
    call = partial(datasets.load_graph, SMALL_GRAPH)
    yield from feed_options("load_graph", call, ["labels", "label_column", "directed", "weighted"])
    call = partial(datasets.propagate_labels, network)
    yield from feed_options("propagate_labels", call, parameters(datasets.propagate_labels)[1:])
    given = {"url": "https://localhost:9/x", "path": "x", "data_home": "nowhere"}
    call = lambda **changed: datasets.fetch(**{**given, **changed})  # noqa: E731
    yield from feed_options("fetch", call, ["url", "path", "sha256"])
    yield from feed("fetch_hyplinear", datasets.fetch_hyplinear, SCALARS)
    values = {**SCALARS, **GRAPHS}
    folders = {what: v for what, v in values.items() if what not in ("word", "empty word")}
    yield from feed("get_data_home", datasets.get_data_home, folders)
    yield from feed("fit_power_law", embeddings.fit_power_law, SCALARS)
    yield from feed("fit_power_law", embeddings.fit_power_law, TABLES, "table: ")
    yield from feed("from_geoopt", embeddings.from_geoopt, TABLES)
    yield from feed("from_gensim_poincare", embeddings.from_gensim_poincare, TABLES)
    if find_spec("torch"):
        yield from feed("to_geoopt", embeddings.to_geoopt, TABLES)
    name, place = "place_new_nodes", embeddings.place_new_nodes
    yield from feed(name, partial(place, X), values, "neighbors: ")
    yield from feed(name, lambda each: place(X, [each]), values, "neighbors of one: ")
    yield from feed(name, lambda w: place(X, [[0, 1]], weights=w), values, "weights: ")
    yield from feed(name, lambda table: place(table, [[0]]), TABLES)


def model_functions():
    clf = HyperbolicSVC().fit(X, y)
    paths = {what: value for what, value in SCALARS.items() if what != "word"}  # a name
    yield from feed("save_model", lambda value: persistence.save_model(value, "m"), SCALARS)
    yield from feed("save_model", partial(persistence.save_model, clf), paths, "path: ")
    yield from feed("load_model", persistence.load_model, paths)
    yield from feed("read_model", persistence.read_model, {**SCALARS, **GRAPHS})
    yield from feed("main", lambda value: main([value]), SCALARS)


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

    w = [0.1, 1.0, 0.0]
    for name in ("draw_points", "to_disk", "draw_hyperplane", "explore", "draw_models"):
        yield from feed(name, closed(functions[name]), TABLES)
    call = closed(lambda table: plotting.draw_graph(table, [[0, 1]]))
    yield from feed("draw_graph", call, TABLES)
    call = closed(lambda table: plotting.draw_geodesic(table, X[0]))
    yield from feed("draw_geodesic", call, TABLES)
    yield from feed("draw_models", closed(plotting.draw_models, w), TABLES, "X: ")
    yield from feed("draw_graph", closed(plotting.draw_graph, X), SCALARS, "edges: ")
    for name in ("draw_points", "explore"):
        yield from feed(name, closed(functions[name], X), LABELS, "y: ")
    for name, words, options in (
        ("draw_points", (X, y), "coordinates curvature numeric size density legend"),
        ("draw_hyperplane", (w,), "model margin shade"),
        ("draw_models", (w, X, y), "models coordinates curvature margin"),
        ("draw_disk", (), "facecolor edgecolor"),
    ):
        yield from feed_options(name, closed(functions[name], *words), options.split())
    call = closed(lambda width: plotting.paper_style(width).__enter__())
    yield from feed("paper_style", call, SCALARS)


MORE_GROUPS = {
    "evaluation": evaluation_functions,
    "experiments": experiment_calls,
    "data": data_functions,
    "models": model_functions,
    "drawing": drawing,
}
