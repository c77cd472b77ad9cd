"""The small dense linear algebra agrees with SciPy, the quadratic program with its optimisers."""

import numpy as np
import pytest
from scipy import linalg
from scipy.optimize import minimize

from hyplane.native import core


def positive_definite(rng, n):
    A = rng.standard_normal((n, n + 3))
    return A @ A.T


@pytest.mark.parametrize("n", [1, 2, 3, 8, 17, 60])
def test_cholesky_agrees_with_scipy(n):
    A = positive_definite(np.random.default_rng(n), n)
    np.testing.assert_allclose(core.cholesky(A), linalg.cholesky(A, lower=True), rtol=1e-10)


def test_cholesky_reads_the_lower_triangle_only():
    A = positive_definite(np.random.default_rng(0), 5)
    np.testing.assert_array_equal(core.cholesky(np.tril(A)), core.cholesky(A))


@pytest.mark.parametrize("smallest", [0.0, 1e-14])
def test_a_matrix_that_is_not_positive_definite_has_no_factor(smallest):
    for A in (np.diag([1.0, -1.0]), np.ones((3, 3)), np.zeros((2, 2)), np.full((2, 2), np.nan)):
        assert core.cholesky(A, smallest) is None


@pytest.mark.parametrize("n", [1, 2, 9, 60])
@pytest.mark.parametrize("transposed", [False, True])
def test_triangular_solves_agree_with_scipy(n, transposed):
    rng = np.random.default_rng(n)
    L = linalg.cholesky(positive_definite(rng, n), lower=True)
    b = rng.standard_normal(n)
    np.testing.assert_allclose(
        core.solve_triangular(L, b, transposed),
        linalg.solve_triangular(L, b, trans=int(transposed), lower=True),
        rtol=1e-8,
    )


def test_a_matrix_is_square():
    with pytest.raises(ValueError, match="square"):
        core.cholesky(np.ones((2, 3)))


def value(x, g, v, gap, bound):
    return g @ x + 0.5 * x @ x + bound @ np.maximum(0.0, gap + v @ x)


def dual_optimum(g, v, gap, bound):
    """Maximise the dual over 0 <= λ <= bound with SciPy's L-BFGS-B."""

    def negative(multiplier):
        x = -g - multiplier @ v
        return 0.5 * x @ x - multiplier @ gap, -(gap + v @ x)

    run = minimize(
        negative,
        0.5 * bound,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, b) for b in bound],
        options={"maxiter": 20_000, "maxfun": 50_000, "ftol": 1e-15, "gtol": 1e-10},
    )
    return -run.fun


@pytest.mark.parametrize("seed", range(30))
def test_the_box_program_reaches_the_optimum_of_its_dual(seed):
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(1, 12)), int(rng.integers(0, 40))
    g, v = rng.standard_normal(n), rng.standard_normal((count, n))
    if seed % 3 == 0 and count > 4:
        v[2:4] = v[:2]  # dependent rows
    gap, bound = rng.standard_normal(count), rng.uniform(0.0, 2.0, count)
    x, multiplier, solved = core.solve_box_program(g, v, gap, bound)
    assert solved
    assert (multiplier >= 0.0).all()
    assert (multiplier <= bound * (1 + 1e-12)).all()
    np.testing.assert_allclose(x, -g - multiplier @ v, atol=1e-10)
    best = dual_optimum(g, v, gap, bound)
    assert value(x, g, v, gap, bound) == pytest.approx(best, rel=1e-7, abs=1e-7)


def test_a_kink_without_a_bound_is_a_constraint():
    v, gap = np.array([[1.0, 0.0]]), np.array([1.0])
    x, multiplier, solved = core.solve_box_program(np.zeros(2), v, gap, np.array([np.inf]))
    assert solved
    np.testing.assert_allclose(x, [-1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(multiplier, [1.0], atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_the_box_program_ends_at_the_same_optimum_from_any_multipliers(seed):
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(1, 12)), int(rng.integers(1, 40))
    g, gap = rng.standard_normal(n), rng.standard_normal(count)
    v, bound = rng.standard_normal((count, n)), rng.uniform(0.1, 2.0, count)
    x, multiplier, solved = core.solve_box_program(g, v, gap, bound)
    assert solved
    share = rng.uniform(0.0, 1.0, count) * rng.integers(0, 2, count)
    for start in (share * bound, multiplier, bound):
        again, other, solved = core.solve_box_program(g, v, gap, bound, start)
        assert solved
        np.testing.assert_allclose(again, x, atol=1e-9)
        np.testing.assert_allclose(again, -g - other @ v, atol=1e-9)
