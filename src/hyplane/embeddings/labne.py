"""LaBNE: Laplacian-based network embedding, with the power law of the degrees it needs."""

import heapq
import warnings
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.sparse.csgraph import breadth_first_tree
from scipy.special import zeta
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.progress import progress
from hyplane._utils.typing import Array
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.datasets import Network
from hyplane.embeddings._base import GraphEmbedding
from hyplane.geometry import from_polar

# A factorisation is always affordable below this many nodes.
_SMALL = 5_000
# Above, it is taken if eliminating the nodes of small degree leaves a core no larger than this,
# which the factorisation then treats as a dense matrix.
_DENSE_CORE = 3_000
_SHIFT = 1e-8


class LaBNE(GraphEmbedding):
    """Embed a network in the hyperbolic plane by its Laplacian and its degrees.

    Angles come from the eigenvectors v2, v3 of the Laplacian ``D - A`` to its two smallest non-zero
    eigenvalues, ``θ = atan2(v3, v2)``. Radii come from the popularity-similarity model: the node
    of the i-th largest degree gets ``r = 2β ln i + 2(1 - β) ln N`` with ``β = 1 / (exponent - 1)``;
    nodes of equal degree keep the order of the graph. In a graph with weights the Laplacian is that
    of the weights, and a degree is still the number of neighbours.

    Parameters
    ----------
    exponent : float, optional
        Exponent γ ≥ 2 of the degree distribution; fitted by discrete maximum likelihood if None.
    x_min : int, optional
        Smallest degree used in that fit; chosen by the Kolmogorov-Smirnov distance if None.
    disc_radius : float, optional
        Scale the radii so that the largest becomes this; 3 in the files of the hyperbolic SVM
        paper. By default they are left as the model has them, up to ``2 ln N``.
    angles : {"laplacian", "equidistant"}, default="laplacian"
        The angles as they come (the published method), or only their order, spread evenly over the
        circle. Hubs crowd the angles of the Laplacian where exponents are small: on networks of
        1000 nodes, mean degree 6, exponent 2.25 and temperature 0 the mean resultant length of the
        differences from the true angles was 0.86 as they come and 0.95 spread evenly (0.93 and 0.99
        for exponent 2.5; means over 20 seeds).
    disconnected : {"largest", "error"}, default="largest"
        What to do with a graph of several components: embed the largest and warn, or refuse.
    coordinates : str, default="ball"
        Chart of the result.
    curvature : float, default=-1.0
        Curvature of the result.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_columns)
        One point for each node.
    node_names_ : ndarray of shape (n_nodes,)
        The node of each row.
    exponent_ : float
        The exponent used.
    x_min_ : int or None
        The smallest degree it was fitted to, None if it was given.
    eigenvalues_ : ndarray of shape (2,)
        The two smallest non-zero eigenvalues of the Laplacian.

    References
    ----------
    G. Alanis-Lobato, P. Mier and M. A. Andrade-Navarro (2016). Efficient embedding of complex
    networks to hyperbolic space via their Laplacian. Scientific Reports 6, 30108.

    A. Muscoloni, J. M. Thomas, S. Ciucci, G. Bianconi and C. V. Cannistraci (2017). Machine
    learning meets complex networks via coalescent embedding in the hyperbolic space. Nature
    Communications 8, 1615. (Equidistant angles.)

    Examples
    --------
    >>> from hyplane.datasets import popularity_similarity_graph
    >>> from hyplane.embeddings import LaBNE
    >>> network = popularity_similarity_graph(200, mean_degree=6, random_state=0)
    >>> LaBNE(exponent=2.5, coordinates="polar").fit_transform(network.edges).shape
    (200, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "exponent": [None, Interval(Real, 2, 1e300, closed="both")],
        "x_min": [None, Interval(Integral, 1, None, closed="left")],
        "disc_radius": [None, Interval(Real, 0, 1e300, closed="neither")],
        "angles": [StrOptions({"laplacian", "equidistant"})],
        "disconnected": [StrOptions({"largest", "error"})],
        **CHART_CONSTRAINTS,
    }
    _min_nodes = 3  # for two non-zero eigenvalues

    def __init__(
        self,
        exponent: float | None = None,
        *,
        x_min: int | None = None,
        disc_radius: float | None = None,
        angles: str = "laplacian",
        disconnected: str = "largest",
        coordinates: str = "ball",
        curvature: float = -1.0,
    ) -> None:
        self.exponent = exponent
        self.x_min = x_min
        self.disc_radius = disc_radius
        self.angles = angles
        self.disconnected = disconnected
        self.coordinates = coordinates
        self.curvature = curvature

    def _embed(self, network: Network) -> Array:
        self.exponent_, self.x_min_ = self._find_exponent(network)
        self.eigenvalues_, vectors = laplacian_eigenvectors(network.adjacency, 2)
        angle = np.arctan2(vectors[:, 1], vectors[:, 0])
        if self.angles == "equidistant":
            place = np.argsort(np.argsort(angle, kind="stable"))
            angle = 2.0 * np.pi / angle.size * (place + 0.5) - np.pi
        return from_polar(self._radii(network), angle, self.coordinates, curvature=self.curvature)

    def _find_exponent(self, network: Network) -> tuple[float, int | None]:
        if self.exponent is not None:
            return float(self.exponent), None
        law = fit_power_law(network.degrees, x_min=self.x_min)
        if law.exponent < 2.0:
            warnings.warn(
                f"the exponent fitted to the degrees is {law.exponent:.3f} and the model has none "
                "below 2: 2 is used. Give exponent or x_min to choose.",
                UserWarning,
                stacklevel=4,
            )
        return max(law.exponent, 2.0), law.x_min

    def _radii(self, network: Network) -> Array:
        n_nodes = network.n_nodes
        beta = 1.0 / (self.exponent_ - 1.0)
        rank = np.empty(n_nodes)
        rank[np.argsort(-network.degrees, kind="stable")] = np.arange(1, n_nodes + 1)
        radius: Array = 2.0 * beta * np.log(rank) + 2.0 * (1.0 - beta) * np.log(n_nodes)
        if self.disc_radius is not None:
            radius *= self.disc_radius / (2.0 * np.log(n_nodes))
        return radius


@dataclass(frozen=True)
class PowerLaw:
    """A law ``P(k) ∝ k^-exponent`` for ``k ≥ x_min``.

    Attributes
    ----------
    exponent : float
    x_min : int
        The smallest degree that the law is fitted to.
    n_tail : int
        Nodes of at least this degree.
    ks_distance : float
        Largest difference between the observed and the fitted distribution function of the tail.

    Examples
    --------
    >>> law = fit_power_law([1] * 80 + [2] * 20 + [3] * 9 + [5] * 3, x_min=1)
    >>> law.x_min, law.n_tail
    (1, 112)
    """

    exponent: float
    x_min: int
    n_tail: int
    ks_distance: float


def fit_power_law(degrees: ArrayLike, *, x_min: int | None = None) -> PowerLaw:
    """Fit a discrete power law to degrees.

    Parameters
    ----------
    degrees : array-like of shape (n_nodes,)
        Whole numbers, at least 1.
    x_min : int, optional
        Smallest degree of the tail. By default the one whose tail is nearest to its fitted law in
        the Kolmogorov-Smirnov distance.

    Returns
    -------
    law : PowerLaw

    References
    ----------
    A. Clauset, C. R. Shalizi and M. E. J. Newman (2009). Power-law distributions in empirical
    data. SIAM Review 51, 661-703.

    Examples
    --------
    >>> degrees = np.repeat([1, 2, 3, 4, 5, 8], [100, 25, 11, 6, 4, 2])
    >>> law = fit_power_law(degrees, x_min=1)
    >>> round(law.exponent, 2), law.n_tail
    (2.4, 148)
    """
    given = np.asarray(degrees)
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.size == 0 or given.min() < 1:
        raise ValueError("degrees must be a list of whole numbers, at least 1 each.")
    values, counts = np.unique(given.astype(np.int64), return_counts=True)
    if x_min is not None:
        return _fit_tail(values, counts, x_min)
    tail_sizes = counts[::-1].cumsum()[::-1]
    # At least two different degrees: the likelihood of a single one has no maximum. And ten nodes:
    # with fewer, the choice of x_min would end at a few hubs, whose degrees fit any law.
    candidates = values[:-1][tail_sizes[:-1] >= min(10, tail_sizes[0])]
    if candidates.size == 0:
        return _fit_tail(values, counts, int(values[0]))
    laws = [_fit_tail(values, counts, int(candidate)) for candidate in candidates]
    return min(laws, key=lambda law: law.ks_distance)


def _fit_tail(values: NDArray[np.int64], counts: NDArray[np.intp], x_min: int) -> PowerLaw:
    in_tail = values >= x_min
    x, n = values[in_tail], counts[in_tail]
    if x.size < 2:
        raise ValueError(
            f"the degrees of at least {x_min} are all equal or there are none: no power law can be "
            "fitted. Give the exponent."
        )
    total = int(n.sum())
    mean_log = float(n @ np.log(x)) / total
    exponent = float(
        minimize_scalar(
            lambda gamma: np.log(zeta(gamma, x_min)) + gamma * mean_log,
            bounds=(1.0 + 1e-6, 20.0),
            method="bounded",
            options={"xatol": 1e-8},
        ).x
    )
    # P(k > x), observed and fitted, at every whole number where either can jump the most: the
    # observed steps, and just before the next one.
    fitted = zeta(exponent, np.concatenate([x + 1.0, x[1:]])) / zeta(exponent, x_min)
    above = 1.0 - n.cumsum() / total
    distance = float(np.abs(fitted - np.concatenate([above, above[:-1]])).max())
    return PowerLaw(exponent, x_min, total, distance)


def laplacian_eigenvectors(adjacency: Any, n_vectors: int) -> tuple[Array, Array]:
    """Give the smallest non-zero eigenvalues of ``D - A`` and their eigenvectors.

    Each eigenvector has length one and the sign that makes its largest entry positive.

    Networks with a geometry are cut into parts by removing few nodes, so that a sparse
    factorisation has little fill: it takes a second for 100 000 nodes. Where the core of the
    network is too dense for it, a block iteration preconditioned by a spanning tree is used.

    Examples
    --------
    >>> path = sp.csr_array(np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1))
    >>> eigenvalues, _ = laplacian_eigenvectors(path, 2)
    >>> eigenvalues.round(6)
    array([1., 3.])
    """
    n_nodes, scale = adjacency.shape[0], adjacency.data.mean()  # weights may have any unit
    adjacency = adjacency / scale
    degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float64)
    laplacian = sp.csr_array(sp.diags_array(degrees) - adjacency)
    if n_nodes <= 24:  # the sparse solvers need more nodes than vectors
        values, vectors = np.linalg.eigh(laplacian.toarray())
        values, vectors = values[1 : n_vectors + 1], vectors[:, 1 : n_vectors + 1]
    elif n_nodes <= _SMALL or elimination_core(adjacency, 32) <= _DENSE_CORE:
        values, vectors = _by_factorisation(laplacian, n_vectors)
    else:
        values, vectors = _by_block_iteration(adjacency, laplacian, degrees, n_vectors)
    largest = np.argmax(np.abs(vectors), axis=0)
    return values * scale, vectors * np.sign(vectors[largest, np.arange(n_vectors)])


def elimination_core(adjacency: Any, max_degree: int) -> int:
    """Count what is left when nodes are eliminated, the one of least degree first.

    Eliminating a node joins its neighbours to each other, as in a Cholesky factorisation; it stops
    where every node left has more than ``max_degree`` neighbours.

    Examples
    --------
    >>> complete = sp.csr_array(np.ones((9, 9)) - np.eye(9))
    >>> elimination_core(complete, 7), elimination_core(complete, 8)
    (9, 0)
    """
    starts, indices = adjacency.indptr.tolist(), adjacency.indices.tolist()
    neighbours = [set(indices[a:b]) for a, b in pairwise(starts)]
    heap = [(len(joined), node) for node, joined in enumerate(neighbours)]
    heapq.heapify(heap)
    gone = [False] * len(neighbours)
    while heap:
        degree, node = heapq.heappop(heap)
        joined = neighbours[node]
        if gone[node] or degree != len(joined):  # its degree has changed since
            continue
        if degree > max_degree:
            break
        gone[node] = True
        for other in joined:
            neighbours[other] |= joined
            neighbours[other] -= {node, other}
            heapq.heappush(heap, (len(neighbours[other]), other))
    return gone.count(False)


def _symmetric_factors(matrix: Any) -> Any:
    # A small shift, since the Laplacian is singular. No pivoting: the matrix is then positive
    # definite, and the order of least degree has to stay.
    return spla.splu(
        sp.csc_array(matrix + _SHIFT * sp.eye_array(matrix.shape[0])),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _by_factorisation(laplacian: Any, n_vectors: int) -> tuple[Array, Array]:
    n_nodes = laplacian.shape[0]
    factors = _symmetric_factors(laplacian)
    inverse = spla.LinearOperator(laplacian.shape, matvec=factors.solve, dtype=np.float64)
    values, vectors = spla.eigsh(
        laplacian,
        k=n_vectors + 1,
        sigma=-_SHIFT,
        OPinv=inverse,
        v0=np.random.default_rng(0).standard_normal(n_nodes),  # the same for the same graph
    )
    order = np.argsort(values)[1:]  # the first is the constant vector
    return values[order], vectors[:, order]


def _by_block_iteration(
    adjacency: Any, laplacian: Any, degrees: Array, n_vectors: int
) -> tuple[Array, Array]:
    """Iterate (LOBPCG) with ``D - T``, T a spanning tree, as the preconditioner.

    The tree holds every bridge and dangling path, where the small eigenvalues of a network with a
    dense core are, and a tree is factorised without fill.
    """
    n_nodes, max_iter = adjacency.shape[0], 200
    tree = breadth_first_tree(adjacency, int(np.argmax(degrees)), directed=False)
    factors = _symmetric_factors(sp.diags_array(degrees) - tree - tree.T)
    ticks = progress(range(max_iter), total=max_iter, description="eigenvectors")

    def solve(block: Array) -> Array:
        next(ticks, None)
        solution: Array = factors.solve(block)
        return solution

    with warnings.catch_warnings():
        # scipy warns about its own tolerance; what matters here is checked below.
        warnings.simplefilter("ignore", UserWarning)
        found: Any = spla.lobpcg(
            laplacian,
            np.random.default_rng(0).standard_normal((n_nodes, n_vectors + 2)),
            M=spla.LinearOperator(laplacian.shape, matvec=solve, matmat=solve, dtype=np.float64),
            Y=np.ones((n_nodes, 1)),
            tol=1e-7,
            maxiter=max_iter,
            largest=False,
        )
    values, vectors = found[0][:n_vectors], found[1][:, :n_vectors]
    residual = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0) / values
    if residual.max() > 1e-3:
        warnings.warn(
            f"the eigenvectors were found to a relative residual of {residual.max():.1e} only, "
            f"after {max_iter} iterations: the angles are approximate.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return values, vectors
