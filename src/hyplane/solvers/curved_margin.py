"""The soft margin with surfaces of constant curvature in the place of hyperplanes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.geometry import busemann, einstein_midpoint, from_polar, pairwise_distances
from hyplane.native import surfaces
from hyplane.solvers import tuning
from hyplane.solvers.binary import BinaryProblem, BinarySolver
from hyplane.solvers.fitted import SoftMarginResult
from hyplane.solvers.least_distance import least_distance
from hyplane.solvers.points import Points
from hyplane.solvers.soft_margin import solve_soft_margin

SURFACES = ("hyperplane", "horosphere", "sphere", "any")


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
    surface: str = "any",
    tol: float = 1e-8,
    max_iter: int = 5000,
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
        Up to radius 300.
    labels : ndarray of int8 of shape (m,)
        1, -1, or 0 for a row that does not count; both signs must occur.
    sample_weight : ndarray of shape (m,), default=None
        Non-negative weights :math:`c_j`.
    C : float, default=1.0
        Weight of the losses.
    surface : {"any", "hyperplane", "horosphere", "sphere"}, default="any"
        The kind of surface; "any" includes all of these and equidistants.
    tol : float, default=1e-8
        Relative decrease of the objective at which to stop; below 1e-14 it is taken as 1e-14, since
        rounding decides there.
    max_iter : int, default=5000
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
    >>> result = solve_curved_margin(points, labels, C=10.0, surface="sphere")
    >>> bool(result.objective < solve_soft_margin(points, labels, C=10.0).objective)
    True
    """
    if surface not in SURFACES:
        raise ValueError(f"surface must be one of {', '.join(SURFACES)}; got {surface!r}.")
    if points.largest_radius > tuning.LARGEST_CURVED_RADIUS:
        raise ValueError(
            f"the farthest point is at radius {points.largest_radius:.6g} (at curvature -1), and "
            f"curved boundaries are computed up to radius {tuning.LARGEST_CURVED_RADIUS:g}. Use "
            "HyperbolicSVC, which has no limit, or leave such points out."
        )
    plane = solve_soft_margin(
        points, labels, sample_weight, C=C, tol=tol, max_iter=max_iter, seed=seed
    )
    if surface == "hyperplane":
        return _of_hyperplane(plane)
    tol = max(tol, tuning.SMALLEST_DECREASE)
    with np.errstate(over="ignore"):
        weights = C * labels * (np.ones(len(labels)) if sample_weight is None else sample_weight)
    if not np.abs(weights).max() <= tuning.LARGEST_WEIGHT:
        raise ValueError(
            f"C times the weight of a row is {np.abs(weights).max():.3g}; at most "
            f"{tuning.LARGEST_WEIGHT:g} can be computed with."
        )
    objective = surfaces.SurfaceObjective(
        points.radius, points.direction, weights, points.largest_radius
    )
    descents = [
        _descend(objective, start, tol, tuning.FIRST_ITERATIONS)
        for start in _starts(points, weights, plane, surface, starts)
    ]
    descents.sort(key=lambda each: each.value)
    descents = [_descend(objective, each, tol, max_iter) for each in descents[: tuning.N_DESCENTS]]
    best = min(descents, key=lambda each: each.value)
    w, level, sign = _surface(best)
    n_iter = max(best.n_iter, 1)
    return CurvedMarginResult(
        float(best.theta[0]), w, level, sign, best.value, n_iter, best.converged, best.reason
    )


class _Descent(NamedTuple):
    """Where a descent starts or ends: a chart, its sign, and parameters (log s, …)."""

    kind: surfaces.Kind
    sign: float
    theta: Array
    value: float = np.inf
    n_iter: int = 0
    converged: bool = False
    reason: str = ""


def _descend(
    objective: surfaces.SurfaceObjective, start: _Descent, tol: float, max_iter: int
) -> _Descent:
    """Descend by quasi-Newton; where a kink stops it, step by sampled gradients and go on."""
    kind, sign, theta = start[:3]
    n_iter, before = 0, np.inf
    while True:
        left = max_iter - n_iter
        theta, value, used, converged = objective.descend(kind, sign, theta, tol, left)
        n_iter += used
        if converged or before - value <= tol * abs(value):
            converged, reason = True, "the objective hardly decreases any more"
            break
        if n_iter >= max_iter:
            reason = "the iterations ran out"
            break
        new, flatness = _sampled_step(partial(objective.evaluate, kind, sign), theta, value)
        if new is None:
            converged = flatness**2 <= tol * max(abs(value), 1.0)
            reason = "no step decreases the objective any more"
            break
        theta, before = new, value
    return _Descent(kind, sign, theta, value, n_iter, converged, reason)


