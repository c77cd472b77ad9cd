"""What all displays share, and what each model adds."""

import io
import re

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from hyplane import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.features import HyperbolicProjection, HyperplaneView
from hyplane.geometry import convert, signed_distance
from hyplane.plotting import (
    HalfPlaneDisplay,
    HyperboloidDisplay,
    KleinDisplay,
    PoincareDisplay,
)

DISPLAYS = [PoincareDisplay, KleinDisplay, HalfPlaneDisplay, HyperboloidDisplay]
QUICK = {"resolution": 64}
show = PoincareDisplay.from_estimator


def gaussians(n_classes=2, n_samples=90, **options):
    options = {"variance": 0.3, "random_state": 0, **options}
    return make_hyperbolic_gaussians(n_samples, n_classes=n_classes, **options)


def axes_for(display):
    kind = "3d" if display is HyperboloidDisplay else None
    return Figure(figsize=(3, 3), dpi=60).add_subplot(projection=kind)


def close_gaussians(n_classes=2):
    return gaussians(n_classes, 80, center_variance=0.7)


def drawn(clf, ax, n_classes=2, **options):
    """A classifier fitted to Gaussians, and its picture."""
    X, y = gaussians(n_classes)
    return clf.fit(X, y), show(clf, X, y, ax=ax, **{**QUICK, **options})


def drawn_in(display, clf, n_classes=2, **options):
    """A classifier fitted to Gaussians that are close, and its picture in a model."""
    X, y = close_gaussians(n_classes)
    options = {"ax": axes_for(display), **QUICK, **options}
    return clf.fit(X, y), display.from_estimator(clf, X, y, **options)


def is_colourful(picture):
    return np.unique(picture.reshape(-1, 3), axis=0).shape[0] > 50


def test_two_classes_have_one_geodesic_and_two_margins(ax, on_curve):
    clf, display = drawn(HyperbolicSVC(), ax)
    [boundary] = display.boundaries_
    assert np.abs(signed_distance(on_curve(boundary), clf.coef_[0])).max() < 1e-5
    scores = [clf.decision_function(on_curve(margin)) for margin in display.margins_]
    assert np.allclose(scores[0], -1.0, rtol=0, atol=1e-5)
    assert np.allclose(scores[1], 1.0, rtol=0, atol=1e-5)


def test_display_holds_what_it_drew(ax):
    _, display = drawn(HyperbolicSVC(), ax, 3)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.regions.shape == (64, 64)
    assert display.regions_ in ax.images
    assert len(display.boundaries_) == len(display.points_) == 3
    assert display.margins_ == []
    assert [text.get_text() for text in display.legend_.get_texts()] == ["0", "1", "2"]
    assert sum(len(points.get_offsets()) for points in display.points_) == 90


@pytest.mark.parametrize("chart", ["hyperboloid", "halfspace", "klein", "polar", "tangent"])
def test_chart_and_curvature_come_from_the_estimator(chart, ax, on_curve):
    X, y = gaussians(2)
    expected = show(HyperbolicSVC().fit(X, y), X, y, ax=ax, **QUICK)
    there = convert(X / np.sqrt(3.0), "ball", chart, curvature=-3.0)
    clf = HyperbolicSVC(coordinates=chart, curvature=-3.0).fit(there, y)
    display = show(clf, there, y, ax=ax, **QUICK)
    assert np.allclose(display.points, expected.points)
    assert (display.regions == expected.regions).mean() > 0.99
    assert np.allclose(
        on_curve(display.boundaries_[0]), on_curve(expected.boundaries_[0]), atol=1e-4
    )


def test_linear_euclidean_classifiers_have_straight_lines(ax):
    clf, display = drawn(LinearSVC(), ax, 3)
    assert len(display.boundaries_) == 3
    for k, patch in enumerate(display.boundaries_):
        vertices = patch.get_path().vertices
        assert np.abs(clf.decision_function(vertices)[:, k]).max() < 1e-12
        assert np.allclose(np.linalg.norm(vertices[[0, -1]], axis=1), 1.0)


def test_euclidean_lines_keep_their_place_at_another_curvature(ax):
    X, y = gaussians(2, curvature=-4.0)
    clf = LogisticRegression().fit(X, y)
    display = show(clf, X, y, curvature=-4.0, ax=ax, **QUICK)
    vertices = display.boundaries_[0].get_path().vertices
    assert np.abs(clf.decision_function(0.5 * vertices)).max() < 1e-12


