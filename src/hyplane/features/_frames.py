"""Frames of projections: two directions fitted to distances between points and to decisions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

from hyplane._utils.typing import Array, Ints
from hyplane.geometry.distances import polar_distance
from hyplane.geometry.numerics import arsinh_exp, directions, row_norms

Polar = tuple[Array, Array]
Objective = Callable[[Array], tuple[float, Array]]

MOST_PAIRS = 20_000  # whose distances a frame is fitted to


@dataclass(frozen=True)
class Pairs:
    """Pairs of points: numbers of their rows, radii, directions and distances.

    Radii are those of the fit: the distances of far points say nothing about directions.
    """

    rows: Ints
    radius: Array
    direction: Array
    distance: Array

    @classmethod
    def draw(
        cls, radius: Array, direction: Array, rng: np.random.RandomState, count: int = MOST_PAIRS
    ) -> Self:
        """Draw pairs of different rows, or take all of them where they are few."""
        m = len(radius)
        if m * (m - 1) // 2 <= count:
            rows = np.stack(np.triu_indices(m, 1))
        else:
            first = rng.randint(m, size=count)
            rows = np.stack([first, (first + rng.randint(1, m, size=count)) % m])
        r, u = radius[rows], direction[rows]
        capped = np.minimum(r, 10.0) if r.size and r.max() > 20.0 else r
        distance = polar_distance(capped[0], u[0], capped[1], u[1])
        return cls(rows, capped, u, distance)

    def radial(self, frame: Array) -> tuple[float, Array]:
        """Return the squared stress of a frame in the radial projection, and its gradient."""
        r, s = self.radius
        a = self.direction @ frame.T
        length = np.linalg.norm(a, axis=2, keepdims=True)
        length = np.maximum(length, np.finfo(np.float64).tiny)
        e = a / length
        chord = e[0] - e[1]
        across = np.sinh(r) * np.sinh(s)
        square = np.sinh(0.5 * (r - s)) ** 2 + 0.25 * across * (chord**2).sum(axis=1)
        value, pull = self._squared(2.0 * np.arcsinh(np.sqrt(square)))
        sinh = 2.0 * np.sqrt(square * (1.0 + square))
        factor = np.divide(across * pull, sinh, out=np.zeros_like(sinh), where=sinh > 0)
        at_e = factor[:, None] * chord * np.array([1.0, -1.0])[:, None, None]
        at_a = (at_e - (at_e * e).sum(axis=2, keepdims=True) * e) / length
        return value, np.tensordot(at_a, self.direction, axes=([0, 1], [0, 1]))

    def horo(self, frame: Array) -> tuple[float, Array]:
        """Return the squared stress of two ideal points in HoroPCA, and its gradient."""
        sinh = np.sinh(self.radius)[..., None]
        B = np.cosh(self.radius)[..., None] - sinh * (self.direction @ frame.T)
        total, squares = B.sum(axis=2), (B**2).sum(axis=2) + 1.0
        root = np.sqrt(np.maximum(total**2 - squares, 0.0))
        time = squares / (total + root)
        y = time[..., None] - B
        product = np.maximum(time[0] * time[1] - (y[0] * y[1]).sum(axis=1), 1.0)
        value, pull = self._squared(np.arccosh(product))
        sine = np.sqrt((product - 1.0) * (product + 1.0))
        factor = np.divide(pull, sine, out=np.zeros_like(sine), where=sine > 1e-9)
        root = np.maximum(root, 1e-9 * time)  # at the fold, where the derivative is infinite
        ratio = (root[::-1] / root)[..., None]
        at_B = factor[:, None] * (y[::-1] - y * ratio)
        return value, np.tensordot(-at_B * sinh, self.direction, axes=([0, 1], [0, 1]))

    def _squared(self, shown: Array) -> tuple[float, Array]:
        """Return the squared stress and its derivative by each distance of the picture."""
        error, size = shown - self.distance, max(float(self.distance @ self.distance), 1e-300)
        return float(error @ error / size), 2.0 * error / size


class Decisions(NamedTuple):
    """Decisions on points in Klein coordinates seen from the centre, and scores of the classes.

    The scores are ``w0 + w·k``, whose zeros are hyperplanes: those of the classifier, divided by
    the time coordinate of the point, or of a logistic regression that imitates any classifier.
    """

    klein: Array
    codes: Ints
    intercepts: Array
    normals: Array

    @classmethod
    def learn(cls, klein: Array, codes: Ints) -> Self:
        """Fit the scores to the decisions."""
        scale = max(float(np.sqrt((klein**2).mean())), 1e-300)
        fitted = LogisticRegression(C=10.0, max_iter=200, tol=1e-3).fit(klein / scale, codes)
        w0, w = fitted.intercept_, fitted.coef_ / scale
        if len(w) == 1:  # of two classes
            w0, w = np.append(-w0, w0) / 2.0, np.vstack([-w, w]) / 2.0
        return cls.sharpened(klein, codes, w0, w)

    @classmethod
    def sharpened(cls, klein: Array, codes: Ints, w0: Array, w: Array) -> Self:
        """Scale scores so that the median gap between the best two is 3."""
        scores = np.sort(w0 + klein @ w.T, axis=1)
        gap = float(np.median(scores[:, -1] - scores[:, -2]))
        sharpness = 3.0 / max(gap, 1e-300)
        return cls(klein, codes, sharpness * w0, sharpness * w)

    def principal(self) -> Array:
        """Return the two directions in which the scores differ most."""
        w = self.normals - self.normals.mean(axis=0)
        return np.asarray(np.linalg.svd(np.vstack([w, 1e-9 * np.eye(2, w.shape[1])]))[2][:2])

    def loss(self, frame: Array) -> tuple[float, Array]:
        """Return the cross entropy of the decisions at the projected points, and its gradient."""
        m = len(self.codes)
        a = self.klein @ frame.T
        size = np.linalg.norm(self.klein, axis=1, keepdims=True)
        length = np.maximum(np.linalg.norm(a, axis=1, keepdims=True), 1e-300)
        e = a / length
        w = self.normals @ frame.T
        log_shares = log_softmax(self.intercepts + (size * e) @ w.T, axis=1)
        rows = np.arange(m)
        slopes = np.exp(log_shares)
        slopes[rows, self.codes] -= 1.0
        slopes /= m
        at_e = size * (slopes @ w)
        at_a = (at_e - (at_e * e).sum(axis=1, keepdims=True) * e) / length
        gradient = at_a.T @ self.klein + (slopes.T @ (size * e)).T @ self.normals
        return -float(log_shares[rows, self.codes].mean()), gradient


def horo_points(log_B: Array) -> Polar:
    """Return the points of the plane with given Busemann functions of its two ideal points.

    Everything is divided by the largest exponential, so that it cannot overflow.
    """
    largest = np.maximum(log_B.max(axis=1), 0.0)
    B, one = np.exp(log_B - largest[:, None]), np.exp(-2.0 * largest)
    total, squares = B.sum(axis=1), (B**2).sum(axis=1) + one
    time = squares / (total + np.sqrt(np.maximum(total**2 - squares, 0.0)))
    y = time[:, None] - B
    length = row_norms(y)
    with np.errstate(divide="ignore"):
        return arsinh_exp(np.log(length) + largest), directions(y, length)


def principal_frame(radius: Array, direction: Array) -> Array:
    """Return the two directions of largest spread under the log map at the centre."""
    tangent = radius[:, None] * direction
    frame = np.linalg.eigh(np.cov(tangent.T, bias=True))[1][:, :-3:-1].T
    # A sign of its own keeps the picture from flipping between fits.
    return np.asarray(frame * np.sign(frame[[0, 1], np.abs(frame).argmax(axis=1)])[:, None])


def orthonormal(rows: Array) -> tuple[Array, Array]:
    """Return the closest orthonormal rows W, and S with ``rows = S W``."""
    left, sizes, right = np.linalg.svd(rows, full_matrices=False)
    return left @ right, (left * sizes) @ left.T


def minimized(objective: Objective, start: Array, n_iterations: int = 100) -> Array:
    """Return the frame of two orthonormal rows at a minimum close to a start."""

    def of_rows(values: Array) -> tuple[float, Array]:
        frame, stretch = orthonormal(values.reshape(start.shape))
        value, slope = objective(frame)
        turn = slope @ frame.T
        within = (turn - turn.T) @ frame / np.trace(stretch)
        beside = np.linalg.solve(stretch, slope - turn @ frame)
        return value, (beside + within).ravel()

    options = {"maxiter": n_iterations}
    found = minimize(of_rows, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    return orthonormal(found.x.reshape(start.shape))[0]


def rotation(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
