"""Labels and weights: what is not a binary problem is refused, never a crash."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyplane import HyperbolicKNeighborsClassifier, HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV

ESTIMATORS = [HyperbolicSVC(), HyperbolicSVCCV(), EuclideanSVCCV()]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("kind", ["two classes", "three classes", "labels"])
def test_a_class_without_weight_is_an_error(data, estimator, kind):
    X, y = data
    target = {"two classes": y % 2, "three classes": y, "labels": np.eye(3, dtype=int)[y]}[kind]
    weights = dict.fromkeys(np.unique(target).tolist(), 1.0) | {0: 0.0}
    with pytest.raises(ValueError, match="positive"):
        estimator.set_params(class_weight=weights).fit(X, target)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_weights_whose_product_is_too_small_for_a_double_are_an_error(data, multi_class):
    X, y = data
    clf = HyperbolicSVC(class_weight={0: 1e-200, 1: 1.0, 2: 1.0}, multi_class=multi_class)
    with pytest.raises(ValueError, match="positive"):
        clf.fit(X, y, np.full(len(y), 1e-200))


@pytest.mark.parametrize("other", [1, None])
def test_labels_that_cannot_be_compared_are_an_error(data, other):
    X, y = data
    labels = np.array(["a", "b", other], dtype=object)[y]
    with pytest.raises(ValueError, match=r"cannot be compared|Unknown label type"):
        HyperbolicSVC().fit(X, labels)


@pytest.mark.parametrize("values", [(0, 2), (-1, 1)])
def test_an_indicator_matrix_has_zeros_and_ones_only(data, values):
    X, y = data
    Y = np.where(np.eye(3)[y] > 0, values[1], values[0])
    with pytest.raises(ValueError, match="indicator matrix"):
        HyperbolicSVC().fit(X, Y)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_weights_of_classes_and_rows_multiply(data, multi_class):
    X, y = data
    of_row = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    settings = {"multi_class": multi_class, "random_state": 0}
    by_class = HyperbolicSVC(class_weight={0: 2.0, 1: 3.0}, **settings).fit(X, y, of_row)
    by_row = HyperbolicSVC(**settings).fit(X, y, of_row * np.array([2.0, 3.0, 1.0])[y])
    np.testing.assert_allclose(by_class.objective_, by_row.objective_, rtol=1e-9)


def assert_labels_are_learned(y):
    """The nearest row of each row is the row itself."""
    X = np.column_stack([np.linspace(-0.9, 0.9, len(y)), np.zeros(len(y))])
    clf = HyperbolicKNeighborsClassifier(1).fit(X, y)
    np.testing.assert_array_equal(clf.classes_, np.unique(y))
    assert clf.classes_.dtype == y.dtype
    some = np.unique(np.linspace(0, len(y) - 1, 1000).astype(int))
    np.testing.assert_array_equal(clf.predict(X[some]), y[some])
    return clf, X


@given(
    kind=st.sampled_from(["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">u8"]),
    labels=st.lists(st.integers(-128, 127), min_size=1, max_size=4, unique=True),
    order=st.lists(st.integers(0, 3), min_size=2, max_size=70),
    step=st.sampled_from([1, 2, -1]),
)
def test_integer_labels_of_any_type_are_classes(kind, labels, order, step):
    y = np.array([labels[k % len(labels)] for k in order]).astype(kind)[::step]
    if len(np.unique(y)) > 1:
        assert_labels_are_learned(y)
        return
    with pytest.raises(ValueError, match="got one class"):
        HyperbolicKNeighborsClassifier(1).fit(np.zeros((len(y), 2)), y)


@pytest.mark.parametrize("row", [0, 65_535, 65_536, 200_000])
def test_a_third_label_is_seen_in_any_row(row):
    y = np.arange(200_001) % 2
    y[row] = 7
    clf, X = assert_labels_are_learned(y)
    assert clf.predict(X[[row]]) == [7]


def test_labels_may_begin_at_an_odd_address():
    odd = np.frombuffer(bytes(1) + (np.arange(4) % 2).tobytes(), dtype=np.int64, offset=1)
    assert not odd.flags.aligned
    assert_labels_are_learned(odd)
