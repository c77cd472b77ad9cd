import io
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from hyplane.classifiers import HyperbolicKernelSVC, HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import convert, signed_distance
from hyplane.plotting import PoincareDisplay

show = PoincareDisplay.from_estimator
QUICK = {"resolution": 64}


def gaussians(n_classes=3, n_samples=90, **options):
    return make_hyperbolic_gaussians(
        n_samples, n_classes=n_classes, variance=0.3, random_state=0, **options
    )


def test_two_classes_have_one_geodesic_and_two_margins(ax, on_curve):
    X, y = gaussians(2)
    clf = HyperbolicSVC().fit(X, y)
    display = show(clf, X, y, ax=ax, **QUICK)
    [boundary] = display.boundaries_
    assert np.abs(signed_distance(on_curve(boundary), clf.coef_[0])).max() < 1e-5
    scores = [clf.decision_function(on_curve(margin)) for margin in display.margins_]
    assert np.allclose(scores[0], -1.0, rtol=0, atol=1e-5)
    assert np.allclose(scores[1], 1.0, rtol=0, atol=1e-5)


def test_display_holds_what_it_drew(ax):
    X, y = gaussians(3)
    display = show(HyperbolicSVC().fit(X, y), X, y, ax=ax, **QUICK)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.regions.shape == (64, 64)
    assert display.regions_ in ax.images
    assert len(display.boundaries_) == len(display.points_) == 3
    assert display.margins_ == []
    assert [text.get_text() for text in display.legend_.get_texts()] == ["0", "1", "2"]
    assert sum(len(points.get_offsets()) for points in display.points_) == len(X)


def test_regions_are_the_predictions(ax):
    X, y = gaussians(4)
    clf = HyperbolicSVC().fit(X, y)
    display = show(clf, X, y, ax=ax, resolution=128)
    ticks = (np.arange(128) + 0.5) / 64 - 1
    rows, columns = np.nonzero(np.hypot(*np.meshgrid(ticks, ticks)) < 0.99)
    predicted = clf.predict(np.column_stack([ticks[columns], ticks[rows]]))
    # Only pixels near an edge are asked one by one, so a sliver may be missed.
    assert (display.regions[rows, columns] == predicted).mean() > 0.999


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
    X, y = gaussians(3)
    clf = LinearSVC().fit(X, y)
    display = show(clf, X, y, ax=ax, **QUICK)
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
    X, y = gaussians(3)
    display = show(LogisticRegression().fit(X, y), X, y, ax=ax, **QUICK)
    assert display.boundaries is None
    assert len(display.boundaries_) == 3


def test_one_vs_one_draws_an_arc_for_each_pair(ax):
    X, y = gaussians(4)
    display = show(HyperbolicSVC(multi_class="ovo").fit(X, y), X, y, ax=ax, **QUICK)
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
    X, y = gaussians(n_classes)
    clf.fit(X, y)
    show(clf, X, y, ax=ax, boundaries=False, legend=False, **QUICK)
    without = pixels(ax.figure).copy()
    ax.clear()
    display = show(clf, X, y, ax=ax, legend=False, **QUICK)
    assert len(display.boundaries_) == (1 if display.scores is not None else n_classes)
    # A line across a disk of some 140 pixels changes at least as many pixels as it is long.
    assert (pixels(ax.figure) != without).any(axis=-1).sum() > 30


def test_the_contour_of_a_kernel_classifier_is_where_its_score_changes_sign(ax):
    X, y = gaussians(2)
    clf = HyperbolicKernelSVC().fit(X, y)
    display = show(clf, X, y, ax=ax, **QUICK)
    vertices = np.concatenate([line.vertices for line in display.boundaries_[0].get_paths()])
    inside = vertices[np.linalg.norm(vertices, axis=1) < 0.9]
    scores = np.abs(clf.decision_function(X))
    assert np.abs(clf.decision_function(inside)).max() < 0.01 * scores.max()


def test_searches_show_the_classifier_they_chose(ax, on_curve):
    X, y = gaussians(2)
    search = GridSearchCV(HyperbolicSVC(), {"C": [0.1, 1.0]}, cv=2).fit(X, y)
    display = show(search, X, y, ax=ax, **QUICK)
    w = search.best_estimator_.coef_[0]
    assert np.abs(signed_distance(on_curve(display.boundaries_[0]), w)).max() < 1e-5
    chosen = HyperbolicSVCCV(cv=2, random_state=0).fit(X, y)
    assert len(show(chosen, X, y, ax=ax, **QUICK).boundaries_) == 1


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
    assert np.unique(pixels(ax.figure).reshape(-1, 3), axis=0).shape[0] > 50


def test_points_at_radius_thirty_are_drawn_at_the_rim(ax, pixels):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(40, 30.0), rng.uniform(-np.pi, np.pi, 40)])
    X[:20, 0] = 45.0
    y = (np.cos(X[:, 1]) > 0).astype(int)
    clf = HyperbolicSVC(coordinates="polar").fit(X, y)
    display = show(clf, X, y, ax=ax, **QUICK)
    assert np.allclose(np.linalg.norm(display.points, axis=1), 1.0)
    assert np.unique(pixels(ax.figure).reshape(-1, 3), axis=0).shape[0] > 50


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
    X, y = gaussians(2)
    clf = HyperbolicSVC().fit(X, y)
    display = show(clf, X, y, ax=ax, regions=False, boundaries=False, margins=False, legend=False)
    assert (display.regions_, display.boundaries_, display.margins_) == (None, [], [])
    assert ax.get_legend() is None


def test_a_table_with_column_names_gives_no_warning(ax):
    pandas = pytest.importorskip("pandas")
    X, y = gaussians(2)
    table = pandas.DataFrame(X, columns=["x", "y"])
    assert len(show(HyperbolicSVC().fit(table, y), table, y, ax=ax, **QUICK).points_) == 2


def test_the_same_display_can_be_drawn_again_elsewhere(ax):
    X, y = gaussians(2)
    display = show(HyperbolicSVC().fit(X, y), X, y, ax=ax, **QUICK)
    first = len(ax.patches)
    assert display.plot().ax_ is not ax
    assert len(display.ax_.patches) == first


def test_vector_output_keeps_text_arcs_and_a_small_image(ax):
    import matplotlib

    X, y = gaussians(3)
    show(HyperbolicSVC().fit(X, y), X, y, ax=ax, class_names=["alpha", "beta", "gamma"], **QUICK)
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
    with pytest.raises(ValueError, match="one class for each of the 90 points"):
        show(clf, X, y[:5], ax=ax)
    with pytest.raises(ValueError, match="1 names for 2 classes"):
        show(clf, X, y, ax=ax, class_names=["a"])
    with pytest.raises(ValueError, match="at least 16"):
        show(clf, X, y, ax=ax, resolution=2)
    flat = HyperbolicSVC(coordinates="tangent").fit(np.eye(3), [0, 1, 1])
    with pytest.raises(ValueError, match="dimension 3"):
        show(flat, np.eye(3), ax=ax)
