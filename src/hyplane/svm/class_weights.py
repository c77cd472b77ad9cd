"""Weights of classes that a solver of another library can be given."""

from typing import Any

from hyplane._typing import finite_float


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
        number = finite_float(weight)
        if number is None or not number > 0:
            raise ValueError(
                f"class_weight of {label!s} is {weight!r}; weights of classes are positive and "
                "finite."
            )