def _sampled_step(
    function: Callable[[Array], tuple[float, Array]],
    x: Array,
    value: float,
    *,
    samples_per_parameter: int = 20,
    most_halvings: int = 50,
    decrease: float = 1e-4,
) -> tuple[Array | None, float]:
    """Step from a kink along the shortest mean of gradients at points near it.

    Returns a point of a lower value, if there is one, and the length of the shortest mean: it is
    near 0 at a minimum with kinks, where no gradient is. Burke, Lewis, Overton (2005). A robust
    gradient sampling algorithm for nonsmooth, nonconvex optimization. SIAM Journal on Optimization
    15.
    """
    rng = np.random.default_rng(0)
    shortest = np.inf
    for reach in tuning.SAMPLING_RADII:
        near = x + reach * rng.uniform(-1.0, 1.0, (samples_per_parameter * len(x), len(x)))
        gradients = np.array([function(each)[1] for each in [x, *near]])
        size = float(np.abs(gradients).max()) or 1.0
        # Of the vectors v with g·v >= 1 for all gradients g, the shortest is a multiple of their
        # shortest mean.
        hull = least_distance(gradients / size, np.ones(len(gradients)))
        mean = hull.multipliers @ gradients[hull.active] / hull.multipliers.sum()
        length = float(np.linalg.norm(mean))
        shortest = min(shortest, length)
        if length > 0:
            for step in 0.5 ** np.arange(most_halvings):
                new = x - step * mean
                if function(new)[0] < value - decrease * step * length**2:
                    return new, shortest
    return None, shortest


def _surface(place: _Descent) -> tuple[Array, float, float]:
    """Return w, c and the sign of a surface by its parameters; see native/surface/surface.hpp."""
    kind, sign, theta = place.kind, place.sign, place.theta[1:]
    v = theta[1:]
    length = float(np.linalg.norm(v))
    unit = v / length if length > 0 else np.eye(len(v))[0]
    if kind == surfaces.Kind.HOROSPHERE:
        return np.exp(-theta[0]) * np.r_[1.0, unit], 1.0, sign
    if kind == surfaces.Kind.SPHERE:
        radius = np.exp(theta[0])
        w = np.r_[np.cosh(length), np.sinh(length) * unit] / np.sinh(radius)
        return w, float(1.0 / np.tanh(radius)), sign
    sign = 1.0 if theta[0] >= 0 else -1.0
    vector = sign * np.cosh(theta[0]) * unit
    return np.r_[sign * np.sinh(theta[0]), vector[:-1]], float(vector[-1]), sign


def _of_hyperplane(plane: SoftMarginResult) -> CurvedMarginResult:
    sign = 1.0 if plane.offset >= 0 else -1.0
    w = sign * np.r_[np.sinh(plane.offset), np.cosh(plane.offset) * plane.normal]
    ending = plane.objective, plane.n_iter, plane.converged, plane.reason
    return CurvedMarginResult(plane.log_scale, w, 0.0, sign, *ending)


def _starts(
    points: Points,
    signed_weights: Array,
    plane: SoftMarginResult,
    surface: str,
    known: Sequence[CurvedMarginResult],
) -> list[_Descent]:
    scale = float(np.clip(plane.log_scale, -5.0, 5.0))
    tangent = from_polar(points.radius, points.direction, "tangent")[signed_weights != 0]
    weights = signed_weights[signed_weights != 0]
    starts = []
    for sign in (1.0, -1.0):
        if surface != "sphere":
            # The positive side of the hyperplane is that of -u.
            omega = sign * plane.normal
            level = np.median(busemann(tangent, omega, coordinates="tangent"))
            theta = np.r_[scale, level, omega]
            starts.append(_Descent(surfaces.Kind.HOROSPHERE, sign, theta))
        if surface != "horosphere":
            centre, radius = _class_sphere(tangent, -sign * weights)
            theta = np.r_[scale, np.log(radius), centre]
            starts.append(_Descent(surfaces.Kind.SPHERE, sign, theta))
    if surface != "any":
        return starts
    curved = [(float(each.theta[0]), *_surface(each)) for each in starts]
    fits = [_of_hyperplane(plane), *known]
    return [
        _in_chart_of_all(*each)
        for each in [*curved, *((fit.log_scale, fit.w, fit.level, fit.sign) for fit in fits)]
    ]


def _in_chart_of_all(log_scale: float, w: Array, c: float, sign: float) -> _Descent:
    a = float(np.arcsinh(sign * w[0]))
    vector = sign * np.r_[w[1:], c] / np.cosh(a)
    theta = np.r_[log_scale, a, vector / np.linalg.norm(vector)]
    return _Descent(surfaces.Kind.ANY, 1.0, theta)


def _class_sphere(tangent: Array, signed_weights: Array) -> tuple[Array, float]:
    """Return a sphere around the centre of the positive rows, halfway to the others."""
    own = signed_weights > 0
    centre = einstein_midpoint(tangent[own], signed_weights[own], coordinates="tangent")
    centre = centre * min(1.0, tuning.FARTHEST_CENTRE / max(float(np.linalg.norm(centre)), 1e-300))
    apart = pairwise_distances(tangent, centre[None], coordinates="tangent")[:, 0]
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

    surface: str = "any"
    tol: float = 1e-8
    max_iter: int = 5000

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
            data, problem.labels, problem.weights, C=C, seed=seed, starts=starts, **vars(self)
        )

    def constant(self, data: Points, sign: int) -> CurvedMarginResult:
        """Return a decision that is the same everywhere."""
        zero = np.zeros(data.n_dim + 1)
        reason = "the label is constant"
        return CurvedMarginResult(0.0, zero, 0.0, float(sign), 0.0, 1, True, reason)

    def score(self, results: Sequence[CurvedMarginResult], data: Points) -> Array:
        """Return ``arsinh(s sinh D)``."""
        return np.column_stack(
            [
                surfaces.scores(
                    data.radius, data.direction, each.log_scale, each.w, each.level, each.sign
                )
                for each in results
            ]
        )
