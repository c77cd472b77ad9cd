"""Projections onto the hyperbolic plane keep what they promise, in any chart, at any radius."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import HyperbolicProjection, HyperplaneView
from hyplane.geometry import CHARTS, convert, distance, frechet_mean, signed_distance
from hyplane.geometry.maps import polar_boost

METHODS = ("radial", "horo", "tangent", "orthogonal")


@parametrize_with_checks(
    [HyperbolicProjection(method, coordinates="tangent") for method in METHODS]
)
def test_scikit_learns_common_checks(estimator, check):
    check(estimator)


def cloud(n_dim=6, n_samples=150, radius=3.0, seed=0):
    """Points around a place away from the origin, in tangent coordinates, and their classes."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(n_samples, n_dim))
    u /= np.linalg.norm(u, axis=1)[:, None]
    r = radius * rng.uniform(0.1, 1.0, n_samples)
    start = np.full(n_samples, 0.8), np.broadcast_to(np.eye(1, n_dim), u.shape)
    r, u = polar_boost(*start, r, u)
    return r[:, None] * u, (u[:, 0] + 0.2 * rng.normal(size=n_samples) > 0.2).astype(int)


def tree(n_dim, branching=3, depth=5, length=2.0):
    """A tree that grows outwards in random directions, in tangent coordinates."""
    rng = np.random.default_rng(0)
    r, u = np.zeros(1), np.eye(1, n_dim)
    rows = [r[:, None] * u]
    for _ in range(depth):
        r, u = np.repeat(r, branching), np.repeat(u, branching, axis=0)
        heading = rng.normal(size=u.shape)
        heading /= np.linalg.norm(heading, axis=1)[:, None]
        heading += np.where(r > 0, 1.0, 0.0)[:, None] * u
        heading /= np.linalg.norm(heading, axis=1)[:, None]
        r, u = polar_boost(r, u, np.full(len(r), length), heading)
        rows.append(r[:, None] * u)
    return np.concatenate(rows)


def all_distances(X):
    i, j = np.triu_indices(len(X), 1)
    return distance(X[i], X[j], coordinates="tangent")


def fitted(method, X, **options):
    options = {"coordinates": "tangent", "random_state": 0, **options}
    return HyperbolicProjection(method, **options).fit(X)


@pytest.mark.parametrize("radius", [1.0, 300.0])
@pytest.mark.parametrize("center", ["mean", "origin", "point"])
def test_the_radial_projection_keeps_distances_to_the_centre(radius, center):
    X, _ = cloud(radius=radius)
    projection = fitted("radial", X, center=X[0] if center == "point" else center)
    middle = {"mean": frechet_mean(X, coordinates="tangent"), "origin": np.zeros(6)}
    np.testing.assert_allclose(projection.center_, middle.get(center, X[0]), atol=1e-12)
    found = np.linalg.norm(projection.transform(X), axis=1)
    exact = distance(X, projection.center_, coordinates="tangent")
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("radius", [3.0, 300.0])
@pytest.mark.parametrize("method", ["horo", "tangent", "orthogonal"])
def test_no_other_projection_lengthens_a_distance(method, radius):
    X, _ = cloud(radius=radius)
    shown = all_distances(fitted(method, X).transform(X))
    assert (shown <= all_distances(X) * (1.0 + 1e-9)).all()


@pytest.mark.parametrize("radius", [1.0, 300.0])
@pytest.mark.parametrize("method", ["radial", "tangent", "orthogonal"])
def test_a_place_of_the_picture_comes_back_to_itself(method, radius):
    X, _ = cloud(radius=radius)
    projection = fitted(method, X)
    places = radius * np.random.default_rng(1).normal(size=(50, 2))
    back = projection.transform(projection.inverse_transform(places))
    np.testing.assert_allclose(back, places, rtol=1e-9, atol=1e-9)


def test_horo_keeps_the_half_of_the_slice_on_the_side_of_its_ideal_points():
    projection = fitted("horo", cloud()[0])
    places = np.random.default_rng(1).normal(size=(300, 2))
    kept = convert(places, "tangent", "hyperboloid") @ [1.0, -1.0, -1.0] > 0.0
    assert 20 < kept.sum() < 280
    back = projection.transform(projection.inverse_transform(places[kept]))
    np.testing.assert_allclose(back, places[kept], atol=1e-9)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("method", [*METHODS, "hyperplane"])
def test_charts_and_curvature_make_no_difference(chart, method):
    X, y = cloud()
    there = convert(X / 2.0, "tangent", chart, curvature=-4.0)
    views = []
    for rows, options in (
        (X, {"coordinates": "tangent"}),
        (there, {"coordinates": chart, "curvature": -4.0}),
    ):
        options["random_state"] = 0
        w = HyperbolicSVC(coordinates="tangent").fit(X, y).coef_[0]
        view = HyperplaneView(w, **options) if method == "hyperplane" else None
        views.append((view or HyperbolicProjection(method, **options)).fit(rows))
    wanted = views[0].transform(X)
    found = 2.0 * convert(views[1].transform(there), chart, "tangent", curvature=-4.0)
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    assert views[1].stress_ == pytest.approx(views[0].stress_, rel=1e-4)


def test_the_centre_and_the_slice_are_those_of_the_attributes():
    X, _ = cloud()
    projection = fitted("radial", X)
    origin = projection.inverse_transform(np.zeros((1, 2)))
    np.testing.assert_allclose(origin[0], projection.center_, atol=1e-12)
    np.testing.assert_allclose(
        projection.components_ @ projection.components_.T, np.eye(2), atol=1e-12
    )
    errors = all_distances(projection.transform(X)) - all_distances(X)
    stress = np.linalg.norm(errors) / np.linalg.norm(all_distances(X))
    assert projection.stress_ == pytest.approx(stress, rel=1e-9)