def test_classes_compared_by_a_softmax_have_no_lines_of_their_own(ax):
    _, display = drawn(LogisticRegression(), ax, 3)
    assert display.boundaries is None
    assert len(display.boundaries_) == 3


def test_one_vs_one_draws_an_arc_for_each_pair(ax):
    _, display = drawn(HyperbolicSVC(multi_class="ovo"), ax, 4)
    assert len(display.boundaries_) == 6
    assert (display.boundaries.owners == -1).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "clf",
    [
        SVC(),
        KNeighborsClassifier(3),
        make_pipeline(StandardScaler(), LinearSVC()),
        HyperbolicKernelSVC(),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_classifiers_without_hyperplanes_get_contours(clf, n_classes, ax, pixels):
    drawn(clf, ax, n_classes, boundaries=False, legend=False)
    without = pixels(ax.figure).copy()
    ax.clear()
    _, display = drawn(clf, ax, n_classes, legend=False)
    assert len(display.boundaries_) == (1 if display.scores is not None else n_classes)
    # A line across a disk of some 140 pixels changes at least as many pixels as it is long.
    assert (pixels(ax.figure) != without).any(axis=-1).sum() > 30


def test_the_contour_of_a_kernel_classifier_is_where_its_score_changes_sign(ax):
    clf, display = drawn(HyperbolicKernelSVC(), ax)
    vertices = np.concatenate([line.vertices for line in display.boundaries_[0].get_paths()])
    inside = vertices[np.linalg.norm(vertices, axis=1) < 0.9]
    scores = np.abs(clf.decision_function(gaussians(2)[0]))
    assert np.abs(clf.decision_function(inside)).max() < 0.01 * scores.max()


def test_searches_show_the_classifier_they_chose(ax, on_curve):
    search, display = drawn(GridSearchCV(HyperbolicSVC(), {"C": [0.1, 1.0]}, cv=2), ax)
    w = search.best_estimator_.coef_[0]
    assert np.abs(signed_distance(on_curve(display.boundaries_[0]), w)).max() < 1e-5
    assert len(drawn(HyperbolicSVCCV(cv=2, random_state=0), ax)[1].boundaries_) == 1


def test_one_label_of_several_is_drawn_by_its_number(ax, on_curve):
    X, y = gaussians(3)
    Y = np.column_stack([y == 0, y == 1, y != 2]).astype(int)
    clf = HyperbolicSVC().fit(X, Y)
    display = show(clf, X, Y, label=1, ax=ax, **QUICK)
    assert np.abs(signed_distance(on_curve(display.boundaries_[0]), clf.coef_[1])).max() < 1e-5
    assert len(display.points_[1].get_offsets()) == Y[:, 1].sum()
    assert display.class_names == ["without label 1", "with label 1"]
    with pytest.raises(ValueError, match="3 labels a point"):
        show(clf, X, Y, ax=ax)
    with pytest.raises(ValueError, match="Leave label out"):
        show(HyperbolicSVC().fit(X, y), X, y, label=1, ax=ax)


def test_ten_classes_are_told_apart(ax, pixels):
    X, y = make_hyperbolic_gaussians(
        200, n_classes=10, center_variance=3.0, variance=0.2, random_state=1
    )
    display = show(HyperbolicSVC().fit(X, y), X, y, ax=ax, **QUICK)
    faces = {tuple(points.get_facecolor()[0]) for points in display.points_}
    assert len(faces) == 10
    assert is_colourful(pixels(ax.figure))


def test_points_at_radius_thirty_are_drawn_at_the_rim(ax, pixels):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(40, 30.0), rng.uniform(-np.pi, np.pi, 40)])
    X[:20, 0] = 45.0
    y = (np.cos(X[:, 1]) > 0).astype(int)
    clf = HyperbolicSVC(coordinates="polar").fit(X, y)
    display = show(clf, X, y, ax=ax, **QUICK)
    assert np.allclose(np.linalg.norm(display.points, axis=1), 1.0)
    assert is_colourful(pixels(ax.figure))


def test_a_label_that_all_points_have_has_no_boundary(ax):
    X, y = gaussians(2)
    clf = HyperbolicSVC().fit(X, np.column_stack([y, np.ones_like(y)]))
    display = show(clf, X, label=1, ax=ax, **QUICK)
    assert display.boundaries_ == []
    assert (display.regions == 1).all()


