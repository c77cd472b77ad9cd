"""``explore``: points, classifiers and graphs on a page that one can move about in."""

import html
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from hyplane._utils.files import replacing
from hyplane._utils.typing import ArrayLike
from hyplane.plotting.explorer._page import page
from hyplane.plotting.explorer._payload import make_payload
from hyplane.plotting.explorer._widget import make_widget

__all__ = ["Explorer", "explore"]


class Explorer:
    """An interactive page, made by `explore`.

    A notebook shows it in a frame. `widget` gives a widget instead, whose chosen point Python can
    read and set.

    Parameters
    ----------
    payload : dict
        What the page shows.

    Examples
    --------
    >>> explorer = explore([[0.5, 0.0], [0.0, 0.5]], ["a", "b"], title="Two points")
    >>> explorer
    Explorer('Two points', 2 points)
    >>> explorer.html.startswith("<!doctype html>")
    True
    """

    def __init__(self, payload: dict[str, Any]) -> None:
        self.payload = payload

    @property
    def html(self) -> str:
        """The page as text."""
        return page(self.payload)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which appears whole or not at all.

        Parameters
        ----------
        path : path
            The file, usually with the ending ``.html``.
        """
        with replacing(path) as file:
            file.write(self.html.encode())

    def widget(self, *, height: int = 640) -> Any:
        """Return a notebook widget (``pip install "hyplane[widget]"``).

        Parameters
        ----------
        height : int, default=640
            Its height in pixels.

        Returns
        -------
        widget : anywidget.AnyWidget
            Its trait ``selected`` is the row of the chosen point, -1 for none; setting it moves
            that point to the centre.

        Examples
        --------
        >>> explore([[0.5, 0.0], [0.0, 0.5]]).widget().selected
        -1
        """
        return make_widget(self.payload, height)

    def _repr_html_(self) -> str:
        text, title = html.escape(self.html), html.escape(self.payload["title"])
        style = "width:100%;height:640px;border:1px solid #ccc;border-radius:8px"
        return f'<iframe srcdoc="{text}" title="{title}" style="{style}"></iframe>'

    def __repr__(self) -> str:
        return f"Explorer({self.payload['title']!r}, {self.payload['n']} points)"


def explore(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    estimator: Any = None,
    Cs: Sequence[float] | None = None,
    edges: ArrayLike | None = None,
    names: Sequence[Any] | None = None,
    class_names: Sequence[str] | None = None,
    label: int | None = None,
    coordinates: str | None = None,
    curvature: float | None = None,
    title: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Explorer:
    """Make an interactive page of points in hyperbolic space.

    One can drag the plane (the point under the pointer stays under it), zoom, turn, search, switch
    between the Poincaré disk, the Klein disk, the half-plane and the hyperboloid, hide classes,
    read what is known of each point, and save the view as SVG or PNG. Hyperplanes, margins and
    decision regions move along.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points. Beyond two dimensions the page shows their orthogonal projection onto the plane
        along the normal of a hyperplane that one chooses there, and says so.
    y : array-like of shape (m,) or (m, n_labels), optional
        Their classes, or the indicator matrix of their labels. Numbers with a fractional part are
        shown by a colour scale.
    estimator : classifier, optional
        A fitted classifier of such points. The hyperplanes of `HyperbolicSVC` and `HyperbolicSVCCV`
        are exact; other classifiers are asked on a grid.
    Cs : sequence of float, optional
        Fit the classifier for each of these C, for a slider. Without an estimator it is
        `HyperbolicSVC`. Needs y.
    edges : array-like of shape (n_edges, 2), optional
        Edges of a graph: pairs of rows of X, or pairs of names. They become geodesics.
    names : sequence, optional
        Name of each point.
    class_names : sequence of str, optional
        Names of the classes, in the order of the sorted labels.
    label : int, optional
        Which label to show, where y or the estimator has several labels a point.
    coordinates : str, optional
        Chart of X. By default the estimator's own, and ``"ball"`` without one.
    curvature : float, optional
        Curvature of the space. By default the estimator's own, and -1 without one.
    title : str, optional
        Heading of the page.
    output : path, optional
        Write the page to this file as well.

    Returns
    -------
    explorer : Explorer

    Notes
    -----
    Positions are computed in double precision, so that the view can travel 30 units of distance
    from the origin; farther points stay on the rim, and the page says how many. A hundred thousand
    points were redrawn 38 to 55 times a second while they were dragged, in headless Chromium
    without a graphics card on two busy processors (``benchmarks/explorer.py``).

    Examples
    --------
    >>> import tempfile
    >>> from hyplane.plotting import explore
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> y = ["right", "right", "left", "left"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     explorer = explore(X, y, Cs=[0.1, 1, 10], output=f"{folder}/points.html")
    >>> [fit["name"] for fit in explorer.payload["fits"]]
    ['C = 0.1', 'C = 1', 'C = 10']
    """
    payload = make_payload(
        X,
        y,
        estimator=estimator,
        Cs=None if Cs is None else check_Cs(Cs),
        edges=edges,
        names=names,
        class_names=class_names,
        label=label,
        coordinates=coordinates,
        curvature=curvature,
        title=title,
    )
    explorer = Explorer(payload)
    if output is not None:
        explorer.save(output)
    return explorer


def check_Cs(Cs: ArrayLike) -> list[float]:
    """Return the distinct C in order, or say which is none."""
    values = np.asarray(Cs, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"Cs must be a list of one or more numbers; got {Cs!r}.")
    wrong = values[~(values > 0)]
    if wrong.size:
        raise ValueError(f"Cs must be positive numbers; got {wrong[0]:g}.")
    return [float(C) for C in np.unique(values)]
