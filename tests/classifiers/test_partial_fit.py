"""partial_fit: the batch optimum while all rows are kept, close to it from then on."""

import pickle

import numpy as np
import pytest
from helpers import signs
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.out_of_core import MemoryBlocks
from hyplane.solvers import Points
from hyplane.solvers.reservoir import Reservoir


@pytest.fixture(scope="module")
def data():
    X, y = make_hyperbolic_gaussians(6000, n_classes=3, random_state=3)
    order = np.random.default_rng(0).permutation(len(X))
    return X[order], np.array(["a", "b", "c"])[y[order]]


def objectives(clf, X, y):
    """Return the objective of each class against the others, on all rows."""
    points = Points.from_chart(X)
    return np.array(
        [
            points.soft_margin_objective(result, signs(y == label), C=1.0)
            for result, label in zip(clf.results_, clf.classes_, strict=True)
        ]
    )


@pytest.mark.parametrize("apart", [0.4, 1.2, 2.5])
def test_shuffled_streams_end_within_one_percent_of_the_batch_optimum(apart, limits):
    limits(ROWS_PER_GROUP=3000)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40_000)
    X = rng.normal(size=(len(y), 2))
    X[:, 0] += apart * (2 * y - 1)
    clf = HyperbolicSVC(random_state=0, coordinates="tangent")
    best = clone(clf).fit(X, y).objective_
    for first in range(0, len(X), 5000):
        clf.partial_fit(X[first : first + 5000], y[first : first + 5000], [0, 1])
    points = Points.from_chart(X, "tangent")
    reached = points.soft_margin_objective(clf.results_[0], signs(y == 1), C=1.0)
    assert best[0] * (1 - 1e-6) <= reached <= 1.01 * best[0]
    assert clf.objective_[0] == pytest.approx(reached, rel=0.1)  # the estimate


def test_the_order_of_classes_in_the_stream_does_not_matter(data, limits):
    limits(ROWS_PER_GROUP=1000)
    X, y = data
    order = np.argsort(y, kind="stable")
    best = HyperbolicSVC(random_state=0).fit(X, y).objective_
    clf = HyperbolicSVC(random_state=0)
    for part in np.array_split(order, 6):
        clf.partial_fit(X[part], y[part], ["a", "b", "c"])
        assert clf.predict(X[:5]).shape == (5,)
    assert not hasattr(clf, "support_")  # rows of earlier batches have no number
    assert (objectives(clf, X, y) <= 1.01 * best).all()


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_a_class_without_rows_is_never_predicted(data, multi_class):
    X, y = data
    seen = y != "b"
    clf = HyperbolicSVC(multi_class=multi_class)
    clf.partial_fit(X[seen][:300], y[seen][:300], ["a", "b", "c", "d"])
    assert clf.classes_.tolist() == ["a", "b", "c", "d"]
    assert set(clf.predict(X)) == {"a", "c"}
    assert np.isfinite(clf.decision_function(X)).all()


def test_many_classes_some_without_rows():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(25), 100)
    X = 0.3 * rng.uniform(-1, 1, (25, 2))[y] + 0.02 * rng.normal(size=(2500, 2))
    clf = HyperbolicSVC().partial_fit(X, y, np.arange(30))
    assert len(clf.results_) == 30
    assert set(clf.predict(X)) <= set(range(25))


@pytest.mark.parametrize(
    "refused", [[[2.0, 0.0], [0.1, 0.0]], [[np.nan, 0.0], [0.1, 0.0]], [[0.1]]]
)
def test_a_refused_first_batch_leaves_no_trace(data, refused):
    X, y = data[0][:300], data[1][:300]
    clf, other = HyperbolicSVC(random_state=0), HyperbolicSVC(random_state=0)
    with pytest.raises(ValueError):
        clf.partial_fit(refused, ["a", "b"], ["a", "b"])
    clf.partial_fit(X, y, ["a", "b", "c"])
    np.testing.assert_array_equal(clf.coef_, other.partial_fit(X, y, ["a", "b", "c"]).coef_)


