"""The penalised likelihood of all classes at once, and its minimisation."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from hyplane._utils.typing import Array

# At zero coefficients the slopes are exp(r). Beyond this radius L-BFGS finds better minima from the
# fit with plain logits; from about 20 on it finds no step from zero at all.
LARGEST_RADIUS_AT_ZERO = 10.0
LARGEST_SLOPE = 1e150  # sums of slopes stay finite
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class SoftmaxResult:
    """What the minimisation found.

    Attributes
    ----------
    coef : ndarray of shape (n_columns, n_features)
        One row per class; one row in all for two classes, whose other logit is 0.
    objective : float
        Value of the objective.
    n_iter : int
        Iterations of the best start.
    converged : bool
        Whether the tolerance was met.
    reason : str
        Why it stopped.
    """

    coef: Array
    objective: float
    n_iter: int
    converged: bool
    reason: str


@dataclass(frozen=True)
class Logits:
    """Logits of rows, as functions of the coefficients.

    ``z = exp(r) F v`` of features F and coefficients v, then ``arsinh z``; or plainly ``F v``.

    Attributes
    ----------
    features : ndarray of shape (m, n_features)
        F.
    radius : ndarray of shape (m,) or None
        r, for arsinh; None for plain logits.
    """

    features: Array
    radius: Array | None = None

    def values(self, coef: Array) -> Array:
        """Return the logits, of shape (m, n_columns)."""
        return self.with_slopes(coef)[0]

    def with_slopes(self, coef: Array) -> tuple[Array, Array | None]:
        """Return the logits and their derivatives by ``F v``; None where these are 1."""
        scaled = self.features @ coef.T
        if self.radius is None:
            return scaled, None
        # arsinh z = ± log(|z| + sqrt(1 + z²)), divided by exp(r) inside the logarithm.
        with np.errstate(under="ignore"):
            small = np.exp(-self.radius)[:, None]
            root = np.maximum(np.hypot(scaled, small), TINY)
        size = np.log(np.abs(scaled) + root) + self.radius[:, None]
        return np.sign(scaled) * size, np.minimum(1.0 / root, LARGEST_SLOPE)


def fit_softmax(
    logits: Logits,
    codes: NDArray[np.integer[Any]],
    n_classes: int,
    weights: Array | None,
    *,
    C: float,
    penalty: Array,
    tol: float,
    max_iter: int,
    starts: int = 1,
    seed: int = 0,
    first: Array | None = None,
) -> SoftmaxResult:
    """Minimise ``½ Σ penalty v² + C Σ weight (-log p)`` over the coefficients.

    Parameters
    ----------
    logits : Logits
    codes : ndarray of int of shape (m,)
        The class of each row.
    n_classes : int
    weights : ndarray of shape (m,) or None
        Weights of the rows.
    C : float
        Weight of the losses.
    penalty : ndarray of shape (n_features,)
        Weights of the squared coefficients.
    tol : float
        Largest gradient, divided by C times the total weight, at which to stop.
    max_iter : int
    starts : int, default=1
        Where logits are not linear: how many starts. The others than the first are random.
    seed : int, default=0
        Seed of the random starts.
    first : ndarray of shape (n_columns, n_features), default=None
        The first start. None for zero or, where points are far out and the slopes at zero very
        large, the fit with plain logits ``F v``.

    Returns
    -------
    result : SoftmaxResult
        The best of all starts.

    Examples
    --------
    >>> F = np.array([[1.0], [2.0], [-1.0], [-2.0]])
    >>> fit = fit_softmax(
    ...     Logits(F), np.array([1, 1, 0, 0]), 2, None, C=1.0, penalty=np.ones(1), tol=1e-8,
    ...     max_iter=100,
    ... )
    >>> fit.coef.round(3), fit.converged
    (array([[1.007]]), True)
    """
    n_columns = 1 if n_classes == 2 else n_classes
    n_features = logits.features.shape[1]
    weight = np.ones(len(codes)) if weights is None else weights
    scale = 1.0 / (C * float(weight.sum()))
    rows = np.arange(len(codes))

    def objective(flat: Array) -> tuple[float, Array]:
        coef = flat.reshape(n_columns, n_features)
        values, slopes = logits.with_slopes(coef)
        # The softmax and its logarithm from one exponential.
        full = _full(values)
        full = full - full.max(axis=1, keepdims=True)
        residual = np.exp(full)
        total = residual.sum(axis=1)
        loss = float(weight @ (np.log(total) - full[rows, codes]))
        residual *= (weight / total)[:, None]
        residual[rows, codes] -= weight
        residual = residual[:, -n_columns:]
        if slopes is not None:
            residual = residual * slopes
        gradient = C * (residual.T @ logits.features) + penalty * coef
        value = C * loss + 0.5 * float((penalty * coef**2).sum())
        return scale * value, scale * gradient.ravel()

    if first is None:
        first = np.zeros((n_columns, n_features))
        if logits.radius is not None and logits.radius.max() > LARGEST_RADIUS_AT_ZERO:
            plain = Logits(logits.features)
            first = fit_softmax(
                plain, codes, n_classes, weights, C=C, penalty=penalty, tol=1e-3, max_iter=max_iter
            ).coef
    rng = np.random.default_rng(seed)
    options = {"maxiter": max_iter, "maxfun": 3 * max_iter, "gtol": tol, "ftol": 1e-14}
    best = None
    for number in range(starts):
        start = first.ravel() if number == 0 else rng.normal(size=n_columns * n_features)
        found = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
        if best is None or found.fun < best.fun:
            best = found
    assert best is not None
    return SoftmaxResult(
        coef=best.x.reshape(n_columns, n_features),
        objective=float(best.fun) / scale,
        n_iter=max(int(best.nit), 1),
        converged=bool(best.success),
        reason=str(best.message),
    )


def _full(values: Array) -> Array:
    """Return one logit per class: of two classes the first has 0."""
    if values.shape[1] > 1:
        return values
    return np.column_stack([np.zeros(len(values)), values])


def probabilities(values: Array, decomposition: str) -> Array:
    """Return the probabilities of logits.

    Parameters
    ----------
    values : ndarray of shape (m, n_columns)
    decomposition : {"binary", "joint", "multilabel"}

    Returns
    -------
    probabilities : ndarray of shape (m, n_classes)

    Examples
    --------
    >>> probabilities(np.array([[0.0]]), "binary")
    array([[0.5, 0.5]])
    """
    if decomposition == "multilabel":
        return np.asarray(0.5 * (1.0 + np.tanh(0.5 * values)))
    return np.asarray(softmax(_full(values), axis=1))
