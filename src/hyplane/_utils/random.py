"""Seeds: one way in for everything that scikit-learn and NumPy call a random state."""

from typing import TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Turn a ``random_state`` into a NumPy generator.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator
        A generator is used as it is, so that it advances; a legacy ``RandomState`` seeds a new
        generator and advances too.

    Returns
    -------
    rng : numpy.random.Generator

    Examples
    --------
    >>> as_generator(0).integers(10) == as_generator(0).integers(10)
    np.True_
    """
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    if isinstance(random_state, bool | float | str):
        raise ValueError(
            "random_state must be None, an integer, a RandomState or a Generator; "
            f"got {random_state!r}"
        )
    return np.random.default_rng(random_state)
