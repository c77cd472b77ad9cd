"""scikit-learn's linear SVM, kept from numbers with which it never ends."""

import sys
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.svm
from sklearn.utils._param_validation import Interval

from hyplane._typing import ArrayLike
from hyplane._workers import interruptible
from hyplane.svm.targets import check_class_weight

# Between these, squares and products of a few of them stay within the range of doubles. Beyond,
# liblinear compares numbers that have become 0, infinite or nan, and goes on for ever.
LEAST, GREATEST = 1e-40, 1e40


def check_range(X: ArrayLike, C: ArrayLike, sample_weight: ArrayLike | None = None) -> None:
    """Refuse columns, C or weights of sizes that a linear solver cannot work with.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    C : float or array-like
    sample_weight : array-like of shape (n_samples,), optional

    Raises
    ------
    ValueError
        If the largest entry of a column, or a product of C and a positive weight, is out of range.

    Examples
    --------
    >>> check_range([[1.0]], 1e-300)
    Traceback (most recent call last):
    ValueError: C times the weight of a row is 1e-300; a linear SVM can work with 1e-40 to 1e+40.
    """
    C = np.ravel(np.asarray(C, dtype=np.float64))
    weights = np.ones(1) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    weights = weights[weights != 0]
    if weights.size and np.isfinite(weights).all():
        with np.errstate(over="ignore", under="ignore"):
            _check("C times the weight of a row", C.min() * weights.min())
            _check("C times the weight of a row", C.max() * weights.max())
    # Each column: liblinear goes on for ever where only the constant one of several is in range.
    sizes = np.abs(np.asarray(X, dtype=np.float64)).max(axis=0, initial=0.0)
    for column, size in enumerate(np.ravel(sizes)):
        if size > 0 and not np.isnan(size):
            _check(f"the largest number of column {column}", float(size))


def _check(what: str, value: float) -> None:
    if not LEAST <= value <= GREATEST:
        raise ValueError(
            f"{what} is {value:g}; a linear SVM can work with {LEAST:g} to {GREATEST:g}."
        )


class LinearSVC(sklearn.svm.LinearSVC):  # type: ignore[misc]
    """Linear SVC of scikit-learn that refuses numbers with which liblinear would not end.

    Parameters, attributes and results are those of ``sklearn.svm.LinearSVC``.

    Examples
    --------
    >>> LinearSVC(C=1e-300).fit([[0.0], [1.0]], [0, 1])
    Traceback (most recent call last):
    ValueError: C times the weight of a row is 1e-300; a linear SVM can work with 1e-40 to 1e+40.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **sklearn.svm.LinearSVC._parameter_constraints,
        "C": [Interval(Real, 0.0, sys.float_info.max, closed="right")],
        "tol": [Interval(Real, 0.0, sys.float_info.max, closed="right")],
        "max_iter": [Interval(Integral, 0, 2**31 - 1, closed="both")],
    }

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self : LinearSVC
        """
        self._validate_params()
        check_class_weight(self.class_weight)
        given = self.class_weight.values() if isinstance(self.class_weight, dict) else ()
        factors = np.array([1.0, *given], dtype=np.float64)
        check_range(X, float(self.C) * factors, sample_weight)
        fit = super().fit
        interruptible(lambda: fit(X, y, sample_weight))
        return self
