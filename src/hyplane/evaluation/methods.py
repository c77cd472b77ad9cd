"""The register of methods: the classifiers that the package compares, and their scores.

The command line, the report and the tests take their names from here. Classifiers are imported when
they are made, so that ``--help`` does not wait for scikit-learn.
"""

from dataclasses import dataclass, field
from inspect import signature
from typing import Any

# The metrics of a record by the ends of their columns' names; each is a macro and a micro average.
AVERAGED = {
    "aupr": "trapezoid_aupr",
    "average_precision": "average_precision",
    "roc_auc": "roc_auc",
}
SCORES = (*(f"{kind}_{end}" for end in AVERAGED for kind in ("macro", "micro")), "accuracy")
# Our grid is wider than the paper's at both ends.
OUR_CS = (0.01, 0.1, 1.0, 10.0, 100.0)
# The paper chooses C by the same area that it reports.
PAPER_SCORING = "trapezoid_aupr"


@dataclass(frozen=True)
class Method:
    """A classifier for one given C, and by the paper's procedure.

    Attributes
    ----------
    title : str
        Name in tables and figures.
    classifier : str
        A name of `hyplane.classifiers` or `hyplane.baselines`.
    settings : dict
        Its settings, where they are not the default.
    procedure : str, default="NestedCV"
        The name of the classifier that chooses C by cross validation and has probabilities.
    procedure_settings : dict
        Settings of the procedure alone.
    parameter : str or None, default="C"
        The name of C among the parameters of the classifier. None if there is no C to choose, and
        the classifier is its own procedure.

    Examples
    --------
    >>> method = METHODS["euclidean"]
    >>> method.title, type(method.make()).__name__
    ('Euclidean SVM', 'EuclideanSVCCV')
    """

    title: str
    classifier: str
    settings: dict[str, Any] = field(default_factory=dict)
    procedure: str = "NestedCV"
    procedure_settings: dict[str, Any] = field(default_factory=dict)
    parameter: str | None = "C"

    def single(self, **settings: Any) -> Any:
        """Return a new classifier for one C.

        Parameters
        ----------
        **settings
            ``C``, ``coordinates``, ``curvature``, ``class_weight`` and others that it has.

        Returns
        -------
        estimator : classifier

        Examples
        --------
        >>> METHODS["curved"].single(C=2.0)
        CurvedHyperbolicSVC(C=2.0)
        """
        make = _named(self.classifier)
        for name in settings:
            if name not in signature(make).parameters:
                raise ValueError(f"{self.title}: there is no {name} to set.")
        return make(**{**self.settings, **settings})

    def make(self, *, scoring: str = PAPER_SCORING, **settings: Any) -> Any:
        """Return a new estimator that follows the paper's procedure.

        Parameters
        ----------
        scoring : str, default="trapezoid_aupr"
            What C is chosen by: see `hyplane.metrics`.
        **settings
            ``Cs``, ``cv``, ``random_state``, ``coordinates``, ``curvature``, ``class_weight``,
            ``n_jobs``. Those that the estimator does not have are left out.

        Returns
        -------
        estimator : classifier

        Examples
        --------
        >>> METHODS["hyperbolic"].make(cv=3).cv
        3
        """
        procedure = _named(self.procedure if self.parameter else self.classifier)
        settings = {**self.procedure_settings, "scoring": scoring, **settings}
        own = {key: settings[key] for key in settings if key in signature(procedure).parameters}
        if self.parameter and self.procedure == "NestedCV":  # which has no threads of its own
            rest = {key: settings[key] for key in settings if key not in (*own, "n_jobs")}
            return procedure(self.single(**rest), parameter=self.parameter, **own)
        return procedure(**{**self.settings, **own})


def _named(name: str) -> Any:
    import hyplane
    from hyplane import baselines

    return getattr(hyplane if name in hyplane.__all__ else baselines, name)


METHODS: dict[str, Method] = {
    "hyperbolic": Method(
        *("Hyperbolic SVM", "HyperbolicSVC", {}, "HyperbolicSVCCV"),
        {"bound": "ball", "score_function": "minkowski", "threshold": "probability"},
    ),
    "euclidean": Method("Euclidean SVM", "ball_svm", {}, "EuclideanSVCCV"),
    # Ours: the bound without an origin, the score and C of a wider grid chosen by the same folds.
    "hyperbolic-ours": Method(
        *("Hyperbolic SVM, ours", "HyperbolicSVC", {"bound": "horosphere"}),
        "HyperbolicSVCCV",
        {"Cs": OUR_CS, "score_function": "auto", "threshold": "probability"},
    ),
    "euclidean-ours": Method(
        "Euclidean SVM, our grid", "ball_svm", {}, "EuclideanSVCCV", {"Cs": OUR_CS}
    ),
    "hyperbolic-ovo": Method(
        "Hyperbolic SVM, one-vs-one", "HyperbolicSVC", {"multi_class": "ovo"}, "HyperbolicSVCCV"
    ),
    "kernel-secant": Method("Kernel SVM, secant", "HyperbolicKernelSVC", {"kernel": "secant"}),
    "kernel-laplacian": Method(
        "Kernel SVM, Laplacian", "HyperbolicKernelSVC", {"kernel": "laplacian"}
    ),
    "kernel-logistic-secant": Method(
        "Kernel logistic regression, secant",
        "HyperbolicKernelLogisticRegression",
        {"kernel": "secant"},
    ),
    "kernel-logistic-laplacian": Method(
        "Kernel logistic regression, Laplacian",
        "HyperbolicKernelLogisticRegression",
        {"kernel": "laplacian"},
    ),
    "curved": Method("SVM with curved boundaries", "CurvedHyperbolicSVC"),
    "curved-logistic": Method(
        "Logistic regression, curved boundaries", "HyperbolicLogisticRegression"
    ),
    "hyperplane-logistic": Method(
        "Logistic regression, hyperplanes",
        "HyperbolicLogisticRegression",
        {"surface": "hyperplane"},
    ),
    "neighbors": Method("Nearest neighbours", "HyperbolicKNeighborsClassifier", parameter=None),
    "forest": Method("Forest of several charts", "HyperbolicForestClassifier", parameter=None),
    "auto": Method("Chosen on training data", "HyperbolicClassifier", parameter=None),
    "klein": Method("Linear SVM, Klein", "klein_svm", parameter="linearsvc__C"),
    "ambient": Method("Linear SVM, hyperboloid", "ambient_svm", parameter="linearsvc__C"),
    "logistic": Method(
        "Logistic regression, tangent", "logistic_regression", parameter="logisticregression__C"
    ),
    "rbf": Method("RBF SVM, ball", "rbf_svc", parameter="svc__C"),
}
