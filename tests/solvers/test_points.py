"""Points: converted once, the same whatever chart they came in."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hyplane import HyperbolicSVC
from hyplane.geometry import CHARTS, convert
from hyplane.solvers import Points, solve_soft_margin
from hyplane.solvers.result import Hyperplanes

RNG = np.random.default_rng(0)
TANGENT = RNG.normal(size=(50, 2))
LABELS = np.where(TANGENT[:, 0] + 0.3 * RNG.normal(size=50) > 0, 1, -1).astype(np.int8)


@pytest.mark.parametrize("chart", CHARTS)
def test_points_do_not_depend_on_their_chart(chart):
    expected = Points.from_chart(TANGENT, "tangent")
    found = Points.from_chart(convert(TANGENT, "tangent", chart), chart)
    np.testing.assert_allclose(found.radius, expected.radius, rtol=1e-13)
    np.testing.assert_allclose(found.direction, expected.direction, atol=1e-13)


def test_rows_are_taken_in_any_order():
    whole = Points.from_chart(TANGENT, "tangent")
    some = whole[[3, 1, 3]]
    np.testing.assert_array_equal(some.radius, whole.radius[[3, 1, 3]])
    assert some.packed.n_rows == len(some) == 3
    assert some.packed.largest_radius == some.radius.max()


def test_a_bad_row_is_named():
    X = np.zeros((20, 2))
    X[16] = 2.0
    with pytest.raises(ValueError, match="row 16 of X"):
        Points.from_chart(X, "ball")


def test_the_objective_is_that_of_the_solver():
    data = Points.from_chart(TANGENT, "tangent")
    weights = RNG.uniform(size=50)
    fit = solve_soft_margin(data, LABELS, weights, C=3.0)
    value = data.soft_margin_objective(fit, LABELS, weights, C=3.0)
    assert value == pytest.approx(fit.objective, rel=1e-14)


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="at least one point"):
        Points.from_chart(np.empty((0, 2)))


def test_scores_have_the_sign_of_distances():
    data = Points.from_chart(TANGENT, "tangent")
    planes = Hyperplanes.of_results([solve_soft_margin(data, LABELS)])
    scores, distances = data.scores(planes), data.scores(planes, "signed_distance")
    np.testing.assert_array_equal(np.sign(scores), np.sign(distances))


def test_points_near_the_origin_are_classified_by_a_hyperplane_that_far_points_placed():
    rng = np.random.default_rng(0)
    angle = rng.uniform(-np.pi, np.pi, 200)
    radius = np.r_[rng.uniform(0, 5, 100), rng.uniform(0, 5000, 100)]
    V = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    clf = HyperbolicSVC(coordinates="tangent", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so far out the solver may stall
        clf.fit(V, np.abs(angle) < 1.5)
    np.testing.assert_array_equal(clf.predict(V), clf.signed_distance(V) > 0)
