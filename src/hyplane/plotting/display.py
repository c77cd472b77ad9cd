"""The displays of a classifier: one class per model, all with the arguments of `ModelDisplay`."""

import numpy as np

from hyplane._utils.typing import Array
from hyplane.plotting._hyperboloid import HyperboloidView
from hyplane.plotting._views import BallView, HalfPlaneView, KleinView, window_for
from hyplane.plotting.model_display import ModelDisplay

__all__ = ["HalfPlaneDisplay", "HyperboloidDisplay", "KleinDisplay", "PoincareDisplay"]

# Radii of the hyperboloid between which the display chooses: below it looks flat, above like a
# cone with all points near its tip.
_SMALLEST, _LARGEST = 1.3, 2.6


class PoincareDisplay(ModelDisplay):
    """Decision regions, boundaries, margins and points of a classifier in the Poincaré disk.

    Use `from_estimator` to make one; parameters and attributes are those of `ModelDisplay`. The
    boundaries of linear classifiers are exact: geodesics, circular arcs that meet the circle at
    right angles, for hyperbolic ones, and straight lines for Euclidean ones. Those of other
    classifiers are contours.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from hyplane import HyperbolicSVC
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> y = ["right", "right", "left", "left"]
    >>> clf = HyperbolicSVC().fit(X, y)
    >>> display = PoincareDisplay.from_estimator(clf, X, y, ax=Figure().add_subplot())
    >>> len(display.boundaries_), len(display.margins_), len(display.points_)
    (1, 2, 2)
    """

    @staticmethod
    def _view_of(points: Array) -> BallView:
        return BallView()


class KleinDisplay(ModelDisplay):
    """The decisions of a classifier in the Klein disk, where geodesics are straight chords.

    Use `from_estimator` to make one; parameters and attributes are those of `ModelDisplay`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from hyplane import HyperbolicSVC
    >>> X, y = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]], [1, 1, 0, 0]
    >>> clf = HyperbolicSVC().fit(X, y)
    >>> display = KleinDisplay.from_estimator(clf, X, y, ax=Figure().add_subplot())
    >>> len(display.boundaries_)
    1
    """

    @staticmethod
    def _view_of(points: Array) -> KleinView:
        return KleinView()


class HalfPlaneDisplay(ModelDisplay):
    """The decisions of a classifier in the upper half-plane.

    Use `from_estimator` to make one; parameters and attributes are those of `ModelDisplay`.
    Geodesics are half circles centred on the boundary, and vertical rays. The half-plane is drawn
    in part: where most of the points lie, with the origin ``(0, 1)``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from hyplane import HyperbolicSVC
    >>> X, y = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]], [1, 1, 0, 0]
    >>> clf = HyperbolicSVC().fit(X, y)
    >>> display = HalfPlaneDisplay.from_estimator(clf, X, y, ax=Figure().add_subplot())
    >>> len(display.boundaries_)
    1
    """

    @staticmethod
    def _view_of(points: Array) -> HalfPlaneView:
        return window_for(HalfPlaneView(-1.0, 1.0, 1.0).place(points))


class HyperboloidDisplay(ModelDisplay):
    """The decisions of a classifier on the hyperboloid, in axes with ``projection="3d"``.

    Use `from_estimator` to make one; parameters and attributes are those of `ModelDisplay`. The
    sheet is drawn up to a radius that most of the points lie within; the others are left out. It
    is seen from above, so that no part hides another.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from hyplane import HyperbolicSVC
    >>> X, y = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]], [1, 1, 0, 0]
    >>> clf = HyperbolicSVC().fit(X, y)
    >>> ax = Figure().add_subplot(projection="3d")
    >>> HyperboloidDisplay.from_estimator(clf, X, y, ax=ax).ax_.name
    '3d'
    """

    @staticmethod
    def _view_of(points: Array) -> HyperboloidView:
        distance = 2.0 * np.arctanh(np.minimum(np.hypot(*points.T), 1.0 - 1e-16))
        usual = 1.1 * float(np.quantile(distance, 0.97)) if len(points) else _SMALLEST
        radius = float(np.clip(usual, _SMALLEST, _LARGEST))
        return HyperboloidView(radius, elevation=38.0, bottom=1.0)
