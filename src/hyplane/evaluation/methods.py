"""The register of methods: every classifier that the package compares, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from hyplane.baselines import (
    EuclideanSVCCV,
    NestedCV,
    ambient_svm,
    ball_svm,
    klein_svm,
    logistic_regression,
    rbf_svc,
)
from hyplane.classifiers import (
    CurvedHyperbolicSVC,
    HorofunctionForestClassifier,
    HyperbolicClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    HyperbolicSVC,
    HyperbolicSVCCV,
)

# The paper chooses C by the same area that it reports.
PAPER_SCORING = "trapezoid_aupr"
# Our grid is wider than the paper's at both ends.
OUR_CS = (0.01, 0.1, 1.0, 10.0, 100.0)

# Settings of the procedure; all others belong to the classifier inside it.
_PROCEDURE = ("Cs", "cv", "scoring", "random_state", "n_jobs")


@dataclass(frozen=True)
class Method:
    """A classifier for one given C, and by the paper's procedure.

    Attributes
    ----------
    title : str
        For tables and figures.
    single : callable
        ``single(C=1.0, coordinates="ball", curvature=-1.0, class_weight=None, …)`` returns a
        classifier for one C.
    procedure : callable
        Returns a classifier that chooses C by cross validation and has probabilities.

    Examples
    --------
    >>> method = METHODS["euclidean"]
    >>> method.title, type(method.make()).__name__
    ('Euclidean SVM', 'EuclideanSVCCV')
    """

    title: str
    single: Callable[..., Any]
    procedure: Callable[..., Any]

    def make(self, *, scoring: str = PAPER_SCORING, **settings: Any) -> Any:
        """Return a new estimator that follows the paper's procedure.

        Parameters
        ----------
        scoring : str, default="trapezoid_aupr"
            What C is chosen by: see `hyplane.metrics`.
        **settings
            ``Cs``, ``cv``, ``random_state``, ``coordinates``, ``curvature``, ``class_weight``.

        Returns
        -------
        estimator : classifier

        Examples
        --------
        >>> METHODS["hyperbolic"].make(cv=3).cv
        3
        """
        return self.procedure(scoring=scoring, **settings)


def _nested(single: Callable[..., Any], parameter: str = "C") -> Callable[..., NestedCV]:
    def make(**settings: Any) -> NestedCV:
        outer = {key: settings.pop(key) for key in _PROCEDURE if key in settings}
        outer.pop("n_jobs", None)  # these have no threads of their own
        return NestedCV(single(**settings), parameter=parameter, **outer)

    return make


def _euclidean(*, n_jobs: int | None = None, **settings: Any) -> EuclideanSVCCV:
    return EuclideanSVCCV(**settings)


def _method(title: str, single: Callable[..., Any], parameter: str = "C") -> Method:
    return Method(title, single, _nested(single, parameter))


def _without_C(title: str, single: Callable[..., Any], *known: str) -> Method:
    """Return a method that has no C to choose: its procedure is the classifier itself."""

    def checked(**settings: Any) -> Any:
        unknown = [key for key in settings if key not in known]
        if unknown:
            raise ValueError(f"{title.lower()}: there is no {unknown[0]} to set.")
        return single(**settings)

    def procedure(**settings: Any) -> Any:
        return single(**{key: value for key, value in settings.items() if key in known})

    return Method(title, checked, procedure)


METHODS: dict[str, Method] = {
    "hyperbolic": Method(
        "Hyperbolic SVM",
        partial(HyperbolicSVC, bound="ball"),
        partial(HyperbolicSVCCV, bound="ball", score_function="minkowski"),
    ),
    "euclidean": Method("Euclidean SVM", ball_svm, _euclidean),
    # Ours: the bound without an origin, the score and C of a wider grid chosen by the same folds.
    "hyperbolic-ours": Method(
        "Hyperbolic SVM, ours",
        partial(HyperbolicSVC, bound="horosphere"),
        partial(HyperbolicSVCCV, Cs=OUR_CS, bound="horosphere", score_function="auto"),
    ),
    "euclidean-ours": Method("Euclidean SVM, our grid", ball_svm, partial(_euclidean, Cs=OUR_CS)),
    "hyperbolic-ovo": Method(
        "Hyperbolic SVM, one-vs-one",
        partial(HyperbolicSVC, multi_class="ovo"),
        partial(HyperbolicSVCCV, multi_class="ovo"),
    ),
    "kernel-secant": _method("Kernel SVM, secant", partial(HyperbolicKernelSVC, kernel="secant")),
    "kernel-laplacian": _method(
        "Kernel SVM, Laplacian", partial(HyperbolicKernelSVC, kernel="laplacian")
    ),
    "kernel-logistic-secant": _method(
        "Kernel logistic regression, secant",
        partial(HyperbolicKernelLogisticRegression, kernel="secant"),
    ),
    "kernel-logistic-laplacian": _method(
        "Kernel logistic regression, Laplacian",
        partial(HyperbolicKernelLogisticRegression, kernel="laplacian"),
    ),
    "curved": _method("SVM with curved boundaries", CurvedHyperbolicSVC),
    "curved-logistic": _method(
        "Logistic regression, curved boundaries", HyperbolicLogisticRegression
    ),
    "hyperplane-logistic": _method(
        "Logistic regression, hyperplanes",
        partial(HyperbolicLogisticRegression, surface="hyperplane"),
    ),
    "neighbors": _without_C(
        "Nearest neighbours", HyperbolicKNeighborsClassifier, "coordinates", "curvature", "n_jobs"
    ),
    "forest": _without_C(
        "Forest on horofunctions",
        HorofunctionForestClassifier,
        *("coordinates", "curvature", "class_weight", "n_jobs", "random_state"),
    ),
    "auto": _without_C(
        "Chosen on training data",
        HyperbolicClassifier,
        *("coordinates", "curvature", "cv", "random_state"),
    ),
    "klein": _method("Linear SVM, Klein", klein_svm, "linearsvc__C"),
    "ambient": _method("Linear SVM, hyperboloid", ambient_svm, "linearsvc__C"),
    "logistic": _method(
        "Logistic regression, tangent", logistic_regression, "logisticregression__C"
    ),
    "rbf": _method("RBF SVM, ball", rbf_svc, "svc__C"),
}
