"""Points of hyperbolic space, converted once from the chart they came in."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.charts import CHARTS, chart_name
from hyplane._utils.inputs import check_numbers
from hyplane._utils.typing import Array, ArrayLike, Ints
from hyplane.geometry import PointError, check_points
from hyplane.native import charts, core
from hyplane.solvers.fitted import Hyperplane, Hyperplanes

# Rows that are converted at a time where the points are not kept.
_CHUNK = 1 << 16

Score = Literal["arsinh_product", "product", "signed_distance"]


class Points:
    """Points in native polar coordinates at curvature -1: what every solver takes.

    Parameters
    ----------
    radius : ndarray of shape (m,)
        Distances from the origin.
    direction : ndarray of shape (m, n)
        Unit vectors.

    Attributes
    ----------
    packed : PackedPoints
        The same points as the compiled soft margin reads them; made when first asked for.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.0], [0.0, -0.5]], "ball")
    >>> len(points), points.n_dim, points.radius.round(4)
    (2, 2, array([1.0986, 1.0986]))
    >>> points[[1]].direction
    array([[ 0., -1.]])
    """

    def __init__(self, radius: Array, direction: Array) -> None:
        shapes: list[Any] = [getattr(each, "shape", ()) for each in (radius, direction)]
        if [len(shape) for shape in shapes] != [1, 2] or shapes[0][0] != shapes[1][0]:
            raise TypeError("radius must be an array of shape (m,), direction one of shape (m, n).")
        self.radius = radius
        self.direction = direction

    @classmethod
    def from_chart(
        cls,
        X: ArrayLike,
        coordinates: str = "ball",
        *,
        curvature: float = -1.0,
        n_threads: int = 1,
    ) -> Self:
        """Convert rows of any chart.

        Parameters
        ----------
        X : array-like of shape (m, n_columns)
            Points.
        coordinates : str, default="ball"
            Their chart: one of `hyplane.geometry.CHARTS`.
        curvature : float, default=-1.0
            The curvature of the chart.
        n_threads : int, default=1
            Threads that share the rows. The result does not depend on it.

        Returns
        -------
        points : Points

        Raises
        ------
        PointError
            Where a row is not a point of the chart.
        """
        radius, direction, bad = _converted(charts.to_polar, X, coordinates, curvature, n_threads)
        _refuse(bad, X, coordinates, curvature)
        return cls(radius, direction)

    @classmethod
    def chunks(
        cls, X: ArrayLike, coordinates: str = "ball", *, curvature: float = -1.0
    ) -> Iterator[tuple[slice, Self]]:
        """Convert one chunk of rows after the other, for work that needs each row once.

        Parameters
        ----------
        X, coordinates, curvature
            As in `from_chart`.

        Yields
        ------
        rows : slice
            The rows of X in this chunk.
        points : Points
        """
        rows, coordinates = _doubles_or_floats(X), _chart(coordinates)
        for first in range(0, len(rows), _CHUNK):
            chunk = slice(first, min(first + _CHUNK, len(rows)))
            radius, direction, bad = charts.to_polar(rows[chunk], coordinates, -curvature)
            _refuse(bad, X, coordinates, curvature)
            yield chunk, cls(radius, direction)

    def __len__(self) -> int:
        return len(self.radius)

    def __getitem__(self, rows: NDArray[Any] | slice | list[int]) -> Self:
        return type(self)(self.radius[rows], self.direction[rows])

    @property
    def n_dim(self) -> int:
        """The dimension of the space."""
        return int(self.direction.shape[1])

    @cached_property
    def largest_radius(self) -> float:
        """The largest distance from the origin."""
        return float(self.radius.max())

    @cached_property
    def packed(self) -> core.PackedPoints:
        """The points as the compiled soft margin reads them."""
        far = bool(self.largest_radius > core.LARGEST_NEAR_RADIUS)
        packed = core.PackedPoints(len(self), self.n_dim, far)
        packed.fill(
            0,
            np.ascontiguousarray(self.radius, dtype=np.float64),
            np.ascontiguousarray(self.direction, dtype=np.float64),
        )
        return packed

    def scores(self, planes: Hyperplanes, kind: Score = "arsinh_product") -> Array:
        """Score the points by hyperplanes.

        Parameters
        ----------
        planes : Hyperplanes
        kind : {"arsinh_product", "product", "signed_distance"}, default="arsinh_product"
            ``arsinh(w*x)``, which has the order of ``w*x`` and is finite at any radius, the product
            itself, or the signed distance at curvature -1.

        Returns
        -------
        scores : ndarray of shape (m, n_planes)

        Examples
        --------
        >>> plane = Hyperplanes(np.zeros(1), np.zeros(1), np.array([[-1.0, 0.0]]))
        >>> Points.from_chart([[0.5, 0.0]]).scores(plane, "signed_distance").round(4)
        array([[1.0986]])
        """
        return charts.scores_polar(
            np.ascontiguousarray(self.radius),
            np.ascontiguousarray(self.direction),
            *planes.arrays,
            kind,
        )

    def soft_margin_objective(
        self,
        plane: Hyperplane,
        labels: NDArray[np.int8],
        sample_weight: Array | None = None,
        *,
        C: float,
    ) -> float:
        """Return the soft-margin objective of a hyperplane on these points.

        Parameters
        ----------
        plane : Hyperplane
            Anything with ``log_scale``, ``offset`` and ``normal``.
        labels : ndarray of int8 of shape (m,)
            1, -1, or 0 for a row that does not count.
        sample_weight : ndarray of shape (m,), default=None
            Weights of the rows.
        C : float
            Weight of the losses.

        Returns
        -------
        objective : float

        Examples
        --------
        >>> from hyplane.solvers import solve_soft_margin
        >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
        >>> labels = np.array([1, -1], dtype=np.int8)
        >>> fit = solve_soft_margin(points, labels)
        >>> bool(abs(points.soft_margin_objective(fit, labels, C=1.0) - fit.objective) < 1e-12)
        True
        """
        return core.loss_and_gradient(
            self.packed,
            labels,
            sample_weight,
            C,
            plane.log_scale,
            plane.offset,
            np.ascontiguousarray(plane.normal, dtype=np.float64),
        )[0]


class PackedRows(Points):
    """Points packed straight from their chart; radii and directions are made when asked for.

    Parameters
    ----------
    packed : PackedPoints

    Examples
    --------
    >>> rows = PackedRows.from_chart([[0.5, 0.0], [0.0, -0.5]], "ball")
    >>> rows.packed.n_rows, rows[[1]].direction
    (2, array([[ 0., -1.]]))
    """

    def __init__(self, packed: core.PackedPoints) -> None:
        self.packed = packed

    def __len__(self) -> int:
        return self.packed.n_rows

    def __getitem__(self, rows: NDArray[Any] | slice | list[int]) -> Points:  # type: ignore[override]
        return Points(self.radius[rows], self.direction[rows])

    @property
    def n_dim(self) -> int:
        """The dimension of the space."""
        return self.packed.n_dim

    @cached_property
    def largest_radius(self) -> float:
        """The largest distance from the origin."""
        return self.packed.largest_radius

    @cached_property
    def _polar(self) -> tuple[Array, Array]:
        return core.polar(self.packed)

    @property
    def radius(self) -> Array:  # type: ignore[override]
        """Distances from the origin."""
        return self._polar[0]

    @property
    def direction(self) -> Array:  # type: ignore[override]
        """Unit vectors."""
        return self._polar[1]

    @classmethod
    def from_chart(
        cls,
        X: ArrayLike,
        coordinates: str = "ball",
        *,
        curvature: float = -1.0,
        n_threads: int = 1,
    ) -> Self:
        """Convert rows of any chart; see `Points.from_chart`.

        Parameters
        ----------
        X, coordinates, curvature
            As in `Points.from_chart`.
        n_threads : int, default=1
            Threads that share the rows. The result does not depend on it.

        Returns
        -------
        rows : PackedRows
        """
        packed, bad = _converted(core.pack, X, coordinates, curvature, n_threads)
        _refuse(bad, X, coordinates, curvature)
        return cls(packed)


def scores_of_rows(
    X: ArrayLike,
    planes: Hyperplanes,
    kind: Score,
    coordinates: str = "ball",
    *,
    curvature: float = -1.0,
    n_threads: int = 1,
) -> Array:
    """Score rows of any chart by hyperplanes, without keeping the points.

    Parameters
    ----------
    X, coordinates, curvature
        As in `Points.from_chart`.
    planes : Hyperplanes
    kind : {"arsinh_product", "product", "signed_distance"}
        As in `Points.scores`.
    n_threads : int, default=1
        Threads that share the rows. The result does not depend on it.

    Returns
    -------
    scores : ndarray of shape (m, n_planes)

    Examples
    --------
    >>> plane = Hyperplanes(np.zeros(1), np.zeros(1), np.array([[-1.0, 0.0]]))
    >>> scores_of_rows([[0.5, 0.0]], plane, "signed_distance").round(4)
    array([[1.0986]])
    """
    rows = _doubles_or_floats(X)
    scores, bad = charts.scores(
        rows, _chart(coordinates), -curvature, *planes.arrays, kind, n_threads
    )
    _refuse(bad, X, coordinates, curvature)
    return scores


def best_of_rows(
    X: ArrayLike,
    planes: Hyperplanes,
    coordinates: str = "ball",
    *,
    curvature: float = -1.0,
    n_threads: int = 1,
) -> Ints:
    """Return for each row the hyperplane of the highest score; for one, whether it is positive.

    Parameters
    ----------
    X, planes, coordinates, curvature, n_threads
        As in `scores_of_rows`.

    Returns
    -------
    best : ndarray of int of shape (m,)

    Examples
    --------
    >>> plane = Hyperplanes(np.zeros(1), np.zeros(1), np.array([[-1.0, 0.0]]))
    >>> best_of_rows([[0.5, 0.0], [-0.5, 0.0]], plane)
    array([1, 0])
    """
    rows = _doubles_or_floats(X)
    log_scale, offset, normal = planes.arrays
    # One hyperplane decides by the sign of its score, which a small scale could make underflow.
    log_scale = np.zeros(1) if len(offset) == 1 else log_scale
    best, bad = charts.decide(
        rows, _chart(coordinates), -curvature, log_scale, offset, normal, n_threads
    )
    _refuse(bad, X, coordinates, curvature)
    return best


def _converted(
    convert: Callable[..., Any], X: ArrayLike, coordinates: str, curvature: float, n_threads: int
) -> Any:
    """Call a compiled conversion."""
    rows = _doubles_or_floats(X)
    if not len(rows):
        raise ValueError("no points: at least one row is needed.")
    return convert(rows, _chart(coordinates), -curvature, n_threads)


def _doubles_or_floats(X: ArrayLike) -> NDArray[Any]:
    """Return rows as the compiled code reads them: single or double precision, any strides."""
    if type(X) is not np.ndarray or X.dtype.kind != "f":
        check_numbers(X, "X")
    rows = np.asarray(X)
    if rows.dtype.kind == "c":
        raise TypeError("the points have complex numbers.")
    whole_steps = all(step % rows.itemsize == 0 for step in rows.strides)
    readable = rows.dtype in (np.float32, np.float64) and rows.dtype.isnative
    return rows if readable and whole_steps and rows.flags.aligned else rows.astype(np.float64)


def _chart(coordinates: str) -> str:
    """Return our own name of a chart."""
    return coordinates if coordinates in CHARTS else chart_name(coordinates)


def _refuse(bad: int, X: ArrayLike, coordinates: str, curvature: float) -> None:
    """Raise the error about a row that is not a point; a negative number says there is none."""
    if bad < 0:
        return
    check_points(X, coordinates, curvature=curvature)
    largest = float(np.abs(np.asarray(X, dtype=np.float64)[bad]).max())
    raise PointError(
        f"is too far out for double precision at curvature {curvature:g}",
        bad,
        largest,
        "Rescale the points",
        "X",
        chart=coordinates,
    )
