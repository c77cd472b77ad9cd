"""Links of the popularity-similarity model without looking at every pair of nodes.

Older nodes are kept in annuli of births [2^j, 2^(j+1)), each sorted by angle. The radii in an
annulus differ little, so that a bound on the distance becomes a window of angles, and a window
is a slice of the sorted annulus. All newborns of a batch are treated at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hyplane._utils.typing import Array, Ints, Mask
from hyplane.datasets._growth import Growth, first_arrivals, smallest_of_each

# A disc this much wider than R_t holds e times as many nodes, so that most newborns find enough.
_FIRST_MARGIN, _NEXT_MARGIN = 2.0, 2.0
# Windows are slightly wider than the bound, so that rounding loses no node.
_SAFETY = 1e-9
_ANGLE_SAFETY = 1e-12
_RING_RATIO = 4.0


@dataclass(frozen=True)
class Annulus:
    """Nodes of births `first` to `last`, sorted by angle and laid out three times around."""

    first: int
    last: int
    nodes: Ints
    angles: Array

    @classmethod
    def of(cls, first: int, last: int, angles: Array) -> "Annulus":
        """Take the nodes `first` to `last` out of the angles of all nodes."""
        order = np.argsort(angles[first - 1 : last], kind="stable")
        turned = angles[first - 1 : last][order]
        turn = 2.0 * np.pi
        return cls(
            first, last, first + order, np.concatenate([turned - turn, turned, turned + turn])
        )

    def window(self, centre: Array, half_width: Array) -> tuple[Ints, Ints]:
        """Slice [start, stop) of the nodes whose angle is within `half_width` of `centre`."""
        start = np.searchsorted(self.angles, centre - half_width)
        stop = np.searchsorted(self.angles, centre + half_width, side="right")
        whole = start + self.nodes.size
        return start, np.where(half_width < np.pi, np.minimum(stop, whole), whole)

    def node_at(self, position: Ints) -> Ints:
        """Nodes at positions of the threefold layout."""
        return self.nodes[position % self.nodes.size]

    def bounds(self, growth: Growth, time: Ints) -> tuple[Array, Array]:
        """Terms of a lower bound on the closeness: ``gap + scale * sin²(angle / 2)``."""
        born = growth.radius(time, time)
        inner = growth.radius(np.asarray(self.first), time)
        outer = np.minimum(growth.radius(np.asarray(self.last), time), born)
        return np.sinh((born - outer) / 2.0) ** 2, np.sinh(born) * np.sinh(inner)

    def half_width(self, growth: Growth, time: Ints, closeness: Array) -> Array:
        """Half-width of a window that holds every node of at most this closeness."""
        gap, scale = self.bounds(growth, time)
        room = np.maximum(closeness - gap, 0.0) * (1.0 + _SAFETY)
        # At β = 1 the first node stays at the centre, as near to every angle (scale 0).
        share = np.divide(room, scale, out=np.ones_like(room), where=scale > room)
        return np.minimum(2.0 * np.arcsin(np.sqrt(share)) + _ANGLE_SAFETY, np.pi)


def make_annuli(angles: Array, last: int) -> list[Annulus]:
    """Annuli of the nodes 1 to `last`."""
    starts = [2**j for j in range(int(last).bit_length())]
    return [Annulus.of(start, min(2 * start - 1, last), angles) for start in starts]


def link_by_windows(
    growth: Growth,
    annuli: list[Annulus],
    angles: Array,
    births: Ints,
    counts: Ints,
    rng: np.random.Generator,
) -> Ints:
    """Link each birth as :func:`link_densely` does, looking at near nodes only.

    The disc searched around a newborn grows until it holds enough older nodes; what lies outside
    is then farther than all of these. At temperature 0 that is the answer. Above it, the latest
    of the clocks taken bounds the time in which a node outside can still come in, see
    :func:`_late_arrivals`. Parameters as for :func:`link_densely`; `annuli` must cover every
    node that is older than a birth.
    """
    edges = []
    margin = np.full(births.size, _FIRST_MARGIN)
    pending = np.arange(births.size)
    while pending.size:
        search = _Search.around(growth, annuli, angles, births[pending], margin[pending])
        found = search.complete(counts[pending])
        if found.any():
            edges.append(_link(search.keep(found), counts[pending[found]], rng))
        pending = pending[~found]
        margin[pending] += _NEXT_MARGIN
    return np.concatenate(edges) if edges else np.empty((0, 2), dtype=np.intp)


@dataclass(frozen=True)
class _Search:
    """Windows around newborns, one column per annulus, and the older nodes inside them."""

    growth: Growth
    annuli: list[Annulus]
    all_angles: Array
    time: Ints
    closeness: Array
    half_widths: Array
    starts: Ints
    stops: Ints
    rows: Ints
    nodes: Ints
    values: Array

    @classmethod
    def around(
        cls, growth: Growth, annuli: list[Annulus], angles: Array, time: Ints, margin: Array
    ) -> "_Search":
        radius = np.maximum(growth.disc_radius(time), 0.0) + margin
        closeness = np.sinh(radius / 2.0) ** 2
        centre = angles[time - 1]
        widths = [annulus.half_width(growth, time, closeness) for annulus in annuli]
        slices = [a.window(centre, width) for a, width in zip(annuli, widths, strict=True)]
        rows, nodes = [], []
        for annulus, (start, stop) in zip(annuli, slices, strict=True):
            row, offset = _expand(stop - start)
            rows.append(row)
            nodes.append(annulus.node_at(start[row] + offset))
        row, node = np.concatenate(rows), np.concatenate(nodes)
        older = node < time[row]
        row, node = row[older], node[older]
        value = growth.closeness(time[row], node, angles[node - 1] - centre[row])
        starts, stops = (np.column_stack(side) for side in zip(*slices, strict=True))
        return cls(growth, annuli, angles, time, closeness, np.column_stack(widths), starts, stops,
                   row, node, value)  # fmt: skip

    def complete(self, counts: Ints) -> Mask:
        """Tell which newborns have enough nodes in their disc, or the whole plane as their disc."""
        inside = self.values <= self.closeness[self.rows]
        enough = np.bincount(self.rows[inside], minlength=self.time.size) >= counts
        return np.asarray(enough | (self.half_widths >= np.pi).all(axis=1))

    def keep(self, kept: Mask) -> "_Search":
        """Leave the other newborns out."""
        place = np.cumsum(kept) - 1
        own = kept[self.rows]
        return _Search(
            self.growth, self.annuli, self.all_angles, self.time[kept], self.closeness[kept],
            self.half_widths[kept], self.starts[kept], self.stops[kept],
            place[self.rows[own]], self.nodes[own], self.values[own],
        )  # fmt: skip


def _link(search: _Search, counts: Ints, rng: np.random.Generator) -> Ints:
    rows, nodes, values = search.rows, search.nodes, search.values
    if search.growth.temperature > 0.0:
        clocks = np.log(rng.standard_exponential(values.size))
        values = search.growth.minus_log_p(search.time[rows], values) + clocks
        rows, nodes, values = smallest_of_each(rows, nodes, values, counts)
        latest = np.full(search.time.size, -np.inf)
        np.maximum.at(latest, rows, values)
        late = _late_arrivals(search, latest, rng)
        rows, nodes, values = (
            np.concatenate(both) for both in zip((rows, nodes, values), late, strict=True)
        )
    rows, nodes, _ = smallest_of_each(rows, nodes, values, counts)
    return np.column_stack([nodes, search.time[rows]])


def _late_arrivals(
    search: _Search, latest: Array, rng: np.random.Generator
) -> tuple[Ints, Ints, Array]:
    """Arrivals from outside the windows before the time ``exp(latest)`` of each newborn.

    A node whose clock has rate p is a Poisson process of rate p, of which the first point counts.
    The nodes outside the windows are cut into rings of angles; a ring of n nodes with p at most
    q has Poisson(n q · time) candidate points, each at a uniform time and node, and each is a
    true point with probability p / q. This thinning is exact.
    """
    columns = range(len(search.annuli))
    arrivals = [ring for c in columns for ring in _ring_arrivals(search, c, latest, rng)]
    rows, nodes, values = (np.concatenate(part) for part in zip(*arrivals, strict=True))
    return first_arrivals(rows, nodes, values)


def _ring_arrivals(
    search: _Search, column: int, latest: Array, rng: np.random.Generator
) -> Iterator[tuple[Ints, Ints, Array]]:
    """Arrivals from one annulus, ring after ring, each some times wider than the one before."""
    annulus, growth, time = search.annuli[column], search.growth, search.time
    gap, scale = annulus.bounds(growth, time)
    # Within this angle the bound is nearly constant, so that thinner rings would gain nothing.
    flat = np.sqrt(np.divide(gap, scale, out=np.full_like(gap, np.inf), where=scale > 0.0))
    row, width = np.arange(time.size), search.half_widths[:, column]
    start, stop = search.starts[:, column], search.stops[:, column]
    while row.size:
        wider = np.minimum(np.maximum(_RING_RATIO * width, flat[row]), np.pi)
        far_start, far_stop = annulus.window(search.all_angles[time[row] - 1], wider)
        far_start, far_stop = np.minimum(far_start, start), np.maximum(far_stop, stop)
        bound = gap[row] + scale[row] * np.sin(width / 2.0) ** 2
        minus_log_p = growth.minus_log_p(time[row], bound)
        left, right = start - far_start, far_stop - stop
        ring, _ = _expand(rng.poisson((left + right) * np.exp(latest[row] - minus_log_p)))
        pick = rng.integers((left + right)[ring])
        node = annulus.node_at(
            far_start[ring] + pick + np.where(pick < left[ring], 0, (stop - start)[ring])
        )
        yield _thin(search, row[ring], node, minus_log_p[ring], latest, rng)
        outside = wider < np.pi
        row, width = row[outside], wider[outside]
        start, stop = far_start[outside], far_stop[outside]


def _thin(
    search: _Search,
    row: Ints,
    node: Ints,
    minus_log_p: Array,
    latest: Array,
    rng: np.random.Generator,
) -> tuple[Ints, Ints, Array]:
    """Keep a candidate point with the probability that it is a point of the node's own clock."""
    older = node < search.time[row]
    row, node, minus_log_p = row[older], node[older], minus_log_p[older]
    time = search.time[row]
    turn = search.all_angles[node - 1] - search.all_angles[time - 1]
    own = search.growth.minus_log_p(time, search.growth.closeness(time, node, turn))
    true = rng.random(row.size) < np.exp(minus_log_p - own)
    value = latest[row] + np.log1p(-rng.random(row.size))
    return row[true], node[true], value[true]


def _expand(sizes: Ints) -> tuple[Ints, Ints]:
    """For slices of these sizes, name the slice and the place in it of every element."""
    row = np.repeat(np.arange(sizes.size), sizes)
    offset = np.arange(row.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return row, offset