def test_points_need_no_classes_and_may_have_unknown_ones(ax):
    X, y = gaussians(3)
    names = np.array(["ant", "bee", "cat"])[y]
    seen = names != "bee"
    clf = HyperbolicSVC().fit(X[seen], names[seen])
    assert show(clf, X, ax=ax, **QUICK).legend_ is None
    assert show(clf, X, names, ax=ax, **QUICK).class_names == ["ant", "cat", "bee"]


def test_what_is_not_wanted_is_not_drawn(ax):
    nothing = {"regions": False, "boundaries": False, "margins": False, "legend": False}
    _, display = drawn(HyperbolicSVC(), ax, **nothing)
    assert (display.regions_, display.boundaries_, display.margins_) == (None, [], [])
    assert ax.get_legend() is None


def test_a_table_with_column_names_gives_no_warning(ax):
    pandas = pytest.importorskip("pandas")
    X, y = gaussians(2)
    table = pandas.DataFrame(X, columns=["x", "y"])
    assert len(show(HyperbolicSVC().fit(table, y), table, y, ax=ax, **QUICK).points_) == 2


def test_vector_output_keeps_text_arcs_and_a_small_image(ax):
    drawn(HyperbolicSVC(), ax, 3, class_names=["alpha", "beta", "gamma"])
    svg, pdf = io.StringIO(), io.BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        ax.figure.savefig(svg, format="svg")
    ax.figure.savefig(pdf, format="pdf")
    text = svg.getvalue()
    assert "alpha" in text
    assert text.count("<image") == 1
    assert len(re.findall(r"\bC [-\d.]+ [-\d.]+", text)) > 6
    assert pdf.getvalue().startswith(b"%PDF")


def test_wrong_shapes_are_explained(ax):
    X, y = gaussians(2)
    clf = HyperbolicSVC().fit(X, y)
    with pytest.raises(ValueError, match="one value for each of the 90 points"):
        show(clf, X, y[:5], ax=ax)
    with pytest.raises(ValueError, match="1 names for 2 classes"):
        show(clf, X, y, ax=ax, class_names=["a"])
    with pytest.raises(ValueError, match="at least 16"):
        show(clf, X, y, ax=ax, resolution=2)


@pytest.fixture(scope="module")
def five():
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=90)
    return 0.4 * rng.normal(size=(90, 5)) + 1.2 * np.eye(5)[y], y


def test_two_classes_of_five_dimensions_have_their_true_margins(five, ax, on_curve):
    X, y = five[0], five[1] > 0
    clf = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, y)
    shown = show(clf, X, y, ax=ax, **QUICK)
    [boundary] = shown.boundaries_
    assert np.abs(on_curve(boundary)[:, 1]).max() < 1e-12  # a diameter
    exact, view = clf.signed_distance(X), HyperplaneView(clf, coordinates="tangent").fit(X)
    assert signed_distance(shown.points, [0, 0, -1]) == pytest.approx(exact, abs=1e-9)
    for margin, score in zip(shown.margins_, (-1, 1), strict=True):
        rows = view.inverse_transform(convert(on_curve(margin), "ball", "tangent"))
        assert clf.decision_function(rows) == pytest.approx(score, abs=1e-4)
    assert "100\N{NO-BREAK SPACE}% of the points" in shown.note_.get_text().replace("\n", " ")


@pytest.mark.parametrize("make", [HyperbolicSVC, HyperbolicKernelSVC])
def test_regions_and_boundaries_of_five_dimensions_are_the_decisions_on_the_slice(
    make, five, ax, on_curve
):
    X, y = five
    clf = make(coordinates="tangent").fit(X, y)
    projection = HyperbolicProjection(coordinates="tangent", random_state=0).fit(X)
    shown = show(clf, X, y, ax=ax, projection=projection, resolution=128)
    ticks = (np.arange(128) + 0.5) / 64 - 1
    rows, columns = np.nonzero(np.hypot(*np.meshgrid(ticks, ticks)) < 0.99)
    places = convert(np.column_stack([ticks[columns], ticks[rows]]), "ball", "tangent")
    predicted = clf.predict(projection.inverse_transform(places))
    assert (shown.regions[rows, columns] == predicted).mean() > 0.999
    on_slice = projection.inverse_transform(projection.transform(X))
    share = 100 * np.mean(clf.predict(on_slice) == clf.predict(X))
    assert f"{share:.0f} % of the points" in shown.note.replace("\n", " ")
    if make is HyperbolicSVC:
        for patch, owner in zip(shown.boundaries_, shown.boundaries.owners, strict=True):
            curve = projection.inverse_transform(convert(on_curve(patch), "ball", "tangent"))
            assert np.abs(clf.signed_distance(curve)[:, owner]).max() < 1e-5


