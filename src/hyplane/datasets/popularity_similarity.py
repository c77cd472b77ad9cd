"""Networks that grow by popularity and similarity in the hyperbolic plane.

Links are found without looking at every pair of nodes: older nodes are kept in annuli of births
[2^j, 2^(j+1)), each sorted by angle. The radii in an annulus differ little, so that a bound on the
distance becomes a window of angles, and a window is a slice of the sorted annulus.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, validate_parameter_constraints

from hyplane._utils.optional import import_optional
from hyplane._utils.progress import progress
from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, Ints, Mask
from hyplane.geometry import from_polar


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

    edges: Ints
    radius: Array
    angle: Array
    birth: Ints
    mean_degree: float
    exponent: float
    temperature: float

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.birth.size

    def points(self, coordinates: str = "ball", *, curvature: float = -1.0) -> Array:
        """Return the true positions of the nodes in a chart.

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
        """Return the network as a networkx graph.

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
    until it has m links. The first nodes link to all older nodes.

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
    constraints = {
        "n_nodes": [Interval(Integral, 2, 100_000_000, closed="both")],
        "mean_degree": [Interval(Real, 2, 1e300, closed="both")],
        "exponent": [Interval(Real, 2, 1e300, closed="both")],
        "temperature": [Interval(Real, 0, 1, closed="left")],
    }
    validate_parameter_constraints(constraints, locals(), caller_name="popularity_similarity_graph")
    rng = as_generator(random_state)
    angles = rng.uniform(0.0, 2.0 * np.pi, n_nodes)
    growth = Growth(mean_degree / 2.0, 1.0 / (exponent - 1.0), float(temperature), angles)
    birth = np.arange(1, n_nodes + 1)
    counts = np.full(n_nodes, int(growth.links))
    if growth.links != int(growth.links):
        counts += rng.random(n_nodes) < growth.links - int(growth.links)
    counts = np.minimum(counts, birth - 1)
    edges = np.concatenate(list(_grow(growth, counts, rng)))
    edges = edges[np.lexsort((edges[:, 0], edges[:, 1]))] - 1
    radius = growth.radius(birth, n_nodes)
    return PopularitySimilarityNetwork(
        edges, radius, angles, birth, float(mean_degree), float(exponent), float(temperature)
    )


def disc_radius(
    n_nodes: int, *, mean_degree: float, exponent: float, temperature: float = 0.0
) -> float:
    """Return R_N, the radius of the disc around the newest node that holds its links on average.

    The parameters are those of :func:`popularity_similarity_graph`.

    Examples
    --------
    >>> round(disc_radius(500, mean_degree=4, exponent=2.25), 3)
    12.181
    """
    growth = Growth(mean_degree / 2.0, 1.0 / (exponent - 1.0), temperature, np.empty(0))
    return float(growth.disc_radius(np.asarray(n_nodes)))


@dataclass(frozen=True)
class Growth:
    """Formulas of the growing disc; nodes are counted from 1, as births are."""

    links: float  # m, the number of links that a new node makes on average
    fading: float  # β = 1 / (γ - 1): how slowly older nodes drift outward (1: not at all)
    temperature: float
    angles: Array

    def radius(self, node: Ints | Array, time: Ints | Array | int) -> Array:
        """Radius of a node at a time not before its birth."""
        drift = 2.0 * (1.0 - self.fading) * np.log(time)
        return np.asarray(2.0 * self.fading * np.log(node) + drift, dtype=np.float64)

    def disc_radius(self, time: Ints) -> Array:
        """Radius R_t of the disc around a new node that holds m older ones on average."""
        log_time = np.log(time)
        rest = 1.0 - self.fading
        # (1 - t^-(1-β)) / (1-β), which tends to log t as β tends to 1.
        growth = -np.expm1(-rest * log_time) / rest if rest > 0.0 else log_time
        T = self.temperature
        # 2T / sin(πT) tends to 2/π as T tends to 0.
        spread = 2.0 * T / np.sin(np.pi * T) if T > 0.0 else 2.0 / np.pi
        return np.asarray(2.0 * log_time - 2.0 * np.log(spread * growth / self.links))

    def closeness(self, time: Ints, node: Ints) -> Array:
        """sinh²(d/2) for the distance d of a newborn to an older node.

        It grows with the distance, needs no inverse function and keeps its digits where the two
        nodes are near each other or far from the centre.
        """
        born, older = self.radius(time, time), self.radius(node, time)
        radial = np.sinh((born - older) / 2.0) ** 2
        across = np.sin((self.angles[node - 1] - self.angles[time - 1]) / 2.0) ** 2
        return np.asarray(radial + np.sinh(born) * np.sinh(older) * across)

    def minus_log_p(self, time: Ints, closeness: Array) -> Array:
        """-log p, where p is the probability that a candidate at this closeness is accepted."""
        distance = 2.0 * np.arcsinh(np.sqrt(closeness))
        with np.errstate(over="ignore"):  # at a tiny temperature
            excess = (distance - self.disc_radius(time)) / (2.0 * self.temperature)
        return np.asarray(np.logaddexp(0.0, excess))


def _grow(growth: Growth, counts: Ints, rng: np.random.Generator) -> Iterator[Ints]:
    """Links of batches of births, each within [2^j, 2^(j+1))."""
    n_nodes, batch = counts.size, 4096
    batches = [
        np.arange(start, min(start + batch, 2**doubling, n_nodes + 1))
        for doubling in range(2, n_nodes.bit_length() + 1)
        for start in range(2 ** (doubling - 1), min(2**doubling, n_nodes + 1), batch)
    ]
    annuli = make_annuli(growth.angles)
    for births in progress(batches, total=len(batches), description="growing the network"):
        older = annuli[: int(births[0]).bit_length()]
        yield link_by_windows(growth, older, births, counts[births - 1], rng)


def smallest_of_each(
    rows: Ints, nodes: Ints, values: Array, counts: Ints
) -> tuple[Ints, Ints, Array]:
    """Keep the ``counts[row]`` smallest values of each row, ordered by row and value."""
    order = np.lexsort((nodes, values, rows))
    rows, nodes, values = rows[order], nodes[order], values[order]
    rank = np.arange(rows.size) - np.searchsorted(rows, rows)
    chosen = rank < counts[rows]
    return rows[chosen], nodes[chosen], values[chosen]


@dataclass(frozen=True)
class Annulus:
    """Nodes of births `first` to `last`, sorted by angle and laid out three times around."""

    first: int
    last: int
    nodes: Ints
    angles: Array

    def window(self, centre: Array, half_width: Array) -> tuple[Ints, Ints]:
        """Slice [start, stop) of the nodes whose angle is within `half_width` of `centre`."""
        start = np.searchsorted(self.angles, centre - half_width)
        stop = np.searchsorted(self.angles, centre + half_width, side="right")
        whole = start + self.nodes.size // 3
        return start, np.where(half_width < np.pi, np.minimum(stop, whole), whole)

    def bounds(self, growth: Growth, time: Ints) -> tuple[Array, Array]:
        """Terms of a lower bound on the closeness: ``gap + scale * sin²(angle / 2)``."""
        born = growth.radius(time, time)
        inner = growth.radius(np.asarray(self.first), time)
        outer = np.minimum(growth.radius(np.asarray(self.last), time), born)
        return np.sinh((born - outer) / 2.0) ** 2, np.sinh(born) * np.sinh(inner)

    def half_width(self, growth: Growth, time: Ints, closeness: Array) -> Array:
        """Half-width of a window that holds every node of at most this closeness."""
        gap, scale = self.bounds(growth, time)
        # Slightly wider than the bound, so that rounding loses no node.
        room = np.maximum(closeness - gap, 0.0) * (1.0 + 1e-9)
        # At β = 1 the first node stays at the centre, as near to every angle (scale 0).
        share = np.divide(room, scale, out=np.ones_like(room), where=scale > room)
        return np.minimum(2.0 * np.arcsin(np.sqrt(share)) + 1e-12, np.pi)


def make_annuli(angles: Array) -> list[Annulus]:
    """Lay out all nodes in annuli."""
    annuli = []
    for first in (2**j for j in range(angles.size.bit_length())):
        last = min(2 * first - 1, angles.size)
        order = np.argsort(angles[first - 1 : last], kind="stable")
        turned = angles[first - 1 : last][order]
        around = np.concatenate([turned - 2.0 * np.pi, turned, turned + 2.0 * np.pi])
        annuli.append(Annulus(first, last, np.tile(first + order, 3), around))
    return annuli


def link_by_windows(
    growth: Growth,
    annuli: list[Annulus],
    births: Ints,
    counts: Ints,
    rng: np.random.Generator,
    margin: float = 2.0,
) -> Ints:
    """Link each birth to older nodes, looking at near nodes only.

    At temperature 0 a newborn takes the nearest older nodes. Above it, candidates are drawn at
    random and accepted with probability p until there are enough: the accepted ones come one
    after the other with probabilities proportional to p among those not yet taken, which is the
    order of arrival of independent exponential clocks of rates p.

    The disc searched around a newborn is wider than R_t by the margin, which grows until the disc
    holds enough older nodes; what lies outside is then farther than all of these. At temperature
    0 that is the answer. Above it, the latest of the clocks taken bounds the time in which a node
    outside can still come in, see :func:`_late_arrivals`. `annuli` must cover every node that is
    older than a birth.
    """
    centre = growth.angles[births - 1]
    closeness = np.sinh((np.maximum(growth.disc_radius(births), 0.0) + margin) / 2.0) ** 2
    widths = [annulus.half_width(growth, births, closeness) for annulus in annuli]
    windows = [each.window(centre, width) for each, width in zip(annuli, widths, strict=True)]
    found = []
    for annulus, (start, stop) in zip(annuli, windows, strict=True):
        sizes = stop - start
        row = np.repeat(np.arange(births.size), sizes)
        offset = np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        found.append((row, annulus.nodes[start[row] + offset]))
    rows, nodes = (np.concatenate(part) for part in zip(*found, strict=True))
    rows, nodes = rows[nodes < births[rows]], nodes[nodes < births[rows]]
    values = growth.closeness(births[rows], nodes)
    n_inside = np.bincount(rows[values <= closeness[rows]], minlength=births.size)
    done = (n_inside >= counts) | (np.column_stack(widths) >= np.pi).all(axis=1)
    kept = done[rows]
    rows, nodes, values = rows[kept], nodes[kept], values[kept]
    if growth.temperature > 0.0:
        clocks = np.log(rng.standard_exponential(values.size))
        values = growth.minus_log_p(births[rows], values) + clocks
        rows, nodes, values = smallest_of_each(rows, nodes, values, counts)
        latest = np.full(births.size, -np.inf)
        np.maximum.at(latest, rows, values)
        arrivals = [(rows, nodes, values)]
        for annulus, width, window in zip(annuli, widths, windows, strict=True):
            outside = width, *window, latest
            arrivals += _late_arrivals(growth, annulus, births, done, outside, rng)
        rows, nodes, values = (np.concatenate(part) for part in zip(*arrivals, strict=True))
        first = np.lexsort((values, nodes, rows))
        rows, nodes, values = rows[first], nodes[first], values[first]
        new = np.append(True, (np.diff(rows) != 0) | (np.diff(nodes) != 0))[: rows.size]
        rows, nodes, values = rows[new], nodes[new], values[new]
    rows, nodes, _ = smallest_of_each(rows, nodes, values, counts)
    edges = np.column_stack([nodes, births[rows]])
    if done.all():
        return edges
    later = link_by_windows(growth, annuli, births[~done], counts[~done], rng, margin + 2.0)
    return np.concatenate([edges, later])


def _late_arrivals(
    growth: Growth,
    annulus: Annulus,
    time: Ints,
    done: Mask,
    outside: tuple[Array, Ints, Ints, Array],
    rng: np.random.Generator,
) -> Iterator[tuple[Ints, Ints, Array]]:
    """Arrivals from outside the windows of an annulus before the time ``exp(latest)``.

    A node whose clock has rate p is a Poisson process of rate p, of which the first point counts.
    The nodes outside the windows are cut into rings of angles, each four times wider than the one
    before; a ring of n nodes with p at most q has Poisson(n q · time) candidate points, each at a
    uniform time and node, and each is a true point with probability p / q. This thinning is exact.
    """
    latest = outside[3]
    gap, scale = annulus.bounds(growth, time)
    # Within this angle the bound is nearly constant, so that thinner rings would gain nothing.
    flat = np.sqrt(np.divide(gap, scale, out=np.full_like(gap, np.inf), where=scale > 0.0))
    row = np.flatnonzero(done)
    width, start, stop = outside[0][row], outside[1][row], outside[2][row]
    while row.size:
        wider = np.minimum(np.maximum(4.0 * width, flat[row]), np.pi)
        far_start, far_stop = annulus.window(growth.angles[time[row] - 1], wider)
        far_start, far_stop = np.minimum(far_start, start), np.maximum(far_stop, stop)
        bound = growth.minus_log_p(time[row], gap[row] + scale[row] * np.sin(width / 2.0) ** 2)
        left, right = start - far_start, far_stop - stop
        n_points = rng.poisson((left + right) * np.exp(latest[row] - bound))
        ring = np.repeat(np.arange(row.size), n_points)
        pick = rng.integers((left + right)[ring])
        place = far_start[ring] + pick + np.where(pick < left[ring], 0, (stop - start)[ring])
        older = annulus.nodes[place] < time[row[ring]]
        ring, node = ring[older], annulus.nodes[place][older]
        born = time[row[ring]]
        own = growth.minus_log_p(born, growth.closeness(born, node))
        true = rng.random(ring.size) < np.exp(bound[ring] - own)
        value = latest[row[ring]] + np.log1p(-rng.random(ring.size))
        yield row[ring][true], node[true], value[true]
        left_over = wider < np.pi
        row, width = row[left_over], wider[left_over]
        start, stop = far_start[left_over], far_stop[left_over]
