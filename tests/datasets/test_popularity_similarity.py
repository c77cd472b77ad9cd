import networkx as nx
import numpy as np
import pytest
from scipy.stats import kstest

from hyplane.datasets import popularity_similarity_graph
from hyplane.datasets.popularity_similarity import disc_radius
from hyplane.geometry import convert, distance


def grow(n_nodes, **settings):
    return popularity_similarity_graph(n_nodes, **{"random_state": 0, **settings})


def plain_links(network):
    """Temperature 0 as the model states it, one newborn at a time, by library distances."""
    m = int(network.mean_degree / 2)
    edges = []
    for t in range(2, network.n_nodes + 1):
        nearest = np.argsort(distances_at_birth(network, t))[:m]
        edges += [(int(node), t - 1) for node in sorted(nearest)]
    return np.array(edges)


def distances_at_birth(network, t):
    """Distances of the older nodes from node t when it is born, by library distances."""
    beta = 1.0 / (network.exponent - 1.0)
    radius = 2 * beta * np.log(np.arange(1, t)) + 2 * (1 - beta) * np.log(t)
    older = np.column_stack([radius, network.angle[: t - 1]])
    newborn = np.tile([2 * np.log(t), network.angle[t - 1]], (t - 1, 1))
    return distance(older, newborn, coordinates="polar")


def test_the_papers_setting_has_997_edges():
    for seed in range(10):
        network = popularity_similarity_graph(500, mean_degree=4, exponent=2.25, random_state=seed)
        assert network.edges.shape == (997, 2)


@pytest.mark.parametrize("temperature", [0.0, 0.4])
def test_edges_lead_from_older_to_newer_and_none_is_repeated(temperature):
    network = popularity_similarity_graph(2000, temperature=temperature, random_state=0)
    assert (network.edges[:, 0] < network.edges[:, 1]).all()
    assert len(np.unique(network.edges, axis=0)) == len(network.edges)
    made = np.bincount(network.edges[:, 1], minlength=2000)
    np.testing.assert_array_equal(made, np.minimum(2, np.arange(2000)))


@pytest.mark.parametrize("mean_degree", [2, 6, 30])
@pytest.mark.parametrize("exponent", [2.0, 2.25, 50.0])
def test_links_at_temperature_zero_are_the_nearest_older_nodes(exponent, mean_degree):
    network = grow(1000, mean_degree=mean_degree, exponent=exponent, random_state=1)
    np.testing.assert_array_equal(network.edges, plain_links(network))


def link_probabilities(network, t):
    """Probabilities of the first link of node t: proportional to those of acceptance."""
    shape = {name: getattr(network, name) for name in ("mean_degree", "exponent", "temperature")}
    excess = (distances_at_birth(network, t) - disc_radius(t, **shape)) / 2 / network.temperature
    minus_log_p = np.logaddexp(0.0, excess)
    p = np.exp(minus_log_p.min() - minus_log_p)
    return p / p.sum()


@pytest.mark.parametrize("births", [range(3, 128), range(128, 2500)])
@pytest.mark.parametrize(
    ("exponent", "temperature"), [(2.0, 0.5), (2.25, 0.01), (2.25, 0.3), (2.25, 0.9), (3.0, 0.6)]
)
def test_a_link_above_temperature_zero_is_drawn_by_the_acceptance_probability(
    exponent, temperature, births
):
    # With one link a node, its place in the distribution function of the nodes is uniform.
    rng, places = np.random.default_rng(3), []
    for seed in range(1 if births[-1] > 128 else 20):
        shape = {"mean_degree": 2, "exponent": exponent, "temperature": temperature}
        network = grow(births[-1] + 1, **shape, random_state=seed)
        linked = dict(network.edges[:, ::-1].tolist())
        for t in births:
            p = link_probabilities(network, t)
            order = np.argsort(p)
            upper = np.cumsum(p[order])[np.flatnonzero(order == linked[t - 1])[0]]
            places.append(upper - rng.random() * p[linked[t - 1]])
    assert kstest(places, "uniform").pvalue > 0.001


def test_pairs_of_links_are_drawn_without_replacement_as_the_model_draws_them():
    # The literal procedure: draw nodes uniformly, accept by p, until there are two.
    total = expected = variance = 0.0
    for seed in range(8):
        network = popularity_similarity_graph(300, temperature=0.7, random_state=seed)
        for t in range(130, 300):
            p = link_probabilities(network, t)
            pairs = np.outer(p / (1 - p), p)  # first, then second
            np.fill_diagonal(pairs, 0.0)
            score = np.argsort(np.argsort(p)) / p.size
            both = score[:, np.newaxis] + score
            mean = (pairs * both).sum()
            expected, variance = expected + mean, variance + (pairs * both**2).sum() - mean**2
            total += score[network.edges[network.edges[:, 1] == t - 1, 0]].sum()
    assert abs(total - expected) < 4.0 * np.sqrt(variance)


