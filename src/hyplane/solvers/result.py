"""Fitted hyperplanes: one with why the solver stopped there, or several stacked to score points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.native import core

STOP_REASONS = {
    core.Stop.CONVERGED: "the predicted decrease of the objective is below the tolerance",
    core.Stop.CONVERGED_TO_ROUNDING: (
        "no step decreases the objective, and the predicted decrease is below what double "
        "precision resolves"
    ),
    core.Stop.STALLED: (
        "no step decreases the objective, though the predicted decrease is above the tolerance"
    ),
    core.Stop.ITERATIONS_RAN_OUT: "the iterations ran out",
}
# What is added to the reason where no hyperplane inside the bound is the best one.
DEGENERATE = {
    "ball": (
        "degenerate: the hyperplane touches the ball of the points, which keeps it from running "
        "away to infinity"
    ),
    "horosphere": (
        "degenerate: the infimum is at infinity, where the level sets of the score become "
        "horospheres and all points get one label"
    ),
}


@dataclass(frozen=True)
class Hyperplane:
    """A normal ``w = s (sinh a, cosh a · u)`` in the chart where it is accurate at any radius."""

    log_scale: float
    offset: float
    normal: Array


@dataclass(frozen=True)
class SolverResult(Hyperplane):
    """A hyperplane, and how the solver ended there."""

    objective: float
    n_iter: int
    n_evaluations: int
    converged: bool
    reason: str


@dataclass(frozen=True)
class SoftMarginResult(SolverResult):
    """A hyperplane ``w = s (sinh a, cosh a · u)`` and why the solver stopped there.

    Attributes
    ----------
    log_scale : float
        ``log s``. The logarithm, since s leaves the range of doubles for points far out.
    offset : float
        ``a``, the signed distance from the origin to the hyperplane.
    normal : ndarray of shape (n,)
        ``u``, of unit length.
    objective : float
        Value of the soft-margin objective.
    n_iter : int
        Iterations on all rows.
    n_evaluations : int
        Evaluations of the objective, those on samples and from other starts included.
    converged : bool
        Whether the tolerance was met, or the accuracy that double precision allows there.
    reason : str
        Why the solver stopped, one of `STOP_REASONS`, or why the result is doubtful all the same.
        Where the problem is degenerate, one of `DEGENERATE` follows.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> [result] = HyperbolicSVC().fit([[0.5, 0.1], [-0.5, 0.1]], [1, 0]).results_
    >>> result.reason
    'the predicted decrease of the objective is below the tolerance'
    """

    @property
    def degenerate(self) -> bool:
        """Whether the optimum is on the bound, so that no hyperplane inside is optimal."""
        return self.reason.endswith(tuple(DEGENERATE.values()))


def plane_array(plane: Hyperplane) -> Array:
    """Return ``(log s, a, u)`` as one array, as the compiled search takes hyperplanes."""
    return np.array([plane.log_scale, plane.offset, *plane.normal])


@dataclass(frozen=True)
class Hyperplanes:
    """Several normals ``w = s (sinh a, cosh a · u)``.

    The components of w lose digits for hyperplanes beyond distance 18 from the origin and leave the
    range of doubles beyond 700; ``(log s, a, u)`` do not. An infinite offset stands for a decision
    that is the same everywhere: ``w = (±1, 0, …, 0)``, a score of ``±x0``.

    Attributes
    ----------
    log_scale, offset : ndarray of shape (n_planes,)
    normal : ndarray of shape (n_planes, n)

    Examples
    --------
    >>> planes = Hyperplanes(np.zeros(1), np.zeros(1), np.array([[1.0, 0.0]]))
    >>> planes.w
    array([[0., 1., 0.]])
    """

    log_scale: Array
    offset: Array
    normal: Array

    @classmethod
    def of_results(cls, results: Sequence[Hyperplane]) -> Self:
        """Stack the results of binary problems."""
        return cls.of_array(np.array([plane_array(result) for result in results]))

    @classmethod
    def of_array(cls, planes: Array) -> Self:
        """Return lines of ``(log s, a, u)`` as hyperplanes."""
        return cls(planes[:, 0], planes[:, 1], planes[:, 2:])

    @property
    def w(self) -> Array:
        """The normals in Minkowski space, of shape (n_planes, n + 1)."""
        everywhere = np.isinf(self.offset)
        offset = np.where(everywhere, 0.0, self.offset)
        with np.errstate(over="ignore", under="ignore"):
            size = np.exp(self.log_scale + np.logaddexp(offset, -offset) - np.log(2.0))
        components = np.column_stack([size * np.tanh(offset), size[:, None] * self.normal])
        components[everywhere] = 0.0
        components[everywhere, 0] = np.sign(self.offset[everywhere])
        return components

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """The three arrays, as the compiled code takes them."""
        own = self.log_scale, self.offset, self.normal
        log_scale, offset, normal = map(np.ascontiguousarray, own)
        return log_scale, offset, normal


def hyperplane_at_infinity(n_dim: int, sign: int) -> SoftMarginResult:
    """Return the result for a constant label: every point is on the same side."""
    return SoftMarginResult(
        log_scale=0.0,
        offset=sign * np.inf,
        normal=np.eye(n_dim)[0],
        objective=0.0,
        n_iter=1,
        n_evaluations=0,
        converged=True,
        reason="the label is constant",
    )


def soft_margin_result(
    solution: tuple[float, float, Array, float, int, int, core.Stop],
    largest_radius: float,
    labels: NDArray[np.int8],
    sample_weight: Array | None,
    *,
    C: float,
    tol: float,
    bound: str,
) -> SoftMarginResult:
    """Return a solution of the compiled code as a result, which says whether it is good."""
    log_scale, offset, normal, objective, n_iter, n_evaluations, stop = solution
    converged = stop in (core.Stop.CONVERGED, core.Stop.CONVERGED_TO_ROUNDING)
    reason = STOP_REASONS[stop]
    if converged:
        doubts = _doubt(objective, labels, sample_weight, C, tol, largest_radius)
        converged, reason = doubts is None, doubts or reason
    if bound == "ball":
        degenerate = abs(offset) >= (1.0 - 1e-6) * largest_radius
    else:
        # At infinity s² = -w*w is 0, whatever the origin. Elsewhere it is much of the objective.
        vanishing = 0.5 * np.exp(2.0 * log_scale) <= 1e-6 * objective
        degenerate = bool(abs(offset) > largest_radius and vanishing)
    if degenerate:
        reason += f"; {DEGENERATE[bound]}"
    return SoftMarginResult(
        log_scale=log_scale,
        offset=offset,
        normal=normal,
        # The losses are not negative; with a C of 1e15 their rounding can be.
        objective=max(objective, 0.5 * float(np.exp(2.0 * log_scale))),
        n_iter=n_iter,
        n_evaluations=n_evaluations,
        converged=converged and bool(np.isfinite(objective)),
        reason=reason,
    )


def _doubt(
    objective: float,
    labels: NDArray[np.int8],
    weights: Array | None,
    C: float,
    tol: float,
    largest_radius: float,
) -> str | None:
    """Say why double precision may be too coarse for such a result, or None."""
    if largest_radius >= 1e15:  # neighbouring doubles are 0.1 or more apart
        return (
            "the points lie beyond radius 1e15, where double precision has too few digits for "
            "their radii and angles"
        )
    counted = float(np.count_nonzero(labels) if weights is None else weights[labels != 0].sum())
    none = C * counted * float(np.arcsinh(1.0))  # the objective as the scale goes to zero
    gain = min(tol, 1e-6)
    # |w*x| is at most sinh(2R) times the scale, so no hyperplane can gain more than this.
    possible = C * counted * np.sinh(min(2.0 * largest_radius, 100.0)) ** 2
    if none - objective <= gain * none and possible <= 1e3 * gain:
        return (
            "no hyperplane lowers the objective noticeably below that of none: C times the weights "
            "is too small for points so near the origin"
        )
    largest = C * (1.0 if weights is None else float(weights.max()))
    rounding = 4.0 * float(np.finfo(np.float64).eps) * largest  # of a loss
    if largest > 1e8 and rounding > 10.0 * tol * objective:
        return (
            "C times the weight of a row is so large that the rounding of the losses hides the "
            "margin; C=inf asks for the hard margin"
        )
    return None
