"""``explore``: points, classifiers and graphs on an interactive page."""

import base64
import hashlib
import html
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from string import Template
from types import new_class
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.files import write_text
from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, ArrayLike, Ints
from hyplane.classifiers.svc import HyperbolicSVC
from hyplane.explorer._fits import Shown, describe_fits, packed, packed_codes
from hyplane.geometry import to_polar
from hyplane.plotting.decision import (
    chart_of,
    check_label,
    decision_of,
    has_fractions,
    targets_of,
)
from hyplane.plotting.disk import checked_edges
from hyplane.plotting.projection import fitted_view, note_on, with_view
from hyplane.plotting.style import class_colors, class_style


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
        """The page as text. Its content security policy forbids any connection to a server."""
        # An `export` may stand in the script of a page.
        style, script = _file("explorer.css"), f"{_file('explorer.js')}showPage();\n"
        policy = "; ".join(
            [
                "default-src 'none'",
                f"script-src '{_digest(script)}'",
                f"style-src '{_digest(style)}'",
                "img-src data: blob:",
                "base-uri 'none'",
                "form-action 'none'",
            ]
        )
        # No text in the data can end the script element that holds it.
        data = json.dumps(self.payload, allow_nan=False, separators=(",", ":"))
        for sign in "<>&":
            data = data.replace(sign, f"\\u{ord(sign):04x}")
        return Template(_file("page.html")).substitute(
            policy=policy,
            title=html.escape(self.payload["title"]),
            style=style,
            script=script,
            data=data,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file. An interrupted write leaves no partial file.

        Parameters
        ----------
        path : path
            The file, usually with the ending ``.html``.
        """
        write_text(path, self.html)

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
        return _widget_class()(payload=self.payload, height=height)

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
    projection: Any = None,
    columns: Mapping[str, ArrayLike] | None = None,
    title: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Explorer:
    """Make an interactive page of points in hyperbolic space.

    One can drag the plane (the point under the pointer stays under it), zoom, turn, search, switch
    between the Poincaré disk, the Klein disk, the half-plane and the hyperboloid, hide classes,
    read what is known of each point, and save the view as SVG or PNG. Hyperplanes, margins and
    decision regions move along. To study errors one can show the misclassified points alone, colour
    by probability or by another column, mark the support of the fit, and save points chosen with a
    lasso as CSV.

    Parameters
    ----------
    X : array-like of shape (m, n_columns)
        Points. Beyond two dimensions they are projected, and the page says how.
    y : array-like of shape (m,) or (m, n_labels), optional
        Their classes, or the indicator matrix of their labels. Numbers with a fractional part are
        shown by a colour scale.
    estimator : classifier, optional
        A fitted classifier of such points. The hyperplanes of `HyperbolicSVC` and `HyperbolicSVCCV`
        are exact; other classifiers are asked on a grid.
    Cs : sequence of float, optional
        Fit the classifier for each of these C, for a slider. Without an estimator it is
        `HyperbolicSVC`. Needs y.
    edges : array-like of shape (n_edges, 2) or networkx graph, optional
        Edges of a graph: pairs of rows of X, or pairs of names. They become geodesics. The nodes of
        a networkx graph are the names, in the order of the rows where `names` is not given.
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
    projection : str or transformer, optional
        How points of more than two dimensions are shown: "radial", "horo", "tangent",
        "orthogonal" or "hyperplane", or a `HyperbolicProjection` or `HyperplaneView`. By default
        "hyperplane" where one hyperplane tells two classes apart, else "radial".
    columns : mapping of str to array-like of shape (m,), optional
        What else is known of the points, such as a DataFrame: the page colours by any of them.
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
    >>> from hyplane.explorer import explore
    >>> X = [[0.5, 0.1], [0.6, -0.2], [-0.5, 0.3], [-0.7, 0.0]]
    >>> y = ["right", "right", "left", "left"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     explorer = explore(X, y, Cs=[0.1, 1, 10], output=f"{folder}/points.html")
    >>> [fit["name"] for fit in explorer.payload["fits"]]
    ['C = 0.1', 'C = 1', 'C = 10']
    """
    chart, number = chart_of(estimator, coordinates, curvature)
    radius, direction = to_polar(X, chart, curvature=number)
    if direction.shape[1] == 1:  # a line is drawn in the plane
        direction = np.column_stack([direction, np.zeros(len(direction))])
    n, dim = direction.shape
    extra = {} if columns is None else columns
    graph: Any = edges
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):  # of networkx
        names = list(graph.nodes) if names is None else names
        edges = np.array([[str(node) for node in pair] for pair in graph.edges()])
    names = None if names is None else [str(name) for name in names]
    if names is not None and len(names) != n:
        raise ValueError(f"names must have one name for each of the {n} points; got {len(names)}.")
    if Cs is not None:
        Cs = _checked_Cs(Cs, y)
        if estimator is None:
            first = HyperbolicSVC(C=Cs[len(Cs) // 2], random_state=0)
            estimator = first.set_params(coordinates=chart, curvature=number).fit(X, y)
    if estimator is None:
        check_label(label, np.asarray(y), "y")
        decision, is_numeric = None, y is not None and has_fractions(np.asarray(y))
        classes: ArrayLike = ["points"] if y is None or is_numeric else []
    else:
        decision, is_numeric = decision_of(estimator, X, chart, number, label), False
        classes = decision.classes
    targets = targets_of(
        y, n, classes=classes, class_names=class_names, label=label, numeric=is_numeric
    )
    if decision is None:
        view = fitted_view(projection, X, chart, number)
    else:
        decision = with_view(decision, projection, X)
        view = decision.view
    shown = Shown(X, y, targets, radius, direction)
    places = shown.places(view)
    many = 2_000_000  # numbers beyond which the page keeps seven digits of each, not sixteen
    payload: dict[str, Any] = {
        "version": version("hyplane"),
        "title": "Points in hyperbolic space" if title is None else str(title),
        "n": n,
        "dim": dim,
        "coordinates": chart,
        "curvature": float(number),
        "columns": _columns(X, chart),
        "max_radius": float(places[0].max()),
        "places": None if view is None else shown.packed(places),
        "note": note_on(view, None, X),
        "extra": [_extra(name, values, n) for name, values in extra.items()],
        "radius": packed(radius, "f8"),
        "direction": packed(direction, "f8" if direction.size <= many else "f4"),
        "X": packed(X, "f8" if np.size(X) <= many else "f4"),
        "names": names,
        "label_name": str(getattr(y, "name", None) or ("Value" if is_numeric else "Class")),
        "labelled": targets.codes is not None,
        "codes": None if targets.codes is None else packed_codes(targets.codes),
        "classes": [
            {"name": name, **{key: class_style(code)[key] for key in ("color", "marker")}}
            for code, name in enumerate(targets.names)
        ],
        "values": None,
        "edges": None if edges is None else packed(_pairs(edges, names, n), "i4"),
        "fits": [],
        "initial_fit": 0,
        "probabilities": None,
    }
    if targets.numbers is not None:
        payload |= _scale_of(targets.numbers)
    if decision is not None:
        payload |= describe_fits(decision, shown, Cs)
    explorer = Explorer(payload)
    if output is not None:
        explorer.save(output)
    return explorer


def _checked_Cs(Cs: ArrayLike, y: ArrayLike | None) -> list[float]:
    """Return the distinct values of C in order."""
    if y is None:
        raise ValueError("Cs asks for fits, and these need y: the class of each point.")
    values = np.asarray(Cs, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"Cs must be a list of one or more numbers; got {Cs!r}.")
    wrong = values[~(values > 0)]
    if wrong.size:
        raise ValueError(f"Cs must be positive numbers; got {wrong[0]:g}.")
    return [float(C) for C in np.unique(values)]


def _extra(name: str, values: ArrayLike, n: int) -> dict[str, Any]:
    """Return a column to colour by: numbers with a scale, or classes."""
    targets = targets_of(values, n, name=f"column {name!r}")
    found: dict[str, Any] = {"name": str(name), "values": None, "codes": None}
    if targets.codes is None:
        return found | _scale_of(np.asarray(targets.numbers), f"column {name!r}")
    found["codes"] = packed_codes(targets.codes)
    colors = class_colors(len(targets.names))
    pairs = zip(targets.names, colors, strict=True)
    found["classes"] = [{"name": each, "color": color} for each, color in pairs]
    return found


def _scale_of(numbers: Array, origin: str = "y") -> dict[str, Any]:
    """Return numbers with the ends of their colour scale."""
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        value = numbers[wrong[0]]
        raise ValueError(
            f"row {wrong[0]} of {origin} is {value}, but a colour needs a finite number."
        )
    return {
        "values": packed(numbers, "f8"),
        "low": float(numbers.min()),
        "high": float(numbers.max()),
    }


def _columns(X: ArrayLike, chart: str) -> list[str]:
    """Return the names of the columns of X."""
    if hasattr(X, "columns"):
        return [str(name) for name in X.columns]
    n = np.shape(X)[1]
    if chart == "polar":
        return ["r", "θ"] if n == 2 else ["r", *(f"u{k}" for k in range(1, n))]
    first = 0 if chart == "hyperboloid" else 1
    return [f"x{k}" for k in range(first, first + n)]


def _pairs(edges: ArrayLike, names: list[str] | None, n: int) -> Ints:
    """Return pairs of rows, from pairs of rows or of names."""
    pairs: NDArray[Any] = np.asarray(edges if hasattr(edges, "shape") else list(edges))
    if names is not None and pairs.ndim == 2 and pairs.dtype.kind not in "iu":
        row_of = {name: row for row, name in enumerate(names)}
        words = [[str(end) for end in ends] for ends in pairs.tolist()]
        for edge, ends in enumerate(words):
            for end in ends:
                if end not in row_of:
                    raise ValueError(f"edge {edge} goes to {end!r}, and no point has that name.")
        pairs = np.array([[row_of[end] for end in ends] for ends in words])
    return checked_edges(pairs, n)


@cache
def _file(name: str) -> str:
    """Return the text of a file of the page."""
    return files("hyplane.explorer").joinpath("static", name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _widget_class() -> Any:
    anywidget = import_optional("anywidget", "widget")
    traitlets = import_optional("traitlets", "widget")
    body = {
        "__doc__": "The explorer in a notebook.",
        "_esm": _file("explorer.js"),
        "_css": _file("explorer.css"),
        "payload": traitlets.Dict().tag(sync=True),
        "height": traitlets.Int(640).tag(sync=True),
        "selected": traitlets.Int(-1).tag(sync=True),
    }
    return new_class("ExplorerWidget", (anywidget.AnyWidget,), {}, lambda names: names.update(body))