def test_a_hyperplane_view_needs_one_hyperplane(five, ax):
    clf = HyperbolicSVC(coordinates="tangent").fit(*five)
    with pytest.raises(ValueError, match="needs a fitted classifier of two classes"):
        show(clf, *five, ax=ax, projection="hyperplane")
    view = HyperplaneView(clf, index=2, coordinates="tangent")
    assert "hyperplane view" in show(clf, *five, ax=ax, projection=view, **QUICK).note


@pytest.fixture(scope="module")
def separable():
    rng = np.random.default_rng(1)
    X = np.vstack(
        [rng.normal((0.45, 0.1), 0.13, (40, 2)), rng.normal((-0.35, -0.1), 0.13, (40, 2))]
    )
    return X, np.repeat(["east", "west"], 40)


@pytest.mark.parametrize("display", DISPLAYS)
def test_every_display_draws_regions_boundaries_margins_and_points(display, pixels):
    _, shown = drawn_in(display, HyperbolicSVC())
    drawn_parts = shown.boundaries_, shown.margins_, shown.points_
    assert [len(part) for part in drawn_parts] == [1, 2, 2]
    assert shown.regions_ is not None
    assert is_colourful(pixels(shown.figure_))


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_regions_of_every_model_are_the_predictions_there(display):
    clf, shown = drawn_in(display, HyperbolicSVC(), 3, resolution=128)
    view = shown.view_class(shown.points)
    left, right, bottom, top = view.extent
    ticks = (np.arange(128) + 0.5) / 128
    x, z = np.meshgrid(left + (right - left) * ticks, bottom + (top - bottom) * ticks)
    disk = view.disk_points(np.column_stack([x.ravel(), z.ravel()]))
    # Only pixels near an edge are asked one by one, so a sliver may be missed.
    assert (shown.regions.ravel() == clf.predict(disk)).mean() > 0.999


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("clf", [SVC(), KNeighborsClassifier(3)], ids=lambda c: type(c).__name__)
def test_contours_are_drawn_in_every_model(display, clf, pixels):
    _, shown = drawn_in(display, clf, 3, legend=False)
    assert len(shown.boundaries_) == len(np.unique(shown.regions))
    assert is_colourful(pixels(shown.figure_))


@pytest.mark.parametrize("display", DISPLAYS)
def test_euclidean_lines_are_curves_of_score_zero_in_every_model(display, on_curve):
    clf, shown = drawn_in(display, LinearSVC())
    [curve] = shown.boundaries_
    view = shown.view_class(shown.points)
    if hasattr(curve, "get_data_3d"):
        places = np.column_stack(curve.get_data_3d()[:2])
    elif hasattr(curve, "get_data"):
        places = np.column_stack(curve.get_data())
    else:
        places = on_curve(curve)
    inside = places[view.shown(places)]
    disk = view.disk_points(inside)
    disk = disk[np.hypot(*disk.T) < 0.999]
    assert len(disk) >= 2
    assert np.abs(clf.decision_function(disk)).max() < 1e-6 * np.abs(clf.coef_).max()


def test_the_support_points_of_a_hard_margin_are_ringed(separable, ax):
    X, y = separable
    clf = HyperbolicSVC(C=np.inf).fit(X, y)
    shown = show(clf, X, y, ax=ax, **QUICK)
    assert np.flatnonzero(shown.support).tolist() == clf.support_.tolist()
    assert np.allclose(shown.support_.get_offsets(), X[shown.support])
    assert show(clf, X, y, ax=ax, support=False, **QUICK).support_ is None


def test_the_support_points_of_a_soft_margin_are_those_that_lose_something(ax):
    X, y = close_gaussians()
    clf = HyperbolicSVC(C=0.5).fit(X, y)
    assert show(clf, X, y, ax=ax, **QUICK).support_ is None
    shown = show(clf, X, y, ax=ax, support=True, **QUICK)
    margin = np.where(y == 1, 1, -1) * clf.decision_function(X)
    assert 0 < shown.support.sum() < len(X)
    assert (shown.support == (margin <= 1.001)).all()
    without = show(clf, X, ax=ax, support=True, **QUICK)
    assert (without.support == (np.abs(margin) <= 1.001)).all()


