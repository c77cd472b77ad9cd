"""Fitted trees as plain arrays, which can be stored in a file that runs nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array

# Pairs of a row and a tree that are followed down at a time.
BLOCK = 1_000_000


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees, their nodes one after the other.

    Attributes
    ----------
    roots : ndarray of int of shape (n_trees,)
        The node where each tree begins.
    feature : ndarray of int of shape (n_nodes,)
        The feature that a node compares.
    threshold : ndarray of shape (n_nodes,)
        Rows at most that large go left; infinite in a leaf.
    left, right : ndarray of int of shape (n_nodes,)
        The next nodes, which come later; the node itself in a leaf.
    value : ndarray of shape (n_nodes, n_values)
        Shares of the classes, or of each label.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> forest = ExtraTreesClassifier(10, random_state=0).fit([[0.0], [1.0]], [0, 1])
    >>> Trees.of([tree.tree_ for tree in forest]).mean_values(np.array([[0.0], [2.0]]))
    array([[1., 0.],
           [0., 1.]])
    """

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Array
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Array

    def __post_init__(self) -> None:
        # A file may hold anything: no walk may leave the arrays or go round in circles.
        n_nodes = len(self.feature)
        own = np.arange(n_nodes)
        leaf = np.isinf(self.threshold)
        for child in (self.left, self.right):
            forward = np.where(leaf, child == own, child > own)
            if len(child) != n_nodes or not forward.all() or (child >= n_nodes).any():
                raise ValueError("the nodes of the trees do not lead from the roots to the leaves")
        inside = (self.roots >= 0) & (self.roots < n_nodes)
        if not inside.all() or (self.feature < 0).any() or len(self.value) != n_nodes:
            raise ValueError("the trees have nodes that there are not")

    @classmethod
    def of(cls, trees: Sequence[Any], kinds: Sequence[NDArray[Any]] | None = None) -> Self:
        """Take over the trees of scikit-learn.

        Parameters
        ----------
        trees : sequence of sklearn.tree._tree.Tree
        kinds : sequence of ndarray, default=None
            For labels that may go together: the values that occur of each label.

        Returns
        -------
        trees : Trees
        """
        sizes = np.array([tree.node_count for tree in trees])
        roots = np.cumsum(sizes) - sizes
        parts = []
        for root, tree in zip(roots, trees, strict=True):
            leaf = tree.children_left < 0
            own = np.arange(tree.node_count)
            parts.append(
                (
                    np.where(leaf, 0, tree.feature),
                    np.where(leaf, np.inf, tree.threshold),
                    root + np.where(leaf, own, tree.children_left),
                    root + np.where(leaf, own, tree.children_right),
                    _shares(tree.value, kinds),
                )
            )
        columns = [np.concatenate(each) for each in zip(*parts, strict=True)]
        return cls(roots, *columns)

    def mean_values(self, features: Array) -> Array:
        """Return the mean over the trees of the values in the leaves of each row.

        Parameters
        ----------
        features : ndarray of shape (m, n_features)

        Returns
        -------
        values : ndarray of shape (m, n_values)
        """
        # In single precision, as scikit-learn compared the training rows.
        rows = np.asarray(features, dtype=np.float32)
        values = np.empty((len(rows), self.value.shape[1]))
        step = max(1, BLOCK // len(self.roots))
        for first in range(0, len(rows), step):
            part = rows[first : first + step]
            values[first : first + step] = self.value[self._leaves(part)].mean(axis=1)
        return values

    def _leaves(self, rows: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the leaf of each row in each tree, of shape (m, n_trees)."""
        nodes = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        number = np.arange(len(rows))[:, None]
        while True:
            left = rows[number, self.feature[nodes]] <= self.threshold[nodes]
            following = np.where(left, self.left[nodes], self.right[nodes])
            if (following == nodes).all():
                return np.asarray(following)
            nodes = following


def _shares(value: Array, kinds: Sequence[NDArray[Any]] | None) -> Array:
    """Return shares of the classes, or of the label 1 of each column."""
    shares = value / value.sum(axis=2, keepdims=True)
    if kinds is None:
        return np.asarray(shares[:, 0, :])
    columns = [
        shares[:, number, 1] if len(kind) == 2 else np.full(len(shares), float(kind[0]))
        for number, kind in enumerate(kinds)
    ]
    return np.column_stack(columns)
