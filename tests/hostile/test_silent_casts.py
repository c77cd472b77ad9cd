"""Input that NumPy would turn into other numbers without a word is refused, by its name."""

from itertools import product

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
FITTED = {"svc": HyperbolicSVC, "kernel": HyperbolicKernelSVC, "ball": ball_svm}
PLACES = {
    **{
        f"{name}, fit": lambda table, make=make: make().fit(table, y)
        for name, make in {**CLASSIFIERS, **PIPELINES}.items()
    },
    **{f"{name}, predict": make().fit(X, y).predict for name, make in FITTED.items()},
    "partial_fit": lambda table: HyperbolicSVC().partial_fit(table, y, classes=[0, 1]),
    "check_points": lambda table: check_points(table, "ball"),
    "convert": lambda table: convert(table, "ball", "klein"),
    "distance": lambda table: distance(table, table),
    "einstein_midpoint": einstein_midpoint,
    "Points": Points.from_chart,
    "random features": HyperbolicRandomFeatures().fit,
    "horofunctions": HorofunctionFeatures().fit,
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_points_are_numbers_and_what_is_none_is_named(place):
    for table, sentence in (
        (X.astype(str), "'0.3'"),
        (X.astype(object).astype(str).astype(object), "'0.3'"),
        (pd.DataFrame({"a": ["0.1"] * 6, "b": X[:, 1]}), "'0.1'"),
        ((X * 0).astype("datetime64[D]"), "'1970-01-01'"),
        (pd.DataFrame({"a": X[:, 0], "b": pd.Timestamp(2026, 1, 1)}), "2026"),
        ((X * 0).astype("timedelta64[s]"), "'0 seconds'"),
        (np.ma.array(X, mask=X == 0.5), r"entry \(2, 0\) is masked"),
        ([[10**400, 0]] * 6, "integer too large for a double"),
        (pd.DataFrame(X, columns=["a", "a"]), "column named 'a'"),
    ):
        with pytest.raises(ValueError, match=sentence):
            place(table)


@of_every_weighted_one
def test_weights_are_finite_numbers_and_not_negative(make):
    for weights, sentence in (
        (["1"] * 6, "sample_weight must hold numbers; entry 0 is '1'"),
        (np.array(["1"] * 6, dtype=object), "entry 0 is '1'"),
        (np.ones(6, dtype="timedelta64[s]"), "entry 0 is '1 seconds'"),
        (np.ma.array(np.ones(6), mask=y == 1), "entry 3 is masked"),
        ([10**400] * 6, "integer too large"),
        ([1, 1, np.nan, 1, 1, 1], "NaN"),
        ([1, 1, np.inf, 1, 1, 1], "infinity"),
        ([1, 1, -1.0, 1, 1, 1], "Negative values"),
    ):
        with pytest.raises(ValueError, match=sentence):
            make().fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    "function",
    [
        lambda weights: macro_average(np.eye(2)[y], X, sample_weight=weights),
        lambda weights: scale_gamma(X, sample_weight=weights),
        lambda weights: einstein_midpoint(X, weights),
        lambda weights: HyperbolicSVC().fit(X, y).certify(X, y, weights),
        lambda Cs: HyperbolicSVCCV(Cs=Cs).fit(X, y),
        lambda scale: hyperplane_normal(scale, 0.0, [0.0, 1.0]),
    ],
)
def test_weights_and_other_arguments_are_numbers_in_all_other_places_too(function):
    for values in (["1"] * 6, np.ma.array(np.ones(6), mask=y == 1)):
        with pytest.raises(ValueError, match=r"must hold numbers|masked"):
            function(values)


@of_every_classifier
def test_labels_that_are_nat_or_masked_are_no_classes(make):
    for unit, kind in product(["datetime64[D]", "timedelta64[D]"], [np.asarray, pd.Series]):
        labels = np.arange(6).astype(unit)
        labels[2:] = "NaT"
        with pytest.raises(ValueError, match="row 2 of y has no label"):
            make().fit(X, kind(labels))
    with pytest.raises(ValueError, match="y is a masked array, and entry 3 is masked"):
        make().fit(X, np.ma.array(y, mask=y == 1))


def test_dates_are_classes():
    labels = np.array(["2026-01-01", "2026-01-02"], dtype="datetime64[D]")[y]
    assert (HyperbolicSVC().fit(X, labels).predict(X) == labels).all()


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
    "place", ["svc, fit", "kernel, fit", "svc, predict", "ball, fit", "check_points", "Points"]
)
def test_containers_of_other_libraries_are_named_with_what_to_pass(place):
    with pytest.raises(ValueError, match=r"adata\.obsm"):
        PLACES[place](AnnData())
    with pytest.raises(ValueError, match=r"X\.detach\(\).*from_geoopt\(X\)"):
        PLACES[place](ManifoldParameter())
