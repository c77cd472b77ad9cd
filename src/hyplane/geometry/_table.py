"""The charts. Each is two maps, a check, and how much it can hold."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hyplane._utils.charts import chart_name
from hyplane._utils.typing import Array
from hyplane.geometry import _inside as inside
from hyplane.geometry import _polar as polar

_LARGEST = float(np.finfo(np.float64).max)
_SMALLEST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Chart:
    """A chart of hyperbolic space, as functions on arrays.

    ``check`` raises a `PointError` where a row is not a point. ``infinite_outside`` says that
    ``to_polar`` sends exactly the finite rows outside the chart to an infinite radius, so that a
    second look at the rows is needed only then. ``max_radius(k)`` is the largest radius, in units
    of curvature -1, whose points the doubles of this chart hold in every direction.
    """

    name: str
    extra_columns: int
    to_polar: Callable[[Array, float], tuple[Array, Array]]
    from_polar: Callable[[Array, Array, float], Array]
    check: Callable[[Array, float, float, str], None]
    max_radius: Callable[[float], float]
    infinite_outside: bool = False

    def n_dim(self, n_columns: int) -> int:
        """Return the dimension of the space that so many columns describe."""
        if self.name == "polar" and n_columns == 2:
            return 2
        return n_columns - self.extra_columns

    def min_columns(self) -> int:
        """Return the fewest columns a point of this chart has."""
        return 2 if self.name == "polar" else 1 + self.extra_columns


def _ball_limit(k: float) -> float:
    """Solve ``tanh(r/2) = 1 - 2**-53``, the largest double below 1: about 37.4."""
    return float(np.log(2.0**54 - 1.0))


def _klein_limit(k: float) -> float:
    """Solve ``tanh(r) = 1 - 2**-53``: about 18.7."""
    return 0.5 * _ball_limit(k)


def _hyperboloid_limit(k: float) -> float:
    """``cosh r`` overflows at about 710."""
    return float(np.log(_LARGEST) + min(0.0, 0.5 * np.log(k)))


def _halfspace_limit(k: float) -> float:
    """``exp(-r)`` loses digits below the smallest normal double, at about 708."""
    return float(-np.log(_SMALLEST) - abs(0.5 * np.log(k)))


def _polar_limit(k: float) -> float:
    """Every finite radius."""
    return _LARGEST * min(1.0, float(np.sqrt(k)))


TABLE: dict[str, Chart] = {
    chart.name: chart
    for chart in (
        Chart(
            "ball", 0, polar.ball_to_polar, polar.ball_from_polar,
            inside.check_ball, _ball_limit, infinite_outside=True,
        ),
        Chart(
            "hyperboloid", 1, polar.hyperboloid_to_polar, polar.hyperboloid_from_polar,
            inside.check_hyperboloid, _hyperboloid_limit, infinite_outside=False,
        ),
        Chart(
            "halfspace", 0, polar.halfspace_to_polar, polar.halfspace_from_polar,
            inside.check_halfspace, _halfspace_limit, infinite_outside=True,
        ),
        Chart(
            "klein", 0, polar.klein_to_polar, polar.klein_from_polar,
            inside.check_klein, _klein_limit, infinite_outside=True,
        ),
        Chart(
            "polar", 1, polar.polar_to_polar, polar.polar_from_polar,
            inside.check_polar, _polar_limit, infinite_outside=False,
        ),
        Chart(
            "tangent", 0, polar.tangent_to_polar, polar.tangent_from_polar,
            inside.check_tangent, _polar_limit, infinite_outside=False,
        ),
    )
}  # fmt: skip


def find_chart(coordinates: str) -> Chart:
    """Return the chart of that name, or say which names there are."""
    return TABLE[chart_name(coordinates)]
