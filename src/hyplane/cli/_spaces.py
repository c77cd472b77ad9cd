"""Which chart and curvature a column of points has: its name says it, as in ``klein_x1``.

A name without a curvature, such as ``klein_x1``, is of curvature -1; others have it in the name, as
in ``klein_curvature-0.5_x1``. A name without a chart, such as ``x1``, says nothing.
"""

import re
from dataclasses import dataclass
from typing import Any

from hyplane._utils.charts import CHARTS

_NAME = re.compile(
    rf"(?P<chart>{'|'.join(CHARTS)})(_curvature(?P<curvature>-[0-9.]+(e[+-]?[0-9]+)?))?_"
    r"(?P<rest>x[0-9]+|r|theta)"
)


@dataclass(frozen=True)
class Space:
    """A chart of hyperbolic space and the curvature.

    Examples
    --------
    >>> str(Space("klein")), str(Space("ball", -0.5))
    ('klein', 'ball of curvature -0.5')
    """

    coordinates: str
    curvature: float = -1.0

    def __str__(self) -> str:
        if self.curvature == -1:
            return self.coordinates
        return f"{self.coordinates} of curvature {_written(self.curvature)}"

    @property
    def chart(self) -> dict[str, Any]:
        """The two as functions of points take them."""
        return {"coordinates": self.coordinates, "curvature": self.curvature}

    def dim(self, n_columns: int) -> int:
        """Return the dimension of the space whose points have so many columns."""
        if self.coordinates == "hyperboloid" or (self.coordinates == "polar" and n_columns > 2):
            return n_columns - 1
        return n_columns


def point_names(space: Space, n_columns: int) -> list[str]:
    """Name the columns of points.

    Parameters
    ----------
    space : Space
    n_columns : int

    Returns
    -------
    names : list of str

    Examples
    --------
    >>> point_names(Space("hyperboloid"), 3)
    ['hyperboloid_x0', 'hyperboloid_x1', 'hyperboloid_x2']
    >>> point_names(Space("polar", -0.5), 2)
    ['polar_curvature-0.5_r', 'polar_curvature-0.5_theta']
    """
    if space.coordinates == "polar":
        rest = ["r", "theta"] if n_columns == 2 else ["r", *_numbered(1, n_columns - 1)]
    else:
        rest = _numbered(0 if space.coordinates == "hyperboloid" else 1, n_columns)
    curvature = "" if space.curvature == -1 else f"_curvature{_written(space.curvature)}"
    return [f"{space.coordinates}{curvature}_{each}" for each in rest]


def space_in_name(name: str) -> Space | None:
    """Return what the name of a column says.

    Examples
    --------
    >>> space_in_name("klein_x2"), space_in_name("x2")
    (Space(coordinates='klein', curvature=-1.0), None)
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        curvature = float(found["curvature"] or -1.0)
    except ValueError:
        return None
    return Space(found["chart"], curvature) if curvature < 0 else None


def bare_name(name: str) -> str:
    """Return a name without chart and curvature.

    Examples
    --------
    >>> bare_name("klein_curvature-2_x2"), bare_name("kind")
    ('x2', 'kind')
    """
    found = _NAME.fullmatch(name)
    return name if found is None else found["rest"]


def _numbered(first: int, count: int) -> list[str]:
    return [f"x{first + place}" for place in range(count)]


def _written(number: float) -> str:
    """Write a number so that it is read back exactly."""
    return repr(float(number)).removesuffix(".0")
