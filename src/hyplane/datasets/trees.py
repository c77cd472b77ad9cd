"""Trees laid out in the hyperbolic plane: data whose true geometry is hyperbolic."""

import numpy as np
from sklearn.utils import Bunch

from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, Ints, finite_float
from hyplane.geometry import from_polar
from hyplane.geometry.maps import polar_boost

# A double angle is rounded to 4e-16, which moves a point at radius r by 2e-16 e^r: 2e-3 at 30.
MAX_RADIUS = 30.0
_MOST = 1_000_000


def make_hyperbolic_tree(
    branching: int = 3,
    depth: int = 5,
    *,
    n_nodes: int | None = None,
    edge_length: float = 2.0,
    label_depth: int = 1,
    coordinates: str = "ball",
    curvature: float = -1.0,
    return_X_y: bool = False,
    random_state: RandomState = None,
) -> Bunch | tuple[Array, Ints]:
    """Lay out a labelled tree in the hyperbolic plane by Sarkar's construction.

    The root sits at the origin. The neighbours of a node, its parent and its children, are at
    distance `edge_length` from it in directions that divide the full turn evenly. The longer
    the edges, the nearer hyperbolic distances are to distances along the tree.

    Parameters
    ----------
    branching : int, default=3
        Number of children of each node (the greatest number, in a random tree).
    depth : int, default=5
        Number of generations below the root (the greatest number, in a random tree).
    n_nodes : int, optional
        Make a random tree of that many nodes instead of the regular one: each new node is added
        in a place drawn uniformly from the free ones.
    edge_length : float, default=2.0
        Length of the edges, in the distance of curvature -1.
    label_depth : int, default=1
        A node is labelled by its ancestor of this generation; with 1, by the branch of the root.
    coordinates : str, default="ball"
        Chart of the points.
    curvature : float, default=-1.0
    return_X_y : bool, default=False
        Return ``(data, target)`` only.
    random_state : None, int, RandomState or Generator
        Used for a random tree only.

    Returns
    -------
    tree : Bunch
        ``data`` and ``target``: points and classes of the nodes of generation `label_depth` and
        below; ``nodes``: the number of the node in each of these rows; for all nodes ``points``,
        ``parent`` (-1 for the root), ``generation`` and ``edges`` (parent, child).

    Raises
    ------
    ValueError
        If points would be farther than 30 from the origin, where rounding moves them by more
        than 0.002: at most ``30 / edge_length`` generations.

    References
    ----------
    R. Sarkar (2011). Low distortion Delaunay embedding of trees in hyperbolic plane. Graph
    Drawing, 355-366.

    Examples
    --------
    >>> from hyplane.datasets import make_hyperbolic_tree
    >>> tree = make_hyperbolic_tree(branching=2, depth=3)
    >>> tree.points.shape, tree.data.shape, np.bincount(tree.target).tolist()
    ((15, 2), (14, 2), [7, 7])
    """
    _check_parameters(branching, depth, edge_length, label_depth)
    if n_nodes is None:
        parent = _regular_tree(branching, depth)
    else:
        parent = _random_tree(branching, depth, n_nodes, as_generator(random_state))
    generation = _generations(parent)
    radius, angle = _lay_out(parent, generation, edge_length)
    points = from_polar(radius, angle, coordinates, curvature=curvature)
    nodes = np.flatnonzero(generation >= label_depth)
    ancestor = _ancestors(parent, generation, label_depth)
    target = np.unique(ancestor[nodes], return_inverse=True)[1]
    if return_X_y:
        return points[nodes], target
    edges = np.column_stack([parent[1:], np.arange(1, parent.size)])
    return Bunch(
        data=points[nodes],
        target=target,
        nodes=nodes,
        points=points,
        parent=parent,
        generation=generation,
        edges=edges,
    )


def _regular_tree(branching: int, depth: int) -> Ints:
    """Parents of the nodes, generation after generation."""
    n_inner = sum(branching**level for level in range(depth))
    return np.concatenate([[-1], np.repeat(np.arange(n_inner), branching)])


