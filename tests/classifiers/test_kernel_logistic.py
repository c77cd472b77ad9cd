"""Kernel logistic regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.base import clone

from hyplane import HyperbolicKernelLogisticRegression, HyperbolicLogisticRegression
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import HyperbolicKernel, laplacian_kernel, scale_gamma, secant_kernel
from hyplane.geometry import apply_isometry, random_isometry

KERNELS = {"secant": secant_kernel, "laplacian": laplacian_kernel}


@pytest.mark.parametrize("kernel", KERNELS)
def test_it_is_the_optimum_over_the_dual_coefficients(data, kernel):
    X, y = data[0][:80], data[1][:80]
    clf = HyperbolicKernelLogisticRegression(2.0, kernel=kernel, tol=1e-8).fit(X, y)
    assert clf.gamma_ == scale_gamma(X, kernel)
    K = KERNELS[kernel](X, gamma=clf.gamma_)

    def objective(flat):
        alpha, b = flat[:240].reshape(80, 3), flat[240:]
        logits = K @ alpha + b
        log_p = log_softmax(logits, axis=1)
        value = -2.0 * log_p[np.arange(80), y].sum() + 0.5 * np.einsum(
            "ik,ij,jk->", alpha, K, alpha
        )
        residual = 2.0 * (np.exp(log_p) - np.eye(3)[y])
        return value, np.r_[(K @ (residual + alpha)).ravel(), residual.sum(axis=0)]

    alpha = np.zeros((80, 3))
    alpha[[np.flatnonzero((row == X).all(axis=1))[0] for row in clf.landmarks_]] = clf.dual_coef_.T
    ours = np.r_[alpha.ravel(), clf.intercept_]
    assert_allclose(objective(ours)[0], clf.objective_[0], rtol=1e-6)
    start = np.random.default_rng(0).normal(size=243)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 5000})
    assert clf.objective_[0] <= found.fun * (1 + 1e-6)


def test_probabilities_are_invariant_under_isometries(data):
    X, y = data
    moved = apply_isometry(random_isometry(2, max_radius=1.5, random_state=0), X, "ball")
    probabilities = [
        HyperbolicKernelLogisticRegression(tol=1e-8).fit(Z, y).predict_proba(Z) for Z in (X, moved)
    ]
    assert_allclose(*probabilities, atol=1e-3)


def test_landmarks_approach_the_exact_fit(data):
    X, y = data
    exact = HyperbolicKernelLogisticRegression().fit(X, y).predict_proba(X)
    errors = []
    for n_landmarks in (5, 30, 150):
        clf = HyperbolicKernelLogisticRegression(n_landmarks=n_landmarks, random_state=0).fit(X, y)
        assert clf.landmarks_.shape == (n_landmarks, 2)
        errors.append(np.abs(clf.predict_proba(X) - exact).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.01


def test_landmarks_span_all_kernels_and_none_is_a_sum_of_others(data):
    X, y = np.vstack([data[0][:60], data[0][:60]]), np.r_[data[1][:60], data[1][:60]]
    clf = HyperbolicKernelLogisticRegression(kernel="ball_rbf", gamma=0.1).fit(X, y)
    assert len(clf.landmarks_) < 60
    kernel = HyperbolicKernel("ball_rbf", gamma=0.1)
    K, cross = kernel(clf.landmarks_, clf.landmarks_), kernel(clf.landmarks_, X)
    assert np.linalg.eigvalsh(K)[0] > 0
    # The squared distance of each kernel function to the span of the landmarks' own.
    assert_allclose(np.einsum("ij,ij->j", cross, np.linalg.solve(K, cross)), 1.0, atol=1e-7)


def test_probabilities_are_calibrated_on_new_points():
    X, y = make_hyperbolic_gaussians(3000, n_classes=2, random_state=1)
    clf = HyperbolicKernelLogisticRegression(n_landmarks=200, random_state=0)
    p = clf.fit(X[:1500], y[:1500]).predict_proba(X[1500:])[:, 1]
    bins = np.minimum((4 * p).astype(int), 3)
    gaps = [abs((p - y[1500:])[bins == k].sum()) for k in range(4)]
    assert sum(gaps) / 1500 < 0.03


@pytest.mark.parametrize("estimator", [
    HyperbolicKernelLogisticRegression(tol=1e-8),
    HyperbolicLogisticRegression(tol=1e-8),
], ids=["kernel", "linear"])  # fmt: skip
def test_a_path_over_C_has_the_fits_of_the_single_values(estimator):
    X, y = make_hyperbolic_gaussians(90, n_classes=3, random_state=1)
    labels = np.column_stack([y == 0, y == 1, np.ones(len(y))]).astype(int)
    for target in (y, y == 0, labels):
        path = estimator.fit_path(X, target, [0.1, 1.0, 10.0])
        for C, model in zip([0.1, 1.0, 10.0], path, strict=True):
            single = clone(estimator).set_params(C=C).fit(X, target)
            assert model.C == C
            assert_allclose(model.objective_, single.objective_, rtol=1e-5)
            assert_allclose(model.predict_proba(X), single.predict_proba(X), atol=2e-3)
    assert not hasattr(estimator, "classes_")
    with pytest.raises(ValueError, match="'C' parameter"):
        estimator.fit_path(X, y, [1.0, -1.0])
