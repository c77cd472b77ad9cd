"""The paper's settings, the authors' files, and the two-fold protocol."""

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

pytest.importorskip("pandas")

from hyplane.datasets import load_karate, make_hyperbolic_gaussians, popularity_similarity_graph
from hyplane.embeddings import HyperbolicSkipGram, LaBNE
from hyplane.geometry import to_polar
from hyplane.paper import EvolvingNetworks, GaussianMixtures, RealNetworks, reproduce
from hyplane.paper.experiment import ceiling, own_points, run_trials
from hyplane.paper.pieces import derive_seed


def records(X, y, seed, **how):
    settings = {"method": "euclidean", "n_trials": 2, "protocol": "holdout", "seed": seed, **how}
    return run_trials({**settings, "data": own_points(X, y)}, None)["records"]


@pytest.mark.parametrize(
    ("law", "center_variance"),
    # The spread 1.5 of the centres is a variance of one law and a deviation of the other.
    [("riemannian", 1.5), ("wrapped", 2.25)],
)
def test_mixtures_of_a_law_are_those_of_the_generator(law, center_variance):
    [piece] = GaussianMixtures(n_datasets=1, laws=(law,), methods=("hyperbolic",)).pieces()
    X, y = piece.settings["data"].content
    again = make_hyperbolic_gaussians(
        400, center_variance=center_variance, law=law, random_state=piece.settings["seed"]
    )
    np.testing.assert_array_equal(X, again[0])
    np.testing.assert_array_equal(y, again[1])


def test_labne_is_scaled_by_the_disc_of_the_model():
    points, _ = EvolvingNetworks(n_networks=1).pieces()[0].settings["data"].content
    seed = derive_seed(0, "network", 0)
    network = popularity_similarity_graph(500, mean_degree=4, exponent=2.25, random_state=seed)
    labne = LaBNE(x_min=2, coordinates="polar")
    unscaled = labne.fit_transform(network.edges)[np.argsort(labne.node_names_), 0]
    beta = 1 / (labne.exponent_ - 1)
    links = len(network.edges) / 500
    disc = 2 * np.log(500) - 2 * np.log(2 * (1 - 500 ** (beta - 1)) / (np.pi * links * (1 - beta)))
    radius, _ = to_polar(points, "ball")
    np.testing.assert_allclose(radius, 3 * unscaled / disc, rtol=1e-9)
    # The largest radius in the authors' files.
    assert 2.84 < radius.max() < 2.87


def test_the_published_embedding_is_without_bias_and_ours_stands_beside_it():
    settings = {
        piece.settings["corpus"]: piece.settings["how"]
        for piece in RealNetworks(networks=("polbooks",), n_embeddings=1).pieces()
        if piece.settings.get("features") == "hyperbolic"
    }
    assert (settings["published"]["bias"], settings["published"]["walk_length"]) == (False, 11)
    assert (settings["biased"]["bias"], settings["biased"]["walk_length"]) == (True, 11)
    assert (settings["long"]["n_walks"], settings["long"]["walk_length"]) == (10, 40)


def test_twofold_tests_both_halves_of_the_same_trials():
    X, y, *_ = make_hyperbolic_gaussians(60, random_state=0)
    one, both = (records(X, y, 1, protocol=protocol) for protocol in ("holdout", "twofold"))
    assert [(each["trial"], each["fold"]) for each in both] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [each["macro_aupr"] for each in both[::2]] == [each["macro_aupr"] for each in one]
    assert both[0]["macro_aupr"] != both[1]["macro_aupr"]


