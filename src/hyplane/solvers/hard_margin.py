"""The hard-margin hyperbolic SVM, solved to global optimality with a proof."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

from hyplane._utils.typing import Array, ArrayLike
from hyplane.geometry.distances import polar_distance
from hyplane.geometry.hyperplanes import polar_signed_distance
from hyplane.geometry.maps import Recentering
from hyplane.geometry.numerics import arsinh_exp, log_cosh, log_sinh
from hyplane.solvers.binary_solver import HyperplaneSolver
from hyplane.solvers.least_distance import ROUNDING, least_distance
from hyplane.solvers.result import SoftMarginResult, SolverResult
from hyplane.solvers.rows import Points
from hyplane.solvers.tuning import N_ORIGINS


@dataclass(frozen=True)
class HardMarginResult(SolverResult):
    """The hyperplane ``w = s (sinh a, cosh a · u)`` of largest margin, and the proof of it.

    Attributes
    ----------
    log_scale : float
        ``log s``; the closest points have ``y w*x = 1``.
    offset : float
        ``a``, the signed distance from the origin to the hyperplane.
    normal : ndarray of shape (n,)
        ``u``, of unit length.
    objective : float
        ``-½ w*w = ½ s²``.
    n_iter : int
        Convex problems solved, each for one w0.
    n_evaluations : int
        Passes over all points.
    converged : bool
        Whether the gap is within the tolerance.
    reason : str
        Why the solver stopped.
    margin : float
        Distance of the closest point to the hyperplane, ``arsinh(1/s)``, at curvature -1.
    gap : float
        Proven: no hyperplane that separates the classes has a margin above ``margin + gap``.
    support : ndarray of int
        The rows that hold the hyperplane: those with a positive multiplier.
    multipliers : ndarray of the same shape
        ``μ > 0`` with ``w = -Σ μ y x``; they add up to ``s²``.

    Examples
    --------
    >>> points = Points(np.array([1.0, 3.0]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    >>> result = solve_hard_margin(points, [1, -1])
    >>> round(result.margin, 6), result.support, result.converged
    (2.0, array([0, 1]), True)
    """

    margin: float
    gap: float
    support: NDArray[np.int64]
    multipliers: Array


@dataclass(frozen=True)
class HardMargin(HyperplaneSolver[HardMarginResult | SoftMarginResult]):
    """The hard margin, which has no C: see `solve_hard_margin`.

    Examples
    --------
    >>> points = Points.from_chart([[0.5, 0.0], [-0.5, 0.0]])
    >>> round(HardMargin().fit(points, np.array([1, -1], dtype=np.int8)).margin, 4)
    1.0986
    """

    tol: float = 1e-6
    max_iter: int = 1000

    def fit(
        self,
        data: Points,
        labels: NDArray[np.int8],
        weights: Array | None = None,
        C: float = np.inf,
        *,
        seed: int = 0,
        starts: Sequence[Any] = (),
    ) -> HardMarginResult:
        """Find the hyperplane of largest margin."""
        return solve_hard_margin(data, labels, tol=self.tol, max_iter=self.max_iter)


def solve_hard_margin(
    points: Points, labels: ArrayLike, *, tol: float = 1e-6, max_iter: int = 1000
) -> HardMarginResult:
    r"""Find the hyperplane with the largest distance to the closest point of two classes.

    .. math::
        \min_{w*w<0} -\tfrac12\, w*w \quad\text{subject to}\quad y_j\, (w*x_j) \ge 1

    Parameters
    ----------
    points : Points
    labels : array-like of shape (m,)
        1 or -1; both must occur.
    tol : float, default=1e-6
        The proven gap to reach: at most this in hyperbolic distance, and at most this fraction of
        the margin.
    max_iter : int, default=1000
        Most convex problems to solve.

    Returns
    -------
    result : HardMarginResult

    Raises
    ------
    ValueError
        If no hyperplane separates the classes.

    Notes
    -----
    The problem of Theorem 2 of [1]_ is not convex in w, but every local minimum is global. For a
    fixed ``w0 = t`` it is a least-distance problem with a value φ(t), and ``φ(t) - ½t²`` is convex:
    the solver finds the root of its slope. The multipliers of the solution bound all other
    hyperplanes and prove the gap; the documentation has the proof.

    The gap accounts for rounding. Double precision holds a point at radius r to
    ``exp(r) · 1e-16``, so beyond radius 20 or so the gap may have to be larger than the tolerance.
    Multipliers are exact to rounding wherever the support could be identified, which fails now and
    then for points that far out.

    References
    ----------
    .. [1] H. Cho, B. DeMeo, J. Peng and B. Berger, "Large-margin classification in hyperbolic
       space", AISTATS 2019, arXiv:1806.00437.

    Examples
    --------
    >>> points = Points(np.array([1.0, 3.0]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    >>> result = solve_hard_margin(points, [1, -1])
    >>> round(result.margin, 6), round(result.offset, 6), result.normal.round(6) + 0.0
    (2.0, 1.0, array([-1.,  0.]))
    >>> result.gap < 1e-12, result.support
    (True, array([0, 1]))
    """
    checked = _checked(points, labels)
    pair, apart = _mutual_neighbours(checked)
    if apart == 0.0:
        raise ValueError(
            f"the classes are not separable: rows {pair[0]} and {pair[1]} are the same point with "
            "different labels. Use a finite C (the soft margin)."
        )
    between = Recentering.between(points.radius[pair], points.direction[pair])
    log_unit = float(between.klein(points.radius[pair], points.direction[pair])[1].max())
    view = _View(checked, between, log_unit, float(np.tanh(0.5 * apart)))
    try:
        return _search(view, 0.5 * apart, tol, max_iter)
    except ValueError as failure:
        # Very far out, the search sometimes succeeds only with the origin where it is.
        same = Recentering(0.0, np.eye(points.n_dim)[0])
        view = _View(checked, same, float(log_cosh(points.radius).min()), 1.0)
        try:
            return _search(view, 0.5 * apart, tol, max_iter)
        except ValueError:
            raise failure from None


def _search(view: "_View", limit: float, tol: float, max_iter: int) -> HardMarginResult:
    """Search from one origin, then from others with less rounding; no margin is above the limit."""
    radius, direction, labels = view.points
    t, size = view.separating()
    views: list[_View] = []
    margin, n_slices, n_steps = 0.0, 0, 0
    for _ in range(N_ORIGINS):
        try:
            with np.errstate(over="raise", invalid="raise"):
                view.minimise(t, size, max_iter - n_slices)
                n_slices, n_steps = n_slices + len(view.slices), n_steps + view.n_steps
                if not len(view.support):
                    break
                views.append(view)
                limit = min(limit, view.largest_margin())
                plane = view.hyperplane()
        except (FloatingPointError, np.linalg.LinAlgError):
            break
        # In the points' own coordinates, where rounding may have moved it.
        closest = float(np.min(labels * polar_signed_distance(radius, direction, *plane)))
        if closest > margin:
            margin, (offset, normal) = closest, plane
        if limit - margin <= tol * min(1.0, margin):
            break
        # Rounding is least where the support, weighted by its multipliers, is centred.
        view, t, size = view.centred()
    if margin == 0.0:
        raise ValueError(
            "double precision cannot hold a hyperplane between the classes: the points that it "
            "would pass between are too far out. Use a finite C (the soft margin), for instance "
            "C=1."
        )
    gap = max(limit - margin, 0.0)
    converged = gap <= tol * min(1.0, margin)
    reason = "double precision does not hold the points to the tolerance"
    if converged:
        reason = "the margin is proven to within the tolerance"
    elif n_slices >= max_iter:
        reason = "the iterations ran out"
    log_scale = -float(log_sinh(np.asarray(margin)))
    proof = min(views, key=_View.largest_margin)
    share = proof.multipliers * proof.edge[proof.support]
    return HardMarginResult(
        log_scale=log_scale,
        offset=offset,
        normal=normal,
        objective=0.5 * float(np.exp(2.0 * log_scale)),
        n_iter=n_slices,
        n_evaluations=n_steps,
        converged=converged,
        reason=reason,
        margin=margin,
        gap=gap,
        support=proof.support,
        multipliers=np.exp(2.0 * log_scale) * share / share.sum(),
    )


class _Points(NamedTuple):
    radius: Array
    direction: Array
    labels: Array


class _Slice(NamedTuple):
    """The solution at one t or, where there is none, the multipliers that prove it."""

    t: float
    feasible: bool
    active: NDArray[np.int64]
    multipliers: Array
    slope: float  # of φ(t) - ½t²
    lowest: float  # proven: φ(t) - ½t² is not below


class _View:
    """The problem seen from one origin, in Klein coordinates k and with ``e = 1/x0``.

    It is to minimise ``½|v|² - ½t²`` subject to ``y (t - v·k) >= e``; e and ``w = (t, v)`` are in
    units of ``exp(log_unit)``, and t is about `unit` times as large as v. For a fixed t the minimum
    of ``½|v|²`` is φ(t), and ``φ(t) - ½t²`` is convex.
    """

    def __init__(self, points: _Points, origin: Recentering, log_unit: float, unit: float) -> None:
        klein, log_time = origin.klein(points.radius, points.direction)
        self.points, self.origin = points, origin
        self.log_unit = min(log_unit, float(log_time.min()) + 50.0)  # no square overflows
        self.edge = np.maximum(np.exp(self.log_unit - log_time), 1e-300)
        self.normals = points.labels[:, None] * np.column_stack([np.ones(len(klein)), -klein])
        self.inside = np.maximum(np.exp(-2.0 * log_time), 1e-300)  # 1 - |k|²
        self.scales = np.r_[unit, np.ones(klein.shape[1])]
        self.metric = np.r_[-1.0, np.ones(klein.shape[1])]
        # The best w and its objective, the lower bound of all others, and its share of rounding.
        self.w, self.best, self.bound, self.rounding = self.metric, np.inf, -np.inf, 0.0
        self.support, self.multipliers = np.empty(0, dtype=np.int64), np.empty(0)
        self.slices: list[_Slice] = []
        self.n_steps = 0

    def separating(self) -> tuple[float, float]:
        """Return t of some hyperplane between the classes, and about twice the size of v."""
        normals, size = self.normals * self.scales, 1.0
        for _ in range(2):  # the guard against rounding depends on the size of v
            found = least_distance(normals, self._guarded(size))
            if not found.feasible:
                raise _not_separable(self.points.labels, found.active[found.multipliers > 0.0])
            w = self.scales * (found.multipliers @ normals[found.active])
            size = 2.0 * float(np.linalg.norm(w[1:]))
        return float(w[0]), size

    def _guarded(self, size: float) -> Array:
        """Return the edges, of points near infinity raised to a little more than rounding."""
        return np.maximum(self.edge, 2.0 * ROUNDING * size)

    def minimise(self, t: float, size: float, max_iter: int) -> None:
        """Find the t where the slope of ``φ(t) - ½t²``, which increases with t, is 0."""
        sharp, narrow = 1e-12, 1e-15  # the gap and the bracket at which nothing is left
        low = high = None
        while len(self.slices) < max_iter:
            last = self._slice(t, size)
            low, high = (low, last) if last.slope > 0.0 else (last, high)
            candidates = [self._polish(last.active)]
            if low and high:
                candidates.insert(0, self._polish(self._join(low, high)))
            gap = self.best - self.bound
            if gap <= sharp * self.best:
                return
            least, most = low.t if low else -np.inf, high.t if high else np.inf
            if most - least <= narrow * size or gap <= 2.0 * self.rounding:
                break
            candidates = [t for t in candidates if least < t < most]
            if candidates and len(self.slices) % 4:  # every fourth halves the bracket, to end soon
                t = candidates[0]
            elif low and high:
                t = 0.5 * (least + most)
            else:
                t -= np.sign(last.slope) * max(abs(t), self.scales[0] * size)
        # Slices on both sides that are proven to be higher help the proof.
        for side in (0, 1):
            for step in size * 2.0 ** np.arange(8):
                if np.isfinite(self._range()[side]) or len(self.slices) >= max_iter:
                    break
                self._slice(self.w[0] + (2 * side - 1) * step, size)
        self._prove(self.w, self.best, self.support, self.multipliers)

    def _range(self) -> tuple[float, float]:
        """Return slices between which t is for all hyperplanes that are better than the best."""
        higher = [each.t for each in self.slices if each.lowest > self.best]
        below = max((t for t in higher if t < self.w[0]), default=-np.inf)
        return below, min((t for t in higher if t > self.w[0]), default=np.inf)

    def _slice(self, t: float, size: float) -> _Slice:
        """Solve the problem for a fixed t."""
        labels = self.points.labels
        start = self.slices[-1].active if self.slices and self.slices[-1].feasible else None
        found = least_distance(self.normals[:, 1:], self._guarded(size) - labels * t, start)
        self.n_steps += found.n_steps + 1
        active, multipliers = found.active, found.multipliers
        total, pull = float(multipliers.sum()), float(multipliers @ labels[active])
        rise = float(multipliers @ self.edge[active]) - pull * t
        v = multipliers @ self.normals[active, 1:]
        length = float(np.linalg.norm(v))
        rise -= ROUNDING * (abs(rise) + total * (abs(t) + length))
        if found.feasible:
            self._offer(np.r_[t, v], active, multipliers)
            slope = -pull - t
            lowest = rise - (0.5 + ROUNDING) * (length**2 + t * t)
        else:  # any multiple of these multipliers is a proof
            slope = -pull
            lowest = 0.5 * max(rise, 0.0) * rise / (length + ROUNDING * total) ** 2 - 0.5 * t * t
        self.slices.append(_Slice(t, found.feasible, active, multipliers, slope, lowest))
        return self.slices[-1]

    def _join(self, low: _Slice, high: _Slice) -> NDArray[np.int64]:
        """Mix the multipliers of two slices so that the slope is 0; return their rows."""
        shares = np.array([high.slope, -low.slope])
        if low.feasible or high.feasible:  # of those that prove that there is none, any multiple
            shares /= shares[[low.feasible, high.feasible]].sum()
        rows, places = np.unique(np.r_[low.active, high.active], return_inverse=True)
        multipliers = np.zeros(len(rows))
        mixed = np.r_[shares[0] * low.multipliers, shares[1] * high.multipliers]
        np.add.at(multipliers, places, mixed)
        self._prove(self.w, self.best, rows, multipliers)
        return rows

    def _polish(self, rows: NDArray[np.int64]) -> float:
        """Solve for w and multipliers as if the constraints of these rows were equations."""
        normals, n = self.normals[rows], len(self.w)
        zero = np.zeros((len(rows), len(rows)))
        system = np.block([[np.diag(self.metric), -normals.T], [normals, zero]])
        scales = np.r_[self.scales, np.ones(len(rows))]
        target = np.r_[np.zeros(n), self.edge[rows]]
        solution = lstsq(scales[:, None] * system * scales, scales * target)[0] * scales
        if solution[n:].min() > 0.0:
            self._offer(solution[:n], rows, solution[n:])
        return float(solution[0])

    def _offer(self, w: Array, rows: NDArray[np.int64], multipliers: Array) -> None:
        """Scale w until all points are beyond their edges, and keep it if it is the best so far."""
        with np.errstate(over="ignore"):  # points at infinity are far on one side or the other
            scale = float(np.min(self.normals @ w / self.edge))
        if not scale > 0.0:
            return
        w = w / scale
        objective = 0.5 * float(w @ (self.metric * w))
        if 0.0 < objective < self.best:
            self.w, self.best = w, objective
        self._prove(w, objective, rows, multipliers / scale)

    def _prove(
        self, w: Array, objective: float, rows: NDArray[np.int64], multipliers: Array
    ) -> None:
        """Bound the objective of all feasible hyperplanes from below; see the theory of the docs.

        For ``w + (τ, δ)`` it is at least ``objective - Σ λσ - r·|(τ, δ)| + ½|δ|² - ½τ²``, where σ
        are slacks and r is what is left of the gradient. The slack of one point of each class
        bounds ``|τ| <= κ|δ| + σ``.
        """
        if np.isinf(objective):
            return
        closest = []
        for sign in (-1.0, 1.0):
            own = rows[self.points.labels[rows] == sign]
            own = own if len(own) else np.flatnonzero(self.points.labels == sign)
            closest.append(own[np.argmax(self.inside[own])])
        inside, both = self.inside[closest].min(), np.r_[closest, rows]
        t, length, total = abs(w[0]), np.linalg.norm(w[1:]), multipliers.sum()
        reach = length + np.hypot(np.sqrt(2.0 * self.best), np.abs(self._range()).max())
        left = np.abs(self.metric * w - multipliers @ self.normals[rows])
        bounds = []
        for rounding in (0.0, ROUNDING):
            slack = np.maximum(self.normals[both] @ w - self.edge[both], 0.0)
            slack += rounding * (t + length + self.edge[both])
            sigma = slack[:2].max()
            left_t = left[0] + rounding * (t + total)
            slope = np.linalg.norm(left[1:]) + rounding * (length + total) + left_t + sigma
            loss = multipliers @ slack[2:] + left_t * sigma + 0.5 * sigma**2
            loss += slope * min(reach, 0.5 * slope / inside) + rounding * (w @ w)
            bounds.append(objective - loss)
        if bounds[1] > self.bound - self.rounding:
            order = np.argsort(rows)[multipliers[np.argsort(rows)] > 0.0]
            self.support, self.multipliers = rows[order], multipliers[order]
        if bounds[1] > self.bound:
            self.bound, self.rounding = bounds[1], bounds[0] - bounds[1]

    def largest_margin(self) -> float:
        """Return the margin that is proven to be the largest."""
        if self.bound <= 0.0:
            return np.inf
        return float(arsinh_exp(np.asarray(self.log_unit - 0.5 * np.log(2.0 * self.bound))))

    def hyperplane(self) -> tuple[float, Array]:
        """Return offset and normal of the best hyperplane, seen from the points' own origin."""
        length = float(np.linalg.norm(self.w[1:]))
        offset = float(np.arctanh(self.w[0] / length))
        return self.origin.hyperplane_back(offset, self.w[1:] / length)

    def centred(self) -> tuple["_View", float, float]:
        """Move the origin to the mean of the support, and measure w in its own length."""
        klein = -self.points.labels[self.support, None] * self.normals[self.support, 1:]
        mean = self.multipliers @ klein / self.multipliers.sum()
        scale = np.sqrt(2.0 * self.best)
        t = float((self.w[0] - mean @ self.w[1:]) / scale / np.sqrt(max(1.0 - mean @ mean, 1e-16)))
        log_unit = self.log_unit - float(np.log(scale))
        unit = float(np.tanh(arsinh_exp(np.asarray(log_unit))))
        view = _View(self.points, self.origin.moved_to(mean), log_unit, unit)
        return view, t, 2.0 * float(np.hypot(1.0, t))


def _mutual_neighbours(points: _Points) -> tuple[list[int], float]:
    """Return a point of each class, each the nearest of its class to the other, and their distance.

    Not always the closest pair of all.
    """
    radius, direction, labels = points
    sides = [np.flatnonzero(labels > 0), np.flatnonzero(labels < 0)]
    pair, apart, turn = [int(sides[0][0]), int(sides[1][0])], np.inf, 1
    while True:
        side, row = sides[turn], pair[1 - turn]
        away = polar_distance(radius[side], direction[side], radius[row], direction[row])
        if not away.min() < apart:
            return pair, apart
        pair[turn], apart, turn = int(side[np.argmin(away)]), float(away.min()), 1 - turn


def _not_separable(labels: Array, rows: NDArray[np.int64], most: int = 10) -> ValueError:
    names = []
    for sign in (1.0, -1.0):
        part = np.sort(rows[labels[rows] == sign])
        names.append(", ".join(map(str, part[:most])) + ", …" * (len(part) > most))
    return ValueError(
        "the classes are not separable by a hyperplane, to double precision: the convex hull of "
        f"rows {names[0]} (label 1) meets that of rows {names[1]} (label -1). Use a finite C (the "
        "soft margin), for instance C=1."
    )


def _checked(points: Points, labels: ArrayLike) -> _Points:
    """Return the points with labels 1 and -1 as numbers."""
    radius, direction, signs = points.radius, points.direction, np.asarray(labels, dtype=np.float64)
    if signs.shape != radius.shape or not points.n_dim:
        raise ValueError(
            f"there are {len(radius)} points in {points.n_dim} dimensions, and labels of shape "
            f"{signs.shape}; each point needs one label."
        )
    if not (np.isfinite(radius) & (radius >= 0.0) & np.isfinite(direction).all(axis=1)).all():
        raise ValueError("radii and directions of points are finite, and radii not negative.")
    if not np.isin(signs, (-1.0, 1.0)).all():
        row = int(np.argmax(np.abs(signs) != 1.0))
        raise ValueError(f"labels are 1 or -1; row {row} has {signs[row]:g}.")
    if abs(signs.sum()) == len(signs):
        raise ValueError("the hard margin needs points of both classes; all labels are the same.")
    return _Points(radius, direction, signs)
