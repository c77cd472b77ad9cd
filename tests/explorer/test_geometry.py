"""What a browser draws is where the geometry of the package says it is."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.features import HyperbolicProjection, HyperplaneView
from hyplane.geometry import (
    apply_isometry,
    convert,
    distance,
    inverse_isometry,
    lorentz_boost,
    signed_distance,
)

pytestmark = pytest.mark.slow  # a browser takes long to start and to draw

MODELS = ("ball", "klein", "halfplane", "hyperboloid")


def boost_to(point):
    return lorentz_boost(convert([point], "ball", "hyperboloid")[0])


def translated(points, p, q):
    """Points after the translation along the geodesic from p to q, one boost after the other."""
    there = boost_to(p)
    back = inverse_isometry(there)
    [moved] = apply_isometry(back, [q], coordinates="ball")
    for isometry in (back, boost_to(moved), there):
        points = apply_isometry(isometry, points, coordinates="ball")
    return points


def test_a_drag_moves_every_point_by_the_translation_from_start_to_end(show, data):
    page = show(*data)
    start, end = page.drag((430, 300), (330, 420))
    p, q = (convert_pixel(page, pixel) for pixel in (start, end))
    expected = translated(data[0], p, q)
    assert np.linalg.norm(np.subtract(p, q)) > 0.3
    assert np.abs(page.positions() - expected).max() < 1e-6


inside = st.tuples(st.floats(0, 0.85), st.floats(-np.pi, np.pi)).map(
    lambda polar: [float(polar[0] * f(polar[1])) for f in (np.cos, np.sin)]
)


@pytest.fixture(scope="module")
def plain(show, data):
    return show(*data)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(drags=st.lists(st.tuples(inside, inside), min_size=1, max_size=3))
def test_drags_add_up_as_isometries_do(plain, data, drags):
    plain.js("hyplane.explorer.moveTo([1, 0, 0, 0])")
    expected = data[0]
    for p, q in drags:
        plain.js(
            """hyplane.explorer.drag(hyplane.explorer.g, ...arguments[0].map((point) =>
              hyplane.toPixel(...point)))""",
            [p, q],
        )
        expected = translated(expected, p, q)
    assert np.abs(plain.positions() - expected).max() < 1e-6


def convert_pixel(page, pixel):
    """The point of the disk at a pixel, by the size of the stage and the disk's margin alone."""
    size = page.find(".hyx-stage").size
    width, height = page.js("[hyplane.explorer.picture.width, hyplane.explorer.picture.height]")
    assert (width, height) == (size["width"], size["height"])
    radius = min(width, height) / 2 - max(12, 0.025 * min(width, height))
    return [(pixel[0] - width / 2) / radius, (height / 2 - pixel[1]) / radius]


@pytest.mark.parametrize("model", MODELS)
def test_the_point_under_the_pointer_stays_under_it(show, data, model):
    page = show(*data)
    page.set_model(model)
    page.drag((400, 420), (470, 360))  # a view that is not the first one
    before = page.state["isometry"]
    start, end = page.drag((450, 430), (360, 500))
    under = page.js("hyplane.fromPixel(...arguments)", *start)
    z = mobius(page.state["isometry"]) @ inverse(before) @ [complex(*under), 1]
    moved = complex(z[0] / z[1])
    assert page.js("hyplane.toPixel(...arguments)", moved.real, moved.imag) == pytest.approx(
        end, abs=1e-6
    )


def mobius(isometry):
    a, b = complex(*isometry[:2]), complex(*isometry[2:])
    assert abs(a) ** 2 - abs(b) ** 2 == pytest.approx(1)
    return np.array([[a, b], [b.conjugate(), a.conjugate()]])


def test_each_model_shows_the_coordinates_of_its_chart(show, data):
    page = show(*data)
    page.drag((430, 300), (330, 420))
    ball, rows = page.positions(), list(range(20))
    charts = {
        "ball": "ball",
        "klein": "klein",
        "halfplane": "halfspace",
        "hyperboloid": "hyperboloid",
    }
    for model, chart in charts.items():
        page.set_model(model)
        found = np.array(page.js("arguments[0].map((i) => hyplane.position(i).model)", rows))
        wanted = convert(ball[rows], "ball", chart)
        if model == "halfplane":  # height goes up on the screen
            found = found[:, 1::-1]
        elif model == "hyperboloid":
            found = found[:, [2, 0, 1]]
        assert found[:, : wanted.shape[1]] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("start", "end"), [("ball", "klein"), ("ball", "halfplane"), ("klein", "hyperboloid")]
)
def test_pixels_have_their_points_between_two_models_too(show, data, start, end):
    page = show(*data)
    page.set_model(start)
    page.js("hyplane.explorer.animate(1e9, () => {})")
    for t in (0.2, 0.6, 0.95):
        passage = {"from": start, "to": end, "t": t}
        page.js("hyplane.explorer.step = null; hyplane.explorer.passage = arguments[0]", passage)
        pixels = page.js("arguments[0].map((point) => hyplane.toPixel(...point))", data[0].tolist())
        assert np.abs(page.points_at(pixels) - data[0]).max() < 1e-6


