"""The paper's whole procedure in one estimator: choose C, calibrate, refit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import (
    BOUND_CONSTRAINTS,
    PARAMETER_CONSTRAINTS,
    HyperplaneClassifier,
    accepts_lazy_input,
)
from hyplane.classifiers._calibration import CALIBRATIONS
from hyplane.classifiers._cross_validation import (
    DEFAULT_CS,
    DEFAULT_FOLDS,
    PROCEDURE_CONSTRAINTS,
    SCORE_FUNCTIONS,
    CrossValidatedClassifier,
    klein_scores,
)
from hyplane.classifiers._targets import ClassWeight


class HyperbolicSVCCV(HyperplaneClassifier, CrossValidatedClassifier):
    """Hyperbolic support vector classifier with C chosen by cross validation, and probabilities.

    For each binary problem (a class against the rest, a pair of classes, a label) every C of the
    grid is fitted on the training parts of stratified folds. The scores of the rows left out are
    pooled, the C that ranks them best is chosen (the smaller one of equals), Platt's sigmoid or an
    isotonic curve is fitted to the scores of that C, and the hyperplane is fitted anew on all rows.

    Parameters
    ----------
    Cs : sequence of float, default=(0.1, 1.0, 10.0)
        Weights of the losses to choose from.
    cv : int, splitter, iterable or None, default=5
        Number of folds (5 for None), each with its share of every class. Or a splitter of
        scikit-learn, whose ``split`` gets the numbers of the classes (for an indicator matrix, each
        label by itself), or an iterable of (training, test) rows of X. The test parts must be a
        partition; all other rows are the training part.
    scoring : {"average_precision", "trapezoid_aupr", "roc_auc"}, default="average_precision"
        The metric by which C is chosen: see `hyplane.metrics`. ``"trapezoid_aupr"`` is the
        area that the paper's authors computed.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The model of hyperbolic space that the columns of X belong to, as in `HyperbolicSVC`.
    curvature : float, default=-1.0
        Curvature of the space, a negative number.
    multi_class : {"ovr", "ovo"}, default="ovr"
        One hyperplane per class, or one per pair of classes. The latter is often more accurate
        where there are many classes.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn. A weight counts like repeated rows: in the
        hyperplanes, in the choice of C and in the probabilities, which with ``"balanced"`` are
        those of a population in which all classes are equally frequent.
    score_function : {"minkowski", "klein", "auto"}, default="minkowski"
        The score by which points are ranked. ``"minkowski"``: the product ``w*x`` of the paper.
        ``"klein"``: ``w*x / x0``, linear in Klein coordinates, which is bounded; it is zero on the
        same hyperplane. Better where errors are more frequent far from the origin, and often much
        worse elsewhere. ``"auto"``: that of the two which ranks the rows left out better, chosen
        together with C for each binary problem. Both depend on the origin only through x0.
    calibration : {"sigmoid", "isotonic"}, default="sigmoid"
        How scores become probabilities. ``"sigmoid"``: Platt's, of two parameters.
        ``"isotonic"``: a rising curve of any shape, better where the share of the class is not a
        sigmoid of the score. It needs more rows (scikit-learn advises a thousand), and gives equal
        probabilities to scores on a flat part of the curve.
    threshold : {"side", "probability"}, default="side"
        How two classes are told apart. ``"side"``: by the side of the hyperplane.
        ``"probability"``, as in the paper's procedure: the more probable class. Several classes and
        labels are always decided by their probabilities.
    bound : {"horosphere", "ball"}, default="horosphere"
        How problems without an optimal hyperplane are regularised. ``"horosphere"``: the limits of
        hyperplanes at infinity are allowed too, whose level sets are horospheres. This does not
        depend on the origin, and ranks rare classes better. ``"ball"``, as in `hyplane reproduce`:
        the hyperplane must meet the smallest ball around the origin that holds the points.
    tol : float, default=1e-6
        Relative accuracy of the objective at which the solver stops.
    max_iter : int, default=1000
        Maximum number of iterations of the solver on all rows.
    n_jobs : int, default=None
        Threads that work on folds and problems side by side; None means 1, -1 all processors. The
        result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the solver.
    verbose : int, default=0
        Whether to show progress on the standard error: the share of the fits that are done, from
        the first second on.

    Attributes
    ----------
    C_ : ndarray of shape (n_problems,)
        The C chosen for each binary problem; nan for a constant label.
    cv_scores_ : ndarray of shape (n_problems, n_Cs)
        Scores of the pooled out-of-fold scores, in the order of ``Cs``, for the score function
        that was chosen; nan where no cross validation was possible.
    n_folds_ : ndarray of int of shape (n_problems,)
        Folds used; 0 where no cross validation was possible.
    score_functions_ : ndarray of str of shape (n_problems,)
        The score function of each problem, ``"minkowski"`` or ``"klein"``.
    sigmoids_ : Sigmoids
        Slope and intercept of each problem's log-odds as a function of ``arsinh(w*x)``, or of
        ``arsinh(w*x / x0)`` for the Klein score; with ``calibration="sigmoid"``.
    isotonic_ : IsotonicCurves
        Points of each problem's log-odds as a function of the same score; with
        ``calibration="isotonic"``.
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    coef_ : ndarray of shape (n_problems, n + 1)
        The normals w, one per binary problem, as in `HyperbolicSVC`.
    hyperplanes_ : Hyperplanes
        The same as scale, distance from the origin and unit normal.
    objective_, converged_, n_iter_, results_, degenerate_
        Results of the last fit of each problem, as in `HyperbolicSVC`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where X had them.

    See Also
    --------
    HyperbolicSVC : The classifier for one given C.

    Notes
    -----
    Platt's sigmoid is fitted to ``arsinh(w*x)``; the paper's authors fit it to ``w*x``. Both put
    points in the same order. But log-odds grow with the hyperbolic distance, which is linear in the
    former and exponential in the latter, so the former is calibrated better (and predicts better
    where the probabilities of several classes are compared), and it is finite at any radius.

    For two classes `predict` gives the side of the hyperplane, as `HyperbolicSVC` does, and
    `decision_function` the score. The probability on the hyperplane need not be one half, so that
    `predict` and `predict_proba` can disagree on points near it, as with scikit-learn's
    ``SVC(probability=True)``. With ``threshold="probability"``, and always for several classes or
    labels, `predict` takes the most probable class (a label above one half), `decision_function`
    gives the calibrated log-odds, and all three agree.

    A class of a single row cannot be left out. Its problem takes the middle C of the grid, its
    sigmoid is fitted to the scores of the training rows themselves, and a warning says so. A label
    of all N rows has the probability (N + 1) / (N + 2) everywhere, a label of none 1 / (N + 2).

    In the folds, too, the ball of ``bound="ball"`` is the smallest one around the origin that holds
    all the rows of the problem, those left out included.

    Which fold a row is in depends on its class and its number within the class alone. So rows that
    are read block by block (large memory maps, Parquet tables, Dask collections) have the same
    folds as rows in memory. If they are too many for memory, C and Platt's sigmoid are chosen on
    the scores of a sample of the rows left out, up to 65 536 of each class; all fits use all rows.

    The defaults are the paper's grid and score, with another bound. The paper's own procedure is
    ``bound="ball"``, ``threshold="probability"``, ``scoring="trapezoid_aupr"``; this is
    ``"hyperbolic"`` in `hyplane.evaluation.METHODS`. On the data sets of
    ``benchmarks/bound_and_score.py`` the default bound ranks better at the same accuracy;
    ``score_function="auto"`` and ``Cs=(0.01, 0.1, 1, 10, 100)`` in addition (``"hyperbolic-ours"``)
    rank better still and are a little less accurate.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437.

    Platt (1999). Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods. Advances in Large Margin Classifiers.

    Examples
    --------
    >>> from hyplane import HyperbolicSVCCV
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(400, random_state=2)
    >>> clf = HyperbolicSVCCV(random_state=0).fit(X[:200], y[:200])
    >>> clf.C_.shape, clf.cv_scores_.shape
    ((4,), (4, 3))
    >>> clf.predict_proba(X[200:]).sum(axis=1).round(6).tolist() == [1.0] * 200
    True
    """

    _saved = {  # noqa: RUF012
        "score_functions_": "label[n_problems]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        **PROCEDURE_CONSTRAINTS,
        **PARAMETER_CONSTRAINTS,
        **BOUND_CONSTRAINTS,
        "score_function": [StrOptions({"auto", *SCORE_FUNCTIONS})],
        "calibration": [StrOptions(set(CALIBRATIONS))],
        "threshold": [StrOptions({"side", "probability"})],
    }

    def __init__(
        self,
        Cs: Sequence[float] = DEFAULT_CS,
        *,
        cv: Any = DEFAULT_FOLDS,
        scoring: str = "average_precision",
        coordinates: str = "ball",
        curvature: float = -1.0,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
        score_function: str = "minkowski",
        calibration: str = "sigmoid",
        threshold: str = "side",
        bound: str = "horosphere",
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.coordinates = coordinates
        self.curvature = curvature
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.score_function = score_function
        self.calibration = calibration
        self.threshold = threshold
        self.bound = bound
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _scores(self, X: ArrayLike) -> Array:
        """Return the scores of every row and problem, each by its score function."""
        klein = self.score_functions_ == "klein"
        if not klein.any():
            return super()._scores(X)
        points = self._points(self._check_rows(X))
        scores = points.scores(self.hyperplanes_)
        scores[:, klein] = klein_scores(scores[:, klein], points.radius)
        return np.asarray(scores)

    @accepts_lazy_input
    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores that `predict` compares.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes with ``threshold="side"``: ``arsinh(w*x)``, or ``arsinh(w*x / x0)`` for the
            Klein score, positive on the side of ``classes_[1]``. Otherwise the calibrated log-odds:
            one column for two classes, else one per class (against the rest) or label. One-vs-one
            gives the log-odds of the coupled probabilities. Finite at any radius.
        """
        check_is_fitted(self)
        if self.decomposition_ == "binary" and self.threshold == "side":
            return self._scores(X)[:, 0]
        return super().decision_function(X)

    predict_proba = accepts_lazy_input(CrossValidatedClassifier.predict_proba)
    predict_log_proba = accepts_lazy_input(CrossValidatedClassifier.predict_log_proba)
    predict = accepts_lazy_input(CrossValidatedClassifier.predict)
