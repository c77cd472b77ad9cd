"""Values as plain JSON and back, exactly: numbers, labels, arrays, results. Nothing that runs."""

from dataclasses import fields
from functools import partial
from math import isfinite
from typing import Any

import numpy as np

from hyplane.classifiers import NeighborIndex, Sigmoids, Trees
from hyplane.model_files.codec import decode_array, encode_array
from hyplane.solvers.curved_margin import CurvedMarginResult
from hyplane.solvers.hard_margin import HardMarginResult
from hyplane.solvers.result import Hyperplanes, SoftMarginResult

# The only classes that a value may be an instance of.
RECORDS: dict[str, type[Any]] = {
    record.__name__: record
    for record in (
        *(Hyperplanes, Sigmoids, SoftMarginResult, HardMarginResult),
        *(CurvedMarginResult, NeighborIndex, Trees),
    )
}


def encode(value: Any, *, readable: bool = False) -> Any:
    """Turn a value into something that JSON holds without loss.

    Parameters
    ----------
    value : None, bool, number, str, ndarray, list, tuple, dict, or a result of a solver
    readable : bool, default=False
        Write the numbers of arrays as decimals.

    Returns
    -------
    plain : None, bool, int, float, str, list or dict

    Raises
    ------
    TypeError
        If the value is of any other kind.

    Examples
    --------
    >>> encode(np.array([0.5, 1.0]))
    {'array': 'AAAAAAAA4D8AAAAAAADwPw==', 'dtype': '<f8', 'shape': [2]}
    >>> encode((1, float("inf")))
    {'tuple': [1, {'float': 'inf'}]}
    """
    if isinstance(value, np.bool_ | np.integer | np.floating):
        value = value.item()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else {"float": str(value)}
    if isinstance(value, np.ndarray):
        return encode_array(value, readable=readable)
    inner = partial(encode, readable=readable)
    if isinstance(value, list):
        return [inner(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [inner(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[inner(key), inner(item)] for key, item in value.items()]}
    name = type(value).__name__
    if RECORDS.get(name) is type(value):
        content = {field.name: inner(getattr(value, field.name)) for field in fields(value)}
        return {"record": name, "fields": content}
    raise TypeError(f"a value of type {name} is not stored in model files")


def decode(plain: Any) -> Any:
    """Give back the value that `encode` was given.

    Parameters
    ----------
    plain : what `encode` returned, or anything that claims to be that

    Returns
    -------
    value : object

    Raises
    ------
    ValueError
        If it is not what `encode` returns.

    Examples
    --------
    >>> decode(encode({"a": (1, np.arange(2.0))}))
    {'a': (1, array([0., 1.]))}
    """
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    if isinstance(plain, list):
        return [decode(item) for item in plain]
    match plain:
        case {"float": "inf" | "-inf" | "nan" as text}:
            return float(text)
        case {"array": _, "dtype": str(), "shape": list()}:
            return decode_array(plain)
        case {"values": _, "dtype": str(), "shape": list()}:
            return decode_array(plain)
        case {"tuple": list(items)}:
            return tuple(decode(item) for item in items)
        case {"dict": list(items)}:
            return {decode(key): decode(item) for key, item in items}
        case {"record": str(name), "fields": dict(content)} if name in RECORDS:
            return _decode_record(RECORDS[name], content)
    raise ValueError(f"{str(plain)[:60]!r} is no value of a model file")


def _decode_record(record: type[Any], content: dict[str, Any]) -> Any:
    expected = {field.name for field in fields(record)}
    if set(content) != expected:
        raise ValueError(f"a {record.__name__} has the fields {', '.join(sorted(content))}")
    return record(**{name: decode(item) for name, item in content.items()})
