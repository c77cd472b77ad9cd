"""The pixels of a picture, and what a classifier says of them."""

from collections.abc import Callable

import numpy as np
from scipy.ndimage import maximum_filter, minimum_filter

from hyplane._utils.typing import Array, Mask
from hyplane.plotting._decision import Decision
from hyplane.plotting._targets import Codes
from hyplane.plotting._views import Extent, View, pixel_ticks

# Pixels a side at which smooth functions are asked.
_SMOOTH_RESOLUTION = 400


def pixel_centers(extent: Extent, resolution: int, chosen: Mask | None = None) -> Array:
    """Return the centres of the pixels of an extent, row by row, the lowest row first.

    Parameters
    ----------
    extent : tuple of float
        Left, right, bottom and top.
    resolution : int
        Pixels a side.
    chosen : ndarray of bool of shape (resolution, resolution), optional
        Which pixels; all by default.

    Returns
    -------
    places : ndarray of shape (n_pixels, 2)

    Examples
    --------
    >>> pixel_centers((-1.0, 1.0, -1.0, 1.0), 2)[0]
    array([-0.5, -0.5])
    """
    x, y = pixel_ticks(extent, resolution)
    if chosen is None:
        return np.column_stack([np.tile(x, resolution), np.repeat(y, resolution)])
    rows, columns = np.nonzero(chosen)
    return np.column_stack([x[columns], y[rows]])


def label_pixels(codes_at: Callable[[Array], Codes], extent: Extent, resolution: int) -> Codes:
    """Return the classes of all pixels; only pixels near an edge are asked at full resolution.

    Parameters
    ----------
    codes_at : callable
        Gives the classes of places of shape (m, 2).
    extent : tuple of float
        Left, right, bottom and top.
    resolution : int
        Pixels a side, a multiple of 4.

    Returns
    -------
    codes : ndarray of shape (resolution, resolution)
        The first row is the lowest.

    Examples
    --------
    >>> square = (-1.0, 1.0, -1.0, 1.0)
    >>> label_pixels(lambda places: (places[:, 0] > 0).astype(np.intp), square, 8)[0]
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """
    size = resolution // 4
    codes = codes_at(pixel_centers(extent, size)).reshape(size, size)
    for _ in range(2):
        size *= 2
        mixed = maximum_filter(codes, 3) != minimum_filter(codes, 3)
        codes = codes.repeat(2, axis=0).repeat(2, axis=1)
        again = mixed.repeat(2, axis=0).repeat(2, axis=1)
        if again.any():
            codes[again] = codes_at(pixel_centers(extent, size, again))
    return codes


def region_pixels(decision: Decision, view: View, resolution: int) -> Codes:
    """Return the classes of the pixels of a view's picture."""
    if resolution < 16:
        raise ValueError(f"resolution must be at least 16 pixels; got {resolution}.")
    side = 4 * (-(-int(resolution) // 4))
    return label_pixels(lambda places: decision.codes(view.disk_points(places)), view.extent, side)


def probability_pixels(decision: Decision, view: View) -> Array:
    """Return the probabilities of the classes at the pixels of a view's picture."""
    found = decision.probabilities(_smooth_points(view))
    return found.reshape(_SMOOTH_RESOLUTION, _SMOOTH_RESOLUTION, -1)


def score_pixels(decision: Decision, view: View) -> Array | None:
    """Return the score of two classes at the pixels; None where it has none that is finite."""
    scores = decision.scores(_smooth_points(view))
    if scores is None or not np.isfinite(scores).all():
        return None
    return scores.reshape(_SMOOTH_RESOLUTION, _SMOOTH_RESOLUTION)


def _smooth_points(view: View) -> Array:
    return view.disk_points(pixel_centers(view.extent, _SMOOTH_RESOLUTION))
