"""Images of decision regions: one pale colour a class, or stronger where it is more probable."""

from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array
from hyplane.plotting._targets import Codes
from hyplane.plotting.palette import class_style, lightened, pale


def region_image(codes: Codes, n_classes: int = 0) -> Array:
    """Return the image of regions, each in the pale colour of its class.

    Edges are softened over a pixel or two. They look smooth at any output resolution, also in
    vector formats, which take the pixels as they are.

    Parameters
    ----------
    codes : ndarray of int of shape (k, k)
        The class of every pixel.
    n_classes : int, default=0
        How many classes there are at least.

    Returns
    -------
    image : ndarray of shape (k, k, 3)

    Examples
    --------
    >>> region_image(np.zeros((4, 4), dtype=int)).shape
    (4, 4, 3)
    """
    count = max(n_classes, int(codes.max()) + 1)
    colors = pale([class_style(code)["color"] for code in range(count)])
    return np.asarray(gaussian_filter(colors[codes], (1.0, 1.0, 0.0)))


def probability_image(probabilities: Array) -> Array:
    """Return the image of regions, white where classes are equally probable.

    The colour is that of the most probable class, and the stronger the more probable it is.

    Parameters
    ----------
    probabilities : ndarray of shape (k, k, n_classes)

    Returns
    -------
    image : ndarray of shape (k, k, 3)

    Examples
    --------
    >>> probability_image(np.full((1, 1, 2), 0.5))
    array([[[1., 1., 1.]]])
    """
    count = probabilities.shape[-1]
    even = 1.0 / count
    best = probabilities.argmax(axis=-1)
    strength = np.clip((probabilities.max(axis=-1) - even) / (1.0 - even), 0.0, 1.0)[..., None]
    image = 1.0 - strength * (1.0 - strong_colors(count)[best])
    # With two classes the strength is 0 at the edge: nothing has to be softened there.
    return image if count == 2 else np.asarray(gaussian_filter(image, (0.7, 0.7, 0.0)))


def probability_scale(count: int = 256) -> Any:
    """Return the colours of the probability of the second of two classes, for a colour bar."""
    colors = import_optional("matplotlib.colors", "plot").ListedColormap
    p = np.linspace(0.0, 1.0, count)
    return colors(probability_image(np.stack([1.0 - p, p], axis=-1)[None])[0])


def strong_colors(count: int) -> Array:
    """Return the colours of regions that are certain, light enough to show points on them."""
    return lightened([class_style(code)["color"] for code in range(count)], 0.48)
