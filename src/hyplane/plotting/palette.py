"""Colours and shapes that readers can tell apart, colour-blind or not, on screen and in print."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array

__all__ = ["COLORS", "MARKERS", "class_style", "darkened", "lightened", "pale"]

# The first seven are those of Okabe and Ito, their black softened to a dark grey. The others were
# chosen one by one, each as far as possible (in CIELAB) from all before it for normal, protanopic
# and deuteranopic eyes alike.
COLORS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#F0E442",
    "#333333",
    "#99DD88",
    "#882200",
    "#661166",
    "#EEBBBB",
    "#0099FF",
    "#33AA55",
    "#446666",
    "#55DDEE",
    "#774433",
    "#004499",
    "#3366CC",
    "#BBBB55",
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Markers of equal size look unequal: a star is mostly air, a square mostly ink.
_MARKER_AREA = {"o": 1.0, "s": 0.8, "^": 1.0, "D": 0.7, "v": 1.0, "P": 1.15, "X": 1.15, "*": 2.2}

INK = "#222222"
RIM = "#444444"
QUIET = "#8A8A8A"


def class_style(index: int) -> dict[str, Any]:
    """Return colour, marker and relative marker area of a class.

    Up to eight classes differ in both; up to twenty in colour; beyond that colours come back with
    another marker.

    Parameters
    ----------
    index : int
        Number of the class, from 0.

    Returns
    -------
    style : dict
        With the keys ``color``, ``marker`` and ``area``.

    References
    ----------
    M. Okabe and K. Ito (2008). Color universal design.

    Examples
    --------
    >>> class_style(1)
    {'color': '#E69F00', 'marker': 's', 'area': 0.8}
    """
    lap, position = divmod(index, len(COLORS))
    marker = MARKERS[(position + lap) % len(MARKERS)]
    return {"color": COLORS[position], "marker": marker, "area": _MARKER_AREA[marker]}


def lightened(colors: list[str], amount: float) -> Array:
    """Mix colours with white.

    Parameters
    ----------
    colors : list of str
        Colours as ``#rrggbb``.
    amount : float
        Share of white, between 0 and 1.

    Returns
    -------
    rgb : ndarray of shape (n_colors, 3)

    Examples
    --------
    >>> lightened(["#000000"], 0.5)
    array([[0.5, 0.5, 0.5]])
    """
    return (1.0 - amount) * _rgb(colors) + amount


def darkened(colors: list[str], amount: float) -> Array:
    """Mix colours with black.

    Parameters
    ----------
    colors : list of str
        Colours as ``#rrggbb``.
    amount : float
        Share of black, between 0 and 1.

    Returns
    -------
    rgb : ndarray of shape (n_colors, 3)

    Examples
    --------
    >>> darkened(["#FFFFFF"], 0.25)
    array([[0.75, 0.75, 0.75]])
    """
    return (1.0 - amount) * _rgb(colors)


def pale(colors: list[str], lightness: float = 0.87) -> Array:
    """Mix each colour with white until all are about equally light, for regions behind points.

    Parameters
    ----------
    colors : list of str
        Colours as ``#rrggbb``.
    lightness : float, default=0.87
        The weighted mean of red, green and blue to reach.

    Returns
    -------
    rgb : ndarray of shape (n_colors, 3)

    Examples
    --------
    >>> pale(["#000000"]).round(2)
    array([[0.87, 0.87, 0.87]])
    """
    rgb = _rgb(colors)
    luma = rgb @ np.array([0.299, 0.587, 0.114])
    amount = np.clip((lightness - luma) / (1.0 - np.minimum(luma, 0.99)), 0.7, 1.0)[:, None]
    return np.asarray((1.0 - amount) * rgb + amount)


def _rgb(colors: list[str]) -> NDArray[np.float64]:
    parts = [[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in colors]
    return np.array(parts, dtype=np.float64).reshape(-1, 3) / 255.0
