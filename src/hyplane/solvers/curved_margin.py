"""The soft margin with surfaces of constant curvature instead of hyperplanes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult

from hyplane._utils.typing import Array
from hyplane.geometry import busemann, einstein_midpoint, pairwise_distances
from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.least_distance import least_distance
from hyplane.solvers.quasi_newton import descend
from hyplane.solvers.result import SoftMarginResult
from hyplane.solvers.rows import Points
from hyplane.solvers.soft_margin import solve_soft_margin
from hyplane.solvers.surface_objective import (
    LARGEST_PARAMETER,
    ScaledRows,
    Surface,
    SurfaceObjective,
    hyperbolic_scores,
    surface_at,
)

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
        c. The positive side is that of ``w*x > c``.
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
    objective: float
    n_iter: int
    converged: bool
    reason: str


@dataclass(frozen=True)
class CurvedMargin(BinarySolver[Points, CurvedMarginResult]):
    r"""Minimise the soft-margin objective over surfaces of constant curvature.

    .. math::
        \min \tfrac12 s^2 + C \sum_j c_j \max(0, \sinh^{-1} 1 - \sinh^{-1}(y_j\, s \sinh D(x_j)))

    over scales s > 0 and surfaces, D being the true signed distance to the surface. For hyperplanes
    :math:`s \sinh D = w*x` and this is the paper's objective.

    Parameters
    ----------
    surface : {"any", "hyperplane", "horosphere", "sphere"}, default="any"
        The surfaces; "any" includes all kinds and equidistants, "sphere" also horospheres, the
        limits of spheres.
    tol : float, default=1e-8
        Relative decrease of the objective at which to stop; below 1e-14 it is taken as 1e-14, since
        rounding decides there.
    max_iter : int, default=5000
        Most iterations from one start.

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
    >>> result = CurvedMargin("sphere").fit(points, labels, None, C=10.0)
    >>> bool(result.objective < solve_soft_margin(points, labels, C=10.0).objective)
    True
    >>> CurvedMargin("sphere").score([result], points).shape
    (5, 1)
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
        """Minimise the objective on points up to radius 300."""
        if data.largest_radius > LARGEST_PARAMETER:
            raise ValueError(
                f"the farthest point is at radius {data.largest_radius:.6g} (at curvature -1), and "
                f"curved boundaries are computed up to radius {LARGEST_PARAMETER:g}. Use "
                "HyperbolicSVC, which has no limit, or leave such points out."
            )
        plane = solve_soft_margin(
            *(data, labels, weights),
            C=C,
            tol=self.tol,
            max_iter=self.max_iter,
            seed=seed,
            bound="ball",
        )
        w = np.r_[np.sinh(plane.offset), np.cosh(plane.offset) * plane.normal]
        hyperplane = Surface(w, 0.0, -1.0)
        if self.surface == "hyperplane":
            ended = plane.objective, plane.n_iter, plane.converged, plane.reason
            return CurvedMarginResult(plane.log_scale, w, 0.0, *ended)
        signed_weights = _signed_weights(labels, weights, C)
        begun = list(_starts(data, signed_weights, plane))
        if self.surface == "any":
            surfaces = [surface_at(kind, sign, theta[1:])[0] for kind, sign, theta in begun]
            scales = [*(theta[0] for _, _, theta in begun), plane.log_scale]
            begun = [
                ("any", 1.0, _any_parameters(scale, surface))
                for scale, surface in zip(scales, [*surfaces, hyperplane], strict=True)
            ]
        objective = SurfaceObjective(data, signed_weights)
        tol = max(self.tol, 1e-14)  # a smaller decrease is only rounding
        # All starts descend a little, the best of them to the end; some have met in one minimum.
        n_first_iterations, n_descents = 60, 4
        first = [
            _descend(objective, start, tol, n_first_iterations)
            for start in begun
            if self.surface in (start[0], "sphere")
        ]
        first = sorted(first, key=lambda each: each.fun)[:n_descents]
        pairs = zip(first, [None, *first], strict=False)
        distinct = [
            each for each, last in pairs if not last or each.fun - last.fun > 1e-6 * each.fun
        ]
        ends = [_descend(objective, each.start, tol, self.max_iter) for each in distinct]
        best = min(ends, key=lambda each: each.fun)
        kind, sign, theta = best.start
        surface, _ = surface_at(kind, sign, theta[1:])
        ended = best.fun, max(best.nit, 1), best.success, best.message
        return CurvedMarginResult(float(theta[0]), surface.w, float(surface.c), *ended)

    def constant(self, data: Points, sign: int) -> CurvedMarginResult:
        """Return a decision that is the same everywhere, as one unit of distance away."""
        zero, reason = np.zeros(data.n_dim + 1), "the label is constant"
        return CurvedMarginResult(0.0, zero, float(-sign), 0.0, 1, True, reason)

    def score(self, results: Sequence[CurvedMarginResult], data: Points) -> Array:
        """Return ``arsinh(s sinh D)``."""
        scores = np.empty((len(data), len(results)))
        with np.errstate(all="ignore"):
            rows = ScaledRows(data.radius, data.direction)
            for column, each in zip(scores.T, results, strict=True):
                distance = np.full(len(data), -each.level)
                if each.w.any():
                    square = (each.level - 1.0) * (each.level + 1.0)
                    distance, _, _ = rows.distances(Surface(each.w, each.level, square))
                column[:], _, _ = hyperbolic_scores(each.log_scale, distance)
        return scores


