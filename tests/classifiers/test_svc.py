"""HyperbolicSVC as its users meet it."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from helpers import load_script, refuses, ring
from helpers import tangent_svc as svc
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import hyplane
from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import convert, minkowski_product


def test_decision_function_is_the_minkowski_product():
    V, y = ring(3)
    clf = svc().fit(V, y)
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
    V, y = ring(9, m=540, spread=0.25)
    scores = {kind: svc(multi_class=kind).fit(V, y).score(V, y) for kind in ("ovr", "ovo")}
    assert scores["ovo"] >= scores["ovr"]
    assert scores["ovo"] > 0.85


def test_one_vs_one_has_a_hyperplane_per_pair_and_votes():
    V, y = ring(4, m=80)
    clf = svc(multi_class="ovo").fit(V, y)
    assert clf.coef_.shape == (6, 3)
    assert clf.signed_distance(V).shape == (80, 6)
    votes = clf.decision_function(V)
    assert votes.shape == (80, 4)
    assert (votes.argmax(axis=1) == clf.predict(V)).all()
    np.testing.assert_allclose(np.round(votes).sum(axis=1), 6, atol=1)


def test_balanced_weights_help_the_rare_class():
    y = np.r_[np.zeros(20, int), np.ones(280, int)]
    V = np.random.default_rng(0).standard_normal((300, 2)) + np.where(y, 0.6, -0.6)[:, None]
    recall = {
        weight: (svc(class_weight=weight).fit(V, y).predict(V)[y == 0] == 0).mean()
        for weight in (None, "balanced")
    }
    assert recall["balanced"] > recall[None]


def test_a_class_that_is_never_predicted_is_named_once_with_remedies():
    rng = np.random.default_rng(0)
    X = np.r_[2.0 * rng.normal(size=(200, 2)), 0.3 * rng.normal(size=(8, 2))]
    y = np.r_[np.where(X[:200, 0] > 0, "left", "right"), np.full(8, "rare")]
    clf = HyperbolicSVC(coordinates="tangent", random_state=0)
    with pytest.warns(hyplane.ClassNeverPredictedWarning, match="as rare .1 of 3.*ovo") as found:
        assert "rare" not in clf.fit(X, y).predict(X)
    assert len(found) == 1
    assert "balanced" in str(found[0].message)
    for remedy in ({"class_weight": "balanced"}, {"multi_class": "ovo"}):  # no warning
        clone(clf).set_params(**remedy).fit(X, y)


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
    V, y = ring(2, spread=1.0)
    V = V.astype(np.float32).astype(np.float64)
    plain = svc().fit(V, y)
    dressed = svc().fit(dress(V), y)
    np.testing.assert_allclose(dressed.objective_, plain.objective_, rtol=1e-9)
    assert (dressed.predict(dress(V)) == plain.predict(V)).all()


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.1, 0.2], [1.2, 0.0], [0.0, 0.1]], r"row 1 of X .*\|b\| = 1\.2.*clip_radius"),
        ([[0.1, 0.2], [np.nan, 0.0], [0.0, 0.1]], "row 1 of X has nan.*NaN"),
        ([[0.1, 0.2], [0.3, 0.0], [0.0, np.inf]], "row 2 of X has inf"),
    ],
)
def test_a_bad_row_is_named_when_fitting_and_when_predicting(points, message):
    refuses(message, HyperbolicSVC().fit, points, [0, 1, 0])
    clf = HyperbolicSVC().fit([[0.1, 0.2], [0.3, 0.0], [0.0, 0.1]], [0, 1, 0])
    refuses(message, clf.predict, points)


def test_a_bad_row_deep_in_the_data_is_named_by_its_own_number():
    X = np.zeros((40_000, 2))
    X[:, 0] = np.linspace(-0.5, 0.5, 40_000)
    X[33_333] = [0.9, 0.9]
    with pytest.raises(ValueError, match="row 33333 of X"):
        HyperbolicSVC().fit(X, X[:, 0] > 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [("C", 0.0), ("C", -1.0), ("curvature", 1.0), ("curvature", 0.0), ("coordinates", "mercator"),
     ("multi_class", "crammer"), ("max_iter", 0), ("tol", -1.0)],
)  # fmt: skip
def test_parameters_are_checked(name, value):
    with pytest.raises(ValueError, match=f"{name}'? (parameter|must be one of)"):
        svc(**{name: value}).fit(*ring(2))


@pytest.mark.parametrize(
    ("y", "weights", "message"),
    [
        (["a", "a"], None, "two classes in y; got one class, 'a'"),
        (["a", "b"], [1.0, -1.0], r"[Nn]egative"),
        (["a", "b"], [1.0, 0.0], "two classes"),
    ],
)
def test_one_class_and_negative_weights_are_refused(y, weights, message):
    with pytest.raises(ValueError, match=message):
        HyperbolicSVC().fit([[0.1, 0.2], [0.3, 0.0]], y, sample_weight=weights)


def test_duplicate_points_a_constant_feature_and_equal_points_are_answered():
    V, y = ring(2)
    doubled = svc()
    doubled.fit(np.vstack([V, V]), np.r_[y, y])
    assert doubled.score(V, y) > 0.95
    flat = np.column_stack([V[:, 0], np.zeros(len(V))])
    assert svc().fit(flat, y).score(flat, y) > 0.95
    same = np.full((10, 2), 0.2)
    majority = HyperbolicSVC(random_state=0).fit(same, [0, 0, 0, 0, 0, 0, 0, 1, 1, 1])
    assert (majority.predict(same) == 0).all()


def test_points_on_a_line_are_points_of_dimension_one():
    X = np.array([[-0.9], [-0.5], [0.1], [0.4], [0.8]])
    y = [0, 0, 1, 1, 1]
    for flip in (1, -1):
        assert HyperbolicSVC(C=10.0).fit(flip * X, y).score(flip * X, y) == 1.0


def test_a_warning_only_where_the_solver_truly_stopped_short():
    V, y = np.random.default_rng(0).normal(size=(120, 6)), np.arange(120) % 2
    with pytest.warns(ConvergenceWarning, match="Raise max_iter"):
        svc(max_iter=1).fit(V, y)
    clf = svc().fit(V, y)  # warnings are errors here
    assert clf.converged_.all()


def hard(**parameters):
    return HyperbolicSVC(C=np.inf, coordinates="polar", **parameters)


def separable(n_classes=2, m=60, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(m) % n_classes
    angle = 2 * np.pi * y / n_classes + rng.uniform(-0.3, 0.3, m)
    return np.column_stack([rng.uniform(1.0, 2.5, m), angle]), y


def test_the_margin_is_the_distance_of_the_closest_point_and_its_gap_is_proven():
    X, y = separable()
    clf = hard().fit(X, y)
    distances = np.where(y == 1, 1, -1) * clf.signed_distance(X)
    assert (clf.predict(X) == y).all()
    assert clf.margin_[0] == pytest.approx(distances.min(), abs=1e-9)
    assert 0 <= clf.gap_[0] < 1e-6
    np.testing.assert_allclose(distances[clf.support_], clf.margin_[0], atol=1e-6)
    assert clf.converged_.all()


def test_a_large_finite_C_comes_close_to_the_hard_margin():
    X, y = separable(seed=3)
    margin = hard().fit(X, y)
    soft = HyperbolicSVC(C=1e4, coordinates="polar", random_state=0).fit(X, y)
    assert soft.objective_[0] == pytest.approx(margin.objective_[0], rel=1e-4)


@pytest.mark.parametrize("curvature", [-0.25, -4.0])
def test_margin_and_gap_are_lengths_of_the_space(curvature):
    X, y = separable()
    unit = np.sqrt(-curvature)
    plain = hard().fit(X, y)
    Z = convert(X / [unit, 1.0], "polar", "ball", curvature=curvature)
    scaled = HyperbolicSVC(C=np.inf, curvature=curvature).fit(Z, y)
    assert scaled.margin_[0] * unit == pytest.approx(plain.margin_[0], rel=1e-6)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_many_classes_have_margins_and_supports_of_their_own(multi_class):
    X, y = separable(3, m=90)
    clf = hard(multi_class=multi_class).fit(X, y)
    assert (clf.predict(X) == y).all()
    assert clf.margin_.shape == (3,)
    if multi_class == "ovo":
        for (a, b), result in zip([(0, 1), (0, 2), (1, 2)], clf.results_, strict=True):
            assert set(y[np.isin(y, [a, b])][result.support]) == {a, b}
    assert clf.n_support_.tolist() == np.bincount(y[clf.support_]).tolist()


def test_classes_that_no_hyperplane_separates_are_refused_by_name():
    X, y = separable()
    y[0] = 1 - y[0]
    with pytest.raises(ValueError, match=r"class 1: .*finite C"):
        hard().fit(X, y)


ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not (ROOT / "tools").exists(), reason="not part of this installation")
@pytest.mark.parametrize(("make", "most"), [(HyperbolicSVC, 7), (HyperbolicSVCCV, 9)])
@pytest.mark.parametrize("table", [np.asarray, list, pd.DataFrame])
def test_a_fit_passes_few_python_files_and_the_page_names_them(make, most, table):
    X, y = make_hyperbolic_gaussians(60, random_state=0)
    X, clf = table(X), make(random_state=0)
    files_passed = load_script(ROOT / "tools" / "files_passed.py").files_passed
    _, passed = files_passed(lambda: clf.fit(X, y))
    assert len(passed) <= most, sorted(passed)
    if make is HyperbolicSVC:
        assert len(files_passed(lambda: clf.predict(X))[1]) <= 5
    text = (ROOT / "CONTRIBUTING.md").read_text()
    [page] = re.findall(r"## How a fit flows\n(.*?)\n## ", text, re.DOTALL)
    assert len(page.splitlines()) <= 40
    for file in passed:
        assert file in page, file


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
