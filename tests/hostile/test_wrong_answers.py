"""Inputs that used to be answered wrongly without a word, or never."""

import numpy as np
import pytest

from hyplane import HyperbolicKernelSVC, HyperbolicLogisticRegression, HyperbolicSVC
from hyplane.baselines import EuclideanSVCCV
from hyplane.embeddings import DeepWalk, HyperbolicSkipGram
from hyplane.features import HyperbolicRandomFeatures
from hyplane.metrics import METRICS, indicator_matrix

X = np.array([[0.3, 0.1], [0.4, -0.2], [-0.3, 0.1], [-0.4, 0.2]])
y = np.array([0, 0, 1, 1])


@pytest.mark.parametrize("metric", METRICS.values())
@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf])
def test_a_metric_drops_no_row_of_bad_weight(metric, weight):
    with pytest.raises(ValueError, match=r"Negative|NaN|infinity"):
        metric([1, 0, 1], [1.0, 2.0, 3.0], [1.0, weight, 1.0])


@pytest.mark.parametrize("metric", METRICS.values())
@pytest.mark.parametrize("size", [1e300, 1e-300, 5e-324])
def test_only_the_ratios_of_weights_count(metric, size):
    labels, scores = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    assert metric(labels, scores, np.full(4, size)) == metric(labels, scores, None)


@pytest.mark.parametrize("classes", [["a", "b"], ["a", "b", "c"]])
def test_a_label_that_is_no_class_has_no_column(classes):
    with pytest.raises(ValueError, match="row 0 has the label 'z'"):
        indicator_matrix(["z"], classes)


@pytest.mark.parametrize("make", [HyperbolicSVC, HyperbolicKernelSVC, EuclideanSVCCV])
@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, None, "a", 0.0])
def test_weights_of_classes_are_positive_numbers(make, weight):
    with pytest.raises(ValueError, match=r"class_weight|positive weight"):
        make(class_weight={0: weight}).fit(X, y)


@pytest.mark.parametrize(("C", "size"), [(1e-308, 1.0), (1e300, 1e300), (1.0, 5e-324)])
def test_weights_beyond_double_precision_are_refused(C, size):
    with pytest.raises(ValueError, match="C times the weights of the rows"):
        EuclideanSVCCV([C]).fit(X, y, np.full(4, size))


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_the_euclidean_svm_ends_with_columns_of_any_size(size):
    try:
        model = EuclideanSVCCV(cv=2, random_state=0).fit(X * size, y)
        assert np.isfinite(model.decision_function(X)).all()
    except ValueError as error:
        assert "Newton's method did not end" in str(error)  # noqa: PT017 (either is right)


def test_more_starts_than_can_ever_end_are_refused():
    with pytest.raises(ValueError, match="The 'n_starts' parameter"):
        HyperbolicLogisticRegression(n_starts=10**9).fit(X, y)


@pytest.mark.parametrize("make", [DeepWalk, HyperbolicSkipGram])
@pytest.mark.parametrize("name", ["window", "epochs", "n_walks", "walk_length", "n_components"])
def test_counts_with_which_no_walk_ends_are_refused(make, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter"):
        make(**{name: 2**31}).fit([[0, 1], [1, 2]])


def test_random_features_of_an_absurd_gamma_are_refused():
    with pytest.raises(ValueError, match="gamma"):
        HyperbolicRandomFeatures(gamma=1e308).fit(X)


@pytest.mark.parametrize("make", [HyperbolicSVC, HyperbolicKernelSVC])
def test_a_max_iter_beyond_the_compiled_integers_is_refused_by_name(make):
    with pytest.raises(ValueError, match="max_iter"):
        make(max_iter=2**31).fit(X, y)
