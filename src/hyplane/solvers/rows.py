"""Rows in memory: points of hyperbolic space, converted once, with classes, weights and folds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from hyplane._utils.charts import CHARTS, chart_name
from hyplane._utils.typing import Array, ArrayLike, Ints
from hyplane._utils.validation import read_rows
from hyplane.geometry import PointError
from hyplane.geometry.validation import point_error
from hyplane.native import charts, core
from hyplane.solvers.result import Hyperplane, Hyperplanes

_BY_ROW = "codes", "weights", "folds", "numbers"
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
        shapes = np.shape(radius), np.shape(direction)
        if [len(shape) for shape in shapes] != [1, 2] or shapes[0][0] != shapes[1][0]:
            raise TypeError("radius must be an array of shape (m,), direction one of shape (m, n).")
        self.radius, self.direction = radius, direction
        self.n_dim = int(direction.shape[1])

    @classmethod
    def from_packed(cls, packed: core.PackedPoints) -> Self:
        """Return packed points; their radii and directions are computed when asked for."""
        points = cls.__new__(cls)
        points.packed, points.n_dim = packed, packed.n_dim
        return points

    @classmethod
    def from_chart(
        cls,
        X: ArrayLike,
        coordinates: str = "ball",
        *,
        curvature: float = -1.0,
        n_threads: int = 1,
        pack: bool = False,
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
        pack : bool, default=False
            Pack the points at once, for the soft margin. Radii below 1e-8 lose digits.

        Returns
        -------
        points : Points

        Raises
        ------
        PointError
            Where a row is not a point of the chart.
        """
        if pack:
            return cls.from_packed(*_per_row(core.pack, X, coordinates, curvature, n_threads))
        return cls(*_per_row(charts.to_polar, X, coordinates, curvature, n_threads))

    @classmethod
    def chunks(
        cls, X: NDArray[Any], coordinates: str = "ball", *, curvature: float = -1.0
    ) -> Iterator[tuple[slice, Self]]:
        """Convert one chunk of rows after the other, for work that needs each row once.

        Parameters
        ----------
        X : ndarray of shape (m, n_columns)
            Points.
        coordinates, curvature
            As in `from_chart`.

        Yields
        ------
        rows : slice
            The rows of X in this chunk.
        points : Points
        """
        for rows in gen_batches(len(X), 1 << 16):
            try:
                yield rows, cls.from_chart(X[rows], coordinates, curvature=curvature)
            except PointError as error:
                raise replace(error, row=rows.start + error.row) from None

    def __len__(self) -> int:
        return self.packed.n_rows if "packed" in vars(self) else len(self.radius)

    def __getitem__(self, rows: NDArray[Any] | slice | list[int]) -> Self:
        return type(self)(self.radius[rows], self.direction[rows])

    @cached_property
    def radius(self) -> Array:
        """Distances from the origin."""
        return self._polar[0]

    @cached_property
    def direction(self) -> Array:
        """Unit vectors."""
        return self._polar[1]

    @cached_property
    def _polar(self) -> tuple[Array, Array]:
        return core.polar(self.packed)

    @cached_property
    def largest_radius(self) -> float:
        """The largest distance from the origin."""
        packed = "packed" in vars(self)
        return self.packed.largest_radius if packed else float(self.radius.max())

    @cached_property
    def packed(self) -> core.PackedPoints:
        """The points as the compiled soft margin reads them."""
        far = bool(self.largest_radius > core.LARGEST_NEAR_RADIUS)
        packed = core.PackedPoints(len(self.radius), self.n_dim, far)
        packed.fill(
            0,
            np.ascontiguousarray(self.radius, dtype=np.float64),
            np.ascontiguousarray(self.direction, dtype=np.float64),
        )
        return packed

    def set_largest_radius(self, radius: float) -> None:
        """Set the largest radius of the data of which these points are a sample."""
        if radius > core.LARGEST_NEAR_RADIUS and "packed" in vars(self) and not self.packed.far:
            self.radius, self.direction = self._polar
            del self.packed
        self.largest_radius = radius
        self.packed.largest_radius = radius

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
        normal = np.ascontiguousarray(plane.normal, dtype=np.float64)
        at = plane.log_scale, plane.offset, normal
        return core.loss_and_gradient(self.packed, labels, sample_weight, C, *at)[0]

    def at_margin(self, plane: Hyperplane, labels: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Return which points have a loss, or are at the margin up to the solver's accuracy.

        Parameters
        ----------
        plane : Hyperplane
            Anything with ``log_scale``, ``offset`` and ``normal``.
        labels : ndarray of int8 of shape (m,)
            1, -1, or 0 for a row that does not count.

        Returns
        -------
        at_margin : ndarray of bool of shape (m,)

        Examples
        --------
        >>> from hyplane.solvers import solve_soft_margin
        >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2], [-0.9, 0.0]])
        >>> labels = np.array([1, -1, -1], dtype=np.int8)
        >>> points.at_margin(solve_soft_margin(points, labels, C=10.0), labels)
        array([ True,  True, False])
        """
        if self.packed.far:
            scores = labels * self.scores(Hyperplanes.of_results([plane]))[:, 0]
            return np.asarray((labels != 0) & (scores <= np.arcsinh(1.0 + 1e-6)))
        normal = np.ascontiguousarray(plane.normal, dtype=np.float64)
        return core.rows_at_margin(self.packed, labels, plane.log_scale, plane.offset, normal, 1e-6)


def scores_of_rows(
    X: ArrayLike,
    planes: Hyperplanes,
    kind: Score,
    coordinates: str = "ball",
    *,
    curvature: float = -1.0,
    n_threads: int = 1,
) -> Array:
    """Score rows of any chart by hyperplanes, without keeping the points."""
    args = *planes.arrays, kind, n_threads
    return np.asarray(*_per_row(charts.scores, X, coordinates, curvature, *args))


def best_of_rows(
    X: ArrayLike,
    planes: Hyperplanes,
    coordinates: str = "ball",
    *,
    curvature: float = -1.0,
    n_threads: int = 1,
) -> Ints:
    """Return for each row the hyperplane of the highest score; for one, whether it is positive."""
    log_scale, offset, normal = planes.arrays
    # One hyperplane decides by the sign of its score, which a small scale could make underflow.
    log_scale = np.zeros(1) if len(offset) == 1 else log_scale
    args = log_scale, offset, normal, n_threads
    return np.asarray(*_per_row(charts.decide, X, coordinates, curvature, *args))


@dataclass(frozen=True)
class BinaryProblem:
    """Which rows a solver separates, by the numbers of their classes or labels.

    Attributes
    ----------
    positive : int
        Class, or label of an indicator matrix, on the positive side.
    negative : int, default=-1
        Class on the other side; -1 for all other rows.
    name : str
        What the problem separates, for messages.
    side_weights : tuple of float, default=(1.0, 1.0)
        What the weights of the positive and of the negative rows are multiplied by.
    left_out : int, default=-1
        Fold whose rows do not count; -1 for none.

    Examples
    --------
    >>> BinaryProblem(positive=1, negative=0).labels(np.array([0, 1, 2]))
    array([-1,  1,  0], dtype=int8)
    """

    positive: int
    negative: int = -1
    name: str = "the problem"
    side_weights: tuple[float, float] = (1.0, 1.0)
    left_out: int = -1

    def labels(self, codes: NDArray[Any], folds: NDArray[Any] | None = None) -> NDArray[np.int8]:
        """Return 1 and -1 for the two sides, and 0 for rows that do not count."""
        is_positive = codes[:, self.positive] != 0 if codes.ndim == 2 else codes == self.positive
        labels = np.where(is_positive, np.int8(1), np.int8(-1))
        if self.negative >= 0:
            labels[~is_positive & (codes != self.negative)] = 0
        if self.left_out >= 0 and folds is not None:
            labels[folds == self.left_out] = 0
        return labels

    def weights(self, labels: NDArray[np.int8], weights: Array | None) -> Array | None:
        """Return the weights of rows in this problem; None where all are 1."""
        if self.side_weights == (1.0, 1.0):
            return weights
        sides = np.where(labels > 0, *self.side_weights)
        return sides if weights is None else sides * weights


class BinaryRows(NamedTuple):
    """The rows of one binary problem, as solvers take them."""

    data: Any  # Points, or a matrix
    labels: NDArray[np.int8]  # 1, -1, or 0 for a row that does not count
    weights: Array | None = None
    folds: NDArray[Any] | None = None

    @property
    def constant(self) -> int:
        """The label that all rows have; 0 where there are two."""
        return int(self.labels.max(initial=0) > 0) - int(self.labels.min(initial=0) < 0)


@dataclass(frozen=True)
class Rows:
    """Rows in memory, or one block of the rows that are read block by block.

    Attributes
    ----------
    data : Points or ndarray of shape (m, n)
        Points of hyperbolic space; a matrix for the Euclidean SVM.
    codes : ndarray of int of shape (m,) or (m, n_labels)
        The class of each row; for several labels a row, the indicator matrix.
    weights : ndarray of shape (m,) or None
        None where all are 1.
    folds : ndarray of int of shape (m,) or None
        For cross validation, the fold that leaves each row out.
    numbers : ndarray of int64 of shape (m,) or None
        The positions of a block's rows among all rows, those of weight 0 included.
    classes : ndarray or None
        The labels of a block that its codes are indices of.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.1], [0.4, 0.0]])
    >>> rows = Rows(points, np.array([1, 0, 2]))
    >>> rows.of(BinaryProblem(positive=2, negative=0)).labels
    array([-1,  1], dtype=int8)
    """

    data: Any
    codes: NDArray[Any]
    weights: Array | None = None
    folds: NDArray[Any] | None = None
    numbers: NDArray[np.int64] | None = None
    classes: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_dim(self) -> int:
        """The dimension of the space."""
        return int(self.data.n_dim)

    def of(self, problem: BinaryProblem) -> BinaryRows:
        """Return the rows of a problem."""
        labels = problem.labels(self.codes, self.folds)
        weights = problem.weights(labels, self.weights)
        if problem.negative < 0:
            return BinaryRows(self.data, labels, weights, self.folds)
        kept = np.flatnonzero(labels)
        return BinaryRows(
            self.data[kept],
            labels[kept],
            None if weights is None else weights[kept],
            None if self.folds is None else self.folds[kept],
        )

    def weighted(self, class_weights: Array | None) -> Self:
        """Return the rows with their weights multiplied by those of the classes."""
        if class_weights is None or self.data is None:
            return self
        weights = class_weights[self.codes]
        weights = weights if self.weights is None else weights * self.weights
        if not (weights > 0.0).all():
            raise ValueError(
                "a row has no positive weight: the product of its class_weight and its "
                "sample_weight is 0 in double precision. Use larger weights."
            )
        return replace(self, weights=weights)

    def take(self, rows: Ints) -> Self:
        """Return some of the rows."""
        own = {name: getattr(self, name) for name in _BY_ROW}
        taken: dict[str, Any]
        taken = {name: None if each is None else each[rows] for name, each in own.items()}
        return replace(self, data=Points.from_packed(self.data.packed.take(rows)), **taken)

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        """Return blocks of rows, one after the other, as one."""

        def joined(name: str) -> Any:
            own = [getattr(part, name) for part in parts]
            return None if own[0] is None else np.concatenate(own)

        points = Points.from_packed(core.join([part.data.packed for part in parts]))
        return cls(points, *map(joined, _BY_ROW))


def folds_by_class(
    codes: NDArray[Any], n_folds: int, seed: int, before: Ints | None = None
) -> NDArray[np.int32]:
    """Divide rows into folds, every fold with its share of each class.

    Every fold gets one of each ``n_folds`` consecutive rows of a class, in a random order. So the
    folds do not depend on how rows are divided into blocks.

    Parameters
    ----------
    codes : ndarray of int of shape (m,)
        The class of each row.
    n_folds : int
    seed : int
    before : ndarray of int of shape (n_classes,), default=None
        Rows of each class that came before these.

    Returns
    -------
    folds : ndarray of int32 of shape (m,)

    Examples
    --------
    >>> folds_by_class(np.zeros(6, dtype=int), 3, seed=1)
    array([2, 0, 1, 1, 2, 0], dtype=int32)
    """
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max(initial=0)) + 1))
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - starts[codes[order]]
    if before is not None:
        ranks += before[codes]
    # The same for all classes, so that the folds do not change if classes are renamed.
    rotation = (n_folds * random_keys(ranks // n_folds, seed)).astype(np.int64)
    return ((ranks + rotation) % n_folds).astype(np.int32)


def random_keys(numbers: NDArray[np.int64], seed: int) -> Array:
    """Return a random number in [0, 1) for each number, by SplitMix64."""
    z = numbers.astype(np.uint64) + np.uint64((seed * 0xD1342543DE82EF95 + 1) % 2**64)
    z *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z ^= z >> np.uint64(shift)
        z *= np.uint64(factor)
    z ^= z >> np.uint64(31)
    return np.asarray((z >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def with_smallest_keys(groups: NDArray[Any], keys: Array, n_kept: Ints) -> Ints:
    """Return ``n_kept[k]`` rows of each group k: those with the smallest keys, in their order."""
    order = np.lexsort((keys, groups))
    groups = groups[order]
    rank = np.arange(len(order)) - np.searchsorted(groups, np.arange(len(n_kept)))[groups]
    return np.sort(order[rank < n_kept[groups]])


def _per_row(
    function: Callable[..., Any], X: ArrayLike, coordinates: str, curvature: float, *args: Any
) -> Any:
    """Return what a compiled function makes of the rows of a chart."""
    chart = coordinates if coordinates in CHARTS else chart_name(coordinates)
    rows = read_rows(X, chart, "X")
    *found, bad_row = function(rows, chart, -curvature, *args)
    if bad_row >= 0:
        raise point_error(rows, bad_row, chart, -curvature, "X")
    return found
