"""The algorithm of the paper's authors, stated in NumPy for comparison: not part of the package.

Start from a linear SVM with squared hinge loss and no bias in the ambient space, then 2000 full
gradient steps of size 1e-3, each projected back to the cone ``w*w < 0``; the best iterate counts.
"""

import numpy as np
from sklearn.svm import LinearSVC

N_STEPS = 2000
STEP = 1e-3
FEASIBLE = -1e-4


def projected_gradient(x: np.ndarray, y: np.ndarray, C: float) -> float:
    """Return the objective that 2000 projected gradient steps reach.

    An infeasible start is pulled into the cone here, where the authors' code would return it
    untrained.
    """
    signs = np.r_[1.0, -np.ones(x.shape[1] - 1)]
    start = LinearSVC(C=C, dual=False, fit_intercept=False, max_iter=10_000).fit(x, y)
    w = _into_the_cone(signs * start.coef_[0], signs)
    best = np.inf
    for _ in range(N_STEPS):
        z = y * (x @ (signs * w))
        active = z < 1
        losses = np.arcsinh(1.0) - np.arcsinh(z[active])
        best = min(best, -0.5 * (w @ (signs * w)) + C * losses.sum())
        slope = y[active] / np.sqrt(1 + z[active] ** 2)
        gradient = -signs * w - C * signs * (slope @ x[active])
        w = _into_the_cone(w - STEP * gradient, signs)
    return best


def _into_the_cone(w: np.ndarray, signs: np.ndarray) -> np.ndarray:
    if w @ (signs * w) < FEASIBLE:
        return w
    # Keep the sign of w0: a projection that loses it flips the hyperplane.
    w = w.copy()
    w[0] = np.sign(w[0]) * np.sqrt(max(w[1:] @ w[1:] + FEASIBLE, 0.0))
    return w
