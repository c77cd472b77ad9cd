"""Baselines that are a chart and an estimator of scikit-learn.

Each function returns a pipeline. Its last step has the class name in lower case, so a grid of C is
``{"linearsvc__C": [0.1, 1, 10]}``.
"""

from typing import Any

from sklearn.pipeline import Pipeline, make_pipeline

from hyplane.baselines.checked import SVC, LinearSVC, LogisticRegression
from hyplane.classifiers import ClassWeight
from hyplane.features.chart_transformer import ChartTransformer


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
    chart: str = "tangent",
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
    max_iter: int = 1000,
) -> Pipeline:
    """Logistic regression on tangent vectors at the origin, or on another chart.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the penalty.
    chart : same names as `coordinates`, default="tangent"
        The chart whose columns the model sees.
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
    return _in_chart(chart, coordinates, curvature, model)


def rbf_svc(
    C: float = 1.0,
    *,
    gamma: float | str = "scale",
    chart: str = "ball",
    coordinates: str = "ball",
    curvature: float = -1.0,
    class_weight: ClassWeight = None,
) -> Pipeline:
    """SVC with the Euclidean RBF kernel on ball coordinates, or on another chart.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the losses against the margin.
    gamma : float, "scale" or "auto", default="scale"
        The γ of scikit-learn's RBF kernel.
    chart : same names as `coordinates`, default="ball"
        The chart whose columns the kernel sees.
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
    return _in_chart(chart, coordinates, curvature, svc)


def _in_chart(target: str, coordinates: str, curvature: float, model: Any) -> Pipeline:
    return make_pipeline(
        ChartTransformer(target, coordinates=coordinates, curvature=curvature), model
    )
