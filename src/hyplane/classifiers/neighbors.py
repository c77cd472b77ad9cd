"""Classification by the nearest neighbours in hyperbolic distance."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._probabilistic import ProbabilisticClassifier, class_shares
from hyplane.classifiers.neighbor_index import NeighborIndex


class HyperbolicKNeighborsClassifier(ProbabilisticClassifier):
    """Votes of the nearest neighbours, in exact hyperbolic distance at any radius.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours.
    weights : {"uniform", "distance"}, default="uniform"
        Whether all neighbours count the same, or each by the inverse of its distance.
    algorithm : {"auto", "tree", "brute"}, default="auto"
        How neighbours are found; the result is the same. See `hyplane.NeighborIndex`.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    n_jobs : int, default=None
        Threads that search trees; None means 1, -1 all processors.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    class_shares_ : ndarray of shape (n_classes,)
        Shares of the classes in the training rows.
    codes_ : ndarray of int of shape (n_samples,) or (n_samples, n_labels)
        Their classes, as numbers, or the indicator matrix.
    index_ : NeighborIndex
        The index of the training rows.
    n_features_in_ : int
        Number of columns of X.

    Examples
    --------
    >>> from hyplane import HyperbolicKNeighborsClassifier
    >>> X = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.9, 0.0]]
    >>> clf = HyperbolicKNeighborsClassifier(1).fit(X, ["inner", "inner", "outer", "outer"])
    >>> clf.predict([[0.0, 0.0], [0.85, 0.0]])
    array(['inner', 'outer'], dtype='<U5')
    """

    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "distance"})],
        "algorithm": [StrOptions({"auto", "tree", "brute"})],
        **CHART_CONSTRAINTS,
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str = "uniform",
        algorithm: str = "auto",
        coordinates: str = "ball",
        curvature: float = -1.0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.coordinates = coordinates
        self.curvature = curvature
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Store the rows in an index.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.

        Returns
        -------
        self : HyperbolicKNeighborsClassifier
        """
        X, targets, _, _ = self._rows(X, y, None)
        self.index_ = NeighborIndex(X, **self._chart, algorithm=self.algorithm)
        self.codes_ = targets.codes
        self.class_shares_ = class_shares(targets, None)
        self._keep_kind(targets)
        return self

    def kneighbors(
        self, X: ArrayLike, n_neighbors: int | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return the nearest training rows of each point.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.
        n_neighbors : int, default=None
            How many; None for the parameter of that name.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            From the nearest on, in units of the space's own curvature.
        rows : ndarray of int of shape (n_samples, n_neighbors)
        """
        X = self._check_rows(X)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        return self.index_.query(X, k, n_jobs=self.n_jobs)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the shares of the classes among the neighbours.

        The shares of the classes among all training rows count as one more neighbour, so that
        nothing is certain and ties go to the more frequent class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one. For an indicator matrix the columns are independent.
        """
        distances, rows = self.kneighbors(X)
        weight = _vote_weights(distances, self.weights)
        k = weight.shape[1]
        votes = np.zeros((len(rows), len(self.classes_)))
        for column in range(k):
            _add_votes(votes, self.codes_[rows[:, column]], weight[:, column])
        return np.asarray((votes + self.class_shares_) / (k + 1.0))


def _vote_weights(distances: Array, weights: str) -> Array:
    """Return weights that sum to the number of neighbours in each row."""
    if weights == "uniform":
        return np.ones_like(distances)
    # Where some neighbours are the point itself, they alone count.
    same = distances == 0
    inverse = np.where(same, 1.0, 0.0)
    others = ~same.any(axis=1)
    inverse[others] = distances[others, :1] / distances[others]
    return np.asarray(inverse * distances.shape[1] / inverse.sum(axis=1, keepdims=True))


def _add_votes(votes: Array, codes: NDArray[Any], weight: Array) -> None:
    if codes.ndim == 2:
        votes += weight[:, None] * codes
    else:
        votes[np.arange(len(votes)), codes] += weight
