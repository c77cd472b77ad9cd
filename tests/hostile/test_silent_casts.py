"""Input that NumPy would turn into other numbers without a word is refused, by its name."""

import numpy as np
import pandas as pd
import pytest

from hyplane import (
    CurvedHyperbolicSVC,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
    HyperbolicSVC,
    HyperbolicSVCCV,
)
from hyplane.baselines import (
    EuclideanSVCCV,
    ambient_svm,
    ball_svm,
    logistic_regression,
    rbf_svc,
)
from hyplane.features import HorofunctionFeatures, HyperbolicRandomFeatures, scale_gamma
from hyplane.geometry import check_points, convert, distance, einstein_midpoint, hyperplane_normal
from hyplane.metrics import macro_average
from hyplane.solvers import Points

X = np.array([[0.3, 0.1], [0.4, -0.2], [0.5, 0.1], [-0.3, 0.1], [-0.4, 0.2], [-0.5, 0.1]])
y = np.array([0, 0, 0, 1, 1, 1])

WEIGHTED = {
    "svc": HyperbolicSVC,
    "svc cv": HyperbolicSVCCV,
    "kernel": HyperbolicKernelSVC,
    "curved": CurvedHyperbolicSVC,
    "logistic": HyperbolicLogisticRegression,
    "euclidean": EuclideanSVCCV,
}
CLASSIFIERS = {**WEIGHTED, "neighbours": HyperbolicKNeighborsClassifier}
# Labels and weights go through a pipeline to scikit-learn as they are.
PIPELINES = {
    "ball": ball_svm,
    "ambient": ambient_svm,
    "logistic regression": logistic_regression,
    "rbf": rbf_svc,
}
of_every_classifier = pytest.mark.parametrize("make", CLASSIFIERS.values(), ids=CLASSIFIERS)
of_every_weighted_one = pytest.mark.parametrize("make", WEIGHTED.values(), ids=WEIGHTED)

BAD_TABLES = {
    "text": (X.astype(str), "'0.3'"),
    "text in objects": (X.astype(object).astype(str).astype(object), "'0.3'"),
    "a column of text": (pd.DataFrame({"a": ["0.1"] * 6, "b": X[:, 1]}), "'0.1'"),
    "dates": ((X * 0).astype("datetime64[D]"), "'1970-01-01'"),
    "a column of dates": (pd.DataFrame({"a": X[:, 0], "b": pd.Timestamp(2026, 1, 1)}), "2026"),
    "durations": ((X * 0).astype("timedelta64[s]"), "'0 seconds'"),
    "masked": (np.ma.array(X, mask=X == 0.5), r"entry \(2, 0\) is masked"),
    "beyond doubles": ([[10**400, 0]] * 6, "integer too large for a double"),
    "two columns of one name": (pd.DataFrame(X, columns=["a", "a"]), "column named 'a'"),
}
of_every_bad_table = pytest.mark.parametrize(
    ("table", "sentence"), BAD_TABLES.values(), ids=BAD_TABLES
)


@of_every_bad_table
@pytest.mark.parametrize(
    "make", [*CLASSIFIERS.values(), *PIPELINES.values()], ids=[*CLASSIFIERS, *PIPELINES]
)
def test_a_classifier_fits_numbers_only(make, table, sentence):
    with pytest.raises(ValueError, match=sentence):
        make().fit(table, y)


@of_every_bad_table
@pytest.mark.parametrize("make", [HyperbolicSVC, HyperbolicKernelSVC, ball_svm])
def test_a_classifier_predicts_numbers_only(make, table, sentence):
    with pytest.raises(ValueError, match=sentence):
        make().fit(X, y).predict(table)


