"""Points: converted once, the same whatever chart they came in."""

import numpy as np
import pytest

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.geometry import CHARTS, convert
from hyplane.solvers import Hyperplanes, Points, points, solve_soft_margin

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


def test_many_rows_are_converted_chunk_by_chunk(monkeypatch):
    whole = Points.from_chart(TANGENT, "tangent")
    monkeypatch.setattr(points, "CHUNK_ROWS", 7)
    chunks = list(Points.chunks(TANGENT, "tangent"))
    assert [len(part) for _, part in chunks] == [7] * 7 + [1]
    np.testing.assert_array_equal(Points.from_chart(TANGENT, "tangent").radius, whole.radius)


def test_a_bad_row_is_named_by_its_place_in_the_whole(monkeypatch):
    monkeypatch.setattr(points, "CHUNK_ROWS", 7)
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
    with pytest.raises(ValueError, match="at least one row"):
        Points.from_chart(np.empty((0, 2)))


def test_scores_have_the_sign_of_distances():
    data = Points.from_chart(TANGENT, "tangent")
    planes = Hyperplanes.of_results([solve_soft_margin(data, LABELS)])
    scores, distances = data.arsinh_products(planes), data.signed_distances(planes)
    np.testing.assert_array_equal(np.sign(scores), np.sign(distances))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize(
    "estimator", [HyperbolicSVC(), HyperbolicSVC(C=np.inf), HyperbolicSVCCV()], ids=str
)
def test_rows_are_converted_once_whatever_the_number_of_problems(
    monkeypatch, estimator, multi_class
):
    centers = np.array([[3.0, 0.0], [-2.0, 2.0], [-2.0, -2.0], [0.5, 3.0]])
    y = np.arange(60) % 4
    X = centers[y] + 0.1 * RNG.normal(size=(60, 2))
    seen = []
    convert_rows = points.to_polar

    def spy(rows, *arguments, **settings):
        seen.append(len(rows))
        return convert_rows(rows, *arguments, **settings)

    monkeypatch.setattr(points, "to_polar", spy)
    estimator.set_params(coordinates="tangent", multi_class=multi_class).fit(X, y)
    assert seen == [60]
    estimator.predict(X)
    assert seen == [60, 60]
