"""The methods that the experiments compare, by name."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from hyplane.baselines import TangentSVC, ambient_svm, klein_svm, logistic_regression, rbf_svc
from hyplane.baselines.euclidean import EuclideanSVCCV
from hyplane.baselines.nested_cv import NestedCV
from hyplane.svm import HyperbolicKernelSVC, HyperbolicSVCCV

# The paper chooses C by the same area that it reports.
SCORING = "trapezoid_aupr"
# The two methods of the paper, which every run compares.
PAPER = ("hyperbolic", "euclidean")


@dataclass(frozen=True)
class Method:
    """A classifier of points in ball coordinates.

    Attributes
    ----------
    title : str
        For tables and figures.
    make : callable
        Returns a new estimator.

    Examples
    --------
    >>> method = METHODS["euclidean"]
    >>> method.title, type(method.make()).__name__
    ('Euclidean SVM', 'EuclideanSVCCV')
    """

    title: str
    make: Callable[[], Any]


def _nested(estimator: Any, parameter: str) -> NestedCV:
    return NestedCV(estimator, parameter=parameter, scoring=SCORING)


METHODS: dict[str, Method] = {
    "hyperbolic": Method("Hyperbolic SVM", lambda: HyperbolicSVCCV(scoring=SCORING)),
    "euclidean": Method("Euclidean SVM", lambda: EuclideanSVCCV(scoring=SCORING)),
    "hyperbolic-ovo": Method(
        "Hyperbolic SVM, one-vs-one", lambda: HyperbolicSVCCV(scoring=SCORING, multi_class="ovo")
    ),
    "kernel-secant": Method(
        "Kernel SVM, secant", lambda: _nested(HyperbolicKernelSVC(kernel="secant"), "C")
    ),
    "kernel-laplacian": Method(
        "Kernel SVM, Laplacian", lambda: _nested(HyperbolicKernelSVC(kernel="laplacian"), "C")
    ),
    "klein": Method("Linear SVM, Klein", lambda: _nested(klein_svm(), "linearsvc__C")),
    "ambient": Method("Linear SVM, hyperboloid", lambda: _nested(ambient_svm(), "linearsvc__C")),
    "tangent": Method("Tangent SVM", lambda: _nested(TangentSVC(), "C")),
    "logistic": Method(
        "Logistic regression, tangent",
        lambda: _nested(logistic_regression(), "logisticregression__C"),
    ),
    "rbf": Method("RBF SVM, ball", lambda: _nested(rbf_svc(), "svc__C")),
}


def chosen_methods(extra: Iterable[str] | None = None) -> tuple[str, ...]:
    """Return the names of the two methods of the paper and of others that join them.

    Parameters
    ----------
    extra : iterable of str, optional
        Names from `METHODS`.

    Returns
    -------
    names : tuple of str

    Examples
    --------
    >>> chosen_methods(["klein", "hyperbolic"])
    ('hyperbolic', 'euclidean', 'klein')
    """
    names = [extra] if isinstance(extra, str) else list(extra or ())
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise ValueError(f"no method {unknown[0]!r}: there are {', '.join(METHODS)}.")
    return tuple(dict.fromkeys((*PAPER, *names)))