@of_every_bad_table
@pytest.mark.parametrize(
    "function",
    [
        lambda X: check_points(X, "ball"),
        lambda X: convert(X, "ball", "klein"),
        lambda X: distance(X, X),
        einstein_midpoint,
        Points.from_chart,
        HyperbolicRandomFeatures().fit,
        HorofunctionFeatures().fit,
        lambda X: HyperbolicSVC().partial_fit(X, y, classes=[0, 1]),
    ],
)
def test_points_are_numbers_in_all_other_places_too(function, table, sentence):
    with pytest.raises(ValueError, match=sentence):
        function(table)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (["1"] * 6, "sample_weight must hold numbers; entry 0 is '1'"),
        (np.array(["1"] * 6, dtype=object), "entry 0 is '1'"),
        (np.ones(6, dtype="timedelta64[s]"), "entry 0 is '1 seconds'"),
        (np.ma.array(np.ones(6), mask=y == 1), "entry 3 is masked"),
        ([10**400] * 6, "integer too large"),
        ([1, 1, np.nan, 1, 1, 1], "NaN"),
        ([1, 1, np.inf, 1, 1, 1], "infinity"),
        ([1, 1, -1.0, 1, 1, 1], "Negative values"),
    ],
)
@of_every_weighted_one
def test_weights_are_finite_numbers_and_not_negative(make, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        make().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("weights", [["1"] * 6, np.ma.array(np.ones(6), mask=y == 1)])
@pytest.mark.parametrize(
    "function",
    [
        lambda weights: macro_average(np.eye(2)[y], X, sample_weight=weights),
        lambda weights: scale_gamma(X, sample_weight=weights),
        lambda weights: einstein_midpoint(X, weights),
        lambda weights: HyperbolicSVC().fit(X, y).certify(X, y, weights),
    ],
)
def test_weights_are_numbers_in_all_other_places_too(function, weights):
    with pytest.raises(ValueError, match=r"must hold numbers|masked"):
        function(weights)


@pytest.mark.parametrize(
    "call",
    [
        lambda: HyperbolicSVCCV(Cs=["1", "10"]).fit(X, y),
        lambda: hyperplane_normal("2", 0.0, [0.0, 1.0]),
    ],
)
def test_text_is_no_number_in_other_arguments(call):
    with pytest.raises(ValueError, match="must hold numbers"):
        call()


@pytest.mark.parametrize("unit", ["datetime64[D]", "timedelta64[D]"])
@pytest.mark.parametrize("kind", [np.asarray, pd.Series])
@of_every_classifier
def test_nat_is_no_class(make, kind, unit):
    labels = np.arange(6).astype(unit)
    labels[2:] = "NaT"
    with pytest.raises(ValueError, match="row 2 of y has no label"):
        make().fit(X, kind(labels))


def test_dates_are_classes():
    labels = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")[y]
    assert (HyperbolicSVC().fit(X, labels).predict(X) == labels).all()


@of_every_classifier
def test_masked_labels_are_no_classes(make):
    with pytest.raises(ValueError, match="y is a masked array, and entry 3 is masked"):
        make().fit(X, np.ma.array(y, mask=y == 1))


def test_a_masked_array_without_masked_entries_is_an_array():
    plain = HyperbolicSVC(random_state=0).fit(X, y)
    masked = HyperbolicSVC(random_state=0).fit(np.ma.array(X), np.ma.array(y))
    np.testing.assert_array_equal(plain.coef_, masked.coef_)


class AnnData:
    """As far as NumPy sees it: a sequence of itself."""

    shape, obsm = (6, 2), {"X_poincare": X}

    def __len__(self):
        return 6

    def __getitem__(self, rows):
        return self


class ManifoldParameter:
    """A tensor of PyTorch that is being trained, as far as NumPy sees it."""

    requires_grad, shape, ndim = True, (6, 2), 2

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


@pytest.mark.parametrize(
    ("points", "remedy"),
    [(AnnData(), r"adata\.obsm"), (ManifoldParameter(), r"X\.detach\(\).*from_geoopt\(X\)")],
)
@pytest.mark.parametrize(
    "function",
    [
        lambda X: HyperbolicSVC().fit(X, y),
        lambda X: HyperbolicKernelSVC().fit(X, y),
        lambda table: HyperbolicSVC().fit(X, y).predict(table),
        lambda X: ball_svm().fit(X, y),
        lambda X: check_points(X, "ball"),
        Points.from_chart,
    ],
)
def test_containers_of_other_libraries_are_named_with_what_to_pass(function, points, remedy):
    with pytest.raises(ValueError, match=remedy):
        function(points)