def test_a_pickled_stream_continues(data):
    X, y = data[0][:600], data[1][:600]
    clf = HyperbolicSVC(random_state=0).partial_fit(X[:300], y[:300], ["a", "b", "c"])
    again = pickle.loads(pickle.dumps(clf)).partial_fit(X[300:], y[300:])
    np.testing.assert_array_equal(again.coef_, clf.partial_fit(X[300:], y[300:]).coef_)


@pytest.mark.parametrize(
    "kwargs",
    [{}, {"multi_class": "ovo"}, {"class_weight": "balanced"}, {"C": 0.1, "coordinates": "klein"}],
)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("begin", ["fit", "partial_fit"])
def test_a_stream_ends_at_the_optimum_of_all_rows(data, begin, kwargs, weighted):
    X, y = data[0][:900], data[1][:900]
    weight = 1.0 * (np.arange(900) % 3) if weighted else None
    batch = HyperbolicSVC(random_state=0, **kwargs).fit(X, y, weight)
    early, later = slice(0, 500), [slice(500, 501), slice(501, 900)]
    own = [X[early].copy(), y[early].copy(), weight[early].copy() if weighted else None]
    clf = HyperbolicSVC(random_state=0, **kwargs)
    clf = clf.fit(*own) if begin == "fit" else clf.partial_fit(*own[:2], np.unique(y), own[2])
    for array in own[: 3 if weighted else 2]:
        array[:] = array[0]  # the rows of the fit are not the user's arrays
    for rows in later:
        clf.partial_fit(X[rows], y[rows], None, weight[rows] if weighted else None)
    np.testing.assert_allclose(clf.objective_, batch.objective_, rtol=1e-4)
    assert np.mean(clf.predict(X) == batch.predict(X)) > 0.99


def test_a_stream_after_a_fit_of_many_classes_ends_at_the_optimum_of_all_rows():
    rng = np.random.default_rng(0)
    y = np.tile(np.arange(70), 10)  # twice the number of a class does not fit into a byte
    centre = rng.normal(size=(70, 5))
    centre *= 3 / np.linalg.norm(centre, axis=1, keepdims=True)
    X = centre[y] + 0.05 * rng.normal(size=(700, 5))
    clf = HyperbolicSVC(random_state=0, coordinates="tangent")
    batch = clone(clf).fit(X, y)
    clf.fit(X[:420], y[:420]).partial_fit(X[420:], y[420:])
    np.testing.assert_allclose(clf.objective_, batch.objective_, rtol=1e-4)


@pytest.mark.parametrize("known", [0, 300])
def test_a_batch_whose_warning_is_an_error_can_be_passed_again(data, known):
    X, y = data[0][:600], data[1][:600]
    clf = HyperbolicSVC(random_state=0)
    if known:
        clf.partial_fit(X[:known], y[:known], ["a", "b", "c"])
    clf.set_params(max_iter=1, tol=1e-14)
    with pytest.raises(ConvergenceWarning):  # all warnings are errors here
        clf.partial_fit(X[known:], y[known:], ["a", "b", "c"])
    clf.set_params(max_iter=1000, tol=1e-6).partial_fit(X[known:], y[known:], ["a", "b", "c"])
    batch = HyperbolicSVC(random_state=0).fit(X, y)
    np.testing.assert_allclose(clf.objective_, batch.objective_, rtol=1e-4)


def test_a_fit_after_a_stream_begins_anew(data):
    X, y = data[0][:600], data[1][:600]
    clf = HyperbolicSVC(random_state=0).partial_fit(X[:200], y[:200], ["a", "b", "c"])
    clf.fit(X[200:400], y[200:400]).partial_fit(X[400:], y[400:], ["a", "b", "c"])
    batch = HyperbolicSVC(random_state=0).fit(X[200:], y[200:])
    np.testing.assert_allclose(clf.objective_, batch.objective_, rtol=1e-4)


def test_a_pickled_model_has_no_rows_of_its_fit(data):
    X, y = data
    few, many = (HyperbolicSVC(random_state=0).fit(X[:m], y[:m]) for m in (300, 6000))
    for clf in (few, many):  # the support vectors are learned attributes, as in scikit-learn
        del clf.support_, clf.support_vectors_
    assert abs(len(pickle.dumps(few)) - len(pickle.dumps(many))) < 1000


