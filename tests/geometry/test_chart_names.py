"""A chart has several usual names; each works wherever a chart is named."""

import subprocess
import sys

import numpy as np
import pytest

from hyplane import HyperbolicSVC
from hyplane._utils.charts import ALIASES, CHARTS, chart_name
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


def test_every_alias_leads_to_a_chart():
    assert tuple(ALIASES) == CHARTS
    for chart, names in ALIASES.items():
        assert {chart_name(name) for name in names} == {chart}
        assert all(name.isascii() and name.isalpha() and name.islower() for name in names)


@pytest.mark.parametrize("seed", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_errors_list_the_charts_in_one_order(seed):
    code = (
        "from hyplane import HyperbolicSVC\n"
        "HyperbolicSVC(coordinates='mercator').fit([[0.1], [0.2]], [0, 1])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
    )
    assert "ball, hyperboloid, halfspace, klein, polar, tangent" in run.stderr
