"""Displays of a classifier in the models of the hyperbolic plane."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy.ndimage import gaussian_filter

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike, Ints, Mask
from hyplane.plotting._views import (
    DASHES,
    DiskView,
    HalfPlaneView,
    HyperboloidView,
    KleinView,
    axes_for,
    line_width,
)
from hyplane.plotting.boundaries import Boundaries, find_boundaries
from hyplane.plotting.decision import (
    Decision,
    Targets,
    decision_of,
    inner_estimator,
    refined_codes,
    targets_of,
)
from hyplane.plotting.marks import (
    add_colorbar,
    add_note,
    draw_marks,
    explain_marks,
    mark_area,
    ring_marks,
)
from hyplane.plotting.projection import disk_points, note_on, with_view
from hyplane.plotting.style import GREY, INK, class_colors, mixed, pale

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(kw_only=True, eq=False, repr=False)
class ModelDisplay:
    """A classifier in one of the models of the hyperbolic plane; the base of the displays.

    Parameters
    ----------
    points : ndarray of shape (m, 2)
        Points of the unit disk, whatever the model.
    class_names : sequence of str
        Names of the classes, in the order of their numbers.
    codes : ndarray of int of shape (m,), optional
        The number of each point's class.
    numbers : ndarray of shape (m,), optional
        A number for each point, shown by a colour bar, where it has no class.
    regions : ndarray of int of shape (k, k), optional
        The class of every pixel of the picture, lowest row first.
    probabilities : ndarray of shape (k, k, n_classes), optional
        The probabilities of the classes at every pixel; they shade the regions.
    boundaries : Boundaries, optional
        Exact curves.
    scores : ndarray of shape (k, k), optional
        Score of two classes per pixel, whose contour at 0 is drawn where there are no exact curves.
    support : ndarray of bool of shape (m,), optional
        Points to mark with a ring.
    note : str, default=""
        What the reader has to know of a projection, written below the picture.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    regions_ : artist or None
        The decision regions.
    boundaries_ : list of artists
        The boundaries.
    margins_ : list of artists
        The curves of scores ±1.
    points_ : list of artists
        The points: one collection per class; in a crowd, one for all.
    support_ : PathCollection or None
        The rings around support points.
    legend_ : Legend or None
        The names of the classes.
    colorbars_ : list of Colorbar
        The scales of numbers and of probabilities.
    note_ : Annotation or None
        The note below the picture.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> from hyplane.plotting import HalfPlaneDisplay, KleinDisplay
    >>> X, y = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]], [1, 1, 0, 0]
    >>> clf = HyperbolicSVC(C=np.inf).fit(X, y)
    >>> for kind in (KleinDisplay, HalfPlaneDisplay):
    ...     display = kind.from_estimator(clf, X, y)
    ...     print(kind.__name__, display.support)
    KleinDisplay [ True False  True False]
    HalfPlaneDisplay [ True False  True False]
    """

    points: Array
    class_names: Sequence[str]
    codes: Ints | None = None
    numbers: Array | None = None
    regions: Ints | None = None
    probabilities: Array | None = None
    boundaries: Boundaries | None = None
    scores: Array | None = None
    support: Mask | None = None
    note: str = ""

    view_class: ClassVar[type[DiskView]]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        ax: "Axes | None" = None,
        response_method: str = "predict",
        coordinates: str | None = None,
        curvature: float | None = None,
        label: int | None = None,
        class_names: Sequence[str] | None = None,
        resolution: int = 1024,
        regions: bool = True,
        boundaries: bool = True,
        support: bool | None = None,
        projection: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a fitted classifier and points.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier of points of hyperbolic space, hyperbolic or not.
        X : array-like of shape (m, n_columns)
            Points to draw. Beyond two dimensions they are projected, the regions are the decisions
            on the slice that is drawn, and a note below the picture says how well they agree.
        y : array-like of shape (m,) or (m, n_labels), optional
            Their classes, or the indicator matrix of their labels. Numbers that are no classes of
            the estimator are shown by a colour bar.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        response_method : {"predict", "predict_proba"}, default="predict"
            Colour each region by its class alone, or the stronger the more probable the class is.
        coordinates : str, optional
            Chart of X. By default the estimator's own, and ``"ball"`` where it has none.
        curvature : float, optional
            Curvature of the space. By default the estimator's own, and -1 where it has none.
        label : int, optional
            Which label to show, where the estimator was fitted on several labels a point.
        class_names : sequence of str, optional
            Names for the legend, in the order of the classes.
        resolution : int, default=1024
            Pixels of the regions a side. Few of them cost a prediction.
        regions, boundaries : bool, default=True
            Whether to colour the regions, and to draw the boundaries.
        support : bool, optional
            Whether to put a ring around the points on their margin, inside it or on the wrong side.
            By default for a hard margin (``C=np.inf``) between two classes.
        projection : str or transformer, optional
            How points of more than two dimensions are shown: "radial", "horo", "tangent",
            "orthogonal" or "hyperplane", or a `HyperbolicProjection` or `HyperplaneView`. By
            default "hyperplane" where one hyperplane tells two classes apart, else "radial".
        **options
            Other arguments of `plot`: margins, size, density, legend and legend_title.

        Returns
        -------
        display : ModelDisplay
        """
        if response_method not in ("predict", "predict_proba"):
            raise ValueError(
                f"response_method must be 'predict' or 'predict_proba'; got {response_method!r}."
            )
        decision = decision_of(estimator, X, coordinates, curvature, label)
        decision = with_view(decision, projection, X)
        points = disk_points(X, decision.coordinates, decision.curvature, decision.view)
        targets = targets_of(
            y, len(points), classes=decision.classes, class_names=class_names, label=label
        )
        if support is None:
            is_hard = np.isinf(getattr(inner_estimator(estimator), "C", 1.0))
            support = bool(is_hard) and len(decision.classes) == 2
        view = cls.view_class(points)
        exact = find_boundaries(decision) if boundaries else None
        needs_contours = boundaries and exact is None
        is_shaded = regions and response_method == "predict_proba"
        needs_classes = (regions and not is_shaded) or needs_contours
        display = cls(
            points=points,
            class_names=targets.names,
            codes=targets.codes,
            numbers=targets.numbers,
            regions=_region_pixels(decision, view, resolution) if needs_classes else None,
            probabilities=_smooth_pixels(decision, view, "probabilities") if is_shaded else None,
            boundaries=exact,
            scores=_smooth_pixels(decision, view, "scores") if needs_contours else None,
            support=decision.support(X, targets.codes) if support else None,
            note=note_on(decision.view, decision, X),
        )
        return display.plot(ax, regions=regions, boundaries=boundaries, **options)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        regions: bool = True,
        boundaries: bool = True,
        margins: bool | None = None,
        support: bool = True,
        size: float | None = None,
        density: bool | None = None,
        legend: bool = True,
        legend_title: str | None = None,
    ) -> Self:
        """Draw the display again, or on other axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        regions, boundaries, support : bool, default=True
            Whether to draw the regions, the boundaries and the rings around support points.
        margins : bool, optional
            Whether to draw the curves where the score is ±1; by default where one boundary tells
            two classes apart.
        size : float, optional
            Area of the markers in square points.
        density : bool, optional
            Whether to draw the points as a density layer; by default above 50,000 points. The
            hyperboloid has none.
        legend : bool, default=True
            Name the classes below the picture, and add colour bars.
        legend_title : str, optional
            Title of the legend, or of the colour bar of numbers.

        Returns
        -------
        self : ModelDisplay
        """
        view = self.view_class(self.points)
        self.ax_ = axes_for(view, ax)
        self.figure_ = self.ax_.figure
        view.frame(self.ax_)
        self.regions_ = self._draw_regions(view) if regions else None
        self.boundaries_ = self._draw_boundaries(view) if boundaries else []
        self.margins_: list[Any] = []
        exact = self.boundaries
        if exact is not None and (len(exact.owners) <= 1 if margins is None else margins):
            style = {"lw": 1.1, "ls": DASHES, "zorder": 3.5}
            for arcs in exact.margins:
                self.margins_ += view.add_curves(self.ax_, arcs, **style)
        places = view.place(self.points)
        targets = Targets(self.codes, self.class_names, self.numbers)
        marks = draw_marks(self.ax_, view, places, targets, size=size, density=density)
        self.points_ = marks.artists
        self.support_ = None
        if support and self.support is not None:
            held = places[self.support & view.shown(places)]
            area = mark_area(len(places), self.ax_) if size is None else size
            self.support_ = ring_marks(self.ax_, view, held, area)
        self.legend_: Any = None
        self.colorbars_: list[Any] = []
        if legend:
            explained = explain_marks(self.ax_, view, marks, legend_title)
            if marks.scale is None:
                self.legend_ = explained
            else:
                self.colorbars_.append(explained)
            two = self.probabilities is not None and self.probabilities.shape[-1] == 2
            if two and self.regions_ is not None:
                name = f"probability of {self.class_names[1]}"
                scale = _probability_scale()
                self.colorbars_.append(add_colorbar(self.ax_, view, scale, name, "right"))
        below = explained if legend else None
        self.note_ = add_note(self.ax_, view, self.note, below)
        return self

    def _draw_regions(self, view: DiskView) -> Any:
        if self.probabilities is not None:
            image = probability_image(self.probabilities)
            return view.show_image(self.ax_, image, interpolation="bilinear")
        if self.regions is None:
            return None
        return view.show_image(self.ax_, region_image(self.regions, len(self.class_names)))

    def _draw_boundaries(self, view: DiskView) -> list[Any]:
        if self.boundaries is None:
            return self._draw_contours(view)
        owners = self.boundaries.owners
        faint = min(1.0, np.sqrt(6.0 / max(len(owners), 1)))
        drawn: list[Any] = []
        for arcs, owner in zip(self.boundaries.zero, owners, strict=True):
            style: dict[str, Any] = {"lw": 1.8}
            if owner >= 0:
                [color] = mixed(class_colors(owner + 1)[-1:], 0.25, 0.0)
                style = {"color": tuple(color), "lw": 1.3}
            elif len(owners) > 1:
                style = {"color": GREY, "lw": max(0.4, 0.8 * faint), "alpha": faint}
            drawn += view.add_curves(self.ax_, arcs, **style)
        return drawn

    def _draw_contours(self, view: DiskView) -> list[Any]:
        """Draw where the score of two classes is 0, or else the edges of the regions."""
        style = {"colors": INK, "linewidths": line_width(1.2), "zorder": 4}
        if self.scores is not None:
            return [view.add_contour(self.ax_, self.scores, 0.0, **style)]
        if self.regions is None:
            return []
        return [
            view.add_contour(self.ax_, gaussian_filter(own.astype(np.float64), 1.5), 0.5, **style)
            for own in (self.regions == code for code in np.unique(self.regions))
            if not own.all()
        ]


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

    view_class = DiskView


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

    view_class = KleinView


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

    view_class = HalfPlaneView


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

    view_class = HyperboloidView