@pytest.mark.parametrize("model", MODELS)
def test_all_points_at_once_are_where_each_is_by_itself(show, data, model):
    page = show(*data)
    page.drag((430, 300), (330, 420))
    page.set_model(model)
    wanted = page.js("hyplane.positions().map((point) => hyplane.toPixel(...point))")
    found = page.js("hyplane.positions().map((_, i) => hyplane.position(i).pixel)")
    assert np.array(found) == pytest.approx(np.array(wanted), rel=1e-9)


def test_charts_and_curvature_of_the_data_make_no_difference(show, data):
    X, y = data
    page = show(X, y)
    wanted = page.positions()
    half = convert(X, "ball", "halfspace") / np.sqrt(2.0)
    page = show(half, y, coordinates="halfspace", curvature=-2.0)
    assert page.positions() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_edges_are_geodesics(show, data, model):
    X = data[0]
    pairs = [[i, i + 1] for i in range(0, 40, 2)]
    page = show(X, edges=pairs)
    page.drag((430, 300), (380, 360))
    page.set_model(model)
    ends = page.positions()
    segments = np.array(page.js("[...hyplane.explorer.picture.edges.segments]"))[: 4 * 64 * 20]
    checked = 0
    for (i, j), run in zip(pairs, segments.reshape(20, 64, 4), strict=True):
        points = page.points_at(run[:, 2:])
        points = points[np.hypot(*points.T) < 0.95]
        there, on = distance(ends[[i]], points), distance(points, ends[[j]])
        [whole] = distance(ends[[i]], ends[[j]])
        assert there + on == pytest.approx(whole, abs=1e-3)
        checked += len(points)
    assert checked > 50


class TestHyperplanes:
    @pytest.mark.parametrize("model", MODELS)
    def test_lines_are_at_distance_0_and_margins_where_the_score_is_1(
        self, show, data, classifier, model
    ):
        page = show(*data, estimator=classifier)
        page.drag((430, 300), (380, 360))
        page.set_model(model)
        kinds = set()
        for line in page.js("hyplane.lines()"):
            points = page.points_at(line["run"])
            points = points[np.hypot(*points.T) < 0.98]  # close to the rim a pixel is far
            if not len(points):
                continue
            kinds.add(line["kind"])
            plane = classifier.coef_[line["plane"]]
            distances = signed_distance(seen_through(page.state["isometry"], points), plane)
            scale = np.sqrt(plane[1:] @ plane[1:] - plane[0] ** 2)
            wanted = 0.0 if line["kind"] == "plane" else np.arcsinh(1.0 / scale)
            assert np.abs(np.abs(distances) - wanted).max() < 1e-6
        assert kinds == {"plane", "margin"}

    @pytest.mark.parametrize("curvature", [-1.0, -0.5])
    def test_distances_and_predictions_on_the_card_are_those_of_the_estimator(
        self, show, data, curvature
    ):
        X, y = data[0] / np.sqrt(-curvature), data[1]
        clf = HyperbolicSVCCV(curvature=curvature, random_state=0).fit(X, y)
        page = show(X, y, estimator=clf)
        for i in range(10):
            facts = page.js(f"hyplane.facts({i})")
            distances = [each["value"] for each in facts["distances"]]
            assert distances == pytest.approx(clf.signed_distance(X[i : i + 1])[0], rel=1e-9)
            probabilities = [each["value"] for each in facts["probabilities"]]
            assert probabilities == pytest.approx(clf.predict_proba(X[i : i + 1])[0], abs=1e-6)
            assert facts["predicted"] == clf.predict(X[i : i + 1])[0]
            scores = [each["value"] for each in facts["scores"]["list"]]
            assert scores == pytest.approx(clf.decision_function(X[i : i + 1])[0], rel=1e-6)
            assert [each["value"] for each in facts["coordinates"]] == X[i].tolist()

    def test_far_points_keep_their_distances(self, show):
        polar = np.array([[700.0, 0.2], [40.0, 2.0], [1.0, 3.0], [0.5, 0.1]])
        clf = HyperbolicSVC(coordinates="polar").fit(polar, [1, 0, 0, 1])
        page = show(polar, [1, 0, 0, 1], estimator=clf)
        found = [page.js(f"hyplane.facts({i}).distances[0].value") for i in range(4)]
        assert found == pytest.approx(clf.signed_distance(polar), rel=1e-9)
        assert "2 points lie farther out" in page.find(".hyx-note").text


