"""Points of hyperbolic space, converted once from the chart they came in."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array, ArrayLike
from hyplane.geometry import check_points, to_polar
from hyplane.native import core
from hyplane.solvers.fitted import Hyperplane, Hyperplanes

# Rows are converted a chunk at a time, so that no temporary is as large as the data.
CHUNK_ROWS = 16_384


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
        self.radius = radius
        self.direction = direction

    @classmethod
    def from_chart(
        cls, X: ArrayLike, coordinates: str = "ball", *, curvature: float = -1.0
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

        Returns
        -------
        points : Points

        Raises
        ------
        PointError
            Where a row is not a point of the chart.
        """
        X = X if hasattr(X, "shape") else np.asarray(X, dtype=np.float64)
        parts = list(cls.chunks(X, coordinates, curvature=curvature))
        if not parts:
            raise ValueError("no points: at least one row is needed.")
        if len(parts) == 1:
            return parts[0][1]
        return cls(
            np.concatenate([part.radius for _, part in parts]),
            np.concatenate([part.direction for _, part in parts]),
        )

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
        for first in range(0, len(X), CHUNK_ROWS):
            rows = slice(first, min(first + CHUNK_ROWS, len(X)))
            try:
                polar = to_polar(X[rows], coordinates, curvature=curvature)
            except ValueError:
                check_points(X, coordinates, curvature=curvature)  # names the row of X
                raise
            yield rows, cls(*polar)

    def __len__(self) -> int:
        return len(self.radius)

    def __getitem__(self, rows: NDArray[Any] | slice | list[int]) -> Self:
        return type(self)(self.radius[rows], self.direction[rows])

    @property
    def n_dim(self) -> int:
        """The dimension of the space."""
        return int(self.direction.shape[1])

    @cached_property
    def packed(self) -> core.Points:
        """The points as the compiled soft margin reads them."""
        far = bool(self.radius.max() > core.LARGEST_NEAR_RADIUS)
        packed = core.Points(len(self), self.n_dim, far)
        packed.fill(
            0,
            np.ascontiguousarray(self.radius, dtype=np.float64),
            np.ascontiguousarray(self.direction, dtype=np.float64),
        )
        return packed

    def signed_distances(self, planes: Hyperplanes) -> Array:
        """Return the signed distances to hyperplanes.

        Parameters
        ----------
        planes : Hyperplanes

        Returns
        -------
        distances : ndarray of shape (m, n_planes)
        """
        return planes.signed_distance(self.radius, self.direction)

    def arsinh_products(self, planes: Hyperplanes) -> Array:
        """Return ``arsinh(w*x)``, which has the order of ``w*x`` and is finite at any radius.

        Parameters
        ----------
        planes : Hyperplanes

        Returns
        -------
        scores : ndarray of shape (m, n_planes)
        """
        return planes.arsinh_score(self.radius, self.direction)

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
