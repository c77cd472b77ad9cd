"""The first non-constant eigenvectors of a graph's Laplacian."""

import heapq
import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from scipy.sparse.csgraph import breadth_first_tree
from sklearn.exceptions import ConvergenceWarning

from hyplane._utils.progress import progress
from hyplane._utils.typing import Array

# The sparse solvers need more nodes than vectors, and a dense one is as quick here.
_DENSE = 24
# A factorisation is always affordable below this many nodes.
_SMALL = 5_000
# Above, it is taken if eliminating the nodes of small degree leaves a core no larger than this,
# which the factorisation then treats as a dense matrix.
_DENSE_CORE = 3_000
_ELIMINATION_DEGREE = 32
_MAX_ITER = 200
_EXTRA_VECTORS = 2
_SHIFT = 1e-8


def laplacian_eigenvectors(adjacency: Any, n_vectors: int) -> tuple[Array, Array]:
    """Give the eigenvectors of ``D - A`` to the smallest non-zero eigenvalues.

    Networks with a geometry are cut into parts by removing few nodes, so that a sparse
    factorisation has little fill: it takes a second for 100 000 nodes. Where the core of the
    network is too dense for it, a block iteration preconditioned by a spanning tree is used.

    Parameters
    ----------
    adjacency : csr_array of shape (n_nodes, n_nodes)
        Of a connected graph.
    n_vectors : int

    Returns
    -------
    eigenvalues : ndarray of shape (n_vectors,)
        Increasing.
    eigenvectors : ndarray of shape (n_nodes, n_vectors)
        Of length one, each with the sign that makes its largest entry positive.

    Examples
    --------
    >>> path = sp.csr_array(np.diag(np.ones(2), 1) + np.diag(np.ones(2), -1))
    >>> eigenvalues, _ = laplacian_eigenvectors(path, 2)
    >>> eigenvalues.round(6)
    array([1., 3.])
    """
    n_nodes = adjacency.shape[0]
    degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float64)
    laplacian = sp.csr_array(sp.diags_array(degrees) - adjacency)
    if n_nodes <= _DENSE:
        values, vectors = np.linalg.eigh(laplacian.toarray())
        values, vectors = values[1 : n_vectors + 1], vectors[:, 1 : n_vectors + 1]
    elif n_nodes <= _SMALL or elimination_core(adjacency, _ELIMINATION_DEGREE) <= _DENSE_CORE:
        values, vectors = _by_factorisation(laplacian, n_vectors)
    else:
        values, vectors = _by_block_iteration(adjacency, laplacian, degrees, n_vectors)
    largest = np.argmax(np.abs(vectors), axis=0)
    return values, vectors * np.sign(vectors[largest, np.arange(n_vectors)])


def elimination_core(adjacency: Any, max_degree: int) -> int:
    """Count what is left when nodes are eliminated, the one of least degree first.

    Eliminating a node joins its neighbours to each other, as in a Cholesky factorisation; it stops
    where every node left has more than ``max_degree`` neighbours.

    Parameters
    ----------
    adjacency : csr_array of shape (n_nodes, n_nodes)
    max_degree : int

    Returns
    -------
    n_left : int

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


def _start(n_nodes: int, n_vectors: int) -> Array:
    """Give a fixed start, so that the same graph has the same eigenvectors."""
    return np.random.default_rng(0).standard_normal((n_nodes, n_vectors))


def _symmetric_factors(matrix: Any) -> Any:
    # No pivoting: the matrix is positive definite and the order of least degree has to stay.
    return spla.splu(
        sp.csc_array(matrix),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def _by_factorisation(laplacian: Any, n_vectors: int) -> tuple[Array, Array]:
    n_nodes = laplacian.shape[0]
    factors = _symmetric_factors(laplacian + _SHIFT * sp.eye_array(n_nodes))
    inverse = spla.LinearOperator(laplacian.shape, matvec=factors.solve, dtype=np.float64)
    values, vectors = spla.eigsh(
        laplacian,
        k=n_vectors + 1,
        sigma=-_SHIFT,
        OPinv=inverse,
        v0=_start(n_nodes, 1).ravel(),
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
    n_nodes = adjacency.shape[0]
    tree = breadth_first_tree(adjacency, int(np.argmax(degrees)), directed=False)
    matrix = sp.diags_array(degrees) - tree - tree.T
    factors = _symmetric_factors(matrix + _SHIFT * sp.eye_array(n_nodes))
    ticks = progress(range(_MAX_ITER), total=_MAX_ITER, description="eigenvectors")

    def solve(block: Array) -> Array:
        next(ticks, None)
        solution: Array = factors.solve(block)
        return solution

    with warnings.catch_warnings():
        # scipy warns about its own tolerance; what matters here is checked below.
        warnings.simplefilter("ignore", UserWarning)
        found: Any = spla.lobpcg(
            laplacian,
            _start(n_nodes, n_vectors + _EXTRA_VECTORS),
            M=spla.LinearOperator(laplacian.shape, matvec=solve, matmat=solve, dtype=np.float64),
            Y=np.ones((n_nodes, 1)),
            tol=1e-7,
            maxiter=_MAX_ITER,
            largest=False,
        )
    values, vectors = found[0][:n_vectors], found[1][:, :n_vectors]
    residual = np.linalg.norm(laplacian @ vectors - vectors * values, axis=0) / values
    if residual.max() > 1e-3:
        warnings.warn(
            f"the eigenvectors were found to a relative residual of {residual.max():.1e} only, "
            f"after {_MAX_ITER} iterations: the angles are approximate.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return values, vectors
