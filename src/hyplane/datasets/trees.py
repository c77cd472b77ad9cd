"""Trees laid out in the hyperbolic plane: data whose true geometry is hyperbolic."""

from numbers import Integral, Real

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils._param_validation import Interval, validate_parameter_constraints

from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, Ints
from hyplane.geometry import from_polar
from hyplane.geometry.maps import polar_boost


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

    The root is at the origin. The neighbours of a node, its parent and its children, are at
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
    count = Interval(Integral, 1, 1_000_000, closed="both")
    constraints = {
        "branching": [count],
        "depth": [count],
        "label_depth": [count],
        "edge_length": [Interval(Real, 0, 1e300, closed="right")],
        "n_nodes": [None, Integral],
    }
    validate_parameter_constraints(constraints, locals(), caller_name="make_hyperbolic_tree")
    if label_depth > depth:
        raise ValueError(f"label_depth must be between 1 and depth={depth}; got {label_depth!r}")
    # A double angle is rounded to 4e-16, which moves a point at radius r by 2e-16 e^r: 2e-3 at 30.
    if depth * edge_length > 30.0:
        raise ValueError(
            f"{depth} generations of edges of length {edge_length} reach the radius "
            f"{depth * edge_length:g}, where doubles no longer tell siblings apart; keep "
            "depth * edge_length at most 30"
        )
    if n_nodes is None:
        n_inner = sum(branching**level for level in range(depth))
        parent = np.concatenate([[-1], np.repeat(np.arange(n_inner), branching)])
    else:
        parent = _random_tree(branching, depth, n_nodes, as_generator(random_state))
    generation = np.zeros(parent.size, dtype=np.intp)
    for node in range(1, parent.size):
        generation[node] = generation[parent[node]] + 1
    radius, angle = _lay_out(parent, generation, edge_length)
    points = from_polar(radius, angle, coordinates, curvature=curvature)
    nodes = np.flatnonzero(generation >= label_depth)
    ancestor = np.arange(parent.size)
    for _ in range(int(generation.max()) - label_depth):
        ancestor = np.where(generation[ancestor] > label_depth, parent[ancestor], ancestor)
    target = np.unique(ancestor[nodes], return_inverse=True)[1]
    if return_X_y:
        return points[nodes], target
    edges = np.column_stack([parent[1:], np.arange(1, parent.size)])
    whole = Bunch(points=points, parent=parent, generation=generation, edges=edges)
    return Bunch(data=points[nodes], target=target, nodes=nodes, **whole)


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


def _lay_out(parent: Ints, generation: Ints, edge_length: float) -> tuple[Array, Array]:
    """Radius and angle of each node; generation after generation."""
    n_children = np.bincount(parent[1:], minlength=parent.size)
    sibling = np.arange(parent.size) - np.searchsorted(parent, parent)  # place among siblings
    radius, angle, back = (np.zeros(parent.size) for _ in range(3))
    length = np.full(parent.size, edge_length)
    for level in range(1, int(generation.max()) + 1):
        nodes = np.flatnonzero(generation == level)
        above = parent[nodes]
        # The parent's own parent takes the first of the evenly spaced directions.
        has_parent = (above > 0).astype(np.intp)
        share = (sibling[nodes] + has_parent) / (n_children[above] + has_parent)
        heading = back[above] + 2.0 * np.pi * share
        # Headings are angles from the outward direction.
        outward = np.broadcast_to([1.0, 0.0], (nodes.size, 2))
        way = np.stack([np.cos(heading), np.sin(heading)], axis=1)
        radius[nodes], end = polar_boost(radius[above], outward, length[nodes], way)
        seen_back = end * [1.0, -1.0]  # the parent's direction, from the end's own
        _, home = polar_boost(radius[nodes], -outward, radius[above], seen_back)
        angle[nodes] = angle[above] + np.arctan2(end[:, 1], end[:, 0])
        back[nodes] = np.arctan2(home[:, 1], home[:, 0])
    return radius, angle
