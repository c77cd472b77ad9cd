"""What points are ranked by: the Minkowski product, the Klein score, or the better of the two."""

import numpy as np
import pytest

from hyplane import HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import to_polar
from hyplane.metrics import METRICS

ROWS = slice(0, 200)


def noisy_far_out(seed=0, m=400):
    """Two halves of the disk; a label far from the origin is a matter of chance."""
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((m, 2))
    V *= (rng.uniform(0.0, 6.0, m) / np.linalg.norm(V, axis=1))[:, None]
    radius = np.linalg.norm(V, axis=1)
    wrong = rng.uniform(size=m) < 0.5 * np.maximum(0.0, radius - 2.0) / 4.0
    return V, (V[:, 0] > 0) ^ wrong


def cv(**settings):
    settings = {"threshold": "probability", "random_state": 0, **settings}
    return HyperbolicSVCCV((0.1, 1.0), cv=3, coordinates="tangent", **settings)


def assert_scores_are_those_named(clf, X, x0):
    """The log odds are a sigmoid of arsinh(w*x), or of arsinh(w*x / x0)."""
    products = clf.minkowski_products(X).reshape(len(X), -1)
    by_score = np.where(clf.score_functions_ == "klein", products / x0[:, None], products)
    expected = clf.sigmoids_.slope * np.arcsinh(by_score) + clf.sigmoids_.intercept
    log_odds = clf.decision_function(X).reshape(len(X), -1)
    np.testing.assert_allclose(log_odds, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["minkowski", "klein"])
def test_a_named_score_function_ranks_the_points(name):
    V, y = noisy_far_out()
    clf = cv(score_function=name).fit(V, y)
    assert clf.score_functions_.tolist() == [name]
    assert_scores_are_those_named(clf, V, np.cosh(np.linalg.norm(V, axis=1)))


def test_the_klein_score_is_finite_and_bounded_at_any_radius():
    V, y = noisy_far_out()
    clf = cv(score_function="klein").fit(V, y)
    direction = V / np.linalg.norm(V, axis=1, keepdims=True)
    near, far, farthest = (clf.decision_function(r * direction) for r in (20.0, 900.0, 5000.0))
    assert np.isfinite(near).all()
    np.testing.assert_allclose(far, near, atol=1e-6)
    np.testing.assert_allclose(farthest, near, atol=1e-6)


def test_auto_takes_the_score_that_ranks_the_rows_left_out_better():
    V, y = noisy_far_out()
    fits = {name: cv(score_function=name).fit(V, y) for name in ("minkowski", "klein", "auto")}
    best = {name: clf.cv_scores_.max() for name, clf in fits.items()}
    assert best["klein"] > best["minkowski"] + 0.01
    assert fits["auto"].score_functions_.tolist() == ["klein"]
    assert best["auto"] == best["klein"]
    np.testing.assert_array_equal(
        fits["auto"].decision_function(V), fits["klein"].decision_function(V)
    )


def test_the_choice_pays_on_other_rows():
    V, y = noisy_far_out(1, m=2000)
    area = {
        name: METRICS["average_precision"](
            np.where(y[400:], 1, -1),
            cv(score_function=name).fit(V[:400], y[:400]).decision_function(V[400:]),
            None,
        )
        for name in ("minkowski", "auto")
    }
    assert area["auto"] > area["minkowski"] + 0.02


def test_each_class_has_a_score_function_of_its_own_and_the_probabilities_follow_it():
    X, y = make_hyperbolic_gaussians(400, random_state=3)
    clf = HyperbolicSVCCV(score_function="auto", random_state=0).fit(X[ROWS], y[ROWS])
    assert clf.score_functions_.shape == (4,)
    assert set(clf.score_functions_) <= {"minkowski", "klein"}
    assert_scores_are_those_named(clf, X, np.cosh(to_polar(X, "ball")[0]))


def test_equal_scores_choose_the_minkowski_product():
    V = np.array([[2.0, 0.1], [2.1, -0.1], [1.9, 0.0], [-2.0, 0.1], [-2.1, 0.0], [-1.9, -0.1]])
    clf = cv(score_function="auto").fit(V, [1, 1, 1, 0, 0, 0])
    assert clf.score_functions_.tolist() == ["minkowski"]


def test_a_class_of_one_row_and_a_constant_label_keep_the_minkowski_product():
    V, y = noisy_far_out(m=40)
    Y = np.column_stack([y, np.zeros(40), np.arange(40) == 0]).astype(int)
    with pytest.warns(UserWarning, match="no cross validation"):
        clf = cv(score_function="auto").fit(V, Y)
    assert clf.score_functions_[1:].tolist() == ["minkowski", "minkowski"]
    assert np.isfinite(clf.predict_proba(V)).all()


def test_the_explorer_does_not_draw_klein_scores_by_the_rule_of_the_other():
    from hyplane.explorer import explore

    V, y = noisy_far_out()
    for name, rule in (("minkowski", "sign"), ("klein", "none")):
        page = explore(V, y, estimator=cv(score_function=name).fit(V, y), coordinates="tangent")
        assert [fit["rule"] for fit in page.payload["fits"]] == [rule]
