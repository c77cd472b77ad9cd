"""LaBNE and the eigenvectors it rests on."""

import networkx as nx
import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.stats import spearmanr

from hyplane.datasets import as_network, load_polblogs, popularity_similarity_graph
from hyplane.embeddings import LaBNE, labne


def mean_resultant_length(angle, other):
    """Agreement of angles up to a rotation and a reflection: 1 is perfect, near 0 none."""
    return max(abs(np.exp(1j * (angle - other)).mean()), abs(np.exp(1j * (angle + other)).mean()))


def agreement(exponent, mean_degree, temperature, **parameters):
    """Mean over ten networks of the model."""
    lengths = []
    for seed in range(10):
        shape = {"exponent": exponent, "mean_degree": mean_degree, "temperature": temperature}
        network = popularity_similarity_graph(1000, **shape, random_state=seed)
        model = LaBNE(exponent, coordinates="polar", **parameters)
        points = model.fit_transform(network.edges)
        lengths.append(mean_resultant_length(points[:, 1], network.angle))
    return np.mean(lengths)


@pytest.mark.parametrize("temperature", [0.0, 0.1])
@pytest.mark.parametrize(("exponent", "mean_degree"), [(2.5, 6), (2.5, 10), (3.0, 6)])
def test_angles_of_a_popularity_similarity_network_are_recovered(
    exponent, mean_degree, temperature
):
    assert agreement(exponent, mean_degree, temperature) > 0.9


@pytest.mark.parametrize("temperature", [0.0, 0.1])
def test_equidistant_angles_recover_networks_with_large_hubs(temperature):
    # At exponent 2.25 the order of the angles is right, their spread is not.
    assert agreement(2.25, 6, temperature, angles="equidistant") > 0.9
    assert agreement(2.25, 6, temperature) > 0.8


def test_equidistant_angles_keep_the_order():
    graph = nx.karate_club_graph()
    plain = LaBNE(2.5, coordinates="polar").fit_transform(graph)
    even = LaBNE(2.5, angles="equidistant", coordinates="polar").fit_transform(graph)
    in_order = plain[np.argsort(even[:, 1]), 1]
    assert (np.diff(in_order) > -1e-12).all()  # nodes with the same neighbours are tied
    np.testing.assert_allclose(np.diff(np.sort(even[:, 1])), 2 * np.pi / 34)
    np.testing.assert_array_equal(plain[:, 0], even[:, 0])


def test_radii_follow_the_degree_and_the_true_radii():
    network = popularity_similarity_graph(1000, mean_degree=6, exponent=2.5, random_state=0)
    radius = LaBNE(2.5, coordinates="polar").fit_transform(network.edges)[:, 0]
    log_degree = np.log(np.bincount(network.edges.ravel()))
    assert spearmanr(radius, log_degree).statistic < -0.9
    # The same law of radii as the model's.
    assert radius.max() == pytest.approx(2 * np.log(1000))
    np.testing.assert_allclose(np.sort(radius), np.sort(network.radius), atol=1e-9)


def test_radii_are_the_formula_in_the_order_of_the_degrees():
    star = nx.star_graph(4)
    star.add_edge(3, 4)
    radius = LaBNE(3.0, coordinates="polar").fit_transform(star)[:, 0]
    ranks = np.array([1, 4, 5, 2, 3])  # ties in the order of the graph
    np.testing.assert_allclose(radius, np.log(ranks) + np.log(5))


def test_disc_radius_shrinks_the_radii_and_leaves_the_angles():
    network = popularity_similarity_graph(300, mean_degree=6, random_state=1)
    whole = LaBNE(2.25, coordinates="polar").fit_transform(network.edges)
    small = LaBNE(2.25, disc_radius=3.0, coordinates="polar").fit_transform(network.edges)
    np.testing.assert_allclose(small[:, 0], whole[:, 0] * 3.0 / (2 * np.log(300)))
    np.testing.assert_array_equal(small[:, 1], whole[:, 1])
    ball = LaBNE(2.25, disc_radius=3.0).fit_transform(network.edges)
    np.testing.assert_allclose(np.linalg.norm(ball, axis=1), np.tanh(small[:, 0] / 2))


def test_exponent_is_given_or_fitted():
    network = popularity_similarity_graph(500, mean_degree=4, exponent=2.25, random_state=0)
    fitted = LaBNE(x_min=2).fit(network.edges)
    assert 2.4 < fitted.exponent_ < 2.9  # the published data have 2.62 to 2.71
    assert fitted.x_min_ == 2
    given = LaBNE(2.25).fit(network.edges)
    assert (given.exponent_, given.x_min_) == (2.25, None)


