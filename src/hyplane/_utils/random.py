"""Seeds: one way in for everything that scikit-learn and NumPy call a random state."""

from typing import TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Return a NumPy generator; a generator or ``RandomState`` that is passed advances."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31, size=4))
    if isinstance(random_state, bool | float | str):
        raise ValueError(
            "random_state must be None, an integer, a RandomState or a Generator; "
            f"got {random_state!r}"
        )
    return np.random.default_rng(random_state)
