"""The growing disc of the popularity-similarity model: radii, distances, link probabilities."""

from dataclasses import dataclass

import numpy as np

from hyplane._utils.typing import Array, Ints


@dataclass(frozen=True)
class Growth:
    """Formulas of the model for given parameters; nodes are counted from 1, as births are.

    Parameters
    ----------
    links : float
        m, the number of links that a new node makes on average.
    fading : float
        β = 1 / (γ - 1): how slowly older nodes drift outward (1: not at all).
    temperature : float
    """

    links: float
    fading: float
    temperature: float

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

    def closeness(self, time: Ints, node: Ints, angle: Array) -> Array:
        """sinh²(d/2) for the distance d of a newborn to an older node at this angle.

        It grows with the distance, needs no inverse function and keeps its digits where the two
        nodes are near each other or far from the centre.
        """
        born, older = self.radius(time, time), self.radius(node, time)
        radial = np.sinh((born - older) / 2.0) ** 2
        return np.asarray(radial + np.sinh(born) * np.sinh(older) * np.sin(angle / 2.0) ** 2)

    def minus_log_p(self, time: Ints, closeness: Array) -> Array:
        """-log p, where p is the probability that a candidate at this closeness is accepted."""
        distance = 2.0 * np.arcsinh(np.sqrt(closeness))
        excess = (distance - self.disc_radius(time)) / (2.0 * self.temperature)
        return np.asarray(np.logaddexp(0.0, excess))


def smallest_of_each(
    rows: Ints, nodes: Ints, values: Array, counts: Ints
) -> tuple[Ints, Ints, Array]:
    """Keep the ``counts[row]`` smallest values of each row, ordered by row and value."""
    order = np.lexsort((nodes, values, rows))
    rows, nodes, values = rows[order], nodes[order], values[order]
    rank = np.arange(rows.size) - np.searchsorted(rows, rows)
    chosen = rank < counts[rows]
    return rows[chosen], nodes[chosen], values[chosen]


def first_arrivals(rows: Ints, nodes: Ints, values: Array) -> tuple[Ints, Ints, Array]:
    """Keep the smallest value of each pair of row and node."""
    order = np.lexsort((values, nodes, rows))
    rows, nodes, values = rows[order], nodes[order], values[order]
    first = np.ones(rows.size, dtype=bool)
    first[1:] = (np.diff(rows) != 0) | (np.diff(nodes) != 0)
    return rows[first], nodes[first], values[first]


def link_densely(
    growth: Growth, angles: Array, births: Ints, counts: Ints, rng: np.random.Generator
) -> Ints:
    """Link each birth by looking at every older node: the model as it is stated.

    At temperature 0 a newborn takes the nearest older nodes. Above it, candidates are drawn at
    random and accepted with probability p until there are enough: the accepted ones come one
    after the other with probabilities proportional to p among those not yet taken, which is the
    order of arrival of independent exponential clocks of rates p.

    Parameters
    ----------
    growth : Growth
    angles : ndarray of shape (n_nodes,)
    births : ndarray of shape (n_births,)
        The nodes that are born, counted from 1.
    counts : ndarray of shape (n_births,)
        How many links each of them makes.
    rng : numpy.random.Generator

    Returns
    -------
    edges : ndarray of shape (n_edges, 2)
        Older node and newborn, counted from 1.
    """
    older = np.arange(1, births.max(initial=1))[np.newaxis]
    time = births[:, np.newaxis]
    values = growth.closeness(time, older, angles[older - 1] - angles[time - 1])
    if growth.temperature > 0.0:
        clock = np.log(rng.standard_exponential(values.shape))
        values = growth.minus_log_p(time, values) + clock
    values = np.where(older < time, values, np.inf)
    most = int(counts.max(initial=0))
    if most < older.size:
        nearest = np.argpartition(values, most, axis=1)[:, :most]
    else:
        nearest = np.broadcast_to(older - 1, values.shape)
    rows = np.repeat(np.arange(births.size), nearest.shape[1])
    nodes = nearest.ravel()
    rows, nodes, _ = smallest_of_each(rows, nodes, values[rows, nodes], counts)
    return np.column_stack([nodes + 1, births[rows]])
