"""The soft margin with surfaces of constant curvature in the place of hyperplanes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.geometry import busemann, einstein_midpoint, from_polar, pairwise_distances
from hyplane.solvers import tuning
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.least_distance import least_distance
from hyplane.solvers.quasi_newton import descend
from hyplane.solvers.result import SoftMarginResult
from hyplane.solvers.rows import Points
from hyplane.solvers.soft_margin import solve_soft_margin
from hyplane.solvers.surface_objective import (
    LARGEST_PARAMETER,
    Surface,
    SurfaceObjective,
    surface_at,
    surface_scores,
)

SURFACES = ("hyperplane", "horosphere", "sphere", "any")
_Start = tuple[str, float, Array]  # a kind of surface, its sign, parameters (log s, …)


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
        The surfaces; "any" includes all kinds and equidistants.
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
    if points.largest_radius > LARGEST_PARAMETER:
        raise ValueError(
            f"the farthest point is at radius {points.largest_radius:.6g} (at curvature -1), and "
            f"curved boundaries are computed up to radius {LARGEST_PARAMETER:g}. Use "
            "HyperbolicSVC, which has no limit, or leave such points out."
        )
    plane = solve_soft_margin(
        points, labels, sample_weight, C=C, tol=tol, max_iter=max_iter, seed=seed
    )
    if surface == "hyperplane":
        return _of_hyperplane(plane)
    tol = max(tol, tuning.SMALLEST_DECREASE)
    weights = _signed_weights(labels, sample_weight, C)
    objective = SurfaceObjective(points.radius, points.direction, weights, points.largest_radius)
    first = [
        _descend(objective, start, tol, tuning.FIRST_ITERATIONS)
        for start in _starts(points, weights, plane, surface, starts)
    ]
    first = sorted(first, key=lambda each: each.value)[: tuning.N_DESCENTS]
    ends = [_descend(objective, each.start, tol, max_iter) for each in first]
    best = min(ends, key=lambda each: each.value)
    shape, _ = surface_at(best.kind, best.sign, best.theta[1:])
    return CurvedMarginResult(
        log_scale=float(best.theta[0]),
        w=shape.w,
        level=float(shape.c),
        sign=shape.sign,
        objective=best.value,
        n_iter=max(best.n_iter, 1),
        converged=best.converged,
        reason=best.reason,
    )


@dataclass(frozen=True)
class _Descent:
    kind: str
    sign: float
    theta: Array
    value: float
    n_iter: int
    converged: bool
    reason: str

    @property
    def start(self) -> _Start:
        return self.kind, self.sign, self.theta


def _descend(objective: SurfaceObjective, start: _Start, tol: float, max_iter: int) -> _Descent:
    """Descend by quasi-Newton; where a kink stops it, step by sampled gradients and go on."""
    kind, sign, theta = start
    evaluate = partial(objective.evaluate, kind, sign)
    n_iter, before = 0, np.inf
    while True:
        theta, value, used, converged = descend(evaluate, theta, tol, max_iter - n_iter)
        n_iter += used
        if converged or before - value <= tol * abs(value):
            converged, reason = True, "the objective hardly decreases any more"
            break
        if n_iter >= max_iter:
            reason = "the iterations ran out"
            break
        new, flatness = _sampled_step(evaluate, theta, value)
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


def _signed_weights(labels: NDArray[np.int8], sample_weight: Array | None, C: float) -> Array:
    """Return ``C c_j y_j``."""
    weights = np.ones(len(labels)) if sample_weight is None else sample_weight
    with np.errstate(over="ignore"):
        signed = C * weights * labels
    if not np.abs(signed).max(initial=0.0) <= tuning.LARGEST_WEIGHT:
        raise ValueError(
            f"C times the weight of a row is {np.abs(signed).max():.3g}; at most "
            f"{tuning.LARGEST_WEIGHT:g} can be computed with."
        )
    return np.asarray(signed, dtype=np.float64)


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
    points: Points,
    signed_weights: Array,
    plane: SoftMarginResult,
    surface: str,
    known: Sequence[CurvedMarginResult],
) -> Iterator[_Start]:
    """Yield charts and parameters to descend from."""
    scale = float(np.clip(plane.log_scale, -5.0, 5.0))
    tangent = from_polar(points.radius, points.direction, "tangent")[signed_weights != 0]
    weights = signed_weights[signed_weights != 0]
    for sign in (1.0, -1.0):
        if surface != "sphere":
            # The positive side of the hyperplane is that of -u.
            omega = sign * plane.normal
            level = np.median(busemann(tangent, omega, coordinates="tangent"))
            yield _in(surface, "horosphere", sign, np.r_[scale, level, omega])
        if surface != "horosphere":
            centre, radius = _class_sphere(tangent, -sign * weights)
            theta = np.r_[scale, np.log(radius), centre]
            yield _in(surface, "sphere", sign, theta)
    if surface == "any":
        for fit in (_of_hyperplane(plane), *known):
            theta = _any_parameters(fit.log_scale, fit.w, fit.level, fit.sign)
            yield "any", 1.0, theta


def _in(surface: str, kind: str, sign: float, theta: Array) -> _Start:
    """Return the start in its own chart, or in that of all surfaces."""
    if surface != "any":
        return kind, sign, theta
    shape, _ = surface_at(kind, sign, theta[1:])
    return "any", 1.0, _any_parameters(float(theta[0]), shape.w, shape.c, shape.sign)


def _any_parameters(log_scale: float, w: Array, c: float, sign: float) -> Array:
    a = float(np.arcsinh(sign * w[0]))
    vector = sign * np.r_[w[1:], c] / np.cosh(a)
    return np.asarray(np.r_[log_scale, a, vector / np.linalg.norm(vector)])


def _class_sphere(tangent: Array, signed_weights: Array) -> tuple[Array, float]:
    """Return a sphere around the centre of the positive rows, halfway to the others."""
    own = signed_weights > 0
    centre = einstein_midpoint(tangent[own], signed_weights[own], coordinates="tangent")
    length = float(np.linalg.norm(centre))
    centre = centre * (tuning.FARTHEST_CENTRE / max(length, tuning.FARTHEST_CENTRE))
    apart = pairwise_distances(tangent, centre[None], coordinates="tangent")[:, 0]
    radius = 0.5 * (np.median(apart[own]) + np.median(apart[~own]))
    return centre, float(max(radius, 1e-3))


@dataclass(frozen=True)
class CurvedMargin(BinarySolver[Points, CurvedMarginResult]):
    """Surfaces of constant curvature as a binary solver: see `solve_curved_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.1], [-0.5, 0.2]])
    >>> result = CurvedMargin().fit(points, np.array([1, -1], dtype=np.int8), None, C=1.0)
    >>> CurvedMargin().score([result], points).shape
    (2, 1)
    """

    surface: str = "any"
    tol: float = 1e-8
    max_iter: int = 5000

    def fit(
        self,
        data: Points,
        labels: NDArray[np.int8],
        weights: Array | None,
        C: float,
        *,
        seed: int = 0,
        starts: Sequence[CurvedMarginResult] = (),
    ) -> CurvedMarginResult:
        """Minimise the objective."""
        return solve_curved_margin(
            data, labels, weights, C=C, seed=seed, starts=starts, **vars(self)
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
                surface_scores(
                    data.radius,
                    data.direction,
                    Surface(each.w, each.level, each.level - 1.0, each.sign),
                    each.log_scale,
                )
                for each in results
            ]
        )
