"""A style for printed pages."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import finite_float

__all__ = ["PAPER_STYLE", "paper_style"]

# Widths of text in inches, as in most two-column journals.
_WIDTHS = {"column": 3.35, "page": 6.9}

PAPER_STYLE: dict[str, Any] = {
    "font.family": "serif",
    "font.serif": ["Times New Roman", "Nimbus Roman", "STIXGeneral", "DejaVu Serif"],
    "mathtext.fontset": "stix",
    "font.size": 8.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 8.0,
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
}


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
    if isinstance(width, str) and width not in _WIDTHS:
        raise ValueError(
            f"width must be {', '.join(map(repr, _WIDTHS))} or a number of inches; got {width!r}."
        )
    inches = _WIDTHS[width] if isinstance(width, str) else finite_float(width)
    if inches is None or not inches > 0:
        raise ValueError(f"width must be a positive number of inches; got {width!r}.")
    style = {**PAPER_STYLE, "figure.figsize": (inches, inches), **(rc or {})}
    with matplotlib.rc_context(style):
        yield style
