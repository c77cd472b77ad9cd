"""Arguments of a wrong kind, named in plain words."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Kind:
    """What an argument must be: in words, and as a test."""

    words: str
    fits: Callable[[Any], bool]


def _is_vector(value: Any, dtype: type) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == dtype and value.ndim == 1


def _is_table(value: Any) -> bool:
    try:
        return np.asarray(value, dtype=np.float64).ndim == 2
    except (TypeError, ValueError):
        return False


def _is_number(value: Any) -> bool:
    try:
        return isinstance(value, Real) and isinstance(float(value), float)
    except OverflowError:  # an integer that no float holds
        return False


POINTS = Kind("points, as Points.from_chart makes them", lambda v: hasattr(v, "n_dim"))
TABLE = Kind("a table of numbers with one point a row", _is_table)
SIGNS = Kind("an array of int8 of shape (m,)", lambda v: _is_vector(v, np.int8))
WEIGHTS = Kind(
    "None or an array of float64 of shape (m,)", lambda v: v is None or _is_vector(v, np.float64)
)
NUMBER = Kind("a number", _is_number)
COUNT = Kind(
    "an integer below 2147483648", lambda v: isinstance(v, Integral) and -1 <= int(v) < 2**31
)
SEED = Kind(
    "an integer from 0 to 2**64 - 1", lambda v: isinstance(v, Integral) and 0 <= int(v) < 2**64
)
WORD = Kind("a word", lambda v: isinstance(v, str))
PLANES = Kind("Hyperplanes", lambda v: hasattr(v, "arrays"))
PLANE = Kind("a hyperplane, as solve_soft_margin returns it", lambda v: hasattr(v, "normal"))
RESULTS = Kind(
    "a sequence of results",
    lambda v: isinstance(v, list | tuple) and all(hasattr(each, "normal") for each in v),
)


# The errors that an argument of a wrong kind can cause.
FAILURES = (TypeError, AttributeError, LookupError, OverflowError)


def explained(**kinds: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Say which argument is of a wrong kind where a call fails.

    The arguments are examined only after a failure: a call that works costs nothing extra.

    Parameters
    ----------
    kinds : Kind
        What each argument must be, by its name.

    Returns
    -------
    decorate : callable
        Wraps a function.

    Examples
    --------
    >>> @explained(C=NUMBER)
    ... def half(C):
    ...     return C / 2
    >>> half("x")
    Traceback (most recent call last):
    TypeError: C must be a number; got 'x'.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except FAILURES as error:
                name_what_does_not_fit(error, kinds, _given(function, args, kwargs))
                raise

        return call

    return decorate


def name_what_does_not_fit(
    error: BaseException, kinds: dict[str, Kind], given: dict[str, Any]
) -> None:
    """Raise a `TypeError` about the first argument of a wrong kind, if there is one.

    Examples
    --------
    >>> name_what_does_not_fit(ValueError(), {"C": NUMBER}, {"C": None})
    Traceback (most recent call last):
    TypeError: C must be a number; got None.
    """
    for name, value in given.items():
        if name in kinds and not kinds[name].fits(value):
            raise TypeError(f"{name} must be {kinds[name].words}; got {_short(value)}.") from error


def _given(function: Callable[..., Any], args: Any, kwargs: Any) -> dict[str, Any]:
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except TypeError:  # too many or too few arguments, as the error already says
        return {}


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    text = repr(value) if not isinstance(value, int) or abs(value) < 2**99 else "a huge integer"
    return text if len(text) <= 60 else f"{text[:57]}..."
