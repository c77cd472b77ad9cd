"""What the classifiers by hyperplanes of hyperbolic space share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane.classifiers._base import BinaryDecomposition, threads_of_each
from hyplane.classifiers._block_fits import also_over_blocks
from hyplane.classifiers._targets import Targets
from hyplane.solvers import BOUNDS, Hyperplanes, PackedRows, Score, scores_of_rows
from hyplane.solvers.reservoir import MOST_OF_A_GROUP

BOUND_CONSTRAINTS = {"bound": [StrOptions(set(BOUNDS))]}


class HyperplaneClassifier(BinaryDecomposition):
    """A classifier made of one hyperplane per binary problem."""

    @property
    def degenerate_(self) -> Mask:
        """Which binary problems have no best hyperplane, only one on the bound.

        Of shape (n_problems,); ``results_`` say in words what happened.
        """
        check_is_fitted(self)
        return np.array([getattr(result, "degenerate", False) for result in self.results_])

    def _keep(self, targets: Targets, results: Sequence[Any]) -> None:
        """Set the learned attributes."""
        super()._keep(targets, results)
        self.hyperplanes_ = Hyperplanes.of_results(results)
        self.coef_ = self.hyperplanes_.w
        self._keep_ends()

    def _packed_rows(self, X: NDArray[Any]) -> PackedRows:
        """Return the rows as the soft margin takes them."""
        return PackedRows.from_chart(X, **self._chart, n_threads=threads_of_each(self.n_jobs, 1))

    def _of_each_row(self, X: ArrayLike, kind: Score) -> Array:
        """Evaluate the hyperplanes at all rows."""
        n_threads = threads_of_each(self.n_jobs, 1)
        rows = self._check_rows(X)
        return scores_of_rows(rows, self.hyperplanes_, kind, **self._chart, n_threads=n_threads)

    def _scores(self, X: ArrayLike) -> Array:
        """Return ``arsinh(w*x)`` of every row and problem."""
        return self._of_each_row(X, "arsinh_product")

    @also_over_blocks
    def signed_distance(self, X: ArrayLike) -> Array:
        """Return the signed hyperbolic distances to the hyperplanes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        distances : ndarray of shape (n_samples,) or (n_samples, n_problems)
            ``arsinh(w*x / sqrt(-w*w))``, in units of the space's own curvature: one column per row
            of ``coef_``. Compare classes by their scores, not by these: a hyperplane far from the
            points says little in distances.
        """
        distances = self._of_each_row(X, "signed_distance")
        distances /= np.sqrt(-self.curvature)
        return distances[:, 0] if self.decomposition_ == "binary" else distances

    @also_over_blocks
    def minkowski_products(self, X: ArrayLike) -> Array:
        """Return the Minkowski products ``w*x``, the scores of the paper.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        products : ndarray of shape (n_samples,) or (n_samples, n_problems)
            One column per row of ``coef_``. A product beyond the range of doubles (points farther
            out than about 700) is infinite.
        """
        products = self._of_each_row(X, "product")
        return products[:, 0] if self.decomposition_ == "binary" else products

    def _remember_rows(self, points: Any, targets: Targets, weights: Array | None) -> None:
        """Keep the rows of a small fit, so that a stream can begin with them."""
        if len(points) <= MOST_OF_A_GROUP and not targets.multilabel:
            # The weights can be the user's own array, which may change; the others are ours.
            weights = None if weights is None else weights.copy()
            self._rows_of_fit = points, targets.codes, weights, self._chart

    def _forget_rows(self) -> None:
        """Drop the rows of the last fit or stream."""
        for name in ("_rows_of_fit", "_last_stream"):
            self.__dict__.pop(name, None)
