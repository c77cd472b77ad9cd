"""DeepWalk."""

import sys

import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from hyplane.datasets import load_karate
from hyplane.embeddings import DeepWalk, random_walks
from hyplane.embeddings._hierarchical_softmax import hierarchical_softmax
from hyplane.native.skipgram import train_walks

gensim = pytest.importorskip("gensim")
word2vec = pytest.importorskip("gensim.models.word2vec")


@pytest.fixture(scope="module")
def karate():
    return load_karate()


@pytest.mark.parametrize("objective", ["hierarchical_softmax", "negative_sampling"])
def test_a_seed_decides_the_vectors(karate, objective):
    first, again, other = (
        DeepWalk(4, objective=objective, random_state=seed).fit_transform(karate.graph)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()


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


def test_it_can_be_cloned_and_refuses_bad_parameters(karate):
    model = DeepWalk(3, window=2, random_state=0)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(ValueError, match="'objective' parameter of DeepWalk"):
        DeepWalk(objective="softmax").fit(karate.graph)


def test_without_gensim_negative_sampling_names_the_extra_and_the_default_works(
    karate, monkeypatch
):
    monkeypatch.setitem(sys.modules, "gensim.models.word2vec", None)
    assert DeepWalk(random_state=0).fit_transform(karate.graph).shape == (34, 2)
    with pytest.raises(ImportError, match=r"gensim is needed.*hyplane\[experiments\]"):
        DeepWalk(objective="negative_sampling", random_state=0).fit(karate.graph)


# 4, 8, 16 and 32 padded coordinates have code of their own.
@pytest.mark.skipif(
    tuple(map(int, gensim.__version__.split(".")[:2])) < (4, 4),
    reason="older versions sort nodes of equal counts by whatever NumPy's unstable sort does",
)
@pytest.mark.parametrize("n_dim", [2, 5, 10, 25, 40])
@pytest.mark.parametrize(("n_walks", "length", "window"), [(1, 11, 5), (10, 40, 5), (3, 2, 1)])
def test_the_vectors_are_those_of_gensim(karate, n_dim, n_walks, length, window):
    walks = random_walks(karate.graph, n_walks=n_walks, walk_length=length, random_state=0)
    walks = walks[np.random.default_rng(1).permutation(len(walks))]
    vectors = hierarchical_softmax(walks, n_dim=n_dim, window=window, epochs=5, seed=7)
    theirs = word2vec.Word2Vec(
        [[str(node) for node in walk] for walk in walks.tolist()],
        vector_size=n_dim,
        window=window,
        sg=1,
        hs=1,
        negative=0,
        min_count=1,
        sample=0.0,
        epochs=5,
        workers=1,
        seed=7,
        hashfxn=len,
    ).wv
    rows = [theirs.key_to_index[str(node)] for node in range(34)]
    # Sums in single precision round otherwise, and the table of the logistic function has jumps.
    np.testing.assert_allclose(vectors, theirs.vectors[rows], rtol=0, atol=1e-3)


def test_the_compiled_code_refuses_what_would_leave_its_arrays():
    vectors = np.zeros((3, 8), dtype=np.float32)
    arguments = {
        "vectors": vectors,
        "outputs": vectors.copy(),
        "walks": np.array([[0, 1], [2, 1]], dtype=np.int32),
        "narrowing": np.zeros((2, 2), dtype=np.int64),
        "window": 1,
        "path_start": np.array([0, 1, 3, 5]),
        "turns": np.array([0, 0, 1, 0, 1], dtype=np.int32),
        "codes": np.zeros(5, dtype=np.uint8),
        "rate": 0.1,
    }
    train_walks(**arguments)
    bad = {
        "outputs": (vectors[:2].copy(), "differ in shape"),
        "walks": (np.array([[0, 3], [2, 1]], dtype=np.int32), "outside"),
        "narrowing": (np.full((2, 2), 2), "narrowed"),
        "path_start": (np.array([0, 1, 3, 6]), "not in order"),
        "turns": (np.full(5, -1, dtype=np.int32), "outside"),
        "codes": (np.zeros(4, dtype=np.uint8), "do not fit"),
        "rate": (np.nan, "finite"),
    }
    for name, (value, words) in bad.items():
        with pytest.raises(ValueError, match=words):
            train_walks(**{**arguments, name: value})


def test_new_nodes_are_placed_at_the_mean_of_their_neighbours(karate):
    model = DeepWalk(3, random_state=0).fit(karate.graph)
    placed = model.place([[0, 1], [5]], weights=[[1.0, 3.0], [2.0]])
    np.testing.assert_allclose(placed[0], 0.25 * model.embedding_[0] + 0.75 * model.embedding_[1])
    np.testing.assert_allclose(placed[1], model.embedding_[5])
