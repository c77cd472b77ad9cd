"""An independent descent, stated in NumPy and SciPy for comparison: not part of the package.

From a hyperplane that the solver found, SciPy's L-BFGS minimises the objective with its kinks
smoothed over widths of 1e-2, 1e-3 and 1e-4. What counts is the objective itself.
"""

import numpy as np
from scipy.optimize import minimize

from hyplane.solvers import SoftMarginResult

MARGIN = np.arcsinh(1.0)
WIDTHS = (1e-2, 1e-3, 1e-4)
# How far the hyperplane may be outside the ball of the points.
BEYOND = {"ball": 0.0, "horosphere": 8.0}


def gain(
    result: SoftMarginResult,
    X: np.ndarray,
    y: np.ndarray,
    C: float,
    *,
    weights: np.ndarray | None = None,
    bound: str = "ball",
    max_iter: int = 500,
) -> float:
    """Return by how much the descent lowers the objective of a result, relative to it.

    Parameters
    ----------
    result : SoftMarginResult
    X : ndarray of shape (m, n + 1)
        Radius and direction of each row: the chart ``"polar"`` with a unit vector.
    y : ndarray of shape (m,)
        1 and -1.
    C : float
    weights : ndarray of shape (m,), optional
    bound : {"ball", "horosphere"}
    max_iter : int
        Iterations for each width.

    Returns
    -------
    gain : float
    """
    limit = X[:, 0].max() + BEYOND[bound]
    losses = C * (np.ones(len(y)) if weights is None else weights)
    offset = np.clip(result.offset / limit, -1.0, 1.0)
    theta = np.array([result.log_scale, limit * np.arcsin(offset), *result.normal])
    before = best = objective(theta, X, y, losses, limit, 0.0)[0]
    for width in WIDTHS:
        found = minimize(
            objective, theta, (X, y, losses, limit, width), "L-BFGS-B", jac=True,
            options={"maxiter": max_iter, "maxcor": 30, "ftol": 1e-14, "gtol": 1e-12},
        )  # fmt: skip
        value = objective(found.x, X, y, losses, limit, 0.0)[0]
        if value < best:
            best, theta = value, found.x
    return float((before - best) / before)


def objective(
    theta: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray,
    limit: float,
    width: float,
) -> tuple[float, np.ndarray]:
    """Return the objective and its gradient in (log s, α, p), a = R sin(α / R), u = p / |p|.

    The kinks are smoothed over ``width``; 0 leaves them as they are.
    """
    scale, offset = np.exp(theta[0]), limit * np.sin(theta[1] / limit)
    length = np.linalg.norm(theta[2:])
    u, radius, direction = theta[2:] / length, X[:, 0], X[:, 1:]
    difference = direction - u
    chord = 0.5 * np.einsum("ij,ij->i", difference, difference)
    lever = np.sinh(radius)
    z = scale * (np.sinh(offset - radius) + np.cosh(offset) * lever * chord)
    by_offset = scale * (np.cosh(offset - radius) + np.sinh(offset) * lever * chord)
    loss = MARGIN - np.arcsinh(y * z)
    if width:
        value = width * np.logaddexp(0.0, loss / width)
        slope = 0.5 * (1.0 + np.tanh(0.5 * loss / width))
    else:
        value, slope = np.maximum(loss, 0.0), (loss > 0.0).astype(float)
    pull = -weights * slope * y / np.sqrt(1.0 + z * z)
    gradient = np.empty_like(theta)
    gradient[0] = scale**2 + pull @ z
    gradient[1] = (pull @ by_offset) * np.cos(theta[1] / limit)
    turn = -scale * np.cosh(offset) * ((pull * lever) @ difference)
    gradient[2:] = (turn - (turn @ u) * u) / length
    return 0.5 * scale**2 + weights @ value, gradient
