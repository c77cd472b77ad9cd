"""A chart has several usual names; each works wherever a chart is named."""

import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane.geometry import check_points, convert, distance
from hyplane.solvers import Points

NAMES = {
    "poincare": "ball",
    "Poincare_Ball": "ball",
    "LORENTZ": "hyperboloid",
    "upper_half_space": "halfspace",
    "Upper Half-Space": "halfspace",
    "half_plane": "halfspace",
    "Poincaré disk": "ball",
    "Beltrami-Klein": "klein",
    "Klein": "klein",
}


@pytest.mark.parametrize(("name", "chart"), NAMES.items())
def test_other_names_mean_the_same_points(name, chart):
    points = convert([[0.1, 0.2], [0.3, -0.4]], "ball", chart)
    np.testing.assert_array_equal(check_points(points, name), points)
    np.testing.assert_array_equal(convert(points, name, chart), points)
    np.testing.assert_array_equal(
        convert(points, name, "tangent"), convert(points, chart, "tangent")
    )
    assert distance(points[0], points[1], coordinates=name) == distance(
        points[0], points[1], coordinates=chart
    )
    np.testing.assert_array_equal(
        Points.from_chart(points, name).radius, Points.from_chart(points, chart).radius
    )


@pytest.mark.parametrize(("name", "chart"), NAMES.items())
def test_estimators_take_other_names(name, chart):
    X = convert([[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]], "ball", chart)
    first, second = (HyperbolicSVC(coordinates=c, random_state=0) for c in (name, chart))
    first.fit(X, [1, 1, 0, 0])
    second.fit(X, [1, 1, 0, 0])
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    np.testing.assert_array_equal(first.predict(X), [1, 1, 0, 0])