def test_no_score_is_above_the_ceiling():
    X, y, *_ = make_hyperbolic_gaussians(60, n_classes=2, center_variance=4, random_state=0)
    for each in records(X, y, 0):
        assert each["macro_aupr"] <= each["macro_aupr_ceiling"] + 1e-12
    Y = np.zeros((8, 2), dtype=int)
    Y[:4, 0], Y[:2, 1] = 1, 1
    assert ceiling(Y, np.arange(8)) == pytest.approx((3 / 4 + 1 / 2) / 2)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write a few data sets as the authors did, where they are looked for."""
    folder = tmp_path / "data" / "hyplinear" / "data"
    for collection in ("gaussian", "randnet", "realnet"):
        (folder / collection).mkdir(parents=True)
    for number in (1, 2):
        X, y, *_ = make_hyperbolic_gaussians(60, law="wrapped", random_state=number)
        label = y[:, None] + 1.0
        savemat(folder / "gaussian" / f"data_{number:03d}.mat", {"B": X, "label": label})
        network = popularity_similarity_graph(500, mean_degree=4, random_state=number)
        stem = folder / "randnet" / f"psmodel_deg4_gma2.25_{number}"
        np.savetxt(f"{stem}_net.txt", network.edges + 1, fmt="%d")
        labne = LaBNE(x_min=2, disc_radius=2.85)
        points = labne.fit_transform(network.edges)[np.argsort(labne.node_names_)]
        np.savetxt(f"{stem}_labne.txt", points)
        karate = load_karate()
        skipgram = HyperbolicSkipGram(walk_length=11, bias=False, epochs=10, random_state=number)
        points = skipgram.fit_transform(karate.graph)
        label = 2.0 * np.asarray(karate.target)[:, None] - 1.0
        adjacency = csc_matrix(np.ones((34, 34)))
        content = {"B": points, "label": label, "A": adjacency, "R": np.arange(1, 35)[:, None]}
        savemat(folder / "realnet" / f"karate_data_{number}.mat", content)
    monkeypatch.setenv("HYPLANE_DATA", str(tmp_path / "data"))
    return folder


def authors(tmp_path, **settings):
    how = {"data": "authors", "n_trials": 2, **settings}
    experiments = [
        GaussianMixtures(n_datasets=2, **how),
        EvolvingNetworks(n_networks=2, n_labels=2, n_repetitions=1, size_ranges=((20, 50),), **how),
        RealNetworks(networks=("karate",), n_embeddings=2, **how),
    ]
    return reproduce(experiments, output=tmp_path / "report", n_jobs=1, progress=False)


@pytest.mark.slow
def test_the_experiments_run_on_files_of_the_authors_format(tmp_path, files):
    summary = authors(tmp_path)
    assert summary.run["data"] == "authors"
    sources = {
        name: {row.get("source", row.get("corpus")) for row in found["table"]}
        for name, found in summary.experiments.items()
    }
    assert sources == {"gaussian": {"authors"}, "evolving": {None}, "real": {"authors"}}
    assert summary.experiments["real"]["cells"][0]["published"] == [(0.86, 0.03), (0.86, 0.03)]
    assert "authors’ files" in (tmp_path / "report" / "index.html").read_text()
    drawn = {path.stem for path in (tmp_path / "report" / "figures").glob("*.svg")}
    # The files do not say where nodes grew, which Figure 3a shows.
    assert drawn == {f"figure-{name}" for name in ("1", "2a", "2b", "2c", "3b", "3c", "real")}


@pytest.mark.slow
def test_another_file_of_the_authors_is_another_piece(tmp_path, files):
    assert authors(tmp_path).run["n_computed"] > 0
    X, y, *_ = make_hyperbolic_gaussians(60, law="wrapped", random_state=99)
    savemat(files / "gaussian" / "data_001.mat", {"B": X, "label": y[:, None] + 1.0})
    assert authors(tmp_path).run["n_computed"] == 4  # one for each method


def test_missing_files_of_the_authors_are_named_before_any_work(tmp_path, files, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nothing answers
    with pytest.raises(ConnectionError, match=r"data_003\.mat"):
        reproduce([GaussianMixtures(n_datasets=3, data="authors")], output=tmp_path / "r", n_jobs=1)
    assert not list((tmp_path / "r").rglob("*.json"))
