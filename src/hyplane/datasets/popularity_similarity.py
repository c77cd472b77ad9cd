"""Networks that grow by popularity and similarity in the hyperbolic plane."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.progress import progress
from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, Ints, finite_float
from hyplane.datasets._annuli import link_by_windows, make_annuli
from hyplane.datasets._growth import Growth, link_densely
from hyplane.geometry import from_polar

# Up to this birth every pair is looked at, which is faster than windows and gives the same.
_DENSE_BIRTHS = 128
_BATCH = 4096

# A link or so is tried for every pair of near nodes; more would take days.
_MOST_NODES = 100_000_000


@dataclass(frozen=True)
class PopularitySimilarityNetwork:
    """A network of the popularity-similarity model.

    Nodes are 0, …, n - 1 in the order of their birth.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
        Directed edges: the older node, then the newer node that linked to it.
    radius, angle : ndarray of shape (n_nodes,)
        Native polar coordinates at the end of the growth, at curvature -1.
    birth : ndarray of shape (n_nodes,)
        Time of birth, 1, …, n.
    mean_degree, exponent, temperature : float
        The parameters it was made with.

    Examples
    --------
    >>> network = popularity_similarity_graph(100, random_state=0)
    >>> network.n_nodes, network.points("polar").shape
    (100, (100, 2))
    """

    edges: NDArray[np.intp]
    radius: NDArray[np.float64]
    angle: NDArray[np.float64]
    birth: NDArray[np.intp]
    mean_degree: float
    exponent: float
    temperature: float

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.birth.size

    def points(self, coordinates: str = "ball", *, curvature: float = -1.0) -> Array:
        """Give the true places of the nodes in a chart.

        Parameters
        ----------
        coordinates : str, default="ball"
            Chart of the result.
        curvature : float, default=-1.0

        Returns
        -------
        points : ndarray of shape (n_nodes, n_columns)
        """
        return from_polar(self.radius, self.angle, coordinates, curvature=curvature)

    def to_networkx(self, *, directed: bool = False) -> Any:
        """Make a networkx graph of it.

        Parameters
        ----------
        directed : bool, default=False
            Keep the direction of the edges, from the older node to the newer.

        Returns
        -------
        graph : networkx.Graph or networkx.DiGraph
            Nodes in the order of birth.
        """
        nx = import_optional("networkx", "experiments")
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from(range(self.n_nodes))
        graph.add_edges_from(self.edges.tolist())
        return graph


def popularity_similarity_graph(
    n_nodes: int = 500,
    *,
    mean_degree: float = 4.0,
    exponent: float = 2.25,
    temperature: float = 0.0,
    random_state: RandomState = None,
) -> PopularitySimilarityNetwork:
    """Grow a network by the popularity-similarity model.

    Node t is born at radius 2 ln t and a uniform angle; node s, older, has drifted to
    2β ln s + 2(1 - β) ln t, with β = 1 / (exponent - 1). At temperature 0 the newborn links to
    the m = mean_degree / 2 hyperbolically nearest nodes. At a temperature T > 0 it draws nodes
    at random and links to one at distance d with probability 1 / (1 + exp((d - R_t) / 2T)),
    until it has m links. The first nodes link to all there are.

    Parameters
    ----------
    n_nodes : int, default=500
    mean_degree : float, default=4.0
        Mean degree of a large network. Where half of it is no integer, each newborn makes the
        integer below or above at random, with that mean.
    exponent : float, default=2.25
        Exponent γ of the degree distribution, at least 2; γ = 2 is β = 1, where nodes keep
        their radius.
    temperature : float, default=0.0
        Between 0 and 1 (excluded); clustering falls as it grows.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    network : PopularitySimilarityNetwork
        Directed edges, coordinates and birth order; ``to_networkx()`` gives the graph.

    Notes
    -----
    The work per node is proportional to the number of its links and to log² of its birth: no
    pair of far nodes is looked at, and no matrix is formed. The result is exact, not approximate.

    References
    ----------
    F. Papadopoulos, M. Kitsak, M. Á. Serrano, M. Boguñá and D. Krioukov (2012). Popularity
    versus similarity in growing networks. Nature 489, 537-540.

    Examples
    --------
    >>> from hyplane.datasets import popularity_similarity_graph
    >>> network = popularity_similarity_graph(500, mean_degree=4, random_state=0)
    >>> network.edges.shape
    (997, 2)
    """
    growth = _check_parameters(n_nodes, mean_degree, exponent, temperature)
    rng = as_generator(random_state)
    angles = rng.uniform(0.0, 2.0 * np.pi, n_nodes)
    birth = np.arange(1, n_nodes + 1)
    counts = np.full(n_nodes, int(growth.links))
    if growth.links != int(growth.links):
        counts += rng.random(n_nodes) < growth.links - int(growth.links)
    counts = np.minimum(counts, birth - 1)
    edges = np.concatenate(list(_grow(growth, angles, counts, rng)))
    edges = edges[np.lexsort((edges[:, 0], edges[:, 1]))] - 1
    radius = growth.radius(birth, n_nodes)
    return PopularitySimilarityNetwork(
        edges, radius, angles, birth, float(mean_degree), float(exponent), float(temperature)
    )


def disc_radius(
    n_nodes: int, *, mean_degree: float, exponent: float, temperature: float = 0.0
) -> float:
    """Return R_N, the radius of the disc around the newest node that holds its links on average.

    Parameters
    ----------
    n_nodes : int
        N.
    mean_degree, exponent, temperature : float
        Of the network, as in :func:`popularity_similarity_graph`.

    Returns
    -------
    radius : float

    References
    ----------
    F. Papadopoulos, M. Kitsak, M. Á. Serrano, M. Boguñá and D. Krioukov (2012). Popularity versus
    similarity in growing networks. Nature 489, 537-540.

    Examples
    --------
    >>> round(disc_radius(500, mean_degree=4, exponent=2.25), 3)
    12.181
    """
    growth = Growth(mean_degree / 2.0, 1.0 / (exponent - 1.0), temperature)
    return float(growth.disc_radius(np.asarray(n_nodes)))


def _grow(
    growth: Growth, angles: Array, counts: Ints, rng: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Links of the first births, then of batches of births, each within [2^j, 2^(j+1))."""
    first = np.arange(2, min(_DENSE_BIRTHS, angles.size + 1))
    yield link_densely(growth, angles, first, counts[first - 1], rng)
    batches = [
        np.arange(start, min(start + _BATCH, 2**doubling, angles.size + 1))
        for doubling in range(_DENSE_BIRTHS.bit_length(), angles.size.bit_length() + 1)
        for start in range(2 ** (doubling - 1), min(2**doubling, angles.size + 1), _BATCH)
    ]
    annuli = make_annuli(angles, angles.size)
    for births in progress(batches, total=len(batches), description="growing the network"):
        older = annuli[: int(births[0]).bit_length()]
        yield link_by_windows(growth, older, angles, births, counts[births - 1], rng)


def _check_parameters(
    n_nodes: int, mean_degree: float, exponent: float, temperature: float
) -> Growth:
    if finite_float(n_nodes) is None or n_nodes != int(n_nodes) or not 2 <= n_nodes <= _MOST_NODES:
        raise ValueError(f"n_nodes must be an integer from 2 to {_MOST_NODES}; got {n_nodes!r}")
    if finite_float(mean_degree) is None or mean_degree < 2.0:
        raise ValueError(
            "mean_degree must be a finite number of at least 2, since a newborn makes half as "
            f"many links and the network would fall apart; got {mean_degree!r}"
        )
    if finite_float(exponent) is None or exponent < 2.0:
        raise ValueError(f"exponent must be a finite number of at least 2; got {exponent!r}")
    if not (temperature == 0.0 or 1e-100 <= temperature < 1.0):
        raise ValueError(
            f"temperature must be 0, or from 1e-100 to less than 1; got {temperature!r}"
        )
    return Growth(mean_degree / 2.0, 1.0 / (exponent - 1.0), float(temperature))
