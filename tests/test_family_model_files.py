"""The newer classifiers in files."""

from dataclasses import replace

import numpy as np
import pytest

from hyplane import (
    CurvedHyperbolicSVC,
    HorofunctionForestClassifier,
    HyperbolicClassifier,
    HyperbolicKernelLogisticRegression,
    HyperbolicKernelSVC,
    HyperbolicKNeighborsClassifier,
    HyperbolicLogisticRegression,
)
from hyplane.baselines import NestedCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.model_files import ModelFileError, load_model, save_model

ESTIMATORS = [
    CurvedHyperbolicSVC(random_state=0),
    HyperbolicLogisticRegression(),
    HyperbolicKernelLogisticRegression(n_landmarks=20, random_state=0),
    HyperbolicKNeighborsClassifier(3),
    HorofunctionForestClassifier(5, random_state=0),
    HyperbolicClassifier(["logistic", "kernel", "neighbors"], cv=2, random_state=0),
    NestedCV(HyperbolicLogisticRegression(), cv=2, random_state=0),
]
# Its scores are votes for the classes, not those of pairs.
VOTES = HyperbolicKernelSVC().fit(*make_hyperbolic_gaussians(60, n_classes=3, random_state=0))


@pytest.fixture(scope="module")
def data():
    X, y = make_hyperbolic_gaussians(120, n_classes=3, random_state=0)
    return X, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("several", [False, True])
def test_a_loaded_classifier_predicts_bit_for_bit_the_same(data, estimator, several, tmp_path):
    X, y = data
    y = np.column_stack([y == "a", y != "b"]).astype(int) if several else y
    fitted = estimator.fit(X, y)
    save_model(fitted, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    for method in ("decision_function", "predict_proba"):
        if hasattr(fitted, method):
            np.testing.assert_array_equal(getattr(loaded, method)(X), getattr(fitted, method)(X))
    assert repr(loaded) == repr(fitted)


def test_trees_that_lead_nowhere_are_refused():
    trees = HorofunctionForestClassifier(2, random_state=0).fit([[0.1, 0], [0.5, 0]], [0, 1]).trees_
    for change in (
        {"left": trees.left * 0},
        {"right": trees.right + 99},
        {"roots": trees.roots - 9},
    ):
        with pytest.raises(ValueError, match="nodes"):
            replace(trees, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights_": np.array([2.0])}, "shares of 1"),
        ({"weights_": np.array([0.5, 0.5])}, "weights of its classifiers are float64 of shape"),
        ({"powers_": np.array([-1.0])}, "its powers are"),
        ({"power_": 1e9}, "its powers are"),
        ({"estimators_": []}, "holds no classifiers"),
        ({"estimators_": [VOTES]}, "no probabilities nor scores of pairs"),
    ],
)
def test_an_average_that_does_not_fit_together_is_refused(data, tmp_path, change, message):
    X, y = data
    clf = HyperbolicClassifier(["neighbors"], ensemble="best", cv=2, random_state=0).fit(X, y)
    vars(clf).update(change)
    save_model(clf, tmp_path / "model.json")
    with pytest.raises(ModelFileError, match=message):
        load_model(tmp_path / "model.json")
