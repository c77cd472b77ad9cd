"""HyperbolicSkipGram."""

import signal
from functools import partial

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import LinearSVC

from hyplane.datasets import load_karate, load_polbooks
from hyplane.embeddings import HyperbolicSkipGram
from hyplane.geometry import pairwise_distances
from hyplane.native.skipgram import train


@pytest.fixture(scope="module")
def karate():
    return load_karate()


def macro_average_precision(points, target):
    settings = {"cv": StratifiedKFold(5, shuffle=True, random_state=0)}
    settings["method"] = "decision_function"
    scores = cross_val_predict(LinearSVC(), points, target, **settings)
    signs = ((1, scores), (0, -scores))
    return np.mean([average_precision_score(target == label, each) for label, each in signs])


def recovery(karate, make):
    return [
        macro_average_precision(make(random_state=s).fit_transform(karate.graph), karate.target)
        for s in range(10)
    ]


def test_published_setting_puts_the_factions_of_karate_apart(karate):
    published = partial(HyperbolicSkipGram, epochs=10)
    assert np.mean(recovery(karate, published)) > 0.95  # 0.85 is asked for


def test_converged_setting_is_better_and_less_noisy(karate):
    published = recovery(karate, HyperbolicSkipGram)
    converged = recovery(karate, HyperbolicSkipGram.converged)
    assert np.mean(converged) > np.mean(published)
    assert min(converged) > min(published)


@pytest.mark.parametrize("n_dim", [3, 10])
def test_more_dimensions_bring_neighbours_together(karate, n_dim):
    model = HyperbolicSkipGram.converged(n_dim, random_state=0)
    points = model.fit_transform(karate.graph)
    assert points.shape == (34, n_dim)
    distances = pairwise_distances(points)
    linked = nx.to_numpy_array(karate.graph, weight=None) > 0
    apart = ~linked & ~np.eye(34, dtype=bool)
    assert distances[linked].mean() < 0.8 * distances[apart].mean()


def test_the_loss_falls(karate):
    loss = HyperbolicSkipGram(epochs=10, random_state=0).fit(karate.graph).loss_
    assert loss.shape == (10,)
    # Six answers by the toss of a coin cost 6 log 2.
    assert loss[-1] < loss[0] < 6 * np.log(2)


def test_two_nodes_are_enough():
    assert HyperbolicSkipGram(random_state=0).fit_transform([("a", "b")]).shape == (2, 2)


def test_the_converged_setting_has_longer_walks():
    parameters = HyperbolicSkipGram.converged(3, epochs=2).get_params()
    assert (parameters["n_walks"], parameters["walk_length"], parameters["epochs"]) == (10, 40, 2)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("n_components", 1),
        ("epochs", 0),
        ("learning_rate", -1.0),
        ("window", 2.5),
        ("coordinates", "mercator"),
        ("curvature", 1.0),
        ("disconnected", "drop"),
    ],
)
def test_bad_parameters_are_refused(karate, parameter, value):
    with pytest.raises(ValueError, match=rf"{parameter}\b.* must be"):
        HyperbolicSkipGram(**{parameter: value}).fit(karate.graph)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_divergence_is_an_error_that_says_what_to_do(karate):
    with pytest.raises(ValueError, match="diverged: lower learning_rate"):
        HyperbolicSkipGram(learning_rate=1e300, epochs=1, random_state=0).fit(karate.graph)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_ctrl_c_stops_the_training(karate):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            HyperbolicSkipGram.converged(epochs=100_000, random_state=0).fit(karate.graph)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_without_the_output_bias_the_points_form_a_wedge():
    graph = load_polbooks().graph
    lengths = {}
    for bias in (True, False):
        skipgram = HyperbolicSkipGram(walk_length=11, bias=bias, random_state=0)
        points = skipgram.fit_transform(graph)
        directions = points / np.linalg.norm(points, axis=1, keepdims=True)
        lengths[bias] = np.linalg.norm(directions.mean(axis=0))
    assert lengths[True] < 0.4 < 0.6 < lengths[False]


def test_a_bias_that_is_not_trained_stays_zero():
    rng = np.random.default_rng(0)
    inputs, outputs, bias = rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), np.zeros(4)
    nodes = np.array([0, 1, 2, 3], np.int32)
    train(inputs, outputs, bias, nodes, nodes[::-1].copy(), nodes[:, None], 2, 1.0, 0.5, False)
    assert not bias.any()