def _descend(
    objective: SurfaceObjective, start: _Start, tol: float, max_iter: int
) -> OptimizeResult:
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
    end = kind, sign, theta
    return OptimizeResult(start=end, fun=value, nit=n_iter, success=converged, message=reason)


def _sampled_step(
    function: Callable[[Array], tuple[float, Array]],
    x: Array,
    value: float,
    *,
    reaches: tuple[float, ...] = (1e-2, 1e-4, 1e-6),  # around a kink, in parameters of size 1
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
    for reach in reaches:
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


def _signed_weights(
    labels: NDArray[np.int8], weights: Array | None, C: float, *, largest: float = 1e150
) -> Array:
    """Return ``C c_j y_j``, whose squares must be doubles."""
    with np.errstate(over="ignore"):
        signed = float(C) * labels * (1.0 if weights is None else weights)
    if not np.abs(signed).max() <= largest:
        raise ValueError(
            f"C times the weight of a row is {np.abs(signed).max():.3g}; at most {largest:g} can "
            "be computed with."
        )
    return np.asarray(signed)


def _starts(points: Points, signed_weights: Array, plane: SoftMarginResult) -> Iterator[_Start]:
    """Yield horospheres and spheres to descend from."""
    scale = np.clip(plane.log_scale, -5.0, 5.0)
    kept = signed_weights != 0
    tangent = points.radius[kept, None] * points.direction[kept]
    for sign in (1.0, -1.0):
        # The positive side of the hyperplane is that of -u.
        omega = sign * plane.normal
        level = np.median(busemann(tangent, omega, coordinates="tangent"))
        yield "horosphere", sign, np.r_[scale, level, omega]
        centre, radius = _class_sphere(tangent, -sign * signed_weights[kept])
        yield "sphere", sign, np.r_[scale, np.log(radius), centre]


def _class_sphere(
    tangent: Array, signed_weights: Array, *, farthest: float = 15.0, smallest: float = 1e-3
) -> tuple[Array, float]:
    """Return a sphere around the centre of the positive rows, halfway to the others.

    Farther out than at radius 15 the vector w of its centre would have too few digits.
    """
    own = signed_weights > 0
    centre = einstein_midpoint(tangent[own], signed_weights[own], coordinates="tangent")
    centre *= farthest / max(float(np.linalg.norm(centre)), farthest)
    apart = pairwise_distances(tangent, centre[None], coordinates="tangent")[:, 0]
    radius = 0.5 * (np.median(apart[own]) + np.median(apart[~own]))
    return centre, float(max(radius, smallest))


def _any_parameters(log_scale: float, surface: Surface) -> Array:
    """Return the parameters of a surface in the chart of all kinds."""
    vector = np.append(surface.w[1:], surface.c)
    unit = vector / np.linalg.norm(vector)
    return np.concatenate([[log_scale, np.arcsinh(surface.w[0])], unit])
