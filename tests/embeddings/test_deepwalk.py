"""DeepWalk."""

import networkx as nx
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from hyplane.datasets import load_karate
from hyplane.embeddings import DeepWalk, random_walks


@pytest.fixture(scope="module")
def karate():
    return load_karate()


@pytest.mark.parametrize("n_dim", [2, 25, 128])
def test_dimensions_from_two_to_128(karate, n_dim):
    vectors = DeepWalk(n_dim, random_state=0).fit_transform(karate.graph)
    assert vectors.shape == (34, n_dim)
    assert vectors.dtype == np.float64
    assert np.isfinite(vectors).all()


def accuracy(karate, **parameters):
    vectors = DeepWalk(10, random_state=0, **parameters).fit_transform(karate.graph)
    return cross_val_score(LogisticRegression(C=100.0), vectors, karate.target, cv=5).mean()


def test_the_factions_of_karate_are_told_apart_and_a_starved_corpus_does_worse(karate):
    full = accuracy(karate, epochs=20)
    assert full > 0.9
    assert accuracy(karate, n_walks=1, walk_length=10, epochs=1) < full


def test_rows_are_the_nodes_of_the_graph_whatever_their_frequency():
    # Two cliques joined by an edge: the vectors of one clique point the same way.
    graph = nx.relabel_nodes(nx.barbell_graph(8, 0), lambda i: f"node {i}")
    model = DeepWalk(8, epochs=20, random_state=0).fit(graph)
    assert model.node_names_.tolist() == [f"node {i}" for i in range(16)]
    units = model.embedding_ / np.linalg.norm(model.embedding_, axis=1, keepdims=True)
    likeness = units @ units.T
    assert likeness[:8, :8].mean() > likeness[:8, 8:].mean() + 0.2


def test_bad_parameters_are_refused(karate):
    with pytest.raises(ValueError, match="'window' parameter of DeepWalk"):
        DeepWalk(window=0).fit(karate.graph)


# 8, 16 and 32 padded coordinates have code of their own.
@pytest.mark.parametrize("n_dim", [2, 5, 10, 25, 40])
@pytest.mark.parametrize(("n_walks", "length", "window"), [(1, 11, 5), (10, 40, 5), (3, 2, 1)])
def test_the_vectors_are_those_of_gensim(karate, n_dim, n_walks, length, window):
    pytest.importorskip("gensim", "4.4")  # older versions do not sort stably
    word2vec = pytest.importorskip("gensim.models.word2vec")
    settings = {"n_walks": n_walks, "walk_length": length}
    model = DeepWalk(n_dim, window=window, random_state=np.random.default_rng(3), **settings)
    vectors = model.fit_transform(karate.graph)
    rng = np.random.default_rng(3)
    walks = random_walks(karate.graph, random_state=rng, **settings)
    walks = walks[rng.permutation(len(walks))]
    theirs = {"vector_size": n_dim, "window": window, "sg": 1, "hs": 1, "negative": 0}
    theirs |= {"min_count": 1, "sample": 0.0, "epochs": 5, "workers": 1, "hashfxn": len}
    words, seed = walks.astype(str).tolist(), int(rng.integers(2**31))
    theirs = word2vec.Word2Vec(words, seed=seed, **theirs).wv
    rows = [theirs.key_to_index[str(node)] for node in range(34)]
    # Sums in single precision round otherwise, and the table of the logistic function has jumps.
    np.testing.assert_allclose(vectors, theirs.vectors[rows], rtol=0, atol=1e-3)


def test_new_nodes_are_placed_at_the_mean_of_their_neighbours(karate):
    model = DeepWalk(3, random_state=0).fit(karate.graph)
    placed = model.place([[0, 1], [5]], weights=[[1.0, 3.0], [2.0]])
    np.testing.assert_allclose(placed[0], 0.25 * model.embedding_[0] + 0.75 * model.embedding_[1])
    np.testing.assert_allclose(placed[1], model.embedding_[5])