def _region_pixels(decision: Decision, view: DiskView, resolution: int) -> Ints:
    """Return the classes of the pixels; only those near an edge are asked at full resolution."""
    if resolution < 16:
        raise ValueError(f"resolution must be at least 16 pixels; got {resolution}.")
    side = -(-int(resolution) // 4)
    return refined_codes(
        (side, side),
        lambda shape, asked: decision.codes(decision.rows_at(view.pixels(shape[0], asked))),
    )


def _smooth_pixels(decision: Decision, view: DiskView, name: str, side: int = 400) -> Array | None:
    """Return the scores or probabilities at the pixels; None where not all are finite."""
    found = getattr(decision, name)(decision.rows_at(view.pixels(side)))
    if found is None or not np.isfinite(found).all():
        return None
    return np.asarray(found.reshape(side, side, *found.shape[1:]))


def region_image(codes: Ints, n_classes: int) -> Array:
    """Return the image of regions, each in the pale colour of its class.

    Edges are softened over a pixel or two. They look smooth at any output resolution, also in
    vector formats, which take the pixels as they are.
    """
    colors = pale(class_colors(n_classes))
    return np.asarray(gaussian_filter(colors[codes], (1.0, 1.0, 0.0)))


def probability_image(probabilities: Array) -> Array:
    """Return the image of regions, white where classes are equally probable.

    The colour is that of the most probable class, and the stronger the more probable it is.
    """
    count = probabilities.shape[-1]
    even = 1.0 / count
    best = probabilities.argmax(axis=-1)
    strength = np.clip((probabilities.max(axis=-1) - even) / (1.0 - even), 0.0, 1.0)[..., None]
    # Where a class is certain its colour is light enough to show points on it.
    strong = mixed(class_colors(count), 0.48)
    image = 1.0 - strength * (1.0 - strong[best])
    # With two classes the strength is 0 at the edge: nothing has to be softened there.
    return image if count == 2 else np.asarray(gaussian_filter(image, (0.7, 0.7, 0.0)))


def _probability_scale() -> Any:
    """Return the colours of the probability of the second of two classes, for a colour bar."""
    p = np.linspace(0.0, 1.0, 256)
    colors = probability_image(np.stack([1.0 - p, p], axis=-1)[None])[0]
    cmap = import_optional("matplotlib.colors", "plot").ListedColormap(colors)
    return import_optional("matplotlib.cm", "plot").ScalarMappable(cmap=cmap)