def _random_tree(branching: int, depth: int, n_nodes: int, rng: np.random.Generator) -> Ints:
    """Parents of the nodes, each in a place that was free, ordered by generation."""
    capacity = sum(branching**level for level in range(depth + 1))
    if not 2 <= n_nodes <= capacity:
        raise ValueError(
            f"a tree of branching {branching} and depth {depth} has 2 to {capacity} nodes; "
            f"got n_nodes={n_nodes!r}"
        )
    generation = [0]
    children: list[list[int]] = [[] for _ in range(n_nodes)]
    free = [0] * branching  # the parents of the free places
    for node in range(1, n_nodes):
        pick = int(rng.integers(len(free)))
        free[pick], free[-1] = free[-1], free[pick]
        above = free.pop()
        children[above].append(node)
        generation.append(generation[above] + 1)
        if generation[-1] < depth:
            free.extend([node] * branching)
    order, parent = [0], [-1]
    for place, node in enumerate(order):  # the list grows in the loop: breadth first
        order.extend(children[node])
        parent.extend([place] * len(children[node]))
    return np.array(parent, dtype=np.intp)


def _generations(parent: Ints) -> Ints:
    generation = np.zeros(parent.size, dtype=np.intp)
    for node in range(1, parent.size):
        generation[node] = generation[parent[node]] + 1
    return generation


def _ancestors(parent: Ints, generation: Ints, label_depth: int) -> Ints:
    """Ancestor in generation `label_depth` of each node at or below it."""
    ancestor = np.arange(parent.size)
    for _ in range(int(generation.max()) - label_depth):
        ancestor = np.where(generation[ancestor] > label_depth, parent[ancestor], ancestor)
    return ancestor


def _lay_out(parent: Ints, generation: Ints, edge_length: float) -> tuple[Array, Array]:
    """Radius and angle of each node; generation after generation."""
    n_children = np.bincount(parent[1:], minlength=parent.size)
    # Children of one parent are neighbours in the order by parent: their place among siblings.
    order = np.argsort(parent, kind="stable")
    sibling = np.empty(parent.size, dtype=np.intp)
    sibling[order] = np.arange(parent.size) - np.searchsorted(parent[order], parent[order])
    radius, angle, back = (np.zeros(parent.size) for _ in range(3))
    for level in range(1, int(generation.max()) + 1):
        nodes = np.flatnonzero(generation == level)
        above = parent[nodes]
        # The parent's own parent takes the first of the evenly spaced directions.
        has_parent = (above > 0).astype(np.intp)
        share = (sibling[nodes] + has_parent) / (n_children[above] + has_parent)
        heading = back[above] + 2.0 * np.pi * share
        radius[nodes], turn, back[nodes] = _step(radius[above], heading, edge_length)
        angle[nodes] = angle[above] + turn
    return radius, angle


def _step(radius: Array, heading: Array, length: float) -> tuple[Array, Array, Array]:
    """Go a length from points at a radius; headings are angles from the outward direction.

    Returns the radius of the ends, the change of the polar angle, and the heading of the way back.
    """
    outward = np.broadcast_to([1.0, 0.0], (radius.size, 2))
    way = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    reached, end = polar_boost(radius, outward, np.full(radius.size, length), way)
    start = end * [1.0, -1.0]  # seen from the end's own direction
    _, back = polar_boost(reached, -outward, radius, start)
    return reached, np.arctan2(end[:, 1], end[:, 0]), np.arctan2(back[:, 1], back[:, 0])


def _check_parameters(branching: int, depth: int, edge_length: float, label_depth: int) -> None:
    for name, count in (("branching", branching), ("depth", depth)):
        if not isinstance(count, int | np.integer) or not 1 <= count <= _MOST:
            raise ValueError(f"{name} must be an integer from 1 to {_MOST}; got {count!r}")
    if finite_float(edge_length) is None or edge_length <= 0.0:
        raise ValueError(f"edge_length must be positive and finite; got {edge_length!r}")
    if not 1 <= label_depth <= depth:
        raise ValueError(f"label_depth must be between 1 and depth={depth}; got {label_depth!r}")
    if depth * edge_length > MAX_RADIUS:
        raise ValueError(
            f"{depth} generations of edges of length {edge_length} reach the radius "
            f"{depth * edge_length:g}, where doubles no longer tell siblings apart; keep "
            f"depth * edge_length at most {MAX_RADIUS:g}"
        )
