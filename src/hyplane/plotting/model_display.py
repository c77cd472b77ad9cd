"""What the displays of all models have in common."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.ndimage import gaussian_filter

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane.plotting._artists import DASHES, line_width, new_axes
from hyplane.plotting._boundaries import Boundaries, find_boundaries
from hyplane.plotting._decision import Decision, decision_of, inner_estimator, targets_in
from hyplane.plotting._marks import (
    Marks,
    add_colorbar,
    add_legend,
    draw_marks,
    mark_area,
    ring_marks,
)
from hyplane.plotting._pixels import probability_pixels, region_pixels, score_pixels
from hyplane.plotting._shading import probability_image, probability_scale, region_image
from hyplane.plotting._targets import Codes, ShownTargets
from hyplane.plotting._views import View
from hyplane.plotting.disk import to_disk
from hyplane.plotting.palette import INK, QUIET, class_style, darkened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ModelDisplay"]


class ModelDisplay(ABC):
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

    def __init__(
        self,
        *,
        points: Array,
        class_names: Sequence[str],
        codes: Codes | None = None,
        numbers: Array | None = None,
        regions: Codes | None = None,
        probabilities: Array | None = None,
        boundaries: Boundaries | None = None,
        scores: Array | None = None,
        support: Mask | None = None,
    ) -> None:
        self.points = points
        self.class_names = class_names
        self.codes = codes
        self.numbers = numbers
        self.regions = regions
        self.probabilities = probabilities
        self.boundaries = boundaries
        self.scores = scores
        self.support = support

    @staticmethod
    @abstractmethod
    def _view_of(points: Array) -> View:
        """Return the part of the model that shows these points of the disk."""

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
        margins: bool | None = None,
        support: bool | None = None,
        size: float | None = None,
        density: bool | None = None,
        legend: bool = True,
        legend_title: str | None = None,
    ) -> Self:
        """Draw a fitted classifier and points.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier of points of the hyperbolic plane, hyperbolic or not.
        X : array-like of shape (m, n_columns)
            Points to draw.
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
        margins : bool, optional
            Whether to draw the curves where the score is ±1; by default where one boundary tells
            two classes apart.
        support : bool, optional
            Whether to put a ring around the points on their margin, inside it or on the wrong side.
            By default for a hard margin (``C=np.inf``) between two classes.
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
        display : ModelDisplay
        """
        if response_method not in ("predict", "predict_proba"):
            raise ValueError(
                f"response_method must be 'predict' or 'predict_proba'; got {response_method!r}."
            )
        decision = decision_of(estimator, coordinates, curvature, label, X)
        points = to_disk(X, decision.coordinates, curvature=decision.curvature)
        targets = targets_in(decision, y, len(points))
        exact = find_boundaries(decision) if boundaries else None
        view = cls._view_of(points)
        smooth = regions and response_method == "predict_proba"
        asked = (regions and not smooth) or (boundaries and exact is None)
        display = cls(
            points=points,
            codes=targets.codes,
            numbers=targets.numbers,
            class_names=_names(targets, label, class_names),
            regions=region_pixels(decision, view, resolution) if asked else None,
            probabilities=probability_pixels(decision, view) if smooth else None,
            boundaries=exact,
            scores=score_pixels(decision, view) if boundaries and exact is None else None,
            support=_support(decision, X, targets.codes, support),
        )
        return display.plot(
            ax,
            regions=regions,
            boundaries=boundaries,
            margins=margins,
            size=size,
            density=density,
            legend=legend,
            legend_title=legend_title,
        )

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
        """Draw it, again or elsewhere.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        regions, boundaries, margins, support, size, density, legend, legend_title
            As in `from_estimator`.

        Returns
        -------
        self : ModelDisplay
        """
        view = self._view_of(self.points)
        self.ax_ = checked_axes(ax, view)
        self.figure_ = self.ax_.figure
        view.frame(self.ax_)
        self.regions_ = self._draw_regions(view) if regions else None
        self.boundaries_ = self._draw_boundaries(view) if boundaries else []
        self.margins_ = self._draw_margins(view, margins)
        places = view.place(self.points)
        targets = ShownTargets(self.codes, self.class_names, self.numbers)
        marks = draw_marks(self.ax_, places, targets, size=size, density=density, view=view)
        self.points_ = marks.artists
        self.support_ = None
        if support and self.support is not None:
            held = places[self.support & view.shown(places)]
            area = mark_area(len(places), self.ax_) if size is None else size
            self.support_ = ring_marks(self.ax_, held, area, view)
        self.legend_: Any = None
        self.colorbars_: list[Any] = []
        if legend:
            self._explain(marks, legend_title, view)
        return self

    def _explain(self, marks: Marks, title: str | None, view: View) -> None:
        """Add the legend and the colour bars."""
        if marks.scale is not None:
            self.colorbars_.append(add_colorbar(self.ax_, marks.scale, title, view=view))
        if self.codes is not None:
            self.legend_ = add_legend(self.ax_, marks.handles, title, height=view.foot)
        two = self.probabilities is not None and self.probabilities.shape[-1] == 2
        if two and self.regions_ is not None:
            cm = import_optional("matplotlib.cm", "plot")
            scale = cm.ScalarMappable(cmap=probability_scale())
            name = f"probability of {self.class_names[1]}"
            bar = add_colorbar(self.ax_, scale, name, location="right", view=view)
            self.colorbars_.append(bar)

    def _draw_regions(self, view: View) -> Any:
        if self.probabilities is not None:
            image = probability_image(self.probabilities)
            return view.show_image(self.ax_, image, interpolation="bilinear")
        if self.regions is None:
            return None
        return view.show_image(self.ax_, region_image(self.regions, len(self.class_names)))

    def _draw_boundaries(self, view: View) -> list[Any]:
        if self.boundaries is None:
            return self._draw_contours(view)
        curves = self.boundaries
        together = len(curves.owners)
        faint = min(1.0, np.sqrt(6.0 / max(together, 1)))
        drawn: list[Any] = []
        for row, owner in enumerate(curves.owners):
            style: dict[str, Any] = {"lw": 1.8}
            if owner >= 0:
                [color] = darkened([class_style(int(owner))["color"]], 0.25)
                style = {"color": tuple(color), "lw": 1.3}
            elif together > 1:
                style = {"color": QUIET, "lw": max(0.4, 0.8 * faint), "alpha": faint}
            drawn += view.add_curves(self.ax_, curves.zero[row], **style)
        return drawn

    def _draw_margins(self, view: View, wanted: bool | None) -> list[Any]:
        if self.boundaries is None or wanted is False:
            return []
        if wanted is None and len(self.boundaries.owners) > 1:
            return []
        return view.add_curves(self.ax_, self.boundaries.margins, lw=1.1, ls=DASHES, zorder=3.5)

    def _draw_contours(self, view: View) -> list[Any]:
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


def checked_axes(ax: Any, view: View) -> Any:
    """Return axes that a view can be drawn in: those given, or new ones."""
    if ax is None:
        return new_axes(view.projection)
    if (view.projection == "3d") != (ax.name == "3d"):
        needs = 'axes with projection="3d"' if view.projection == "3d" else "plane axes, not 3-d"
        raise ValueError(f"a picture of the {view.title} needs {needs}.")
    return ax


def _names(
    targets: ShownTargets, label: int | None, class_names: Sequence[str] | None
) -> list[str]:
    if class_names is not None:
        if len(class_names) != len(targets.names):
            raise ValueError(
                f"class_names has {len(class_names)} names for {len(targets.names)} classes."
            )
        return [str(name) for name in class_names]
    if label is not None:
        return [f"without label {label}", f"with label {label}"]
    return list(targets.names)


def _support(
    decision: Decision, X: ArrayLike, codes: Codes | None, wanted: bool | None
) -> Mask | None:
    if wanted is None:
        hard = np.isinf(getattr(inner_estimator(decision.estimator), "C", 1.0))
        wanted = bool(hard) and len(decision.classes) == 2
    return decision.support(X, codes) if wanted else None
