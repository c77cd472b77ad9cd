"""Colours and shapes that readers can tell apart, and a style for printed pages."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array, finite_float

# The first seven are those of Okabe and Ito (2008, Color universal design), their black softened to
# a dark grey. The others were chosen one by one, each as far as possible (in CIELAB) from all
# before it for normal, protanopic and deuteranopic eyes alike.
# fmt: off
COLORS = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442",
    "#333333", "#99DD88", "#882200", "#661166", "#EEBBBB", "#0099FF", "#33AA55",
    "#446666", "#55DDEE", "#774433", "#004499", "#3366CC", "#BBBB55",
)
# fmt: on
# Relative areas: a star of the same size has less ink than a square.
MARKERS = {"o": 1.0, "s": 0.8, "^": 1.0, "D": 0.7, "v": 1.0, "P": 1.15, "X": 1.15, "*": 2.2}
INK, RIM, GREY = "#222222", "#444444", "#8A8A8A"


def class_style(index: int) -> dict[str, Any]:
    """Return colour, marker and relative marker area of a class.

    Up to eight classes differ in both, up to twenty in colour. Beyond that the colours repeat with
    other markers.
    """
    lap, position = divmod(index, len(COLORS))
    marker = list(MARKERS)[(position + lap) % len(MARKERS)]
    return {"color": COLORS[position], "marker": marker, "area": MARKERS[marker]}


def class_colors(n_classes: int) -> list[str]:
    """Return the colours of the first classes."""
    return [COLORS[index % len(COLORS)] for index in range(n_classes)]


def mixed(colors: Sequence[str], share: float, other: float = 1.0) -> Array:
    """Return colours as RGB with a share of white; of black if `other` is 0."""
    rgb = import_optional("matplotlib.colors", "plot").to_rgba_array(list(colors))[:, :3]
    return np.asarray((1.0 - share) * rgb + share * other)


def pale(colors: Sequence[str], lightness: float = 0.87) -> Array:
    """Mix each colour with white until all are about equally light, for regions behind points."""
    rgb = mixed(colors, 0.0)
    luma = rgb @ np.array([0.299, 0.587, 0.114])
    share = np.clip((lightness - luma) / (1.0 - np.minimum(luma, 0.99)), 0.7, 1.0)[:, None]
    return np.asarray((1.0 - share) * rgb + share)


@contextmanager
def paper_style(
    width: float | str = "column", *, rc: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Draw figures for a printed page: serif text of 8 points, fine lines, text kept as text.

    Every picture of `hyplane.plotting` takes its widths and sizes from the style in force. Save
    the figure inside the ``with`` block too.

    Parameters
    ----------
    width : {"column", "page"} or float, default="column"
        Width of new figures: that of a column, of a page, or in inches.
    rc : mapping, optional
        Other settings of matplotlib, such as ``{"font.size": 9}``.

    Yields
    ------
    style : dict
        The settings in force in the block. They are undone at its end.

    Examples
    --------
    >>> import matplotlib
    >>> with paper_style(rc={"font.size": 7.0}):
    ...     matplotlib.rcParams["font.size"]
    7.0
    >>> matplotlib.rcParams["font.size"]
    10.0
    """
    matplotlib = import_optional("matplotlib", "plot")
    # Widths of text in inches, as in most two-column journals.
    inches = {"column": 3.35, "page": 6.9}.get(width) if isinstance(width, str) else width
    if not (finite_float(inches) or 0.0) > 0:
        raise ValueError(
            f"width must be 'column', 'page' or a positive number of inches; got {width!r}."
        )
    style = {
        "figure.figsize": (inches, inches),
        "font.family": "serif",
        "font.serif": ["Times New Roman", "Nimbus Roman", "STIXGeneral", "DejaVu Serif"],
        "mathtext.fontset": "stix",
        "font.size": 8.0,
        "axes.titlesize": 9.0,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.labelsize": 7.0,
        "ytick.labelsize": 7.0,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "legend.fontsize": 7.5,
        "legend.frameon": False,
        "lines.linewidth": 1.0,
        "lines.markersize": 5.0,
        "savefig.dpi": 400,
        "savefig.bbox": "tight",
        "savefig.pad_inches": 0.02,
        # Text stays text: it can be searched, and edited in a drawing program.
        "pdf.fonttype": 42,
        "ps.fonttype": 42,
        "svg.fonttype": "none",
        **(rc or {}),
    }
    with matplotlib.rc_context(style):
        yield style
