"""DeepWalk: the Euclidean embedding that hyperbolic ones are compared with."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from hyplane._utils.optional import import_optional
from hyplane._utils.progress import Progress
from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array
from hyplane.embeddings._base import WALK_CONSTRAINTS, GraphEmbedding
from hyplane.embeddings._graph import Network
from hyplane.embeddings._hierarchical_softmax import hierarchical_softmax
from hyplane.embeddings.placement import check_neighbors
from hyplane.embeddings.walks import walk_from_each


class DeepWalk(GraphEmbedding):
    """Embed a graph in Euclidean space: uniform random walks fed to word2vec's skip-gram.

    The corpus of one short walk from each node, which the published Euclidean rows of the
    hyperbolic SVM paper seem to be based on, is ``DeepWalk(n_walks=1, walk_length=10)``.

    Parameters
    ----------
    n_dim : int, default=2
        Dimension.
    n_walks : int, default=10
        Walks that start at each node.
    walk_length : int, default=40
        Nodes in a walk.
    window : int, default=5
        Largest distance along a walk of a pair; word2vec draws a window up to it at each node.
    objective : {"hierarchical_softmax", "negative_sampling"}, default="hierarchical_softmax"
        The published choice, or five negatives, for which gensim is needed.
    epochs : int, default=5
        Passes over the walks.
    disconnected : {"keep", "largest", "error"}, default="keep"
        What to do with a graph of several components: embed all of it, embed the largest and warn,
        or refuse.
    random_state : None, int, RandomState or Generator
        Seed of the walks and of word2vec, which runs on one thread so that the same seed gives the
        same vectors.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_nodes, n_dim)
        One vector for each node.
    node_names_ : ndarray of shape (n_nodes,)
        The node of each row.

    References
    ----------
    B. Perozzi, R. Al-Rfou and S. Skiena (2014). DeepWalk: online learning of social
    representations. KDD, 701-710. arXiv:1403.6652.

    Examples
    --------
    >>> from hyplane.datasets import load_karate
    >>> from hyplane.embeddings import DeepWalk
    >>> DeepWalk(5, random_state=0).fit_transform(load_karate().graph).shape
    (34, 5)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WALK_CONSTRAINTS,
        "objective": [StrOptions({"hierarchical_softmax", "negative_sampling"})],
    }

    def __init__(
        self,
        n_dim: int = 2,
        *,
        n_walks: int = 10,
        walk_length: int = 40,
        window: int = 5,
        objective: str = "hierarchical_softmax",
        epochs: int = 5,
        disconnected: str = "keep",
        random_state: RandomState = None,
    ) -> None:
        self.n_dim = n_dim
        self.n_walks = n_walks
        self.walk_length = walk_length
        self.window = window
        self.objective = objective
        self.epochs = epochs
        self.disconnected = disconnected
        self.random_state = random_state

    def _embed(self, network: Network) -> Array:
        rng = as_generator(self.random_state)
        softmax = self.objective == "hierarchical_softmax"
        word2vec = None if softmax else import_optional("gensim.models.word2vec", "experiments")
        walks = walk_from_each(network.adjacency, self.n_walks, self.walk_length, rng)
        walks = walks[rng.permutation(len(walks))]
        window = min(self.window, self.walk_length)  # no pair is farther apart
        seed = int(rng.integers(2**31))
        if word2vec is None:
            return hierarchical_softmax(
                walks, n_dim=self.n_dim, window=window, epochs=self.epochs, seed=seed
            )
        callbacks = import_optional("gensim.models.callbacks", "experiments")
        # One pass counts the words, then each epoch reads the walks once.
        bar = Progress(self.epochs, "DeepWalk")
        each_epoch = callbacks.CallbackAny2Vec()
        each_epoch.on_epoch_end = lambda model: bar.advance()
        with bar:
            model = word2vec.Word2Vec(
                _Sentences(walks),
                vector_size=self.n_dim,
                window=window,
                sg=1,
                negative=5,
                min_count=1,
                sample=0.0,
                epochs=self.epochs,
                workers=1,
                seed=seed,
                hashfxn=len,  # Python's own hash of a string changes from run to run
                callbacks=(each_epoch,),
            )
        rows = [model.wv.key_to_index[str(node)] for node in range(network.n_nodes)]
        return np.asarray(model.wv.vectors[rows], dtype=np.float64)

    def _place(self, rows: list[list[int]], weights: Sequence[Sequence[float]] | None) -> Array:
        placed = np.empty((len(rows), self.embedding_.shape[1]))
        for i, names in enumerate(rows):
            chosen = check_neighbors(names, len(self.embedding_), i)
            placed[i] = np.average(
                self.embedding_[chosen], axis=0, weights=None if weights is None else weights[i]
            )
        return placed


class _Sentences:
    """Walks as word2vec reads them, made one at a time: word2vec goes through them repeatedly."""

    def __init__(self, walks: NDArray[np.int32]) -> None:
        self._walks = walks

    def __iter__(self) -> Iterator[list[str]]:
        for walk in self._walks:
            yield [str(node) for node in walk.tolist()]