class TestErrors:
    """What a call refuses, and why."""

    @pytest.mark.parametrize(
        ("classes", "sentence"),
        [
            (None, "classes must be passed on the first call"),
            (["a"], "at least two classes in y; got one class"),
            (["a", "b"], r"row \d+ of y has the label c, which is not am"),
            ([["a", "b", "c"]], "Unknown label type"),
        ],
    )
    def test_classes_of_the_first_call(self, data, classes, sentence):
        with pytest.raises(ValueError, match=sentence):
            HyperbolicSVC().partial_fit(*data, classes)

    def test_other_classes_in_a_later_call(self, data):
        clf = HyperbolicSVC().partial_fit(*data, ["a", "b", "c"])
        with pytest.raises(ValueError, match="is not the same as on last call"):
            clf.partial_fit(*data, ["a", "b"])

    def test_the_hard_margin(self, data):
        with pytest.raises(ValueError, match="no hard margin"):
            HyperbolicSVC(C=np.inf).partial_fit(*data, ["a", "b", "c"])

    @pytest.mark.parametrize("known", ["loaded", "pickled", "many", "labels", "blocks"])
    def test_a_model_that_has_not_kept_its_rows(self, known, reloaded, limits):
        rng = np.random.default_rng(0)
        X = rng.uniform(-0.7, 0.7, (65_537 if known == "many" else 40, 2))
        y = (X[:, 0] > 0).astype(int)
        clf = HyperbolicSVC(random_state=0).partial_fit(X, y, [0, 1]).fit(X[:20], y[:20])
        if known == "blocks":
            limits(MOST_ROWS=0)
            clf.fit(MemoryBlocks(X, y), None)
        else:
            clf.fit(X, np.column_stack([y, 1 - y]) if known == "labels" else y)
        if known == "loaded":
            clf = reloaded(clf)
        elif known == "pickled":
            clf = pickle.loads(pickle.dumps(clf))
        before = clf.coef_
        with pytest.raises(ValueError, match=r"no longer has its training rows .* Pass all rows"):
            clf.partial_fit(X[:1], y[:1])
        assert clf.coef_ is before

    def test_saving_a_stream_says_that_its_rows_are_lost(self, data, reloaded):
        clf = HyperbolicSVC().partial_fit(*data, ["a", "b", "c"])
        with pytest.warns(UserWarning, match="cannot learn from further batches"):
            loaded = reloaded(clf)
        np.testing.assert_array_equal(loaded.predict(data[0]), clf.predict(data[0]))

    @pytest.mark.parametrize("changed", [{"curvature": -0.5}, {"coordinates": "klein"}])
    def test_another_geometry_than_the_earlier_rows(self, data, changed):
        clf = HyperbolicSVC().partial_fit(*data, ["a", "b", "c"])
        [name] = changed
        with pytest.raises(ValueError, match=f"the earlier rows had {name}="):
            clf.set_params(**changed).partial_fit(*data)

    def test_a_batch_is_all_or_nothing(self, data):
        X, y = data[0][:300], data[1][:300]
        clf = HyperbolicSVC(random_state=0).partial_fit(X, y, ["a", "b", "c"])
        with pytest.raises(ValueError, match="row 1 of X is not inside"):
            clf.partial_fit([[0.1, 0.1], [2.0, 0.0]], ["a", "a"])
        clf.partial_fit(X, y)
        twice = HyperbolicSVC(random_state=0).fit(np.tile(X, (2, 1)), np.tile(y, 2))
        np.testing.assert_allclose(clf.objective_, twice.objective_, rtol=1e-4)


def test_every_row_has_the_same_chance_to_be_kept(limits):
    limits(ROWS_PER_GROUP=500)
    kept = Reservoir(2, seed=1)
    radius = np.arange(10_000) / 10_000.0
    points = Points(radius, np.tile([[1.0, 0.0]], (10_000, 1)))
    for rows in np.array_split(np.arange(10_000), 37):
        kept.add(points[rows], rows % 2)
    sample, codes, weights = kept.rows
    assert np.bincount(codes).tolist() == [500, 500]
    assert weights.sum() == pytest.approx(10_000)
    assert sample.largest_radius == radius[-1]  # that of all rows limits the hyperplanes
    assert abs(sample.radius.mean() - 0.5) < 0.03
