"""A forest whose trees cut hyperbolic space along horospheres."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS, draw_seeds
from hyplane.classifiers._probabilistic import ProbabilisticClassifier, class_shares, row_weights
from hyplane.classifiers._targets import ClassWeight
from hyplane.features import HorofunctionFeatures


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees as plain arrays, which a file can hold; their nodes one after the other.

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
    """

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Array
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Array

    def __post_init__(self) -> None:
        # A file may hold anything: no walk may leave the arrays or go round in circles.
        own, leaf = np.arange(len(self.feature)), np.isinf(self.threshold)
        children = np.array([self.left, self.right])
        forward = np.where(leaf, children == own, (children > own) & (children < len(own)))
        if not forward.all() or not np.isin(self.roots, own).all():
            raise ValueError("the nodes of the trees do not lead from the roots to the leaves")
        if (self.feature < 0).any() or len(self.value) != len(own):
            raise ValueError("the trees have nodes that there are not")

    @classmethod
    def of(cls, forest: ExtraTreesClassifier) -> Self:
        """Take over the trees of a fitted forest."""
        trees: Sequence[Any] = [tree.tree_ for tree in forest]
        sizes = np.array([tree.node_count for tree in trees])
        roots = np.cumsum(sizes) - sizes
        own, root = np.arange(sizes.sum()), np.repeat(roots, sizes)
        feature, threshold, left, right, value = (
            np.concatenate([getattr(tree, name) for tree in trees])
            for name in ("feature", "threshold", "children_left", "children_right", "value")
        )
        leaf = left < 0
        shares = value / value.sum(axis=2, keepdims=True)
        if forest.n_outputs_ == 1:
            shares = shares[:, 0]
        else:  # the share of label 1; the values of a constant label are 0 or 1 alone
            labels = enumerate(forest.classes_)
            shares = np.column_stack([shares[:, k, : len(found)] @ found for k, found in labels])
        return cls(
            roots,
            np.where(leaf, 0, feature),
            np.where(leaf, np.inf, threshold),
            np.where(leaf, own, root + left),
            np.where(leaf, own, root + right),
            shares,
        )

    def mean_values(self, features: Array) -> Array:
        """Return the mean over the trees of the values in the leaves of each row."""
        # In single precision, as scikit-learn compared the training rows.
        rows = np.asarray(features, dtype=np.float32)
        step = max(1, 1_000_000 // len(self.roots))  # so few pairs of a row and a tree at a time
        chunks = np.split(rows, range(step, len(rows), step))
        return np.vstack([self.value[self._leaves(chunk)].mean(axis=1) for chunk in chunks])

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


class HorofunctionForestClassifier(ProbabilisticClassifier):
    """Extremely randomised trees on horofunctions, with horospheres as the cuts.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    n_components : int, default=32
        Number of ideal points, whose Busemann functions are the features.
    ideal_points : {"geodesic", "harmonic", "uniform"} or array-like, default="geodesic"
        The ideal points, or how to draw them: see `hyplane.features.HorofunctionFeatures`.
    min_samples_leaf : int, default=2
        Fewest rows in a leaf. One makes probabilities of 0 and 1 too readily.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features tried for each cut, as in scikit-learn.
    max_depth : int or None, default=None
        Greatest depth of a tree.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the weight of all rows in a leaf.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    n_jobs : int, default=None
        Threads of scikit-learn's forest.
    random_state : int, RandomState instance or None, default=None
        Seed of the ideal points and the trees.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    class_shares_ : ndarray of shape (n_classes,)
        Shares of the classes in the training rows.
    features_ : HorofunctionFeatures
        The fitted features.
    trees_ : Trees
        The trees of scikit-learn's ``ExtraTreesClassifier``, as plain arrays.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    hyplane.features.HorofunctionFeatures : The features alone, for any other learner.

    Notes
    -----
    HoroRF (Doorenbos and others, below) fits a horosphere at every node. Here the ideal points are
    drawn once, and scikit-learn's trees choose among them, which takes a second instead of minutes.

    References
    ----------
    Doorenbos, Márquez-Neila, Sznitman, Mettes (2023). Hyperbolic random forests. arXiv:2308.13279.

    Geurts, Ernst, Wehenkel (2006). Extremely randomized trees. Machine Learning 63.

    Examples
    --------
    >>> from hyplane import HorofunctionForestClassifier
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(200, random_state=0)
    >>> clf = HorofunctionForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> clf.predict_proba(X[1::2]).shape
    (100, 4)
    """

    _saved = {  # noqa: RUF012
        "class_shares_": "finite[n_classes]",
        "features_": HorofunctionFeatures,
        "features_.ideal_points_": "finite[n_components, n_dim]",
        "trees_": Trees,
        "trees_.roots": "int[n_trees]",
        "trees_.feature": "int[n_nodes] from 0 to n_components - 1",
        "trees_.threshold": "float[n_nodes]",
        "trees_.left": "int[n_nodes]",
        "trees_.right": "int[n_nodes]",
        "trees_.value": "finite[n_nodes, n_classes]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "ideal_points": [StrOptions({"geodesic", "harmonic", "uniform"}), "array-like"],
        "min_samples_leaf": [Interval(Integral, 1, 2**31 - 1, closed="both")],
        "max_features": [
            StrOptions({"sqrt", "log2"}),
            Interval(Integral, 1, 2**31 - 1, closed="both"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "max_depth": [Interval(Integral, 1, 2**31 - 1, closed="both"), None],
        "min_weight_fraction_leaf": [Interval(Real, 0, 0.5, closed="both")],
        **CHART_CONSTRAINTS,
        "class_weight": PARAMETER_CONSTRAINTS["class_weight"],
        "n_jobs": PARAMETER_CONSTRAINTS["n_jobs"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_components: int = 32,
        ideal_points: str | ArrayLike = "geodesic",
        min_samples_leaf: int = 2,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        min_weight_fraction_leaf: float = 0.0,
        class_weight: ClassWeight = None,
        coordinates: str = "ball",
        curvature: float = -1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_components = n_components
        self.ideal_points = ideal_points
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.class_weight = class_weight
        self.coordinates = coordinates
        self.curvature = curvature
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the ideal points and grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points in the model of ``coordinates``.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels of any kind, or a binary indicator matrix.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, not negative. A row of weight 0 does not count at all.

        Returns
        -------
        self : HorofunctionForestClassifier
        """
        X, targets, weights, _ = self._rows(X, y, sample_weight)
        labels = targets.codes if targets.multilabel else targets.classes[targets.codes]
        weights = row_weights(labels, self.class_weight, weights)
        feature_seed, tree_seed = draw_seeds(self.random_state, 2)
        self.features_ = HorofunctionFeatures(
            self.ideal_points,
            n_components=self.n_components,
            random_state=feature_seed,
            **self._chart,
        )
        forest = ExtraTreesClassifier(
            self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            n_jobs=self.n_jobs,
            random_state=tree_seed,
        )
        values = _without_extremes(self.features_.fit_transform(X), self.min_samples_leaf)
        forest.fit(values, targets.codes, sample_weight=weights)
        self.trees_ = Trees.of(forest)
        self.class_shares_ = class_shares(targets, weights)
        self._store_classes(targets)
        return self

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the mean over the trees of the shares of the classes in the leaves.

        The shares of the classes in all rows count as one more tree, so that nothing is certain.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to one. For an indicator matrix the columns are independent.
        """
        X = self._check_rows(X)
        values = self.features_.transform(X)
        trees, n_trees = self.trees_.mean_values(values), len(self.trees_.roots)
        return np.asarray((n_trees * trees + self.class_shares_) / (n_trees + 1))


def _without_extremes(values: Array, smallest_leaf: int) -> Array:
    """Move the extreme values of each feature to those that a cut can lie between.

    Cuts are drawn between the smallest and the largest value. At radius r a row in the direction of
    the ideal point has the value -r, the others about r: nearly all cuts would split off this row
    alone, which is too small a leaf.
    """
    if len(values) < 2 * smallest_leaf:
        return values
    places = [smallest_leaf - 1, len(values) - smallest_leaf]
    lowest, highest = np.partition(values, places, axis=0)[places]
    return np.clip(values, lowest, highest)