@pytest.mark.parametrize("n_dim", [10, 50])
def test_distances_of_trees_are_off_by_less_than_a_tenth(n_dim):
    X = tree(n_dim)
    shown = {name: all_distances(fitted(name, X).transform(X)) for name in ("radial", "tangent")}
    distortion = {name: np.mean(np.abs(d / all_distances(X) - 1)) for name, d in shown.items()}
    assert distortion["radial"] < 0.1
    assert distortion["radial"] < 0.6 * distortion["tangent"]


@pytest.mark.parametrize("radius", [1.0, 300.0])
def test_the_hyperplane_view_keeps_signed_distances_and_sides(radius):
    X, y = cloud(radius=radius)
    w = HyperbolicSVC(coordinates="tangent", random_state=0).fit(cloud()[0], y).coef_[0]
    view = HyperplaneView(w, coordinates="tangent").fit(X)
    exact = signed_distance(X, w, coordinates="tangent")
    diameter = [0.0, 0.0, -1.0]  # the picture's upper half is the positive side
    shown = view.transform(X)
    np.testing.assert_allclose(
        signed_distance(shown, diameter, coordinates="tangent"), exact, atol=1e-9
    )
    back = view.inverse_transform(shown)
    np.testing.assert_allclose(signed_distance(back, w, coordinates="tangent"), exact, atol=1e-9)
    np.testing.assert_allclose(view.transform(back), shown, rtol=1e-9, atol=1e-9)
    assert (all_distances(shown) <= all_distances(X) * (1 + 1e-9)).all()
    assert abs(signed_distance(view.center_[None], w, coordinates="tangent")[0]) < 1e-12


def test_the_other_axis_has_the_largest_spread_along_the_hyperplane():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)) * [1.0, 0.3, 0.3, 1.5]
    view = HyperplaneView([0.0, 1.0, 0.0, 0.0, 0.0], coordinates="tangent").fit(X)
    assert np.abs(view.components_[0]) @ [0, 0, 0, 1] > 0.99
    np.testing.assert_allclose(np.abs(view.components_[1]), [1, 0, 0, 0], atol=1e-9)


@pytest.mark.parametrize("make", [HyperbolicSVC, RandomForestClassifier])
def test_a_frame_fitted_to_decisions_shows_more_of_them(make):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(5), 60)
    X = 0.3 * rng.normal(size=(300, 8)) + 1.2 * np.eye(8)[y]
    X[:, 5:] *= 5.0  # the largest spread has nothing to do with the classes
    clf = make(random_state=0)
    clf = clf.set_params(coordinates="tangent") if make is HyperbolicSVC else clf
    clf.fit(X, y)
    plain, fitted_to_it = fitted("radial", X), fitted("radial", X, estimator=clf)
    assert agreement(fitted_to_it, clf, X) > agreement(plain, clf, X) + 0.2
    assert fitted_to_it.stress_ >= plain.stress_


def agreement(projection, clf, X):
    """The share of points that lie on a region of their predicted class."""
    slice_ = projection.inverse_transform(projection.transform(X))
    return np.mean(clf.predict(slice_) == clf.predict(X))


def test_the_slice_shows_the_decisions_of_the_hyperplanes_themselves():
    X, y = make_hyperbolic_gaussians(
        300, n_classes=5, n_dim=10, coordinates="tangent", random_state=0
    )
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, y)
    before = clf.hyperplanes_.log_scale.copy()
    assert agreement(fitted("radial", X), clf, X) < 0.7
    assert agreement(fitted("radial", X, estimator=clf), clf, X) > 0.95
    assert (clf.hyperplanes_.log_scale == before).all()


def test_results_are_tables_where_they_are_wanted():
    pytest.importorskip("pandas")
    X, y = cloud()
    clf = HyperbolicSVC(coordinates="tangent").fit(X, y)
    for view in (fitted("radial", X), HyperplaneView(clf, coordinates="tangent")):
        table = view.set_output(transform="pandas").fit_transform(X)
        name = type(view).__name__.lower()
        assert list(table.columns) == [f"{name}0", f"{name}1"]
    lorentz = HyperbolicProjection(coordinates="hyperboloid").fit(
        convert(X, "tangent", "hyperboloid")
    )
    assert len(lorentz.get_feature_names_out()) == 3


@pytest.mark.parametrize("X", [np.zeros((1, 3)), np.zeros((5, 3)), 0.2 * np.eye(3)[:2]])
def test_points_without_a_spread_have_a_picture(X):
    views = [HyperbolicProjection(method) for method in METHODS]
    for view in (*views, HyperplaneView([0.0, 1.0, 0.0, 0.0])):
        assert np.isfinite(view.fit_transform(X)).all()
        assert np.allclose(view.components_ @ view.components_.T, np.eye(2))
        assert np.isfinite(view.stress_)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HyperbolicProjection(center=[0.0, 0.1]), "one point of dimension 5; got 1 of dim"),
        (lambda: HyperbolicProjection("horo", estimator=HyperbolicSVC()), "is for method='radial'"),
        (lambda: HyperplaneView([0.0, 1.0, 0.0]), "dimension 2 and the points have dimension 5"),
        (lambda: HyperplaneView([0.0, 1, 0, 0, 0, 0], index=1), "index must be at most 0"),
        (lambda: HyperplaneView(RandomForestClassifier()), "RandomForestClassifier has no hyper"),
    ],
)
def test_a_sentence_says_what_is_wrong(make, message):
    X, _ = make_hyperbolic_gaussians(20, n_dim=5, random_state=0)
    with pytest.raises(ValueError, match=message):
        make().fit(X)
