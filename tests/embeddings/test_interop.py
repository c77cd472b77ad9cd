"""Points from other libraries."""

import numpy as np
import pytest

from hyplane.embeddings import from_gensim_poincare, from_geoopt, to_geoopt
from hyplane.geometry import CHARTS, PointError, check_points, convert, pairwise_distances


@pytest.fixture(scope="module")
def poincare_model():
    poincare = pytest.importorskip("gensim.models.poincare")
    tree = [(str(child), str((child - 1) // 2)) for child in range(1, 31)]
    model = poincare.PoincareModel(tree, size=3, negative=5, seed=0)
    model.train(epochs=50)
    return model


@pytest.mark.parametrize("chart", CHARTS)
def test_points_of_gensim_keep_their_distances_and_names(poincare_model, chart):
    points, names = from_gensim_poincare(poincare_model, coordinates=chart)
    assert sorted(names, key=int) == [str(i) for i in range(31)]
    ours = pairwise_distances(points, coordinates=chart)
    for i, j in [(0, 1), (3, 17), (30, 5)]:
        assert ours[i, j] == pytest.approx(poincare_model.kv.distance(names[i], names[j]), rel=1e-6)


def test_keyed_vectors_alone_are_enough(poincare_model):
    points, names = from_gensim_poincare(poincare_model.kv)
    np.testing.assert_array_equal(points, poincare_model.kv.vectors)
    assert names == poincare_model.kv.index_to_key


def test_anything_else_is_refused():
    with pytest.raises(ValueError, match=r"PoincareModel.*got ndarray"):
        from_gensim_poincare(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"PoincareBall, Stereographic or Lorentz.*got NoneType"):
        from_geoopt(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="got ndarray"):
        from_geoopt(np.zeros((3, 2)), np.zeros(2))


class Stereographic:
    """Stands in for geoopt's class of this name: its curvature is ``k``."""

    def __init__(self, k):
        self.k = np.float64(k)


class PoincareBall(Stereographic):
    """Stands in for geoopt's class of this name."""


# For geoopt's class of this name: ``<x, x> = -k``.
Lorentz = type("Lorentz", (), {"__init__": Stereographic.__init__})


def test_the_curvature_of_a_geoopt_manifold_is_read_with_the_points():
    ball = np.array([[0.1, 0.2], [-0.3, 0.0]])
    points, curvature = from_geoopt(ball, PoincareBall(-4.0))
    assert curvature == -4.0
    np.testing.assert_allclose(points, ball)
    lorentz = convert(ball, "ball", "hyperboloid", curvature=-4.0)
    points, curvature = from_geoopt(lorentz, Lorentz(0.25), coordinates="ball")
    assert curvature == -4.0
    np.testing.assert_allclose(points, ball)
    with pytest.raises(ValueError, match="curvature 1: it is not hyperbolic"):
        from_geoopt(ball, Stereographic(1.0))
    with pytest.raises(ValueError, match="two dimensions"):
        from_geoopt(ball[0], PoincareBall(-4.0))


@pytest.mark.parametrize("name", ["PoincareBall", "Lorentz"])
def test_points_of_geoopt_keep_their_distances(name):
    torch = pytest.importorskip("torch")
    geoopt = pytest.importorskip("geoopt")
    torch.manual_seed(0)
    manifold = getattr(geoopt, name)(2.0).double()
    tensor = manifold.random_normal(6, 3, dtype=torch.float64)
    points, curvature = from_geoopt(geoopt.ManifoldParameter(tensor, manifold=manifold))
    chart = "ball" if name == "PoincareBall" else "hyperboloid"
    theirs = manifold.dist(tensor[:, None], tensor[None]).numpy()
    ours = pairwise_distances(points, coordinates=chart, curvature=curvature)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def off_the_sheet(products, dtype=np.float32):
    """Points of the hyperboloid whose x*x has drifted, as training in single precision does."""
    space = np.array([[20.0, 0.0], [3.0, -18.0]])
    time = np.sqrt(products + (space**2).sum(axis=1))
    return np.column_stack([time, space]).astype(dtype)


def test_points_that_training_moved_off_the_sheet_are_put_back():
    tensor = off_the_sheet([1.00156, 0.998])
    with pytest.raises(ValueError, match="not on the hyperboloid"):
        check_points(tensor.astype(np.float64), "hyperboloid")
    points, curvature = from_geoopt(tensor, Lorentz(1.0))
    check_points(points, "hyperboloid", curvature=curvature)
    np.testing.assert_array_equal(points[:, 1:], tensor[:, 1:])


def test_points_that_are_not_of_the_sheet_at_all_are_refused():
    with pytest.raises(ValueError, match="row 0 of points is not on the hyperboloid"):
        from_geoopt(off_the_sheet([1.00156, 1.0])[:, ::-1], Lorentz(1.0))
    with pytest.raises(ValueError, match="row 1 of points is not on the hyperboloid"):
        from_geoopt(off_the_sheet([1.0, 1.3], np.float64), Lorentz(1.0))


def test_a_point_of_single_precision_on_the_boundary_is_refused_with_a_remedy():
    points = np.array([[0.5, 0.0], [1.0 - 1e-9, 0.0]], dtype=np.float32)
    words = r"row 1 of points is on the boundary.*radius of about 17.*double precision"
    with pytest.raises(PointError, match=words):
        from_geoopt(points, PoincareBall(-1.0))


@pytest.mark.parametrize("model", ["ball", "Lorentz"])
def test_points_go_to_geoopt_and_back(model):
    pytest.importorskip("torch")
    pytest.importorskip("geoopt")
    tangent = np.random.default_rng(0).normal(size=(6, 3))
    tensor = to_geoopt(tangent, coordinates="tangent", curvature=-0.5, model=model)
    back, curvature = from_geoopt(tensor, coordinates="tangent")
    assert curvature == pytest.approx(-0.5, rel=1e-7)
    np.testing.assert_allclose(back, tangent, atol=1e-9)


def test_models_that_geoopt_does_not_have_are_refused():
    pytest.importorskip("geoopt")
    with pytest.raises(ValueError, match="ball or hyperboloid"):
        to_geoopt(np.zeros((1, 2)), model="klein")
