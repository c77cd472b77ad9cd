"""Logistic regression with hyperbolic kernels."""

from typing import Any

import numpy as np

from hyplane._utils.typing import Array, ArrayLike
from hyplane.classifiers._kernel_machine import KernelMachine
from hyplane.classifiers._targets import ClassWeight
from hyplane.classifiers.logistic import LogisticClassifier, Prepared
from hyplane.geometry import check_points


class HyperbolicKernelLogisticRegression(KernelMachine, LogisticClassifier):
    """Logistic regression with a positive definite kernel on hyperbolic space.

    The logit of a class is ``f(x) + b`` with f in the space of the kernel; all classes are fitted
    at once. Its probabilities need no calibration.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the penalty ``½ |f|²``.
    kernel : {"secant", "laplacian", "tangent_rbf", "ball_rbf"}, default="secant"
        The kernel, as in `hyplane.HyperbolicKernelSVC`.
    gamma : float or "scale", default="scale"
        The γ of the kernel: see `hyplane.features.scale_gamma`.
    radius_scale : float or "auto", default="auto"
        A factor by which all radii are multiplied first, as in `hyplane.HyperbolicKernelSVC`.
    n_landmarks : int or None, default=1000
        The functions f are sums of kernels at so many training rows, drawn at random; None for all
        rows. With fewer rows than that all are taken, and the fit is exact. Time and memory grow
        with its square.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn. For an indicator matrix the classes are 0 and 1
        of each label.
    tol : float, default=1e-5
        The solver stops where no component of the gradient of the mean loss is larger.
    max_iter : int, default=1000
        Most iterations of the solver.
    random_state : int, RandomState instance or None, default=None
        Seed of the landmarks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    gamma_ : float
        The γ in use.
    radius_scale_ : float
        The factor of the radii in use.
    landmarks_ : ndarray of shape (n_centres, n_features_in_)
        The training rows at which the kernels are centred, in the order of the pivots: each is the
        farthest, in the space of the kernel, from the span of those before.
    dual_coef_ : ndarray of shape (1, n_centres) or (n_classes, n_centres)
        Coefficients of the kernels; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constants b.
    objective_ : ndarray
        Value of the objective; one number, or one per label that is not constant.
    n_iter_ : ndarray of int
        Iterations of the solver.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    hyplane.HyperbolicKernelSVC : The same functions with the hinge loss.

    Notes
    -----
    With K the kernel matrix of the landmarks, ``K = L L'``, the functions in their span are linear
    in the features ``L^-1 k(x)``, and their norm is that of the coefficients. On these features the
    problem is convex and smooth, and L-BFGS solves it. With fewer landmarks than rows this is
    Nystroem's approximation. The factor L is found by pivoting; landmarks whose kernels are sums of
    those of others, but for a share of 1e-10, are left out.

    References
    ----------
    Zhu, Hastie (2005). Kernel logistic regression and the import vector machine. Journal of
    Computational and Graphical Statistics 14.

    Williams, Seeger (2001). Using the Nyström method to speed up kernel machines. NIPS.

    Examples
    --------
    >>> from hyplane import HyperbolicKernelLogisticRegression
    >>> X = [[0.0, 0.1], [0.1, 0.0], [0.8, 0.0], [0.0, 0.8], [-0.8, 0.0], [0.0, -0.8]]
    >>> y = ["inner", "inner", "outer", "outer", "outer", "outer"]
    >>> clf = HyperbolicKernelLogisticRegression(10.0).fit(X, y)
    >>> clf.predict([[0.0, 0.0], [0.7, 0.0]])
    array(['inner', 'outer'], dtype='<U5')
    """

    _saved = {  # noqa: RUF012
        "landmarks_": "finite[n_landmarks, n_columns]",
        "dual_coef_": "finite[n_problems, n_landmarks]",
        "intercept_": "finite[n_problems]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        **LogisticClassifier._parameter_constraints,
        **KernelMachine._parameter_constraints,
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "secant",
        gamma: float | str = "scale",
        radius_scale: float | str = "auto",
        n_landmarks: int | None = 1000,
        coordinates: str = "ball",
        curvature: float = -1.0,
        class_weight: ClassWeight = None,
        tol: float = 1e-5,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.radius_scale = radius_scale
        self.n_landmarks = n_landmarks
        self.coordinates = coordinates
        self.curvature = curvature
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepared(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Prepared:
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        X = check_points(X, **self._chart)
        self._fit_scales(X, weights)
        self._check_memory(len(X))
        found = self._landmark_features(X)
        self.landmarks_ = X[found.rows]
        constant = np.r_[np.zeros(len(found.rows)), 1.0]
        penalty = 1.0 - constant  # the intercept is free
        return Prepared(found.features, None, targets, weights, penalty, constant, found)

    def _n_landmarks(self, n_rows: int) -> int:
        return min(n_rows, self.n_landmarks or n_rows)

    def _keep_coefficients(self, coef: Array, basis: Any) -> None:
        self.dual_coef_ = basis.dual(coef)
        self.intercept_ = coef[:, -1]

    def _logits(self, X: ArrayLike) -> Array:
        X = check_points(X, **self._chart)
        values = np.empty((len(X), len(self.intercept_)))
        for rows, kernel in self._kernel_blocks(X, self.landmarks_):
            values[rows] = kernel @ self.dual_coef_.T + self.intercept_
        return values
