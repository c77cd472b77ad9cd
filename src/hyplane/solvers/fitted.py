"""Fitted hyperplanes, kept in the chart where they are accurate at any radius."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from hyplane._typing import Array


class Hyperplane(Protocol):
    """A normal ``w = s (sinh a, cosh a · u)`` in the chart where it is accurate at any radius."""

    @property
    def log_scale(self) -> float:
        """``log s``."""

    @property
    def offset(self) -> float:
        """``a``, the signed distance from the origin to the hyperplane."""

    @property
    def normal(self) -> Array:
        """``u``, of unit length."""


@dataclass(frozen=True)
class Hyperplanes:
    """Several normals ``w = s (sinh a, cosh a · u)``.

    The components of w lose digits for hyperplanes beyond distance 18 from the origin and leave the
    range of doubles beyond 700; ``(log s, a, u)`` do not. An infinite offset stands for a decision
    that is the same everywhere: ``w = (±1, 0, …, 0)``, a score of ``±x0``.

    Attributes
    ----------
    log_scale, offset : ndarray of shape (n_planes,)
    normal : ndarray of shape (n_planes, n)

    Examples
    --------
    >>> planes = Hyperplanes(np.zeros(1), np.zeros(1), np.array([[1.0, 0.0]]))
    >>> planes.w
    array([[0., 1., 0.]])
    """

    log_scale: Array
    offset: Array
    normal: Array

    @classmethod
    def of_results(cls, results: Sequence[Hyperplane]) -> Self:
        """Stack the results of binary problems."""
        return cls(
            np.array([result.log_scale for result in results]),
            np.array([result.offset for result in results]),
            np.array([result.normal for result in results]),
        )

    @property
    def w(self) -> Array:
        """The normals in Minkowski space, of shape (n_planes, n + 1)."""
        everywhere = np.isinf(self.offset)
        offset = np.where(everywhere, 0.0, self.offset)
        with np.errstate(over="ignore", under="ignore"):
            size = np.exp(self.log_scale + np.logaddexp(offset, -offset) - np.log(2.0))
        components = np.column_stack([size * np.tanh(offset), size[:, None] * self.normal])
        components[everywhere] = 0.0
        components[everywhere, 0] = np.sign(self.offset[everywhere])
        return components

    @property
    def arrays(self) -> tuple[Array, Array, Array]:
        """The three arrays, as the compiled code takes them."""
        return self.log_scale, self.offset, np.ascontiguousarray(self.normal)
