"""Arrays as plain JSON and back, to the last bit: for model files and pieces of experiments."""

import base64
import binascii
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers that every machine has, always stored with the smallest byte first.
_NUMBERS = {np.dtype(f"<{kind}").str for kind in ("i1", "i2", "i4", "i8", "f2", "f4", "f8")}
_NUMBERS |= {np.dtype(f"<{kind}").str for kind in ("u1", "u2", "u4", "u8", "?")}


def encode_array(array: NDArray[Any], *, readable: bool = False) -> dict[str, Any]:
    """Turn an array of numbers, words or simple labels into what JSON holds without loss.

    Parameters
    ----------
    array : ndarray
    readable : bool, default=False
        Write numbers as decimals ("inf", "-inf" and "nan" as words), in lists as deep as the array
        has dimensions.

    Returns
    -------
    plain : dict
        ``array`` (the bytes in base 64, or a list of labels), ``dtype`` and ``shape``; or
        ``values`` in place of ``array``.

    Raises
    ------
    TypeError
        If the array holds anything else.

    Examples
    --------
    >>> encode_array(np.array([0.5, 1.0]))
    {'array': 'AAAAAAAA4D8AAAAAAADwPw==', 'dtype': '<f8', 'shape': [2]}
    >>> encode_array(np.array([[0.5, np.inf]]), readable=True)
    {'values': [[0.5, 'inf']], 'dtype': '<f8', 'shape': [1, 2]}
    """
    shape = list(array.shape)
    kind = array.dtype.newbyteorder("<")
    if readable and (kind.str in _NUMBERS or kind.kind == "U"):
        return {"values": _decimals(array.tolist()), "dtype": kind.str, "shape": shape}
    if kind.str in _NUMBERS:
        content: Any = base64.b64encode(array.astype(kind).tobytes()).decode("ascii")
        return {"array": content, "dtype": kind.str, "shape": shape}
    if kind.kind == "U":
        return {"array": array.ravel().tolist(), "dtype": kind.str, "shape": shape}
    if kind.kind == "O":
        content = [_as_python(item) for item in array.ravel().tolist()]
        if all(_is_label(item) for item in content):
            return {"array": content, "dtype": "object", "shape": shape}
    raise TypeError(f"an array of {array.dtype} is not stored in model files")


def decode_array(plain: dict[str, Any]) -> NDArray[Any]:
    """Give back the array that `encode_array` was given.

    Parameters
    ----------
    plain : dict
        With ``array`` or ``values``, ``dtype`` and ``shape``.

    Returns
    -------
    array : ndarray
        A new one, which can be written to.

    Raises
    ------
    ValueError
        If it is not what `encode_array` returns.

    Examples
    --------
    >>> decode_array(encode_array(np.array(["a", "b"])))
    array(['a', 'b'], dtype='<U1')
    """
    dtype, shape = plain["dtype"], plain["shape"]
    if not all(isinstance(side, int) and side >= 0 for side in shape):
        raise ValueError(f"an array has the shape {shape}")
    if "values" in plain:
        return _decode_values(plain["values"], dtype, shape)
    content = plain["array"]
    if isinstance(content, list):
        return _decode_labels(content, dtype, shape)
    if dtype not in _NUMBERS or not isinstance(content, str):
        raise ValueError(f"an array has the type {dtype!r}")
    try:
        data = base64.b64decode(content, validate=True)
    except binascii.Error as error:
        raise ValueError(f"an array cannot be read: {error}") from error
    kind = np.dtype(dtype)
    if len(data) != kind.itemsize * prod(shape):
        raise ValueError(f"an array of shape {shape} and type {dtype} has {len(data)} bytes")
    # A copy, since an array over bytes cannot be written to.
    return np.frombuffer(data, kind).astype(kind.newbyteorder("=")).reshape(shape)


def _decimals(value: Any) -> Any:
    """Replace numbers that JSON does not know by words."""
    if isinstance(value, list):
        return [_decimals(item) for item in value]
    return value if not isinstance(value, float) or isfinite(value) else str(value)


def _decode_values(content: Any, dtype: str, shape: list[int]) -> NDArray[Any]:
    flat = [content]
    for _ in shape:
        if not all(isinstance(item, list) for item in flat):
            raise ValueError(f"an array is not of the shape {shape}")
        flat = [item for part in flat for item in part]
    if dtype not in _NUMBERS:
        return _decode_labels(flat, dtype, shape)
    words = {"inf", "-inf", "nan"} if dtype[1] == "f" else set()
    kinds = (bool, int, float) if dtype[1] == "f" else (bool, int)
    if len(flat) != prod(shape) or not all(
        isinstance(item, kinds) or (isinstance(item, str) and item in words) for item in flat
    ):
        raise ValueError(f"an array of shape {shape} and type {dtype} has other entries")
    try:
        numbers = [float(item) if isinstance(item, str) else item for item in flat]
        return np.array(numbers, dtype=np.dtype(dtype).newbyteorder("=")).reshape(shape)
    except OverflowError as error:
        raise ValueError(f"an array of type {dtype} has a larger number: {error}") from error


def _decode_labels(content: list[Any], dtype: str, shape: list[int]) -> NDArray[Any]:
    words = dtype.startswith("<U") and dtype[2:].isdigit()
    simple = all(_is_label(item) for item in content)
    if len(content) != prod(shape) or not simple or not (words or dtype == "object"):
        raise ValueError(f"an array of shape {shape} and type {dtype!r} has {len(content)} entries")
    if words:
        longest = max((len(item) for item in content if isinstance(item, str)), default=1)
        # A few bytes of a file must not ask for gigabytes: 2**20 characters may be reserved.
        if int(dtype[2:]) * len(content) > max(1 << 20, longest * len(content)):
            raise ValueError(f"an array of {len(content)} words has the type {dtype!r}")
    labels = np.empty(len(content), dtype=np.dtype(dtype) if words else object)
    labels[:] = content
    return labels.reshape(shape)


def _as_python(item: Any) -> Any:
    return item.item() if isinstance(item, np.bool_ | np.integer | np.floating) else item


def _is_label(item: Any) -> bool:
    if isinstance(item, float):
        return isfinite(item)
    return item is None or isinstance(item, bool | int | str)
