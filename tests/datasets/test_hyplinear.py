import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from hyplane.datasets import fetch_hyplinear


@pytest.fixture
def folder(tmp_path):
    for collection in ("gaussian", "randnet", "realnet"):
        (tmp_path / "hyplinear" / "data" / collection).mkdir(parents=True)
    return tmp_path


def points(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.6, 0.6, (n, 2))


def save(folder, path, **variables):
    savemat(folder / "hyplinear" / "data" / path, variables)


def test_gaussian_sets_are_points_and_a_vector_of_labels(folder):
    B, label = points(8), np.array([1, 1, 2, 2, 3, 3, 4, 4])
    save(folder, "gaussian/data_001.mat", B=B, label=label[:, np.newaxis].astype(float))
    save(folder, "gaussian/data_100.mat", B=B, label=label[np.newaxis])
    one, last = fetch_hyplinear("gaussian", subset=["001", "100"], data_home=folder)
    assert (one.name, last.name) == ("001", "100")
    for mixture in (one, last):
        np.testing.assert_array_equal(mixture.data, B)
        np.testing.assert_array_equal(mixture.target, label)
        assert mixture.target.dtype.kind == "i"


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csc_matrix])
def test_real_networks_may_have_an_indicator_matrix(folder, wrap):
    Y = np.eye(3)[[0, 1, 2, 0]]
    save(folder, "realnet/karate_data_3.mat", B=points(4), label=wrap(Y))
    [network] = fetch_hyplinear("realnet", subset=["karate_3"], data_home=folder)
    np.testing.assert_array_equal(network.target, Y)


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csc_matrix])
@pytest.mark.parametrize("first", [0, 1])
def test_real_networks_come_with_their_adjacency_and_walks(folder, wrap, first):
    A = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    R = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    label = np.array([1.0, -1.0, 1.0])
    save(folder, "realnet/karate_data_1.mat", B=points(3), label=label, A=wrap(A), R=R + first)
    [network] = fetch_hyplinear("realnet", subset=["karate_1"], data_home=folder)
    np.testing.assert_array_equal(network.adjacency.toarray(), A)
    np.testing.assert_array_equal(network.walks, R)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"A": np.zeros((2, 2))}, r"adjacency matrix A has the shape \(2, 2\) for 3 points"),
        ({"R": np.array([[1, 5]])}, "walks R are not rows of nodes from 1 to 3"),
        ({"R": np.array([[1, 1.5]])}, "walks R are not rows of nodes from 1 to 3"),
    ],
)
def test_adjacency_and_walks_of_other_nodes_are_refused(folder, variables, message):
    save(folder, "realnet/karate_data_1.mat", B=points(3), label=np.ones(3), **variables)
    with pytest.raises(ValueError, match=message):
        fetch_hyplinear("realnet", subset=["karate_1"], data_home=folder)


def test_random_networks_have_edges_counted_from_zero_and_coordinates(folder):
    place = folder / "hyplinear" / "data" / "randnet"
    B = points(4)
    (place / "psmodel_deg4_gma2.25_7_net.txt").write_text("1 2\n1 3\n2 3\n3 4\n")
    np.savetxt(place / "psmodel_deg4_gma2.25_7_labne.txt", B)
    [network] = fetch_hyplinear("randnet", subset=["7"], data_home=folder)
    assert network.edges.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]
    np.testing.assert_allclose(network.data, B)


@pytest.mark.parametrize(
    ("collection", "names"),
    [
        ("gaussian", "'001' to '100'"),
        ("randnet", "'1' to '10'"),
        ("realnet", "'karate_1' to 'polb"),
    ],
)
def test_a_name_outside_the_collection_is_an_error_that_lists_the_names(collection, names):
    with pytest.raises(ValueError, match=f"no data set '101'.*{names}"):
        fetch_hyplinear(collection, subset=["101"])


def test_without_a_network_the_error_names_the_file_and_its_place(folder, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nothing answers
    place = folder / "hyplinear" / "data" / "gaussian" / "data_042.mat"
    with pytest.raises(ConnectionError) as caught:
        fetch_hyplinear("gaussian", subset=["042"], data_home=folder)
    assert str(place) in str(caught.value)


def test_a_mistaken_collection_gets_a_clear_error():
    with pytest.raises(ValueError, match="gaussian, randnet, realnet"):
        fetch_hyplinear("gaussians")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"B": np.zeros((3, 2))}, "no variable 'label'"),
        ({"B": np.zeros((3, 2)), "label": np.zeros(4)}, "3 points and 4 labels"),
        (
            {"B": np.array([[0.0, 0.0], [1.0, 0.0]]), "label": np.zeros(2)},
            r"row 1 of .*\.mat is not inside",
        ),
    ],
)
def test_files_of_another_kind_get_a_clear_error(folder, variables, message):
    save(folder, "gaussian/data_001.mat", **variables)
    with pytest.raises(ValueError, match=message):
        fetch_hyplinear("gaussian", subset=["001"], data_home=folder)


def test_damaged_files_get_a_clear_error(folder):
    data = folder / "hyplinear" / "data"
    (data / "gaussian" / "data_001.mat").write_bytes(b"not matlab at all" * 20)
    with pytest.raises(ValueError, match="not a MATLAB file that can be read"):
        fetch_hyplinear("gaussian", subset=["001"], data_home=folder)
    (data / "randnet" / "psmodel_deg4_gma2.25_1_net.txt").write_text("1 2\n1 x\n")
    (data / "randnet" / "psmodel_deg4_gma2.25_1_labne.txt").write_text("0.1 0.2\n0.3 0.4\n")
    with pytest.raises(ValueError, match="not a table of numbers"):
        fetch_hyplinear("randnet", subset=["1"], data_home=folder)
    (data / "randnet" / "psmodel_deg4_gma2.25_1_net.txt").write_text("1 3\n")
    with pytest.raises(ValueError, match="edges between the nodes 1 to 2"):
        fetch_hyplinear("randnet", subset=["1"], data_home=folder)