def test_the_support_points_of_a_kernel_machine_are_its_support_vectors(ax):
    X, y = close_gaussians()
    clf = SVC(tol=1e-6).fit(X, y)
    shown = show(clf, X, y, ax=ax, support=True, **QUICK)
    assert np.flatnonzero(shown.support).tolist() == sorted(clf.support_.tolist())


def test_support_points_of_several_boundaries_are_refused(ax):
    with pytest.raises(ValueError, match="one boundary"):
        drawn(HyperbolicSVC(), ax, 3, support=True)


@pytest.mark.parametrize("display", DISPLAYS)
def test_probabilities_shade_the_regions_and_get_a_scale(display):
    options = {"response_method": "predict_proba", "class_names": ["a", "b"]}
    clf, shown = drawn_in(display, HyperbolicSVCCV(cv=2, random_state=0), **options)
    side = len(shown.probabilities)
    view = shown.view_class(shown.points)
    left, right, bottom, top = view.extent
    middle = [
        [left + (right - left) * (0.5 + 0.5 / side), bottom + (top - bottom) * (0.5 + 0.5 / side)]
    ]
    expected = clf.predict_proba(view.disk_points(np.array(middle)))[0]
    assert np.allclose(shown.probabilities[side // 2, side // 2], expected)
    [bar] = shown.colorbars_
    assert bar.ax.get_ylabel() == "probability of b"


def test_a_shade_is_white_where_both_classes_are_as_probable(ax):
    options = {"response_method": "predict_proba", "ax": ax}
    _, shown = drawn_in(PoincareDisplay, HyperbolicSVCCV(cv=2, random_state=0), **options)
    image = shown.regions_.get_array()
    even = np.abs(shown.probabilities[..., 0] - 0.5) < 0.02
    sure = shown.probabilities.max(axis=-1) > 0.9
    assert image[even].min() > 0.97
    assert image[sure].min(axis=-1).max() < 0.8


def test_several_classes_and_several_labels_can_be_shaded(ax):
    X, y = close_gaussians(3)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    shown = show(forest, X, y, ax=ax, response_method="predict_proba")
    assert shown.probabilities.shape[-1] == 3
    assert shown.colorbars_ == []
    Y = np.column_stack([y == 0, y == 1]).astype(int)
    for clf in (
        RandomForestClassifier(5, random_state=0).fit(X, Y),
        HyperbolicSVCCV(cv=2, random_state=0).fit(X, Y),
    ):
        shown = show(clf, X, Y, label=1, ax=ax, response_method="predict_proba")
        answer = clf.predict_proba(np.zeros((1, 2)))
        own = answer[1][0, 1] if isinstance(answer, list) else answer[0, 1]
        side = len(shown.probabilities)
        near = shown.probabilities[side // 2 - 1 : side // 2 + 1, side // 2 - 1 : side // 2 + 1, 1]
        assert near.min() - 0.05 <= own <= near.max() + 0.05


def test_numbers_beside_a_classifier_get_a_colour_bar(ax):
    X, y = close_gaussians()
    clf = HyperbolicSVC().fit(X, y)
    far = signed_distance(X, clf.coef_[0])
    shown = show(clf, X, far, ax=ax, legend_title="distance", **QUICK)
    [bar] = shown.colorbars_
    assert bar.ax.get_xlabel() == "distance"
    assert np.allclose(bar.mappable.get_array(), far)
    assert shown.legend_ is None


def test_what_cannot_be_drawn_is_refused_with_a_reason(ax):
    X, y = close_gaussians()
    clf = HyperbolicSVC().fit(X, y)
    with pytest.raises(ValueError, match="LinearRegression has no classes_"):
        show(LinearRegression().fit(X, y), X, y, ax=ax)
    with pytest.raises(ValueError, match="HyperbolicSVC has none"):
        show(clf, X, y, ax=ax, response_method="predict_proba")
    with pytest.raises(ValueError, match="response_method must be"):
        show(clf, X, y, ax=ax, response_method="guess")
    with pytest.raises(ValueError, match='needs axes with projection="3d"'):
        HyperboloidDisplay.from_estimator(clf, X, y, ax=ax)
    with pytest.raises(ValueError, match="plane axes"):
        KleinDisplay.from_estimator(clf, X, y, ax=axes_for(HyperboloidDisplay))


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_display_makes_its_own_figure_and_can_be_drawn_again(display):
    _, first = drawn_in(display, HyperbolicSVC(), ax=None)
    ax = first.ax_
    assert first.plot(axes_for(display)).ax_ is not ax
    assert len(first.ax_.patches) == len(ax.patches)
