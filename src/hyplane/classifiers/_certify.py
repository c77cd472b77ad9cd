"""Proofs of how good fitted hyperplanes are."""

from math import isinf
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import ArrayLike
from hyplane._utils.validation import is_lazy
from hyplane.classifiers._base import side_by_side
from hyplane.solvers import Certificate, Points, SoftMarginResult, certify_soft_margin
from hyplane.solvers.rows import BinaryProblem, Rows


class CertifyMixin:
    """Proofs of how close fitted hyperplanes are to the global optimum."""

    def certify(
        self: Any,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        rel_gap: float = 1e-4,
        max_seconds: float = 10.0,
    ) -> list[Certificate | None]:
        """Prove how close the hyperplanes are to the global optimum, for points of the plane.

        The fitted hyperplanes are evaluated on the rows and weights passed here, with the present
        ``C``. Pass the training rows and weights to certify the fit itself.

        Parameters
        ----------
        X, y, sample_weight
            Rows with the classes of the fit, usually those that the classifier was fitted on.
        rel_gap : float, default=1e-4
            Relative gap at which the search for a proof ends.
        max_seconds : float, default=10.0
            Time limit of the search for each binary problem; the gap is the one proven by then.

        Returns
        -------
        certificates : list of Certificate
            One per binary problem, with a ``lower_bound`` of the objective of every hyperplane and
            the relative ``gap`` of the fitted one. None for a constant label.

        Examples
        --------
        >>> from hyplane import HyperbolicSVC
        >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
        >>> clf = HyperbolicSVC().fit(X, [1, 1, 0, 0])
        >>> clf.certify(X, [1, 1, 0, 0])[0].gap <= 1e-4
        True
        """
        check_is_fitted(self)
        if is_lazy(X):
            raise ValueError(
                "a proof needs its rows in memory, and these are read block by block. Ask for the "
                "proof of a sample."
            )
        if isinf(self.C):
            raise ValueError("the hard margin comes with its own proof: see gap_.")
        X, targets, weights, _ = self._rows(X, y, sample_weight, reset=False)
        same_labels = np.array_equal(targets.classes, self.classes_)
        if not same_labels or targets.decomposition(self.multi_class) != self.decomposition_:
            raise ValueError(
                "these are not the classes that the classifier was fitted on: "
                f"{targets.classes.tolist()} ({targets.decomposition(self.multi_class)}) instead "
                f"of {self.classes_.tolist()} ({self.decomposition_})."
            )
        rows = Rows(Points.from_chart(X, **self._chart), targets.codes, weights)
        rows, problems = self._problems(rows, targets)

        def prove(problem: BinaryProblem, result: SoftMarginResult) -> Certificate | None:
            own = rows.of(problem)
            if own.constant or np.isinf(result.offset):
                return None
            return certify_soft_margin(
                own.data,
                own.labels,
                own.weights,
                C=float(self.C),
                plane=result,
                rel_gap=rel_gap,
                max_seconds=max_seconds,
                bound=self.bound,
            )

        return side_by_side(prove, zip(problems, self.results_, strict=True), self.n_jobs)
