"""The soft margin with surfaces of constant curvature in the place of hyperplanes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.geometry import einstein_midpoint, from_polar
from hyplane.solvers.binary import BinaryProblem, BinarySolver
from hyplane.solvers.points import Points
from hyplane.solvers.soft_margin import SoftMarginResult, solve_soft_margin
from hyplane.solvers.surface_charts import AnySurface, Horosphere, Rows, Sphere, Surface
from hyplane.solvers.weak_wolfe import descend

# All starts descend a little, the best of them to the end.
FIRST_ITERATIONS = 30
LEADERS = 2
# Spheres start no farther out than this, where their vectors w still have digits.
FARTHEST_CENTRE = 15.0
ARSINH_1 = float(np.arcsinh(1.0))
TINY = float(np.finfo(np.float64).tiny)
BOUNDARIES = ("hyperplane", "horosphere", "sphere", "any")
_LARGEST_WEIGHT = 1e150  # squares of weights must stay doubles


@dataclass(frozen=True)
class CurvedMarginResult:
    """A surface ``w*x = c`` with its scale, and why the solver stopped there.

    Attributes
    ----------
    log_scale : float
        ``log s``: the score of a point at signed distance D is ``s sinh D``.
    w : ndarray of shape (n + 1,)
        Scaled to ``c² - w*w = 1``; all zeros where the decision is the same everywhere.
    level : float
        c.
    sign : float
        1 or -1: the positive side is that of ``sign (w*x - c) > 0``.
    objective : float
        Value of the objective.
    n_iter : int
        Iterations from the best start.
    converged : bool
        Whether the tolerance was met.
    reason : str
        Why the solver stopped.
    """

    log_scale: float
    w: Array
    level: float
    sign: float
    objective: float
    n_iter: int
    converged: bool
    reason: str


def solve_curved_margin(
    points: Points,
    labels: NDArray[np.int8],
    sample_weight: Array | None = None,
    *,
    C: float = 1.0,
    boundary: str = "any",
    tol: float = 1e-6,
    max_iter: int = 1000,
    seed: int = 0,
    starts: Sequence[CurvedMarginResult] = (),
) -> CurvedMarginResult:
    r"""Minimise the soft-margin objective over surfaces of constant curvature.

    .. math::
        \min \tfrac12 s^2 + C \sum_j c_j \max(0, \sinh^{-1} 1 - \sinh^{-1}(y_j\, s \sinh D(x_j)))

    over scales s > 0 and surfaces, D being the true signed distance to the surface. For hyperplanes
    :math:`s \sinh D = w*x` and this is the paper's objective.

    Parameters
    ----------
    points : Points
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count; both signs must occur.
    sample_weight : ndarray of shape (m,), default=None
        Non-negative weights :math:`c_j`.
    C : float, default=1.0
        Weight of the losses.
    boundary : {"any", "hyperplane", "horosphere", "sphere"}, default="any"
        The surfaces; "any" includes all kinds and equidistants.
    tol : float, default=1e-6
        Relative decrease of the objective at which to stop.
    max_iter : int, default=1000
        Most iterations from one start.
    seed : int, default=0
        Seed of the solver of hyperplanes, whose solution is one of the starts.
    starts : sequence of CurvedMarginResult, default=()
        Surfaces of problems much like this one, as further starts.

    Returns
    -------
    result : CurvedMarginResult

    Notes
    -----
    The surface has to meet the smallest ball around the origin that holds the points, as
    hyperplanes do in `solve_soft_margin`; an exact penalty on its distance from the origin sees to
    it. The descents start from the best hyperplane, from spheres around the centre of either class
    and from horospheres at either end of the normal.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437.

    Fan, Yang, Vemuri (2023). Horospherical decision boundaries for large margin classification in
    hyperbolic space. NeurIPS.

    Examples
    --------
    >>> points = Points.from_chart([[0.0, 0.0], [0.1, 0.0], [0.8, 0.0], [-0.8, 0.0], [0.0, 0.8]])
    >>> labels = np.array([-1, -1, 1, 1, 1], dtype=np.int8)
    >>> result = solve_curved_margin(points, labels, C=10.0, boundary="sphere")
    >>> bool(result.objective < solve_soft_margin(points, labels, C=10.0).objective)
    True
    """
    if boundary not in BOUNDARIES:
        raise ValueError(f"boundary must be one of {', '.join(BOUNDARIES)}; got {boundary!r}.")
    plane = solve_soft_margin(
        points, labels, sample_weight, C=C, tol=tol, max_iter=max_iter, seed=seed
    )
    if boundary == "hyperplane":
        return _of_hyperplane(plane)
    objective = CurvedObjective(points, labels, sample_weight, C)
    first = [
        (chart, descend(partial(objective, chart), start, tol=tol, max_iter=FIRST_ITERATIONS))
        for chart, start in _starts(objective, plane, boundary, starts)
    ]
    first = sorted(first, key=lambda each: each[1].value)[:LEADERS]
    ends = [
        (chart, descend(partial(objective, chart), found.x, tol=tol, max_iter=max_iter))
        for chart, found in first
    ]
    chart, found = min(ends, key=lambda each: each[1].value)
    surface = chart.at(found.x[1:])[0]
    return CurvedMarginResult(
        log_scale=float(found.x[0]),
        w=surface.w,
        level=float(surface.c),
        sign=float(surface.sign),
        objective=found.value,
        n_iter=found.n_iter,
        converged=found.converged,
        reason=found.reason,
    )


class CurvedObjective:
    """The objective on some rows, as a function of a chart and its parameters.

    Parameters
    ----------
    points, labels, sample_weight, C
        As in `solve_curved_margin`.
    """

    def __init__(
        self,
        points: Points,
        labels: NDArray[np.int8],
        sample_weight: Array | None,
        C: float,
    ) -> None:
        counts = labels != 0
        self.points = points[counts]
        self.labels = labels[counts].astype(np.float64)
        weights = np.ones(len(labels)) if sample_weight is None else sample_weight
        with np.errstate(over="ignore"):
            self.weights = C * weights[counts]
        if not self.weights.max(initial=0.0) <= _LARGEST_WEIGHT:
            raise ValueError(
                f"C times the weight of a row is {self.weights.max():.3g}; at most "
                f"{_LARGEST_WEIGHT:g} can be computed with."
            )
        self.reach = float(points.radius.max())
        origin = Points(np.zeros(1), np.eye(points.n_dim)[:1])
        self.rows, self.origin = Rows(self.points), Rows(origin)

    def __call__(self, chart: Any, theta: Array) -> tuple[float, Array]:
        """Return value and gradient at ``theta = (log s, parameters of the chart)``."""
        # A line search tries surfaces of any size; what is not finite counts as infinitely bad.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
            return self._at(chart, theta)

    def _at(self, chart: Any, theta: Array) -> tuple[float, Array]:
        log_scale = float(theta[0])
        nowhere = np.inf, np.zeros_like(theta)
        if not (abs(log_scale) < 300.0 and np.abs(theta).max() < 300.0):
            return nowhere
        surface, to_chart = chart.at(theta[1:])
        distances, pull_back = self.rows.distances(surface)
        from_origin, pull_origin = self.origin.distances(surface)
        if pull_back is None or pull_origin is None:
            return nowhere
        score, by_distance, by_scale = hyperbolic_score(log_scale, distances)
        loss = ARSINH_1 - self.labels * score
        active = np.where(loss > 0, self.weights, 0.0)
        excess = abs(from_origin[0]) - self.reach
        total = float(self.weights.sum())
        square = np.exp(2.0 * log_scale)
        value = 0.5 * square + float(active @ loss) + total * max(excess, 0.0)
        push = -active * self.labels
        by_w, by_c = pull_back(push * by_distance)
        if excess > 0:
            back = pull_origin(total * np.sign(from_origin))
            by_w, by_c = by_w + back[0], by_c + back[1]
        by_log_scale = square + float(push @ by_scale)
        gradient = np.r_[by_log_scale, to_chart(by_w, by_c)]
        return (value, gradient) if np.isfinite(gradient).all() else nowhere


def hyperbolic_score(log_scale: float, distances: Array) -> tuple[Array, Array, Array]:
    """Return ``arsinh(s sinh D)`` and its derivatives by D and log s, at any distance.

    Examples
    --------
    >>> score, by_distance, by_scale = hyperbolic_score(0.0, np.array([0.5, -2000.0]))
    >>> score, by_distance, by_scale.round(6)
    (array([ 5.e-01, -2.e+03]), array([1., 1.]), array([ 0.462117, -1.      ]))
    """
    size = np.abs(distances)
    with np.errstate(under="ignore"):
        once = np.exp(-size)
    sinh, cosh = -0.5 * np.expm1(-2.0 * size), 0.5 * (1.0 + once**2)  # times exp(-|D|)
    root = np.maximum(np.hypot(once * np.exp(-log_scale), sinh), TINY)
    sign = np.sign(distances)
    # log(s sinh D + sqrt(1 + s² sinh² D)), with s exp(|D|) taken out.
    score = np.log(sinh + root) + size + log_scale
    return sign * score, cosh / root, sign * sinh / root


def _of_hyperplane(plane: SoftMarginResult) -> CurvedMarginResult:
    a = plane.offset
    sign = 1.0 if a >= 0 else -1.0
    return CurvedMarginResult(
        log_scale=plane.log_scale,
        w=sign * np.r_[np.sinh(a), np.cosh(a) * plane.normal],
        level=0.0,
        sign=sign,
        objective=plane.objective,
        n_iter=plane.n_iter,
        converged=plane.converged,
        reason=plane.reason,
    )


def _starts(
    objective: CurvedObjective,
    plane: SoftMarginResult,
    boundary: str,
    known: Sequence[CurvedMarginResult],
) -> Iterator[tuple[Any, Array]]:
    """Yield charts and parameters to descend from."""
    scale = float(np.clip(plane.log_scale, -5.0, 5.0))
    for sign in (1.0, -1.0):
        if boundary != "sphere":
            # The positive side of the hyperplane is that of -u.
            omega = sign * plane.normal
            values = Rows(objective.points).distances(Surface(np.r_[1.0, omega], 1.0, 1.0))[0]
            yield _in(boundary, Horosphere(sign), np.r_[scale, np.median(values), omega])
        if boundary != "horosphere":
            centre, radius = _class_sphere(objective, -sign)
            yield _in(boundary, Sphere(sign), np.r_[scale, np.log(radius), centre])
    if boundary == "any":
        for fit in (_of_hyperplane(plane), *known):
            yield AnySurface(), _any_parameters(fit.log_scale, fit.w, fit.level, fit.sign)


def _in(boundary: str, chart: Any, theta: Array) -> tuple[Any, Array]:
    """Return the start in its own chart, or in that of all surfaces."""
    if boundary != "any":
        return chart, theta
    surface = chart.at(theta[1:])[0]
    return AnySurface(), _any_parameters(float(theta[0]), surface.w, surface.c, surface.sign)


def _any_parameters(log_scale: float, w: Array, c: float, sign: float) -> Array:
    a = float(np.arcsinh(sign * w[0]))
    vector = sign * np.r_[w[1:], c] / np.cosh(a)
    return np.asarray(np.r_[log_scale, a, vector / np.linalg.norm(vector)])


def _class_sphere(objective: CurvedObjective, label: float) -> tuple[Array, float]:
    """Return a sphere around the centre of a class, halfway to the other class."""
    own = objective.labels == label
    tangent = from_polar(objective.points.radius, objective.points.direction, "tangent")
    centre = einstein_midpoint(tangent[own], objective.weights[own], coordinates="tangent")
    centre = centre * min(1.0, FARTHEST_CENTRE / (float(np.linalg.norm(centre)) + TINY))
    unit_sphere = Sphere(1.0).at(np.r_[0.0, centre])[0]
    apart = objective.rows.distances(unit_sphere)[0] + 1.0
    radius = 0.5 * (np.median(apart[own]) + np.median(apart[~own]))
    return centre, float(max(radius, 1e-3))


@dataclass(frozen=True)
class CurvedMargin(BinarySolver[Points, CurvedMarginResult]):
    """Surfaces of constant curvature as a binary solver: see `solve_curved_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
    >>> problem = BinaryProblem(np.array([1, -1], dtype=np.int8))
    >>> result = CurvedMargin().solve(points, problem, C=1.0)
    >>> CurvedMargin().score([result], points).shape
    (2, 1)
    """

    boundary: str = "any"
    tol: float = 1e-6
    max_iter: int = 1000

    def fit(
        self,
        data: Points,
        problem: BinaryProblem,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[CurvedMarginResult] = (),
    ) -> CurvedMarginResult:
        """Minimise the objective."""
        return solve_curved_margin(
            data,
            problem.labels,
            problem.weights,
            C=C,
            boundary=self.boundary,
            tol=self.tol,
            max_iter=self.max_iter,
            seed=seed,
            starts=starts,
        )

    def constant(self, data: Points, sign: int) -> CurvedMarginResult:
        """Return a decision that is the same everywhere."""
        zero = np.zeros(data.n_dim + 1)
        reason = "the label is constant"
        return CurvedMarginResult(0.0, zero, 0.0, float(sign), 0.0, 1, True, reason)

    def score(self, results: Sequence[CurvedMarginResult], data: Points) -> Array:
        """Return ``arsinh(s sinh D)``."""
        rows = Rows(data)
        return np.column_stack(
            [hyperbolic_score(result.log_scale, _distances(result, rows))[0] for result in results]
        )


def _distances(result: CurvedMarginResult, rows: Rows) -> Array:
    """Return the signed distances; for a constant decision one unit everywhere."""
    if not result.w.any():
        return np.full(len(rows.small), result.sign)
    return rows.distances(Surface(result.w, result.level, result.sign))[0]