def test_an_exponent_below_two_is_replaced_with_a_warning():
    with (
        pytest.warns(UserWarning, match="2 components"),
        pytest.warns(UserWarning, match="2 is used"),
    ):
        model = LaBNE(x_min=1).fit(load_polblogs().graph)
    assert model.exponent_ == 2.0


def test_a_regular_graph_needs_an_exponent():
    with pytest.raises(ValueError, match="Give the exponent"):
        LaBNE().fit(nx.cycle_graph(10))
    angle = LaBNE(2.5, coordinates="polar").fit_transform(nx.cycle_graph(10))[:, 1]
    turns = np.diff(np.unwrap(angle))
    np.testing.assert_allclose(np.abs(turns), 2 * np.pi / 10, atol=1e-9)


def test_two_nodes_are_too_few_and_three_are_enough():
    with pytest.raises(ValueError, match="at least 3"):
        LaBNE(2.5).fit([(0, 1)])
    assert LaBNE(2.5).fit_transform([(0, 1), (1, 2)]).shape == (3, 2)


@pytest.mark.parametrize(
    ("parameter", "value"), [("exponent", 1.5), ("disc_radius", 0), ("disconnected", "keep")]
)
def test_bad_parameters_are_refused(parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of LaBNE"):
        LaBNE(**{parameter: value}).fit(nx.karate_club_graph())


def test_weights_change_the_angles_and_not_the_radii():
    graph = nx.karate_club_graph()
    weighted, plain = LaBNE(2.5, coordinates="polar"), LaBNE(2.5, coordinates="polar")
    weighted.fit(graph)
    plain.fit(np.array(graph.edges))
    np.testing.assert_array_equal(weighted.embedding_[:, 0], plain.embedding_[:, 0])
    for model, weight in ((weighted, "weight"), (plain, None)):
        laplacian = nx.laplacian_matrix(graph, weight=weight).toarray()
        np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(laplacian)[1:3])


GRAPHS = {
    "path": nx.path_graph(60),
    "karate, weighted": nx.karate_club_graph(),
    "tangled": nx.barabasi_albert_graph(500, 4, seed=0),
    "lollipop": nx.lollipop_graph(80, 15),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_eigenvectors_agree_with_the_dense_solver(name):
    laplacian = nx.laplacian_matrix(GRAPHS[name]).toarray()
    adjacency = as_network(GRAPHS[name]).simple().adjacency
    values, vectors = labne.laplacian_eigenvectors(adjacency, 2)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(laplacian)[1:3], rtol=1e-6)
    np.testing.assert_allclose(laplacian @ vectors, vectors * values, atol=1e-5)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-7)
    assert (vectors[np.argmax(np.abs(vectors), axis=0), [0, 1]] > 0).all()


@pytest.mark.slow
def test_eigenvectors_of_a_large_dense_core_agree_with_a_factorisation():
    graph = nx.barabasi_albert_graph(6000, 8, seed=0)
    nx.add_path(graph, range(5999, 6030))  # a dangling path, where the smallest eigenvalues are
    adjacency = as_network(graph).simple().adjacency
    assert labne.elimination_core(adjacency, 32) > 3000  # so that it is solved by iteration
    laplacian = nx.laplacian_matrix(graph).astype(float)
    values, vectors = labne.laplacian_eigenvectors(adjacency, 2)
    factors = cho_factor(laplacian.toarray() + 1e-3 * np.eye(6030), overwrite_a=True)
    inverse = LinearOperator(laplacian.shape, lambda b: cho_solve(factors, b), dtype=float)
    how = {"sigma": -1e-3, "OPinv": inverse, "return_eigenvectors": False}
    expected = eigsh(laplacian, k=3, **how)
    np.testing.assert_allclose(values, np.sort(expected)[1:], rtol=1e-6)
    np.testing.assert_allclose(laplacian @ vectors, vectors * values, atol=1e-4)


@pytest.mark.parametrize(
    ("graph", "max_degree", "n_left"),
    [
        (nx.balanced_tree(3, 4), 1, 0),
        (nx.complete_graph(40), 38, 40),
        (nx.cycle_graph(50), 1, 50),
        (nx.cycle_graph(50), 2, 0),
    ],
)
def test_elimination_leaves_nothing_of_a_tree_and_all_of_a_clique(graph, max_degree, n_left):
    assert labne.elimination_core(as_network(graph).simple().adjacency, max_degree) == n_left


@pytest.mark.slow
def test_a_hundred_thousand_nodes_are_embedded():
    network = popularity_similarity_graph(100_000, mean_degree=6, temperature=0.1, random_state=0)
    points = LaBNE().fit_transform(network.edges)
    assert np.isfinite(points).all()
    assert points.shape == (100_000, 2)
