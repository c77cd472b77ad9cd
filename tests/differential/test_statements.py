"""Results against independent statements of the same problem: general solvers and dense code."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, xlogy

from hyplane.classifiers._calibration import couple, fit_sigmoid
from hyplane.datasets import popularity_similarity_graph
from hyplane.embeddings import LaBNE
from hyplane.solvers import Points, solve_hard_margin


def separable(seed, n, m=14):
    """Points on both sides of a hyperplane near the origin, none closer to it than 0.2."""
    rng = np.random.default_rng(seed)
    w = np.r_[0.3 * rng.standard_normal(), rng.standard_normal(n)]
    V = rng.standard_normal((8 * m, n))
    radius = np.linalg.norm(V, axis=1)
    x = np.column_stack([np.cosh(radius), np.sinh(radius)[:, None] * V / radius[:, None]])
    score = x[:, 0] * w[0] - x[:, 1:] @ w[1:]
    square = w[1:] @ w[1:] - w[0] ** 2
    keep = np.flatnonzero(np.abs(np.arcsinh(score / np.sqrt(square))) > 0.2)[:m]
    return x[keep], radius[keep], V[keep] / radius[keep, None], np.sign(score[keep])


def slice_value(x, y, t):
    """Minimise ½|v|² subject to ``y (t x0 - v·x1:) ≥ 1``, a convex problem, by SLSQP."""
    constraint = {
        "type": "ineq",
        "fun": lambda v: y * (t * x[:, 0] - x[:, 1:] @ v) - 1.0,
        "jac": lambda v: -y[:, None] * x[:, 1:],
    }
    start = -np.linalg.lstsq(x[:, 1:], y - t * x[:, 0], rcond=None)[0]
    found = minimize(
        lambda v: 0.5 * v @ v,
        start,
        jac=lambda v: v,
        constraints=constraint,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    feasible = (constraint["fun"](found.x) > -1e-7).all()
    return found.fun if found.success and feasible else np.inf


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_no_slice_of_the_hard_margin_is_below_its_optimum_and_the_best_one_attains_it(n, seed):
    x, radius, direction, y = separable(seed, n)
    assert len(np.unique(y)) == 2
    result = solve_hard_margin(Points(radius, direction), y)
    best = np.exp(result.log_scale) * np.sinh(result.offset)
    values = [slice_value(x, y, t) - 0.5 * t**2 for t in np.linspace(best - 3.0, best + 3.0, 41)]
    assert np.isfinite(values).sum() >= 5
    assert np.nanmin(values) >= result.objective * (1.0 - 1e-5)
    assert slice_value(x, y, best) - 0.5 * best**2 == pytest.approx(result.objective, rel=1e-5)


def platt_loss(parameters, scores, targets, weights):
    """Return the cross entropy of Platt's targets."""
    p = expit(parameters[0] * scores + parameters[1])
    return -(weights @ (xlogy(targets, p) + xlogy(1.0 - targets, 1.0 - p)))


@pytest.mark.parametrize("seed", range(5))
def test_platts_sigmoid_is_the_maximum_of_the_likelihood(seed):
    rng = np.random.default_rng(seed)
    labels = np.where(rng.random(80) < 0.4, 1, -1).astype(np.int8)
    scores = 3.0 * rng.standard_normal(80) + 2.0 * labels
    weights = rng.uniform(0.2, 2.0, 80)
    above, below = weights[labels > 0].sum(), weights[labels < 0].sum()
    targets = np.where(labels > 0, (above + 1) / (above + 2), 1 / (below + 2))
    found = fit_sigmoid(scores, labels, weights)
    direct = minimize(
        platt_loss, [0.5, 0.0], args=(scores, targets, weights), method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000},
    )  # fmt: skip
    np.testing.assert_allclose(found, direct.x, atol=1e-4)
    assert platt_loss(found, scores, targets, weights) <= direct.fun + 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_coupled_probabilities_minimise_the_disagreement_of_pairs(seed):
    rng = np.random.default_rng(seed)
    pairs = list(combinations(range(4), 2))
    of_second = rng.uniform(0.02, 0.98, len(pairs))

    def disagreement(p):
        return sum(
            (r * p[i] - (1.0 - r) * p[j]) ** 2 for r, (i, j) in zip(of_second, pairs, strict=True)
        )

    direct = minimize(
        disagreement, np.full(4, 0.25), method="SLSQP", bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0}, options={"ftol": 1e-15},
    )  # fmt: skip
    found = couple(of_second[None], 4)[0]
    np.testing.assert_allclose(found, direct.x, atol=1e-5)
    assert disagreement(found) <= disagreement(direct.x) + 1e-12


@pytest.mark.parametrize("exponent", [2.0, 2.25, 3.0])
def test_the_popularity_similarity_model_links_to_the_nearest_by_the_law_of_cosines(exponent):
    network = popularity_similarity_graph(300, mean_degree=6, exponent=exponent, random_state=4)
    fading = 1.0 / (exponent - 1.0)
    edges = set()
    for t in range(2, 301):
        newborn = 2.0 * np.log(t)
        away = np.empty(t - 1)
        for s in range(1, t):
            older = 2.0 * fading * np.log(s) + 2.0 * (1.0 - fading) * np.log(t)
            turn = np.cos(network.angle[s - 1] - network.angle[t - 1])
            away[s - 1] = np.arccosh(
                max(
                    1.0,
                    np.cosh(newborn) * np.cosh(older) - np.sinh(newborn) * np.sinh(older) * turn,
                )
            )
        edges |= {(int(s), t - 1) for s in np.argsort(away)[:3]}
    assert {tuple(edge) for edge in network.edges.tolist()} == edges


def test_labne_agrees_with_a_dense_eigendecomposition():
    graph = nx.karate_club_graph()
    adjacency = (nx.to_numpy_array(graph) > 0).astype(float)
    degree = adjacency.sum(axis=1)
    vectors = np.linalg.eigh(np.diag(degree) - adjacency)[1][:, 1:3]
    n, fading = len(degree), 1.0 / (2.5 - 1.0)
    plain = nx.empty_graph(n)
    plain.add_edges_from(graph.edges)
    points = LaBNE(2.5, coordinates="polar").fit_transform(plain)
    rank = 1 + np.argsort(np.argsort(-degree, kind="stable"))
    np.testing.assert_allclose(
        points[:, 0], 2 * fading * np.log(rank) + 2 * (1 - fading) * np.log(n), rtol=1e-12
    )
    # Eigenvectors have no sign of their own.
    candidates = [
        np.arctan2(b * vectors[:, 1], a * vectors[:, 0]) for a in (1, -1) for b in (1, -1)
    ]
    gaps = [np.abs(np.exp(1j * each) - np.exp(1j * points[:, 1])).max() for each in candidates]
    assert min(gaps) < 1e-8
