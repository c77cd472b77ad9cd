"""A descent that shares nothing with the solver, to compare it with."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hyplane.solvers.soft_margin import BOUNDS

MARGIN = np.arcsinh(1.0)


class SmoothedObjective:
    """The objective in (log s, α, p): offset R sin(α / R), normal p / |p|, kinks smoothed.

    A loss l becomes h log(1 + exp(l / h)) for a width h; the width 0 leaves it as it is.
    """

    def __init__(self, points, labels, weights, C, bound):
        self.radius, self.direction = points.radius, points.direction
        self.y = labels.astype(float)
        self.C = C * np.abs(self.y) * (1.0 if weights is None else weights)
        self.limit = self.radius.max() + BOUNDS[bound]

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, theta, width=0.0):
        scale, offset = np.exp(theta[0]), self.limit * np.sin(theta[1] / self.limit)
        length = np.linalg.norm(theta[2:])
        u = theta[2:] / length
        difference = self.direction - u
        half_square = 0.5 * np.einsum("ij,ij->i", difference, difference)
        lever = np.sinh(self.radius)
        z = scale * (np.sinh(offset - self.radius) + np.cosh(offset) * lever * half_square)
        by_offset = scale * (np.cosh(offset - self.radius) + np.sinh(offset) * lever * half_square)
        loss = MARGIN - np.arcsinh(self.y * z)
        if width:
            value = width * np.logaddexp(0.0, loss / width)
            slope = 0.5 * (1.0 + np.tanh(0.5 * loss / width))
        else:
            value, slope = np.maximum(loss, 0.0), (loss > 0.0).astype(float)
        pull = -self.C * slope * self.y / np.sqrt(1.0 + z * z)
        turn = -scale * np.cosh(offset) * ((pull * lever) @ difference)
        gradient = np.r_[
            scale**2 + pull @ z,
            (pull @ by_offset) * np.cos(theta[1] / self.limit),
            (turn - (turn @ u) * u) / length,
        ]
        value = 0.5 * scale**2 + self.C @ value
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            return 1e300, np.zeros_like(theta)
        return value, gradient

    def parameters(self, plane):
        share = np.clip(plane.offset / self.limit, -1.0, 1.0)
        return np.r_[plane.log_scale, self.limit * np.arcsin(share), plane.normal]

    def lowest_from(self, theta, max_iter):
        best = self(theta)[0]
        for width in (1e-2, 1e-3, 1e-4):
            found = minimize(
                self, theta, (width,), "L-BFGS-B", jac=True,
                options={"maxiter": max_iter, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-12},
            )  # fmt: skip
            value = self(found.x)[0]
            if value < best:
                best, theta = value, found.x
        return best

    def best_of_starts(self, n_starts, rng):
        """Return the lowest objective from random starts, of which the best three descend on."""
        found = []
        for _ in range(n_starts):
            theta = np.r_[
                rng.uniform(-0.7 * self.limit - 1, 1),
                rng.uniform(-self.limit, self.limit),
                rng.standard_normal(self.direction.shape[1]),
            ]
            run = minimize(self, theta, jac=True, method="L-BFGS-B", options={"maxiter": 150})
            found.append((run.fun, run.x))
        found.sort(key=lambda pair: pair[0])
        return min(self.lowest_from(theta, 300) for _, theta in found[:3])


@pytest.fixture(scope="session")
def best_of_starts():
    """Return the lowest objective that SciPy finds from random starts."""

    def lowest(points, labels, C, n_starts, rng):
        return SmoothedObjective(points, labels, None, C, "ball").best_of_starts(n_starts, rng)

    return lowest


@pytest.fixture(scope="session")
def descended():
    """Return the lowest objective that SciPy finds from a hyperplane.

    L-BFGS minimises the objective with its kinks smoothed over widths of 1e-2, 1e-3 and 1e-4; the
    objectives without smoothing are compared. Starts are results, or arrays of (log s, a, u).
    """

    def lowest(points, labels, start, weights=None, *, C=1.0, bound="ball", max_iter=500):
        objective = SmoothedObjective(points, labels, weights, C, bound)
        theta = start if isinstance(start, np.ndarray) else objective.parameters(start)
        return objective.lowest_from(theta, max_iter)

    return lowest
