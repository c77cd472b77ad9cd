"""Baselines that convert points to a chart and fit an estimator of scikit-learn.

Each function returns a pipeline whose steps have the class names in lower case: a grid of C is
``{"linearsvc__C": [0.1, 1, 10]}``, and ``set_params(charttransformer__output_coordinates="klein")``
sets the chart that the estimator sees.
"""

from sklearn.base import ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import SVC, LinearSVC

from hyplane.classifiers import ClassWeight
from hyplane.features import ChartTransformer


def ball_svm(
    C: float = 1.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
    max_iter: int = 10_000,
) -> Pipeline:
    """Linear SVM on ball coordinates, with a bias: the Euclidean baseline of the paper.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses (squared hinge) against the margin.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of X.
    curvature : float, default=-1.0
        Its curvature.
    class_weight : dict or "balanced", default=None
        Weights of the classes.
    max_iter : int, default=10000
        Most iterations.

    Returns
    -------
    pipeline : Pipeline

    Examples
    --------
    >>> from hyplane.baselines import ball_svm
    >>> ball_svm().fit([[0.5, 0.1], [-0.5, 0.2]], [1, 0]).predict([[0.3, 0.0]])
    array([1])
    """
    svm = LinearSVC(C=C, class_weight=class_weight, dual=False, max_iter=max_iter)
    return _in_chart("ball", coordinates, curvature, svm)


def klein_svm(
    C: float = 1.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
    max_iter: int = 10_000,
) -> Pipeline:
    """Linear SVM on Klein coordinates, with a bias.

    Its hyperplanes are hyperbolic hyperplanes, since those are straight in Klein coordinates; only
    the margin is Euclidean.

    Parameters
    ----------
    C, coordinates, curvature, class_weight, max_iter
        As for `ball_svm`.

    Returns
    -------
    pipeline : Pipeline

    Examples
    --------
    >>> from hyplane.baselines import klein_svm
    >>> klein_svm().fit([[0.5, 0.1], [-0.5, 0.2]], [1, 0]).predict([[0.3, 0.0]])
    array([1])
    """
    svm = LinearSVC(C=C, class_weight=class_weight, dual=False, max_iter=max_iter)
    return _in_chart("klein", coordinates, curvature, svm)


def ambient_svm(
    C: float = 1.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
    max_iter: int = 10_000,
) -> Pipeline:
    """Linear SVM without bias on hyperboloid coordinates, with the squared hinge.

    Its decision ``v·x`` is the Minkowski product with ``w = (v0, -v1:)``, so it is a hyperbolic
    hyperplane where ``w*w < 0``. The paper's own solver starts here.

    Parameters
    ----------
    C, coordinates, curvature, class_weight, max_iter
        As for `ball_svm`.

    Returns
    -------
    pipeline : Pipeline

    Examples
    --------
    >>> from hyplane.baselines import ambient_svm
    >>> ambient_svm().fit([[0.5, 0.1], [-0.5, 0.2]], [1, 0]).predict([[0.3, 0.0]])
    array([1])
    """
    svm = LinearSVC(
        C=C, class_weight=class_weight, dual=False, fit_intercept=False, max_iter=max_iter
    )
    return _in_chart("hyperboloid", coordinates, curvature, svm)


def logistic_regression(
    C: float = 1.0,
    *,
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
    max_iter: int = 1000,
) -> Pipeline:
    """Logistic regression on tangent vectors at the origin.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the penalty.
    coordinates, curvature, class_weight
        As for `ball_svm`.
    max_iter : int, default=1000
        Most iterations.

    Returns
    -------
    pipeline : Pipeline

    Examples
    --------
    >>> from hyplane.baselines import logistic_regression
    >>> logistic_regression().fit([[0.5, 0.1], [-0.5, 0.2]], [1, 0]).predict([[0.3, 0.0]])
    array([1])
    """
    model = LogisticRegression(C=C, class_weight=class_weight, max_iter=max_iter)
    return _in_chart("tangent", coordinates, curvature, model)


def rbf_svc(
    C: float = 1.0,
    *,
    gamma: float | str = "scale",
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
) -> Pipeline:
    """SVC with the Euclidean RBF kernel on ball coordinates.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin.
    gamma : float, "scale" or "auto", default="scale"
        The γ of scikit-learn's RBF kernel.
    coordinates, curvature, class_weight
        As for `ball_svm`.

    Returns
    -------
    pipeline : Pipeline

    Examples
    --------
    >>> from hyplane.baselines import rbf_svc
    >>> rbf_svc().fit([[0.5, 0.1], [-0.5, 0.2]], [1, 0]).predict([[0.3, 0.0]])
    array([1])
    """
    svc = SVC(C=C, gamma=gamma, class_weight=class_weight)
    return _in_chart("ball", coordinates, curvature, svc)


def _in_chart(
    output_coordinates: str, coordinates: str, curvature: float, model: ClassifierMixin
) -> Pipeline:
    chart = ChartTransformer(output_coordinates, coordinates=coordinates, curvature=curvature)
    return make_pipeline(chart, model)
