import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from hyplane._utils.charts import CHARTS
from hyplane.geometry import (
    PointError,
    check_points,
    convert,
    exponential_map,
    from_polar,
    to_polar,
)
from hyplane.geometry._table import TABLE
from hyplane.solvers import solve_hard_margin

BAD = [
    ("ball", [0.6, 0.8], 1.0, None, True),
    ("klein", [1.5, 0.0], 1.5, None, True),
    ("halfspace", [-2.0, 0.0], -2.0, 0, True),
    ("hyperboloid", [-1.0, 0.0, 0.0], -1.0, 0, True),
    ("hyperboloid", [2.0, 0.0, 0.0], 4.0, None, True),
    ("polar", [-3.0, 0.5], -3.0, 0, False),
    ("polar", [1.0, 0.0, 3.0, 4.0], 5.0, None, False),
]
GOOD = {"ball": [0.0, 0.0], "klein": [0.0, 0.0], "halfspace": [1.0, 0.0]}


def good(chart, n_columns):
    if chart == "hyperboloid":
        return [1.0, 0.0, 0.0]
    if chart == "polar":
        return [1.0, 0.5] if n_columns == 2 else [1.0, 1.0, 0.0, 0.0]
    return GOOD[chart]


@pytest.mark.parametrize(("chart", "row", "value", "column", "can_clip"), BAD)
@pytest.mark.parametrize("look", [check_points, to_polar])
def test_an_error_about_a_point_carries_its_facts(look, chart, row, value, column, can_clip):
    with pytest.raises(PointError) as caught:
        look([good(chart, len(row)), row], chart)
    error = caught.value
    assert (error.row, error.column, error.chart) == (1, column, chart)
    assert error.value == pytest.approx(value)
    assert error.can_clip is can_clip
    assert error.remedy
    assert str(error).startswith("row 1 of X ")
    assert ("clip_radius" in str(error)) is can_clip


def test_a_number_that_is_not_finite_is_named_with_its_column():
    with pytest.raises(PointError) as caught:
        check_points([[0.0, 0.0], [0.0, np.nan]], "ball")
    error = caught.value
    assert (error.row, error.column, error.can_clip) == (1, 1, False)
    assert np.isnan(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: convert([[0.0, 0.0], [50.0, 0.0]], "tangent", "ball"),
        lambda: from_polar([1.0, -1.0], [0.0, 0.0], "ball"),
        lambda: from_polar([1.0, 1.0], [[1.0, 0.0], [3.0, 4.0]], "ball"),
        lambda: exponential_map([[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]),
        lambda: exponential_map([[0.0, 1.0, 0.0], [np.inf, 1.0, 0.0]]),
        lambda: solve_hard_margin([1.0, -1.0], [[1.0, 0.0], [-1.0, 0.0]], [1, -1]),
    ],
)
def test_every_complaint_about_a_row_is_a_point_error(call):
    with pytest.raises(PointError) as caught:
        call()
    assert caught.value.row == 1


def complain():
    check_points([[0.5, 0.5], [2.0, 0.0]], "ball", name="Y")


def test_an_error_about_a_point_is_the_same_after_pickling():
    with pytest.raises(PointError) as caught:
        complain()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert vars(copy) == vars(caught.value)


def test_an_error_about_a_point_arrives_from_another_process():
    rows = [[0.5, 0.5], [2.0, 0.0]]
    # Not by joblib, which needs a program of the system to end its processes after an error.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        sent = pool.submit(check_points, rows, "ball", name="Y")
        with pytest.raises(PointError) as caught:
            sent.result()
    assert (caught.value.row, caught.value.name) == (1, "Y")


def test_the_names_of_the_charts_are_those_of_their_table():
    assert tuple(TABLE) == CHARTS
