"""Weights of classes that a solver of another library can be given."""

from numbers import Real
from typing import Any

import numpy as np


def check_class_weight(class_weight: Any) -> None:
    """Refuse weights of classes that are not positive numbers.

    scikit-learn hands them on: libsvm ignores some and liblinear never ends with others.

    Parameters
    ----------
    class_weight : dict, "balanced" or None

    Raises
    ------
    ValueError
        If a weight is no number, not positive, or not finite.

    Examples
    --------
    >>> check_class_weight({0: 1.0, 1: -2.0})
    Traceback (most recent call last):
    ValueError: class_weight of 1 is -2.0; weights of classes are positive and finite.
    """
    if not isinstance(class_weight, dict):
        return
    for label, weight in class_weight.items():
        if not isinstance(weight, Real) or not 0.0 < float(weight) < np.inf:
            raise ValueError(
                f"class_weight of {label!s} is {weight!r}; weights of classes are positive and "
                "finite."
            )
