"""The baselines are what they say, and take the same points as the hyperbolic classifiers."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane.baselines import ambient_svm, klein_svm, rbf_svc
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS
from hyplane.features import ChartTransformer
from hyplane.geometry import CHARTS, convert, minkowski_product


def expected_failures(estimator):
    if estimator.output_coordinates == "polar":
        return {"check_fit2d_1feature": "a line has no polar chart"}
    return {}


@parametrize_with_checks(
    [
        ChartTransformer("polar", coordinates="tangent"),
        ChartTransformer("tangent", coordinates="tangent"),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


BASELINES = ["euclidean", "klein", "ambient", "logistic", "rbf"]


@pytest.fixture(scope="module")
def data():
    return make_hyperbolic_gaussians(240, n_classes=3, random_state=0)


@pytest.mark.parametrize("name", BASELINES)
@pytest.mark.parametrize("coordinates", CHARTS)
def test_every_baseline_gives_the_same_answer_in_any_chart(data, name, coordinates):
    B, y = data
    expected = METHODS[name].single(C=2.0).fit(B, y).decision_function(B)
    assert (expected.argmax(axis=1) == y).mean() > 0.7
    for curvature in (-1.0, -0.3):
        X = convert(B / np.sqrt(-curvature), "ball", coordinates, curvature=curvature)
        model = METHODS[name].single(C=2.0, coordinates=coordinates, curvature=curvature).fit(X, y)
        # Solvers stop at 1e-4, and RBF's "scale" sees the rounding of the conversion.
        np.testing.assert_allclose(model.decision_function(X), expected, atol=2e-3)


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_clones_pickles_and_is_searched(data, name):
    X, y = data
    names = np.array(["a", "b", "c"])[y]
    model = METHODS[name].single()
    (parameter,) = [key for key in model.get_params() if key == "C" or key.endswith("__C")]
    search = GridSearchCV(clone(model), {parameter: [0.1, 1.0]}, cv=3).fit(X, names)
    copy = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(copy.predict(X), search.predict(X))
    assert search.best_score_ > 0.6


def test_klein_hyperplanes_and_feasible_ambient_ones_are_hyperbolic_hyperplanes(data):
    X, y = data
    y = (y == 0).astype(int)
    x = convert(X, "ball", "hyperboloid")
    klein = klein_svm().fit(X, y)
    svm = klein[-1]
    w = np.concatenate([svm.intercept_, -svm.coef_[0]])
    np.testing.assert_allclose(minkowski_product(x, w[None]) / x[:, 0], klein.decision_function(X))
    ambient = ambient_svm().fit(X, y)
    w = ambient[-1].coef_[0] * np.where(np.arange(3) == 0, 1.0, -1.0)
    np.testing.assert_allclose(minkowski_product(x, w[None]), ambient.decision_function(X))


def test_the_chart_of_a_pipeline_is_a_parameter_of_its_first_step(data):
    X, y = data
    model = rbf_svc().set_params(charttransformer__output_coordinates="tangent").fit(X, y)
    direct = SVC().fit(convert(X, "ball", "tangent"), y)
    np.testing.assert_allclose(
        model.decision_function(X), direct.decision_function(convert(X, "ball", "tangent"))
    )
    assert model[0].get_feature_names_out().tolist() == ["tangent0", "tangent1"]


def test_points_too_far_for_a_chart_are_an_error_not_clipped():
    X = np.array([[50.0, 0.0], [1.0, 0.1], [2.0, 0.2]])
    with pytest.raises(ValueError, match=r"row 0 is at radius 50.*hold it"):
        klein_svm(coordinates="tangent").fit(X, [0, 1, 0])