@pytest.mark.parametrize("temperature", [0.0, 0.5])
@pytest.mark.parametrize("exponent", [2.0, 2.25, 2.5, 3.0])
def test_degrees_have_the_exponent_asked_for(exponent, temperature):
    network = grow(20_000, mean_degree=6, exponent=exponent, temperature=temperature)
    degrees = np.bincount(network.edges.ravel())
    tail = degrees[degrees >= 40]
    estimate = 1 + tail.size / np.log(tail / 39.5).sum()
    assert estimate == pytest.approx(exponent, abs=max(0.12, 3 * (exponent - 1) / tail.size**0.5))


def test_clustering_is_strong_at_temperature_zero_and_falls_with_it():
    def coefficient(seed, T):
        network = grow(1000, mean_degree=6, temperature=T, random_state=seed)
        return nx.average_clustering(network.to_networkx())

    clustering = [np.mean([coefficient(s, T) for s in range(3)]) for T in (0.0, 0.3, 0.6, 0.9)]
    assert clustering[0] > 0.75
    assert clustering[-1] < 0.2
    assert (np.diff(clustering) < -0.05).all()


def test_nearly_zero_temperature_is_nearly_temperature_zero():
    cold = popularity_similarity_graph(3000, random_state=5)
    warm = popularity_similarity_graph(3000, temperature=1e-3, random_state=5)
    np.testing.assert_array_equal(cold.angle, warm.angle)
    shared = set(map(tuple, cold.edges.tolist())) & set(map(tuple, warm.edges.tolist()))
    # Within the disc R_t all are accepted alike; beyond it the nearest comes first.
    assert 0.6 < len(shared) / len(cold.edges) < 1.0


def test_a_half_link_is_made_half_of_the_time():
    network = popularity_similarity_graph(4000, mean_degree=5, random_state=6)
    made = np.bincount(network.edges[:, 1], minlength=4000)[3:]
    assert set(made.tolist()) == {2, 3}
    assert made.mean() == pytest.approx(2.5, abs=0.04)


def test_coordinates_are_those_of_the_end_of_the_growth():
    network = popularity_similarity_graph(100, exponent=2.5, random_state=7)
    beta = 1 / 1.5
    expected = 2 * beta * np.log(np.arange(1, 101)) + 2 * (1 - beta) * np.log(100)
    np.testing.assert_allclose(network.radius, expected)
    polar = convert(network.points("ball"), "ball", "polar")
    np.testing.assert_allclose(polar[:, 0], network.radius, rtol=1e-9)
    half = network.points("polar", curvature=-4.0)
    np.testing.assert_allclose(half[:, 0], network.radius / 2)


def test_networkx_graph_keeps_nodes_in_order_of_birth():
    network = popularity_similarity_graph(50, random_state=8)
    graph = network.to_networkx(directed=True)
    assert list(graph.nodes) == list(range(50))
    assert graph.has_edge(0, 1)
    assert not graph.has_edge(1, 0)
    assert nx.is_connected(network.to_networkx())


@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_the_same_seed_gives_the_same_network(temperature):
    one, two = (grow(1000, temperature=temperature).edges for _ in range(2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n_nodes", [2, 3, 4, 127, 128, 129, 255, 256, 257])
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_every_size_has_the_right_number_of_edges(n_nodes, temperature):
    network = grow(n_nodes, mean_degree=6, temperature=temperature)
    assert len(network.edges) == np.minimum(3, np.arange(n_nodes)).sum()


def test_more_links_than_older_nodes_make_a_complete_graph():
    for temperature in (0.0, 0.5):
        network = grow(300, mean_degree=600, temperature=temperature)
        assert len(network.edges) == 300 * 299 // 2


@pytest.mark.slow
def test_a_hundred_thousand_nodes():
    network = popularity_similarity_graph(100_000, temperature=0.5, random_state=0)
    assert network.edges.shape == (199_997, 2)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_nodes": 1}, "n_nodes"),
        ({"n_nodes": 10.5}, "n_nodes"),
        ({"mean_degree": 1.0}, "mean_degree"),
        ({"mean_degree": np.inf}, "mean_degree"),
        ({"exponent": 1.9}, "exponent"),
        ({"exponent": np.nan}, "exponent"),
        ({"temperature": 1.0}, "temperature"),
        ({"temperature": -0.1}, "temperature"),
    ],
)
def test_bad_parameters_get_a_clear_error(bad, message):
    with pytest.raises(ValueError, match=message):
        popularity_similarity_graph(**bad)
