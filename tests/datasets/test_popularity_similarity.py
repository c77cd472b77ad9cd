import networkx as nx
import numpy as np
import pytest
from scipy.stats import chisquare

from hyplane.datasets import popularity_similarity_graph
from hyplane.datasets._annuli import link_by_windows, make_annuli
from hyplane.datasets._growth import Growth, link_densely
from hyplane.geometry import convert, distance


def plain_links(network):
    """Temperature 0 as the model states it, one newborn at a time, by library distances."""
    beta = 1.0 / (network.exponent - 1.0)
    m = int(network.mean_degree / 2)
    edges = []
    for t in range(2, network.n_nodes + 1):
        s = np.arange(1, t)
        older = np.column_stack(
            [2 * beta * np.log(s) + 2 * (1 - beta) * np.log(t), network.angle[: t - 1]]
        )
        newborn = np.tile([2 * np.log(t), network.angle[t - 1]], (t - 1, 1))
        nearest = np.argsort(distance(older, newborn, coordinates="polar"))[:m]
        edges += [(int(node), t - 1) for node in sorted(nearest)]
    return np.array(edges)


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


@pytest.mark.parametrize("exponent", [2.0, 2.25, 6.0])
def test_links_at_temperature_zero_are_the_nearest_older_nodes(exponent):
    network = popularity_similarity_graph(600, mean_degree=6, exponent=exponent, random_state=1)
    np.testing.assert_array_equal(network.edges, plain_links(network))


@pytest.mark.parametrize("mean_degree", [2, 4, 30])
@pytest.mark.parametrize("exponent", [2.0, 2.25, 50.0])
def test_windows_find_the_links_that_all_pairs_give(exponent, mean_degree):
    network = popularity_similarity_graph(
        1500, mean_degree=mean_degree, exponent=exponent, random_state=2
    )
    growth = Growth(mean_degree / 2, 1 / (exponent - 1), 0.0)
    births = network.birth[1:]
    counts = np.minimum(mean_degree // 2, births - 1)
    dense = link_densely(growth, network.angle, births, counts, np.random.default_rng(0)) - 1
    np.testing.assert_array_equal(network.edges, dense[np.lexsort((dense[:, 0], dense[:, 1]))])


def exact_probabilities(growth, angles, birth):
    older = np.arange(1, birth)
    times = np.full(older.size, birth)
    turn = angles[older - 1] - angles[birth - 1]
    minus_log_p = growth.minus_log_p(times, growth.closeness(times, older, turn))
    weights = np.exp(minus_log_p.min() - minus_log_p)
    return weights / weights.sum()


def assert_counts_fit(counts, probabilities):
    """Chi-square over groups of nodes with an expected count of at least 20."""
    order = np.argsort(probabilities)
    expected = probabilities[order] * counts.sum()
    group = (np.cumsum(expected) / 20.0).astype(int)
    group = np.minimum(group, group[-1] - 1)
    observed, expected = np.bincount(group, counts[order]), np.bincount(group, expected)
    observed, expected = observed[expected > 0], expected[expected > 0]
    assert chisquare(observed, expected).pvalue > 0.001


@pytest.mark.parametrize("link", ["dense", "windows"])
@pytest.mark.parametrize(
    ("exponent", "temperature"), [(2.0, 0.5), (2.25, 0.3), (2.25, 0.9), (3.0, 0.6)]
)
def test_first_link_above_temperature_zero_is_drawn_by_the_acceptance_probability(
    exponent, temperature, link
):
    rng = np.random.default_rng(3)
    growth = Growth(1.0, 1 / (exponent - 1), temperature)
    angles = rng.uniform(0, 2 * np.pi, 400)
    birth, repeats = 333, 20_000 if link == "windows" else 5_000
    births, one = np.full(repeats, birth), np.ones(repeats, dtype=int)
    if link == "dense":
        edges = link_densely(growth, angles, births, one, rng)
    else:
        annuli = make_annuli(angles, 400)
        edges = link_by_windows(growth, annuli, angles, births, one, rng)
    assert edges.shape == (repeats, 2)
    counts = np.bincount(edges[:, 0], minlength=birth)[1:birth]
    assert_counts_fit(counts, exact_probabilities(growth, angles, birth))


def test_pairs_of_links_are_drawn_without_replacement_as_the_model_draws_them():
    # The literal procedure: draw nodes uniformly, accept by p, until there are two.
    rng = np.random.default_rng(4)
    growth = Growth(2.0, 0.8, 0.7)
    angles = rng.uniform(0, 2 * np.pi, 40)
    birth, repeats = 40, 40_000
    p = exact_probabilities(growth, angles, birth)
    births, two = np.full(repeats, birth), np.full(repeats, 2)
    edges = link_by_windows(growth, make_annuli(angles, 40), angles, births, two, rng)
    assert len(edges) == 2 * repeats
    counts = np.bincount(edges[:, 0], minlength=birth)[1:birth]
    # Inclusion: first, or second after any other first.
    second = np.array([(np.delete(p / (1 - p), s) * p[s]).sum() for s in range(p.size)])
    inclusion = p + second
    sd = np.sqrt(repeats * inclusion * (1 - inclusion))
    assert (np.abs(counts - repeats * inclusion) < 4.5 * sd + 1e-9).all()


@pytest.mark.parametrize("temperature", [0.0, 0.5])
@pytest.mark.parametrize("exponent", [2.0, 2.25, 2.5, 3.0])
def test_degrees_have_the_exponent_asked_for(exponent, temperature):
    network = popularity_similarity_graph(
        20_000, mean_degree=6, exponent=exponent, temperature=temperature, random_state=0
    )
    degrees = np.bincount(network.edges.ravel())
    tail = degrees[degrees >= 40]
    estimate = 1 + tail.size / np.log(tail / 39.5).sum()
    assert estimate == pytest.approx(exponent, abs=max(0.12, 3 * (exponent - 1) / tail.size**0.5))


def test_clustering_is_strong_at_temperature_zero_and_falls_with_it():
    clustering = [
        np.mean([
            nx.average_clustering(
                popularity_similarity_graph(
                    1000, mean_degree=6, temperature=temperature, random_state=seed
                ).to_networkx()
            )
            for seed in range(3)
        ])
        for temperature in (0.0, 0.3, 0.6, 0.9)
    ]  # fmt: skip
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
    one, two = (
        popularity_similarity_graph(1000, temperature=temperature, random_state=9).edges
        for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("n_nodes", [2, 3, 4, 127, 128, 129, 255, 256, 257])
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_every_size_has_the_right_number_of_edges(n_nodes, temperature):
    network = popularity_similarity_graph(
        n_nodes, mean_degree=6, temperature=temperature, random_state=0
    )
    assert len(network.edges) == np.minimum(3, np.arange(n_nodes)).sum()


def test_more_links_than_older_nodes_make_a_complete_graph():
    for temperature in (0.0, 0.5):
        network = popularity_similarity_graph(
            300, mean_degree=600, temperature=temperature, random_state=0
        )
        assert len(network.edges) == 300 * 299 // 2


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.0, 0.5])
def test_a_hundred_thousand_nodes(temperature):
    network = popularity_similarity_graph(100_000, temperature=temperature, random_state=0)
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
