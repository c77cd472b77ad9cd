"""scikit-learn's classifiers, kept from input that they misread or with which they never end."""

import sys
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.linear_model
import sklearn.svm
from sklearn.utils._param_validation import Interval, Options, StrOptions

from hyplane._utils.inputs import check_labels, check_numbers, validate_weights
from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.workers import interruptible
from hyplane.classifiers import check_class_weight

# Between these, squares and products of a few of them stay within the range of doubles. Beyond,
# liblinear compares numbers that have become 0, infinite or nan, and goes on for ever.
LEAST, GREATEST = 1e-40, 1e40
_POSITIVE = Interval(Real, 0.0, sys.float_info.max, closed="right")
_ITERATIONS = Interval(Integral, 1, 2**31 - 1, closed="both")


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


class _CheckedFit:
    """Checks parameters, rows, labels and weights before scikit-learn takes them."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, finite and not negative.

        Returns
        -------
        self : object
        """
        this: Any = self
        this._validate_params()
        check_class_weight(this.class_weight)
        check_numbers(X, "X")
        check_labels(y)
        if sample_weight is not None:
            sample_weight = validate_weights(sample_weight, X)
        self._check_size(X, sample_weight)
        fit = super().fit  # type: ignore[misc]
        interruptible(lambda: fit(X, y, sample_weight))
        return self

    def _check_size(self, X: ArrayLike, sample_weight: Array | None) -> None:
        """Refuse numbers with which the solver does not end."""


class LinearSVC(_CheckedFit, sklearn.svm.LinearSVC):  # type: ignore[misc]
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
        "C": [_POSITIVE],
        "tol": [_POSITIVE],
        "max_iter": [_ITERATIONS],
    }

    def _check_size(self, X: ArrayLike, sample_weight: Array | None) -> None:
        given = self.class_weight.values() if isinstance(self.class_weight, dict) else ()
        factors = np.array([1.0, *given], dtype=np.float64)
        check_range(X, float(self.C) * factors, sample_weight)


class LogisticRegression(_CheckedFit, sklearn.linear_model.LogisticRegression):  # type: ignore[misc]
    """Logistic regression of scikit-learn with checks of weights and parameters.

    Parameters, attributes and results are those of ``sklearn.linear_model.LogisticRegression``.

    Examples
    --------
    >>> LogisticRegression().fit([[0.0], [1.0]], [0, 1], [1.0, -1.0])
    Traceback (most recent call last):
    ValueError: Negative values in data passed to `sample_weight`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **sklearn.linear_model.LogisticRegression._parameter_constraints,
        "C": [Interval(Real, LEAST, GREATEST, closed="both")],
        "max_iter": [_ITERATIONS],
    }


class SVC(_CheckedFit, sklearn.svm.SVC):  # type: ignore[misc]
    """SVC of scikit-learn with checks of weights and parameters.

    Parameters, attributes and results are those of ``sklearn.svm.SVC``.

    Examples
    --------
    >>> SVC().fit([[0.0], [1.0]], [0, 1], [1.0, -1.0])
    Traceback (most recent call last):
    ValueError: Negative values in data passed to `sample_weight`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **sklearn.svm.SVC._parameter_constraints,
        "C": [_POSITIVE],
        "gamma": [StrOptions({"scale", "auto"}), _POSITIVE],
        "max_iter": [_ITERATIONS, Options(Integral, {-1})],
    }
