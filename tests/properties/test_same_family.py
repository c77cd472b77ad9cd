"""Changes of the data that must leave the classifiers with a convex problem as they were."""

import numpy as np
import pytest

from hyplane import (
    HyperbolicKernelLogisticRegression,
    HyperbolicKernelSVC,
    HyperbolicLogisticRegression,
)
from hyplane.geometry import CHARTS, apply_isometry, convert, lorentz_boost, rotation

KINDS = {
    "kernel svc": lambda **space: HyperbolicKernelSVC(gamma=0.5, tol=1e-8, **space),
    "kernel logistic": lambda **space: HyperbolicKernelLogisticRegression(
        gamma=0.5, tol=1e-8, **space
    ),
    "logistic": lambda **space: HyperbolicLogisticRegression(tol=1e-8, **space),
}


@pytest.fixture(params=range(3))
def data(request):
    rng = np.random.default_rng(request.param)
    y = np.arange(60) % 3
    centers = 1.2 * np.array([[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]])
    return centers[y] + 0.7 * rng.standard_normal((60, 2)), y


def scores(make, X, y, probes, weight=None, **space):
    clf = make(**{"coordinates": "tangent", **space}).fit(X, y, weight)
    return clf.decision_function(probes)


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
def test_rows_names_and_copies_change_nothing(make, data):
    V, y = data
    expected = scores(make, V, y, V)
    order = np.random.default_rng(0).permutation(len(V))
    np.testing.assert_allclose(scores(make, V[order], y[order], V), expected, atol=2e-3)
    np.testing.assert_allclose(scores(make, V, 2 - y, V)[:, ::-1], expected, atol=2e-3)
    twice, halves = (np.tile(V, (2, 1)), np.tile(y, 2)), np.full(2 * len(V), 0.5)
    np.testing.assert_allclose(scores(make, *twice, V, halves), expected, atol=2e-3)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
def test_chart_and_curvature_change_nothing(make, data, chart):
    V, y = data
    X = convert(V / 2.0, "tangent", chart, curvature=-4.0)
    moved = scores(make, X, y, X, coordinates=chart, curvature=-4.0)
    np.testing.assert_allclose(moved, scores(make, V, y, V), atol=2e-3)


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
def test_rotations_change_nothing(make, data):
    V, y = data
    turned = apply_isometry(rotation(np.array([[0.6, -0.8], [0.8, 0.6]])), V, "tangent")
    np.testing.assert_allclose(scores(make, turned, y, turned), scores(make, V, y, V), atol=2e-3)


@pytest.mark.parametrize("kind", ["kernel svc", "kernel logistic"])
def test_kernels_of_the_distance_know_no_origin(kind, data):
    V, y = data
    make = lambda **space: KINDS[kind](**space).set_params(kernel="laplacian")  # noqa: E731
    boost = lorentz_boost(convert([[0.7, -0.4]], "tangent", "hyperboloid")[0])
    moved = apply_isometry(boost, V, "tangent")
    np.testing.assert_allclose(scores(make, moved, y, moved), scores(make, V, y, V), atol=2e-3)
