"""A support vector classifier with hyperplanes, horospheres, spheres or equidistants."""

from numbers import Real
from typing import NoReturn, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._base import (
    PARAMETER_CONSTRAINTS,
    BinaryProblemsClassifier,
    draw_seeds,
)
from hyplane.classifiers._targets import ClassWeight
from hyplane.solvers import Points
from hyplane.solvers.curved_margin import CurvedMargin, CurvedMarginResult
from hyplane.solvers.rows import Rows


class CurvedHyperbolicSVC(BinaryProblemsClassifier):
    """Support vector classifier whose boundaries are surfaces ``w*x = c``.

    It minimises the objective of `hyplane.HyperbolicSVC` with the distance to a surface of constant
    curvature instead of the distance to a hyperplane: ``½ s²`` plus C times the sum of
    ``max(0, arsinh 1 - arsinh(y s sinh D(x)))``, D being the signed distance.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin.
    surface : {"any", "hyperplane", "horosphere", "sphere"}, default="any"
        "hyperplane" is the paper's model. "any" takes whichever surface has the lowest objective,
        equidistants of hyperplanes included: one number more than a hyperplane. "sphere" takes a
        horosphere where spheres fit the better the larger they are.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    multi_class : {"ovr", "ovo"}, default="ovr"
        One surface per class, or one per pair of classes.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn.
    tol : float, default=1e-8
        Relative decrease of the objective at which the solver stops. Scores are less accurate than
        the objective: two fits of the same points can differ by about the square root of it.
    max_iter : int, default=5000
        Maximum number of iterations from one start.
    n_jobs : int, default=None
        Threads that solve binary problems side by side; None means 1, -1 all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the solver of hyperplanes, whose solution is one of the starts.
    verbose : int, default=0
        Whether to show progress on the standard error: the number of binary problems solved so
        far, from the first second on.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    coef_ : ndarray of shape (n_problems, n + 1)
        The vectors w, one per binary problem, in the order of `HyperbolicSVC`, turned so that the
        positive side is that of ``w*x > c`` and scaled to ``c² - w*w = 1``.
    level_ : ndarray of shape (n_problems,)
        The constants c.
    objective_ : ndarray of shape (n_problems,)
        Value of the objective.
    converged_ : ndarray of bool of shape (n_problems,)
        Whether the solver met its tolerance.
    n_iter_ : ndarray of int of shape (n_problems,)
        Iterations of the solver.
    results_ : list of CurvedMarginResult
        The solver's result for each problem.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    HyperbolicSVC : Hyperplanes, with proofs and for large data.
    hyplane.HyperbolicLogisticRegression : The same boundaries, all classes at once.
    hyplane.geometry.surface_in_ball : The surface as a Euclidean sphere, for drawing.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437.

    Fan, Yang, Vemuri (2023). Horospherical decision boundaries for large margin classification in
    hyperbolic space. NeurIPS.

    Examples
    --------
    >>> from hyplane import CurvedHyperbolicSVC
    >>> X = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.0, 0.8], [-0.8, 0.0], [0.0, -0.8]]
    >>> y = ["inner", "inner", "outer", "outer", "outer", "outer"]
    >>> clf = CurvedHyperbolicSVC(10.0).fit(X, y)
    >>> clf.predict([[0.0, 0.0], [0.7, 0.0]])
    array(['inner', 'outer'], dtype='<U5')
    """

    _saved = {  # noqa: RUF012
        "results_": list[CurvedMarginResult],
        "coef_": "finite[n_problems, n_dim + 1]",
        "level_": "finite[n_problems]",
        "objective_": "float[n_problems]",
        "converged_": "bool[n_problems]",
        "n_iter_": "int[n_problems]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "C": [Interval(Real, 0, 1e300, closed="neither")],
        "surface": [StrOptions({"any", "hyperplane", "horosphere", "sphere"})],
        **PARAMETER_CONSTRAINTS,
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        surface: str = "any",
        coordinates: str = "ball",
        curvature: float = -1.0,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
        tol: float = 1e-8,
        max_iter: int = 5000,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.surface = surface
        self.coordinates = coordinates
        self.curvature = curvature
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the surfaces to training points.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``, up to radius 300 at curvature -1.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : CurvedHyperbolicSVC
        """
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        rows, problems = self._problems(Rows(self._points(X), targets.codes, weights), targets)
        Cs = [self.C] * len(problems)
        [seed] = draw_seeds(self.random_state)
        results = self._solve(rows, problems, Cs, seed)
        self._store(targets, results)
        self.coef_ = np.array([result.w for result in results])
        self.level_ = np.array([result.level for result in results])
        self._store_convergence()
        self._warn_where_not_converged(problems)
        return self

    def _solver(self) -> CurvedMargin:
        return CurvedMargin(self.surface, self.tol, self.max_iter)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the scores ``arsinh(s sinh D)``, which grow like the distances D.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column for two classes, positive for ``classes_[1]``. One-vs-one gives the votes of
            the pairs instead, ties broken by their scores. Finite at any radius.
        """
        chunks = Points.chunks(self._check_rows(X), **self._chart)
        scores = [self._solver().score(self.results_, points) for _, points in chunks]
        return self._per_class(np.concatenate(scores))

    @property
    def predict_proba(self) -> NoReturn:
        """Not available: the error names classifiers that have probabilities."""
        raise AttributeError(
            "CurvedHyperbolicSVC has scores and no probabilities. HyperbolicLogisticRegression has "
            "the same kind of boundaries and probabilities."
        )
