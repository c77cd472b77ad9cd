"""The same seed gives the same bits: in every run, in threads, in processes of either kind."""

import hashlib
import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hyplane
from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians, popularity_similarity_graph
from hyplane.native import charts


def fit_digest(n_jobs=None):
    """Fit and predict, and return a digest of all bits of the results."""
    X, y = make_hyperbolic_gaussians(120, random_state=3)
    digest = hashlib.sha256(X.tobytes())
    for estimator in (
        HyperbolicSVC(random_state=5, n_jobs=n_jobs),
        HyperbolicSVC(multi_class="ovo", random_state=5, n_jobs=n_jobs),
    ):
        estimator.fit(X, y)
        for bits in (estimator.coef_, estimator.objective_, estimator.decision_function(X)):
            digest.update(np.ascontiguousarray(bits).tobytes())
    chosen = HyperbolicSVCCV(random_state=5, cv=3, n_jobs=n_jobs).fit(X, y)
    for bits in (chosen.C_, chosen.cv_scores_, chosen.sigmoids_.slope, chosen.predict_proba(X)):
        digest.update(np.ascontiguousarray(bits).tobytes())
    edges = popularity_similarity_graph(200, temperature=0.3, random_state=5).edges
    digest.update(edges.tobytes())
    return digest.hexdigest()


@pytest.fixture(scope="module")
def expected():
    return fit_digest()


def test_a_second_run_gives_the_same_bits(expected):
    assert fit_digest() == expected


@pytest.mark.parametrize("n_jobs", [1, 5, -1])
def test_the_number_of_jobs_changes_no_bit(expected, n_jobs):
    assert fit_digest(n_jobs) == expected


def smaller(clf):
    """Return a search among few candidates."""
    return clf.set_params(family=["logistic", "kernel"], cv=2) if hasattr(clf, "family") else clf


def classifiers_with_jobs():
    found = (getattr(hyplane, name) for name in sorted(hyplane.__all__))
    return [each for each in found if hasattr(each, "fit") and "n_jobs" in each().get_params()]


@pytest.mark.parametrize("kind", classifiers_with_jobs())
@pytest.mark.parametrize("multilabel", [False, True])
def test_the_number_of_jobs_changes_no_bit_of_any_classifier(kind, multilabel):
    X, y = make_hyperbolic_gaussians(60, random_state=3)
    y = np.eye(4, dtype=int)[y] if multilabel else y
    seed = {"random_state": 5} if "random_state" in kind().get_params() else {}
    answers = []
    for n_jobs in (None, 3):
        clf = smaller(kind(n_jobs=n_jobs, **seed)).fit(X, y)
        methods = ("predict", "decision_function", "predict_proba")
        found = [getattr(clf, each)(X) for each in methods if hasattr(clf, each)]
        answers.append([np.asarray(each).tobytes() for each in found])
    assert len(answers[0]) >= 2
    assert answers[0] == answers[1]


def test_eight_threads_at_once_give_the_bits_of_one(expected):
    with ThreadPoolExecutor(8) as pool:
        digests = list(pool.map(lambda _: fit_digest(), range(8)))
    assert digests == [expected] * 8


def test_eight_threads_with_one_estimator_give_what_one_gives():
    X, y = make_hyperbolic_gaussians(200, random_state=0)
    clf = HyperbolicSVCCV(random_state=0, cv=3).fit(X, y)
    alone = clf.predict_proba(X).tobytes()
    start = threading.Barrier(8)

    def answers(_):
        start.wait()
        return {clf.predict_proba(X).tobytes() for _ in range(20)}

    with ThreadPoolExecutor(8) as pool:
        assert set().union(*pool.map(answers, range(8))) == {alone}


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_another_process_gives_the_same_bits(expected, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    # By path: a spawned process cannot import this module by its name.
    call = f"__import__('runpy').run_path({__file__!r})['fit_digest']()"
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(eval, (call,)).get(300) == expected


@pytest.mark.parametrize("chart", ["ball", "halfspace", "tangent"])
def test_the_number_of_threads_changes_no_bit_of_the_charts(chart):
    rng = np.random.default_rng(0)
    X = rng.uniform(-0.3, 0.3, (20_000, 3))
    X[:, 0] = np.abs(X[:, 0]) + 0.1
    planes = np.zeros(4), rng.standard_normal(4), np.eye(3)[[0, 1, 2, 0]]

    def bits(n_threads):
        polar = charts.to_polar(X, chart, 1.0, n_threads)[:2]
        scores = charts.scores(X, chart, 1.0, *planes, "arsinh_product", n_threads)[0]
        best = charts.decide(X, chart, 1.0, *planes, n_threads)[0]
        return [each.tobytes() for each in (*polar, scores, best)]

    assert bits(1) == bits(2) == bits(3) == bits(8)
