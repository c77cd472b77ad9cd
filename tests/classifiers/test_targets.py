"""Labels and weights at the door: what is not a binary problem is refused, never a crash."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.baselines import EuclideanSVCCV
from hyplane.classifiers._targets import Targets, class_weights
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.solvers.rows import Rows

ESTIMATORS = [HyperbolicSVC(), HyperbolicSVCCV(), EuclideanSVCCV()]


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(90, n_classes=3, random_state=0)


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


def test_a_class_without_weight_is_an_error_in_large_data():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 2)), rng.integers(2, size=20_000)
    clf = HyperbolicSVC(class_weight={0: 0.0, 1: 1.0}, coordinates="tangent")
    with pytest.raises(ValueError, match="positive"):
        clf.fit(X, y)


@pytest.mark.parametrize("weight", [-1.0, np.nan, np.inf, None, "heavy"])
def test_class_weights_are_finite_and_not_negative(data, weight):
    X, y = data
    with pytest.raises(ValueError, match="class_weight"):
        HyperbolicSVC(class_weight={0: weight, 1: 1.0, 2: 1.0}).fit(X, y)


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


def test_weights_of_classes_and_rows_multiply():
    targets = Targets.of(np.array(["a", "b", "b"]))
    of_class = class_weights(targets.classes, targets.counts, {"a": 2.0, "b": 3.0})
    rows = Rows(np.zeros((3, 1)), targets.codes, np.array([1.0, 1.0, 0.5])).weighted(of_class)
    own = rows.of(targets.problems()[0])
    np.testing.assert_array_equal(own.weights, [2.0, 3.0, 1.5])
    np.testing.assert_array_equal(own.labels, [-1, 1, 1])


INTEGERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i2", ">u8"]


@given(
    kind=st.sampled_from(INTEGERS),
    labels=st.lists(st.integers(-128, 127), min_size=1, max_size=4, unique=True),
    order=st.lists(st.integers(0, 3), min_size=1, max_size=70),
    step=st.sampled_from([1, 2, -1]),
)
def test_integer_labels_of_any_type_are_those_of_unique(kind, labels, order, step):
    y = np.array([labels[k % len(labels)] for k in order]).astype(kind)[::step]
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 1:
        with pytest.raises(ValueError, match="got one class"):
            Targets.of(y)
        return
    targets = Targets.of(y)
    np.testing.assert_array_equal(targets.classes, classes)
    np.testing.assert_array_equal(targets.codes, codes)
    assert targets.classes.dtype == y.dtype
    signs = np.where(codes == 1, 1, -1)
    if len(classes) == 2:
        np.testing.assert_array_equal(targets.problems()[0].labels(targets.codes), signs)


@pytest.mark.parametrize("row", [0, 65_535, 65_536, 200_000])
def test_a_third_label_is_seen_in_any_row(row):
    y = np.arange(200_001) % 2
    np.testing.assert_array_equal(Targets.of(y).codes, y)
    y[row] = 7
    targets = Targets.of(y)
    assert targets.classes.tolist() == [0, 1, 7]
    assert targets.codes[row] == 2


def test_labels_may_begin_at_an_odd_address():
    y = np.frombuffer(bytes(1) + np.arange(4).tobytes(), dtype=np.int64, offset=1) % 2
    odd = np.frombuffer(bytes(1) + y.tobytes(), dtype=np.int64, offset=1)
    assert not odd.flags.aligned
    assert Targets.of(odd).codes.tolist() == [0, 1, 0, 1]
