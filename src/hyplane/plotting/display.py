"""A classifier's decisions in the Poincaré disk, with the habits of scikit-learn's displays."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from hyplane._typing import Array, ArrayLike
from hyplane.plotting._boundaries import Boundaries, find_boundaries
from hyplane.plotting._decision import Codes, Decision, codes_of, decision_of
from hyplane.plotting._pixels import label_pixels, pixel_centers, pixel_ticks
from hyplane.plotting.disk import (
    add_arcs,
    add_legend,
    clip_to_disk,
    draw_disk,
    scatter_classes,
    to_disk,
)
from hyplane.plotting.palette import INK, QUIET, class_style, darkened, pale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PoincareDisplay"]

_CONTOUR_RESOLUTION = 400


class PoincareDisplay:
    """Decision regions, boundaries, margins and points of a classifier in the Poincaré disk.

    Use `from_estimator` to make one. The boundaries of linear classifiers are exact: geodesics,
    circular arcs that meet the circle at right angles, for hyperbolic ones, and straight lines for
    Euclidean ones. Those of other classifiers are contours.

    Parameters
    ----------
    points : ndarray of shape (m, 2)
        Points of the unit disk.
    codes : ndarray of int of shape (m,), optional
        The number of each point's class.
    class_names : sequence of str
        Names of the classes, in the order of their numbers.
    regions : ndarray of int of shape (k, k), optional
        The class of every pixel of [-1, 1]², lowest row first.
    boundaries : Boundaries, optional
        Exact curves.
    scores : ndarray of shape (k, k), optional
        Score of two classes per pixel, whose contour at 0 is drawn where there are no exact curves.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it is drawn.
    regions_ : AxesImage or None
        The decision regions.
    boundaries_ : list of PathPatch or of ContourSet
        The boundaries.
    margins_ : list of PathPatch
        The curves of scores ±1.
    points_ : list of PathCollection
        The points, one collection per class.
    legend_ : Legend or None
        The names of the classes.

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

    def __init__(
        self,
        *,
        points: Array,
        class_names: Sequence[str],
        codes: Codes | None = None,
        regions: Codes | None = None,
        boundaries: Boundaries | None = None,
        scores: Array | None = None,
    ) -> None:
        self.points = points
        self.class_names = class_names
        self.codes = codes
        self.regions = regions
        self.boundaries = boundaries
        self.scores = scores

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        ax: "Axes | None" = None,
        coordinates: str | None = None,
        curvature: float | None = None,
        label: int | None = None,
        class_names: Sequence[str] | None = None,
        resolution: int = 1024,
        regions: bool = True,
        boundaries: bool = True,
        margins: bool | None = None,
        size: float | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw a fitted classifier and points.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier of points of the hyperbolic plane, hyperbolic or not.
        X : array-like of shape (m, n_columns)
            Points to draw.
        y : array-like of shape (m,) or (m, n_labels), optional
            Their classes, or the indicator matrix of their labels.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
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
        size : float, optional
            Area of the markers in square points.
        legend : bool, default=True
            Name the classes below the disk.

        Returns
        -------
        display : PoincareDisplay
        """
        decision = decision_of(estimator, coordinates, curvature, label, X)
        points = to_disk(X, decision.coordinates, curvature=decision.curvature)
        classes, codes = codes_of(decision, y, len(points))
        exact = find_boundaries(decision) if boundaries else None
        display = cls(
            points=points,
            codes=codes,
            class_names=_names(classes, label, class_names),
            regions=_regions(decision, resolution) if regions or exact is None else None,
            boundaries=exact,
            scores=_score_grid(decision) if boundaries and exact is None else None,
        )
        return display.plot(
            ax,
            regions=regions,
            boundaries=boundaries,
            margins=margins,
            size=size,
            legend=legend,
        )

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        regions: bool = True,
        boundaries: bool = True,
        margins: bool | None = None,
        size: float | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw it, again or elsewhere.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        regions, boundaries, margins, size, legend
            As in `from_estimator`.

        Returns
        -------
        self : PoincareDisplay
        """
        self.ax_ = draw_disk(ax)
        self.figure_ = self.ax_.figure
        self.regions_ = self._draw_regions() if regions and self.regions is not None else None
        self.boundaries_ = self._draw_boundaries() if boundaries else []
        self.margins_ = self._draw_margins(margins)
        self.points_ = scatter_classes(
            self.ax_,
            self.points,
            self.codes,
            self.class_names if self.codes is not None else [],
            size,
        )
        self.legend_ = None
        if legend and self.codes is not None:
            self.legend_ = add_legend(self.ax_, self.points_)
        return self

    def _draw_regions(self) -> Any:
        assert self.regions is not None
        count = max(len(self.class_names), int(self.regions.max()) + 1)
        colors = pale([class_style(code)["color"] for code in range(count)])
        # Edges softened over a pixel or two look smooth at any output resolution, also in vector
        # formats, which take the pixels as they are.
        image = gaussian_filter(colors[self.regions], (1.0, 1.0, 0.0))
        shown = self.ax_.imshow(
            image,
            extent=(-1, 1, -1, 1),
            origin="lower",
            interpolation="none",
            zorder=1,
            aspect="equal",
        )
        clip_to_disk(shown, self.ax_)
        return shown

    def _draw_boundaries(self) -> list[Any]:
        if self.boundaries is None:
            return self._draw_contours()
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
            drawn += add_arcs(self.ax_, curves.zero[row : row + 1], **style)
        return drawn

    def _draw_margins(self, wanted: bool | None) -> list[Any]:
        if self.boundaries is None or wanted is False:
            return []
        if wanted is None and len(self.boundaries.owners) > 1:
            return []
        return add_arcs(self.ax_, self.boundaries.margins, lw=1.1, ls=(0, (4, 2.5)), zorder=3.5)

    def _draw_contours(self) -> list[Any]:
        """Draw where the score of two classes is 0, or else the edges of the regions."""
        if self.scores is not None:
            return [self._contour(self.scores, 0.0)]
        if self.regions is None:
            return []
        return [
            self._contour(gaussian_filter((self.regions == code).astype(np.float64), 1.5), 0.5)
            for code in np.unique(self.regions)
            if (self.regions != code).any()
        ]

    def _contour(self, values: Array, level: float) -> Any:
        ticks = pixel_ticks(len(values))
        lines = self.ax_.contour(
            ticks, ticks, values, levels=[level], colors=INK, linewidths=1.2, zorder=4
        )
        clip_to_disk(lines, self.ax_)
        return lines


def _names(
    classes: NDArray[Any], label: int | None, class_names: Sequence[str] | None
) -> list[str]:
    if class_names is not None:
        if len(class_names) != len(classes):
            raise ValueError(
                f"class_names has {len(class_names)} names for {len(classes)} classes."
            )
        return [str(name) for name in class_names]
    if label is not None:
        return [f"without label {label}", f"with label {label}"]
    return [str(value) for value in classes]


def _regions(decision: Decision, resolution: int) -> Codes:
    if resolution < 16:
        raise ValueError(f"resolution must be at least 16 pixels; got {resolution}.")
    return label_pixels(decision.codes, 4 * (-(-int(resolution) // 4)))


def _score_grid(decision: Decision) -> Array | None:
    scores = decision.scores(pixel_centers(_CONTOUR_RESOLUTION))
    if scores is None or not np.isfinite(scores).all():
        return None
    return scores.reshape(_CONTOUR_RESOLUTION, _CONTOUR_RESOLUTION)
