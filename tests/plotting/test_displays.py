"""What all displays share, and what each model adds."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from hyplane.classifiers import HyperbolicSVC, HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import signed_distance
from hyplane.plotting import (
    HalfPlaneDisplay,
    HyperboloidDisplay,
    KleinDisplay,
    PoincareDisplay,
)

DISPLAYS = [PoincareDisplay, KleinDisplay, HalfPlaneDisplay, HyperboloidDisplay]
QUICK = {"resolution": 64}


def axes_for(display):
    from matplotlib.figure import Figure

    kind = "3d" if display is HyperboloidDisplay else None
    return Figure(figsize=(3, 3), dpi=60).add_subplot(projection=kind)


def gaussians(n_classes=2, n_samples=80):
    return make_hyperbolic_gaussians(
        n_samples, n_classes=n_classes, variance=0.3, center_variance=0.7, random_state=0
    )


@pytest.fixture(scope="module")
def separable():
    rng = np.random.default_rng(1)
    X = np.vstack(
        [rng.normal((0.45, 0.1), 0.13, (40, 2)), rng.normal((-0.35, -0.1), 0.13, (40, 2))]
    )
    return X, np.repeat(["east", "west"], 40)


@pytest.mark.parametrize("display", DISPLAYS)
def test_every_display_draws_regions_boundaries_margins_and_points(display, pixels):
    X, y = gaussians()
    ax = axes_for(display)
    clf = HyperbolicSVC().fit(X, y)
    shown = display.from_estimator(clf, X, y, ax=ax, **QUICK)
    assert len(shown.boundaries_) == 1
    assert len(shown.margins_) == 2
    assert len(shown.points_) == 2
    assert shown.regions_ is not None
    assert np.unique(pixels(ax.figure).reshape(-1, 3), axis=0).shape[0] > 50


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_regions_of_every_model_are_the_predictions_there(display):
    X, y = gaussians(3)
    clf = HyperbolicSVC().fit(X, y)
    shown = display.from_estimator(clf, X, y, ax=axes_for(display), resolution=128)
    view = shown._view_of(shown.points)
    left, right, bottom, top = view.extent
    ticks = (np.arange(128) + 0.5) / 128
    x, z = np.meshgrid(left + (right - left) * ticks, bottom + (top - bottom) * ticks)
    disk = view.disk_points(np.column_stack([x.ravel(), z.ravel()]))
    assert (shown.regions.ravel() == clf.predict(disk)).mean() > 0.999


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("clf", [SVC(), KNeighborsClassifier(3)], ids=lambda c: type(c).__name__)
def test_contours_are_drawn_in_every_model(display, clf, pixels):
    X, y = gaussians(3)
    ax = axes_for(display)
    shown = display.from_estimator(clf.fit(X, y), X, y, ax=ax, legend=False, **QUICK)
    assert len(shown.boundaries_) == len(np.unique(shown.regions))
    assert np.unique(pixels(ax.figure).reshape(-1, 3), axis=0).shape[0] > 50


@pytest.mark.parametrize("display", DISPLAYS)
def test_euclidean_lines_are_curves_of_score_zero_in_every_model(display, on_curve):
    X, y = gaussians()
    clf = LinearSVC().fit(X, y)
    shown = display.from_estimator(clf, X, y, ax=axes_for(display), **QUICK)
    [curve] = shown.boundaries_
    view = shown._view_of(shown.points)
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
    shown = PoincareDisplay.from_estimator(clf, X, y, ax=ax, **QUICK)
    assert np.flatnonzero(shown.support).tolist() == clf.support_.tolist()
    assert np.allclose(shown.support_.get_offsets(), X[shown.support])
    assert PoincareDisplay.from_estimator(clf, X, y, ax=ax, support=False, **QUICK).support_ is None


def test_the_support_points_of_a_soft_margin_are_those_that_lose_something(ax):
    X, y = gaussians()
    clf = HyperbolicSVC(C=0.5).fit(X, y)
    assert PoincareDisplay.from_estimator(clf, X, y, ax=ax, **QUICK).support_ is None
    shown = PoincareDisplay.from_estimator(clf, X, y, ax=ax, support=True, **QUICK)
    margin = np.where(y == 1, 1, -1) * clf.decision_function(X)
    assert 0 < shown.support.sum() < len(X)
    assert (shown.support == (margin <= 1.001)).all()
    without = PoincareDisplay.from_estimator(clf, X, ax=ax, support=True, **QUICK)
    assert (without.support == (np.abs(margin) <= 1.001)).all()


def test_the_support_points_of_a_kernel_machine_are_its_support_vectors(ax):
    X, y = gaussians()
    clf = SVC(tol=1e-6).fit(X, y)
    shown = PoincareDisplay.from_estimator(clf, X, y, ax=ax, support=True, **QUICK)
    assert np.flatnonzero(shown.support).tolist() == sorted(clf.support_.tolist())


def test_support_points_of_several_boundaries_are_refused(ax):
    X, y = gaussians(3)
    clf = HyperbolicSVC().fit(X, y)
    with pytest.raises(ValueError, match="one boundary"):
        PoincareDisplay.from_estimator(clf, X, y, ax=ax, support=True)


@pytest.mark.parametrize("display", DISPLAYS)
def test_probabilities_shade_the_regions_and_get_a_scale(display):
    X, y = gaussians()
    clf = HyperbolicSVCCV(cv=2, random_state=0).fit(X, y)
    shown = display.from_estimator(
        clf, X, y, ax=axes_for(display), response_method="predict_proba", class_names=["a", "b"]
    )
    side = len(shown.probabilities)
    view = shown._view_of(shown.points)
    left, right, bottom, top = view.extent
    middle = [
        [left + (right - left) * (0.5 + 0.5 / side), bottom + (top - bottom) * (0.5 + 0.5 / side)]
    ]
    expected = clf.predict_proba(view.disk_points(np.array(middle)))[0]
    assert np.allclose(shown.probabilities[side // 2, side // 2], expected)
    [bar] = shown.colorbars_
    assert bar.ax.get_ylabel() == "probability of b"


def test_a_shade_is_white_where_both_classes_are_as_probable(ax):
    X, y = gaussians()
    clf = HyperbolicSVCCV(cv=2, random_state=0).fit(X, y)
    shown = PoincareDisplay.from_estimator(clf, X, y, ax=ax, response_method="predict_proba")
    image = shown.regions_.get_array()
    even = np.abs(shown.probabilities[..., 0] - 0.5) < 0.02
    sure = shown.probabilities.max(axis=-1) > 0.9
    assert image[even].min() > 0.97
    assert image[sure].min(axis=-1).max() < 0.8


def test_several_classes_and_several_labels_can_be_shaded(ax):
    X, y = gaussians(3)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    shown = PoincareDisplay.from_estimator(forest, X, y, ax=ax, response_method="predict_proba")
    assert shown.probabilities.shape[-1] == 3
    assert shown.colorbars_ == []
    Y = np.column_stack([y == 0, y == 1]).astype(int)
    for clf in (
        RandomForestClassifier(5, random_state=0).fit(X, Y),
        HyperbolicSVCCV(cv=2, random_state=0).fit(X, Y),
    ):
        shown = PoincareDisplay.from_estimator(
            clf, X, Y, label=1, ax=ax, response_method="predict_proba"
        )
        answer = clf.predict_proba(np.zeros((1, 2)))
        own = answer[1][0, 1] if isinstance(answer, list) else answer[0, 1]
        side = len(shown.probabilities)
        near = shown.probabilities[side // 2 - 1 : side // 2 + 1, side // 2 - 1 : side // 2 + 1, 1]
        assert near.min() - 0.05 <= own <= near.max() + 0.05


def test_numbers_beside_a_classifier_get_a_colour_bar(ax):
    X, y = gaussians()
    clf = HyperbolicSVC().fit(X, y)
    far = signed_distance(X, clf.coef_[0])
    shown = PoincareDisplay.from_estimator(clf, X, far, ax=ax, legend_title="distance", **QUICK)
    [bar] = shown.colorbars_
    assert bar.ax.get_xlabel() == "distance"
    assert np.allclose(sorted(shown.points_[0].get_array()), sorted(far))
    assert shown.legend_ is None


def test_what_cannot_be_drawn_is_refused_with_a_reason(ax):
    X, y = gaussians()
    clf = HyperbolicSVC().fit(X, y)
    with pytest.raises(ValueError, match="LinearRegression has no classes_"):
        PoincareDisplay.from_estimator(LinearRegression().fit(X, y), X, y, ax=ax)
    with pytest.raises(ValueError, match="HyperbolicSVC has none"):
        PoincareDisplay.from_estimator(clf, X, y, ax=ax, response_method="predict_proba")
    with pytest.raises(ValueError, match="response_method must be"):
        PoincareDisplay.from_estimator(clf, X, y, ax=ax, response_method="guess")
    with pytest.raises(ValueError, match='needs axes with projection="3d"'):
        HyperboloidDisplay.from_estimator(clf, X, y, ax=ax)
    with pytest.raises(ValueError, match="plane axes"):
        KleinDisplay.from_estimator(clf, X, y, ax=axes_for(HyperboloidDisplay))


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_display_makes_its_own_figure_and_can_be_drawn_again(display):
    X, y = gaussians()
    first = display.from_estimator(HyperbolicSVC().fit(X, y), X, y, **QUICK)
    ax = first.ax_
    assert first.plot(axes_for(display)).ax_ is not ax
