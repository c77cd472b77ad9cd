"""Arrays as text that the script reads back bit for bit."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import ArrayLike


def packed(values: ArrayLike, kind: str) -> dict[str, str]:
    """Write an array as base64 of its little-endian bytes.

    Parameters
    ----------
    values : array-like
    kind : {"f8", "f4", "i4", "u1", "u2"}
        Its type on the page.

    Returns
    -------
    array : dict
        With the keys ``type`` and ``data``.

    Examples
    --------
    >>> packed([1, 2], "u1")
    {'type': 'u1', 'data': 'AQI='}
    """
    data = np.asarray(values, dtype=f"<{kind}").tobytes()
    return {"type": kind, "data": base64.b64encode(data).decode("ascii")}


def packed_codes(codes: NDArray[Any]) -> dict[str, str]:
    """Write numbers of classes in one or two bytes each."""
    most = int(codes.max(initial=0))
    if most >= 1 << 16:
        raise ValueError(f"the page can show up to 65536 classes; got {most + 1}.")
    return packed(codes, "u1" if most < 1 << 8 else "u2")