def inverse(isometry):
    return np.linalg.inv(mobius(isometry))


def seen_through(isometry, points):
    """Points of the view's disk as points of the data's."""
    z = np.array(points) @ [1, 1j]
    back = inverse(isometry)
    w = (back[0, 0] * z + back[0, 1]) / (back[1, 0] * z + back[1, 1])
    return np.column_stack([w.real, w.imag])


class TestDecisions:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: HyperbolicSVC(random_state=0),
            lambda: HyperbolicSVC(multi_class="ovo", random_state=0),
            lambda: HyperbolicSVCCV(random_state=0),
            lambda: HyperbolicSVCCV(multi_class="ovo", random_state=0),
            lambda: HyperbolicKernelSVC(),
        ],
        ids=["ovr", "ovo", "cv-ovr", "cv-ovo", "kernel"],
    )
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_regions_are_the_predictions_of_the_estimator(self, show, data, make, n_classes):
        X, y = data
        kept = np.isin(y, ["ant", "bee", "cat"][:n_classes])
        clf = make().fit(X[kept], y[kept])
        page = show(X[kept], y[kept], estimator=clf)
        page.drag((430, 300), (390, 350))
        rng = np.random.default_rng(0)
        angle, radius = rng.uniform(0, 2 * np.pi, 400), 0.9 * np.sqrt(rng.uniform(size=400))
        points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
        # A grid is right up to its pixels.
        grid = page.js("hyplane.explorer.fit.texture") is not None
        right = page.agrees(clf, points, seen_through(page.state["isometry"], points))
        assert right >= (0.98 if grid else 1.0)

    def test_an_edge_between_the_angles_of_the_grid_is_smooth(self, show):
        X, y = np.array([[0.3, 0.31], [0.3, -0.29]]), np.array([1, 0])
        page = show(X, y, estimator=KNeighborsClassifier(1).fit(X, y))
        x = np.linspace(0.2, 0.9, 400)  # the edge is 0.01 high
        for height, code in ((0.0102, 1), (0.0098, 0)):
            points = np.column_stack([x, np.full(400, height)]).tolist()
            assert page.js("hyplane.decide(arguments[0])", points) == [code] * 400


@pytest.fixture(scope="module")
def five():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=90)
    T = 0.4 * rng.normal(size=(90, 5)) + 1.2 * np.eye(5)[y]
    return T, y, HyperbolicSVC(coordinates="tangent", random_state=0).fit(T, y)


class TestHigherDimensions:
    def test_points_are_where_the_projection_puts_them_and_the_page_says_so(self, show, five):
        T, y, clf = five
        for projection in ("horo", HyperplaneView(clf, index=1, coordinates="tangent").fit(T)):
            page = show(T, y, estimator=clf, projection=projection)
            if projection == "horo":
                projection = HyperbolicProjection("horo", coordinates="tangent", random_state=0)
                projection.fit(T)
            wanted = convert(projection.transform(T), "tangent", "ball")
            assert page.positions() == pytest.approx(wanted, abs=1e-9)
            slice_ = projection.inverse_transform(projection.transform(T))
            share = 100 * np.mean(clf.predict(slice_) == clf.predict(T))
            note = page.find(".hyx-note").text
            assert note.startswith("5 dimensions, h")
            assert f"{share:.0f} % of the points lie on a region of their predicted class" in note

    @pytest.mark.parametrize("make", [HyperbolicSVC, HyperbolicKernelSVC])
    def test_regions_and_distances_are_those_of_the_space(self, show, five, make):
        T, y, _ = five
        clf = make(coordinates="tangent").fit(T, y)
        page = show(T, y, estimator=clf)
        projection = HyperbolicProjection(estimator=clf, coordinates="tangent", random_state=0)
        projection.fit(T)
        points = np.random.default_rng(0).uniform(-0.6, 0.6, size=(200, 2))
        inside = projection.inverse_transform(convert(points, "ball", "tangent"))
        right = page.agrees(clf, points, inside)
        assert right == 1.0 if make is HyperbolicSVC else right > 0.98
        if make is HyperbolicSVC:
            distances = [page.js(f"hyplane.facts({i}).distances[1].value") for i in range(20)]
            assert distances == pytest.approx(clf.signed_distance(T[:20])[:, 1], rel=1e-5)
