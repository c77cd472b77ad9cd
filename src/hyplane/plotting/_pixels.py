"""The pixels of a picture of the disk, and the classes they fall in."""

from collections.abc import Callable

import numpy as np
from scipy.ndimage import maximum_filter, minimum_filter

from hyplane._typing import Array, Mask
from hyplane.plotting._decision import Codes

# Pixels beyond this radius repeat what is said at it: r = 8.3, a point of every chart.
_OUTERMOST = 0.9995


def pixel_centers(resolution: int, chosen: Mask | None = None) -> Array:
    """Return the centres of square pixels over [-1, 1]², row by row, pulled inside the disk.

    Parameters
    ----------
    resolution : int
        Pixels a side.
    chosen : ndarray of bool of shape (resolution, resolution), optional
        Which pixels; all by default.

    Returns
    -------
    points : ndarray of shape (n_pixels, 2)

    Examples
    --------
    >>> pixel_centers(2)[0]
    array([-0.5, -0.5])
    """
    ticks = pixel_ticks(resolution)
    if chosen is None:
        x, y = np.tile(ticks, resolution), np.repeat(ticks, resolution)
    else:
        rows, columns = np.nonzero(chosen)
        x, y = ticks[columns], ticks[rows]
    inwards = np.minimum(1.0, _OUTERMOST / np.maximum(np.hypot(x, y), _OUTERMOST))
    return np.column_stack([x * inwards, y * inwards])


def pixel_ticks(resolution: int) -> Array:
    """Return the middles of equal parts of [-1, 1].

    Examples
    --------
    >>> pixel_ticks(2)
    array([-0.5,  0.5])
    """
    return np.asarray((np.arange(resolution) + 0.5) * (2.0 / resolution) - 1.0)


def label_pixels(codes_at: Callable[[Array], Codes], resolution: int) -> Codes:
    """Return the classes of all pixels; only pixels near an edge are asked at full resolution.

    Parameters
    ----------
    codes_at : callable
        Gives the classes of points of shape (m, 2).
    resolution : int
        Pixels a side, a multiple of 4.

    Returns
    -------
    codes : ndarray of shape (resolution, resolution)
        The first row is the lowest.

    Examples
    --------
    >>> label_pixels(lambda points: (points[:, 0] > 0).astype(np.intp), 8)[0]
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """
    size = resolution // 4
    codes = codes_at(pixel_centers(size)).reshape(size, size)
    for _ in range(2):
        size *= 2
        mixed = maximum_filter(codes, 3) != minimum_filter(codes, 3)
        codes = codes.repeat(2, axis=0).repeat(2, axis=1)
        again = mixed.repeat(2, axis=0).repeat(2, axis=1)
        if again.any():
            codes[again] = codes_at(pixel_centers(size, again))
    return codes
