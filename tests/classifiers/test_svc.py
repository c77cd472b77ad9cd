"""HyperbolicSVC as its users meet it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import check_random_state
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HyperbolicSVC
from hyplane.classifiers._base import draw_seeds
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import CHARTS, convert, minkowski_product

EXACT = 1e-10  # rows with a weight then count as copies of them to seven digits


@parametrize_with_checks(
    [
        HyperbolicSVC(coordinates="tangent", tol=EXACT),
        HyperbolicSVC(coordinates="tangent", tol=EXACT, multi_class="ovo"),
    ],
)
def test_scikit_learns_common_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def blobs(n_classes=2, m=120, n=2, spread=0.5, seed=0):
    """Classes around points of a circle, in tangent coordinates."""
    rng = np.random.default_rng(seed)
    y = np.arange(m) % n_classes
    angle = 2 * np.pi * y / n_classes
    V = spread * rng.standard_normal((m, n))
    V[:, 0] += 1.5 * np.cos(angle)
    V[:, 1] += 1.5 * np.sin(angle)
    return V, y


@pytest.mark.parametrize("random_state", [0, 7, np.int64(2**32 - 1)])
def test_seeds_are_those_of_scikit_learns_random_state(random_state):
    most = np.iinfo(np.int32).max
    for _ in range(2):  # the generator of the thread is used again
        expected = check_random_state(random_state).randint(most, size=3)
        assert draw_seeds(random_state, 3) == tuple(expected)
    generator = np.random.RandomState(3)
    assert draw_seeds(generator, 2) != draw_seeds(generator, 2)


@pytest.mark.parametrize("coordinates", CHARTS)
@pytest.mark.parametrize("curvature", [-1.0, -0.3, -4.0])
def test_the_same_points_in_any_chart_give_the_same_classifier(coordinates, curvature):
    V, y = blobs(3)
    reference = HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, y)
    X = convert(V / np.sqrt(-curvature), "tangent", coordinates, curvature=curvature)
    clf = HyperbolicSVC(coordinates=coordinates, curvature=curvature, random_state=0).fit(X, y)
    np.testing.assert_allclose(clf.objective_, reference.objective_, rtol=1e-6)
    assert (clf.predict(X) == reference.predict(V)).all()
    np.testing.assert_allclose(
        clf.signed_distance(X) * np.sqrt(-curvature), reference.signed_distance(V), atol=1e-3
    )


def test_decision_function_is_the_minkowski_product():
    V, y = blobs(3)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, y)
    x = convert(V, "tangent", "hyperboloid")
    products = np.stack([minkowski_product(x, w) for w in clf.coef_], axis=1)
    np.testing.assert_allclose(clf.decision_function(V), products, rtol=1e-9, atol=1e-9)
    assert (clf.predict(V) == clf.classes_[products.argmax(axis=1)]).all()


@pytest.mark.parametrize("radius", [1.0, 20.0, 300.0, 5000.0])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_points_at_any_radius_are_told_apart(radius, multi_class):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    angle = 2 * np.pi * y / 3 + rng.uniform(-0.5, 0.5, 90)
    X = np.column_stack([radius * rng.uniform(0.9, 1.0, 90), angle])
    clf = HyperbolicSVC(coordinates="polar", multi_class=multi_class, random_state=0).fit(X, y)
    assert (clf.predict(X) == y).all()
    assert np.isfinite(clf.signed_distance(X)).all()
    assert np.isfinite(clf.coef_).all()


# Beyond radius 80 hyperplanes as far out as the points are not optimised, and the fit says so.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_points_on_one_ray_are_told_apart_by_their_radius_alone():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    for far in (10.0, 200.0, 5000.0):
        radius = np.r_[rng.uniform(far - 4, far - 3, 20), rng.uniform(far - 1, far, 20)]
        X = np.column_stack([radius, np.full(40, 0.7)])
        clf = HyperbolicSVC(coordinates="polar", C=10.0, random_state=0).fit(X, y)
        assert (clf.predict(X) == y).all(), far


def test_one_vs_one_beats_one_vs_rest_with_many_classes_on_a_ring():
    V, y = blobs(9, m=540, spread=0.25)
    scores = {
        kind: HyperbolicSVC(coordinates="tangent", multi_class=kind, random_state=0)
        .fit(V, y)
        .score(V, y)
        for kind in ("ovr", "ovo")
    }
    assert scores["ovo"] >= scores["ovr"]
    assert scores["ovo"] > 0.85


def test_one_vs_one_has_a_hyperplane_per_pair_and_votes():
    V, y = blobs(4, m=80)
    clf = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0).fit(V, y)
    assert clf.coef_.shape == (6, 3)
    assert clf.signed_distance(V).shape == (80, 6)
    votes = clf.decision_function(V)
    assert votes.shape == (80, 4)
    assert (votes.argmax(axis=1) == clf.predict(V)).all()
    np.testing.assert_allclose(np.round(votes).sum(axis=1), 6, atol=1)


def test_string_labels_come_back():
    V, y = blobs(3)
    names = np.array(["cat", "dog", "fish"])[y]
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, names)
    assert list(clf.classes_) == ["cat", "dog", "fish"]
    assert clf.score(V, names) > 0.9


def test_an_indicator_matrix_is_answered_by_one():
    V, y = blobs(3)
    Y = np.column_stack([y == 0, y != 1, np.zeros_like(y), np.ones_like(y)]).astype(int)
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, Y)
    predicted = clf.predict(V)
    assert predicted.shape == Y.shape
    assert (predicted[:, :2] == Y[:, :2]).mean() > 0.9
    assert (predicted[:, 2] == 0).all()
    assert (predicted[:, 3] == 1).all()
    assert np.isfinite(clf.decision_function(V)).all()
    np.testing.assert_array_equal(clf.coef_[2:, 0], [-1.0, 1.0])


def test_balanced_weights_help_the_rare_class():
    V, _ = blobs(2, m=300, spread=1.0)
    y = np.r_[np.zeros(20, int), np.ones(280, int)]
    V = np.random.default_rng(0).standard_normal((300, 2)) + np.where(y, 0.6, -0.6)[:, None]
    recall = {
        weight: (
            HyperbolicSVC(coordinates="tangent", class_weight=weight, random_state=0)
            .fit(V, y)
            .predict(V)[y == 0]
            == 0
        ).mean()
        for weight in (None, "balanced")
    }
    assert recall["balanced"] > recall[None]


def test_class_weight_is_a_sample_weight_by_class():
    V, y = blobs(2, spread=1.0)
    by_class = HyperbolicSVC(coordinates="tangent", class_weight={0: 3.0, 1: 0.5}, random_state=0)
    by_row = HyperbolicSVC(coordinates="tangent", random_state=0)
    by_class.fit(V, y)
    by_row.fit(V, y, sample_weight=np.where(y == 0, 3.0, 0.5))
    np.testing.assert_allclose(by_class.objective_, by_row.objective_, rtol=1e-9)


def test_rows_of_weight_zero_are_as_if_absent():
    V, y = blobs(2, spread=1.0)
    weight = np.ones(len(y))
    weight[::3] = 0.0
    outlier = np.vstack([V, [[50.0, 0.0]]])
    clf = HyperbolicSVC(coordinates="tangent", random_state=0)
    with_zeros = clone(clf).fit(outlier, np.r_[y, 0], sample_weight=np.r_[weight, 0.0])
    without = clone(clf).fit(V[weight > 0], y[weight > 0], sample_weight=weight[weight > 0])
    np.testing.assert_array_equal(with_zeros.coef_, without.coef_)


def test_the_number_of_jobs_changes_nothing():
    V, y = blobs(5, m=400, spread=1.0)
    one = HyperbolicSVC(coordinates="tangent", random_state=7, n_jobs=1).fit(V, y)
    two = HyperbolicSVC(coordinates="tangent", random_state=7, n_jobs=2).fit(V, y)
    np.testing.assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize(
    "dress",
    [
        lambda X: X.astype(np.float32),
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=0)[::2],
        lambda X: pd.DataFrame(X, columns=["u", "v"]),
        lambda X: X.tolist(),
    ],
    ids=["float32", "fortran", "strided", "pandas", "list"],
)
def test_any_array_of_the_same_numbers_is_the_same_data(dress):
    V, y = blobs(2, spread=1.0)
    V = V.astype(np.float32).astype(np.float64)
    plain = HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, y)
    dressed = HyperbolicSVC(coordinates="tangent", random_state=0).fit(dress(V), y)
    np.testing.assert_allclose(dressed.objective_, plain.objective_, rtol=1e-9)
    assert (dressed.predict(dress(V)) == plain.predict(V)).all()


def test_read_only_input_is_left_alone():
    V, y = blobs(2)
    before = V.copy()
    V.setflags(write=False)
    HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, y).predict(V)
    np.testing.assert_array_equal(V, before)


def test_column_names_are_kept():
    V, y = blobs(2)
    clf = HyperbolicSVC(coordinates="tangent").fit(pd.DataFrame(V, columns=["u", "v"]), y)
    assert list(clf.feature_names_in_) == ["u", "v"]


def test_pickle_clone_pipeline_and_grid_search():
    V, y = blobs(3)
    X = convert(V, "tangent", "ball")
    clf = HyperbolicSVC(random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))
    assert clone(clf).get_params() == clf.get_params()
    to_klein = FunctionTransformer(
        convert, kw_args={"coordinates": "ball", "new_coordinates": "klein"}
    )
    model = make_pipeline(to_klein, HyperbolicSVC(coordinates="klein", random_state=0))
    assert cross_val_score(model, X, y, cv=3).mean() > 0.9
    search = GridSearchCV(HyperbolicSVC(random_state=0), {"C": [0.1, 1.0], "multi_class": ["ovo"]})
    assert search.fit(X, y).best_score_ > 0.9


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.1, 0.2], [1.2, 0.0], [0.0, 0.1]], r"row 1 of X .*\|b\| = 1\.2.*clip_radius"),
        ([[0.1, 0.2], [np.nan, 0.0], [0.0, 0.1]], "row 1 of X has nan.*NaN"),
        ([[0.1, 0.2], [0.3, 0.0], [0.0, np.inf]], "row 2 of X has inf"),
    ],
)
def test_a_bad_row_is_named_when_fitting_and_when_predicting(points, message):
    with pytest.raises(ValueError, match=message):
        HyperbolicSVC().fit(points, [0, 1, 0])
    clf = HyperbolicSVC().fit([[0.1, 0.2], [0.3, 0.0], [0.0, 0.1]], [0, 1, 0])
    with pytest.raises(ValueError, match=message):
        clf.predict(points)


def test_a_bad_row_deep_in_the_data_is_named_by_its_own_number():
    X = np.zeros((40_000, 2))
    X[:, 0] = np.linspace(-0.5, 0.5, 40_000)
    X[33_333] = [0.9, 0.9]
    with pytest.raises(ValueError, match="row 33333 of X"):
        HyperbolicSVC().fit(X, X[:, 0] > 0)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"C": 0.0}, ValueError, "'C' parameter"),
        ({"C": -1.0}, ValueError, "'C' parameter"),
        ({"curvature": 1.0}, ValueError, "'curvature' parameter"),
        ({"curvature": 0.0}, ValueError, "'curvature' parameter"),
        ({"coordinates": "mercator"}, ValueError, "'coordinates' parameter"),
        ({"multi_class": "crammer"}, ValueError, "'multi_class' parameter"),
        ({"max_iter": 0}, ValueError, "'max_iter' parameter"),
        ({"tol": -1.0}, ValueError, "'tol' parameter"),
    ],
)
def test_parameters_are_checked_before_work_begins(parameters, error, message):
    V, y = blobs(2)
    with pytest.raises(error, match=message):
        HyperbolicSVC(**{"coordinates": "tangent", **parameters}).fit(V, y)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="two classes in y; got one class, 'a'"):
        HyperbolicSVC().fit([[0.1, 0.2], [0.3, 0.0]], ["a", "a"])


def test_continuous_targets_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        HyperbolicSVC().fit([[0.1, 0.2], [0.3, 0.0]], [0.5, 1.7])


def test_sparse_points_are_refused():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        HyperbolicSVC().fit(sp.csr_array(np.eye(3) / 2), [0, 1, 0])


def test_negative_and_vanishing_weights_are_refused():
    X, y = [[0.1, 0.2], [0.3, 0.0]], [0, 1]
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        HyperbolicSVC().fit(X, y, sample_weight=[1.0, -1.0])
    with pytest.raises(ValueError, match="weight"):
        HyperbolicSVC().fit(X, y, sample_weight=[0.0, 0.0])
    with pytest.raises(ValueError, match="two classes"):
        HyperbolicSVC().fit(X, y, sample_weight=[1.0, 0.0])


def test_not_fitted_is_said():
    with pytest.raises(NotFittedError):
        HyperbolicSVC().predict([[0.1, 0.2]])


def test_duplicate_points_a_constant_feature_and_equal_points_are_answered():
    V, y = blobs(2)
    doubled = HyperbolicSVC(coordinates="tangent", random_state=0)
    doubled.fit(np.vstack([V, V]), np.r_[y, y])
    assert doubled.score(V, y) > 0.95
    flat = np.column_stack([V[:, 0], np.zeros(len(V))])
    assert HyperbolicSVC(coordinates="tangent").fit(flat, y).score(flat, y) > 0.95
    same = np.full((10, 2), 0.2)
    majority = HyperbolicSVC(random_state=0).fit(same, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    assert (majority.predict(same) == 0).all()


def test_points_on_a_line_are_points_of_dimension_one():
    X = np.array([[-0.9], [-0.5], [0.1], [0.4], [0.8]])
    y = [0, 0, 1, 1, 1]
    for flip in (1, -1):
        assert HyperbolicSVC(C=10.0).fit(flip * X, y).score(flip * X, y) == 1.0


def test_one_sample_cannot_be_fitted_but_can_be_classified():
    with pytest.raises(ValueError):
        HyperbolicSVC().fit([[0.1, 0.2]], [1])
    clf = HyperbolicSVC().fit([[0.1, 0.2], [0.3, 0.0]], [0, 1])
    assert clf.predict([[0.4, 0.0]]) == [1]


def test_a_warning_only_where_the_solver_truly_stopped_short():
    V, y = blobs(2, spread=1.0, n=6)
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        HyperbolicSVC(coordinates="tangent", max_iter=1).fit(V, y)
    clf = HyperbolicSVC(coordinates="tangent").fit(V, y)  # warnings are errors here
    assert clf.converged_.all()


def test_tiny_and_huge_curvature_only_rescale():
    V, y = blobs(2, spread=1.0)
    base = HyperbolicSVC(coordinates="tangent", random_state=0).fit(V, y)
    for curvature in (-1e-6, -1e6):
        X = V / np.sqrt(-curvature)
        clf = HyperbolicSVC(coordinates="tangent", curvature=curvature, random_state=0).fit(X, y)
        np.testing.assert_allclose(clf.objective_, base.objective_, rtol=1e-7)


def test_the_support_vectors_are_the_rows_with_a_loss_or_at_the_margin():
    X, y = make_hyperbolic_gaussians(200, random_state=1)
    clf = HyperbolicSVC(random_state=0).fit(X, y)
    margins = np.where(y[:, None] == clf.classes_, 1, -1) * clf.decision_function(X)
    np.testing.assert_array_equal(clf.support_, np.flatnonzero((margins < 1.000001).any(axis=1)))
    assert 0 < len(clf.support_) < len(X)
    np.testing.assert_array_equal(clf.support_vectors_, X[clf.support_])
    np.testing.assert_array_equal(clf.n_support_, np.bincount(y[clf.support_]))


def test_support_vectors_count_the_rows_of_the_user_also_those_of_weight_0():
    X, y = make_hyperbolic_gaussians(200, random_state=1)
    weights = (np.arange(200) % 3 > 0).astype(float)
    weighted = HyperbolicSVC(random_state=0).fit(X, y, weights)
    plain = HyperbolicSVC(random_state=0).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_array_equal(weighted.support_, np.flatnonzero(weights)[plain.support_])


def test_a_stream_has_no_support_vectors():
    X, y = make_hyperbolic_gaussians(200, random_state=1)
    clf = HyperbolicSVC(random_state=0).fit(X, y)
    assert not hasattr(clf.partial_fit(X[:5], y[:5]), "support_")
