"""The plane that the page shows of a space of more than two dimensions.

It goes through the origin along two directions, and the script projects the points onto it.
"""

import numpy as np

from hyplane._utils.typing import Array


def spread_of(radius: Array, direction: Array) -> Array:
    """Return the covariance of points, in polar coordinates, under the log map at the origin."""
    tangent = radius[:, None] * direction
    tangent = tangent - tangent.mean(axis=0)
    return np.asarray(tangent.T @ tangent / len(tangent))


def principal_directions(spread: Array) -> list[list[float]]:
    """Return the two directions along which the points spread most."""
    return np.linalg.eigh(spread)[1][:, :-3:-1].T.tolist()  # type: ignore[no-any-return]


def second_directions(normals: Array, spread: Array, last: Array | None) -> Array:
    """Return for each normal the direction across it along which the points spread most.

    The signs are those of the `last` directions, so that the picture does not flip between fits.
    """
    directions = np.empty_like(normals)
    for k, u in enumerate(normals):
        across = np.eye(len(u)) - np.outer(u, u)
        v = np.linalg.eigh(across @ spread @ across)[1][:, -1]
        v -= (v @ u) * u
        sign = v[np.abs(v).argmax()] if last is None else v @ last[k]
        directions[k] = v / np.linalg.norm(v) * (1.0 if sign >= 0 else -1.0)
    return directions
