"""Trees whose cuts are horospheres, spheres around the origin and coordinates of charts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, softmax
from sklearn.base import _fit_context, clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.tree._tree import NODE_DTYPE, TREE_LEAF, Tree
from sklearn.utils._param_validation import Interval, StrOptions

from hyplane._utils.typing import Array, ArrayLike, Mask
from hyplane._utils.validation import CHART_CONSTRAINTS
from hyplane.classifiers._base import PARAMETER_CONSTRAINTS, draw_seeds
from hyplane.classifiers._probabilistic import ProbabilisticClassifier, class_shares, row_weights
from hyplane.classifiers._targets import ClassWeight, Targets
from hyplane.features import HorofunctionFeatures
from hyplane.geometry import to_polar


@dataclass(eq=False)
class Trees:
    """Decision trees as plain arrays, which a file can hold; their nodes one after the other.

    Rows are dropped into the leaves by scikit-learn's compiled trees, which are made of the arrays.

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
        Shares of the classes, or of each label; logits of boosted trees.
    """

    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: Array
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: Array

    def __post_init__(self) -> None:
        # A file may hold anything, and compiled code follows it unchecked: no walk may leave its
        # tree or go round in circles.
        own, leaf = np.arange(len(self.feature)), np.isinf(self.threshold)
        sizes = np.diff(self.roots, append=len(own))
        if len(sizes) == 0 or self.roots[0] != 0 or (sizes < 1).any():
            raise ValueError("the nodes of the trees do not begin at the roots")
        root, end = (np.repeat(each, sizes) for each in (self.roots, self.roots + sizes))
        left, right = (np.asarray(each, np.int64) for each in (self.left, self.right))
        forward = [np.where(leaf, own == to, (own < to) & (to < end)) for to in (left, right)]
        if not np.all(forward):
            raise ValueError("the nodes of the trees do not lead from the roots to the leaves")
        feature = np.asarray(self.feature, np.int64)
        if (feature < 0).any() or len(self.value) != len(own):
            raise ValueError("the trees have nodes that there are not")
        nodes = np.zeros(len(own), dtype=NODE_DTYPE)
        nodes["left_child"] = np.where(leaf, TREE_LEAF, left - root)
        nodes["right_child"] = np.where(leaf, TREE_LEAF, right - root)
        nodes["feature"], nodes["threshold"] = feature, self.threshold
        self._n_features, one = int(feature.max()) + 1, np.ones(1, dtype=np.intp)
        self._compiled = []
        for part in np.split(nodes, self.roots[1:]):
            tree = Tree(self._n_features, one, 1)
            values = np.zeros((len(part), 1, 1))  # are taken from `value`
            tree.__setstate__(
                {"max_depth": 0, "node_count": len(part), "nodes": part, "values": values}
            )
            self._compiled.append(tree)

    @classmethod
    def boosted(cls, columns: Sequence[Sequence[Any]]) -> Self:
        """Take over the trees of scikit-learn's boosting; each has a value in one column."""
        trees = [(tree.nodes, k) for k, column in enumerate(columns) for tree in column]
        if not trees:  # all labels are constant
            zero = np.zeros(1, dtype=np.int64)
            return cls(zero, zero, np.array([np.inf]), zero, zero, np.zeros((1, len(columns))))
        sizes = [len(nodes) for nodes, _ in trees]
        nodes = np.concatenate([nodes for nodes, _ in trees])
        value = np.zeros((len(nodes), len(columns)))
        value[np.arange(len(nodes)), np.repeat([k for _, k in trees], sizes)] = nodes["value"]
        names = ("feature_idx", "num_threshold", "left", "right")
        leaf = nodes["is_leaf"].astype(bool)
        return cls._joined(sizes, leaf, [nodes[name] for name in names], value)

    @classmethod
    def of(cls, forest: ExtraTreesClassifier) -> Self:
        """Take over the trees of a fitted forest."""
        trees: Sequence[Any] = [tree.tree_ for tree in forest]
        names = ("feature", "threshold", "children_left", "children_right", "value")
        *nodes, value = (np.concatenate([getattr(tree, name) for tree in trees]) for name in names)
        shares = value / value.sum(axis=2, keepdims=True)
        if forest.n_outputs_ == 1:
            shares = shares[:, 0]
        else:  # the share of label 1; the values of a constant label are 0 or 1 alone
            labels = enumerate(forest.classes_)
            shares = np.column_stack([shares[:, k, : len(found)] @ found for k, found in labels])
        return cls._joined([tree.node_count for tree in trees], nodes[0] < 0, nodes, shares)

    @classmethod
    def _joined(
        cls, sizes: Sequence[int], leaf: Mask, nodes: Iterable[NDArray[Any]], value: Array
    ) -> Self:
        """Give the nodes of all trees numbers one after the other; a leaf leads to itself."""
        feature, threshold, left, right = nodes
        roots = np.cumsum(sizes) - np.array(sizes)
        own, root = np.arange(len(leaf)), np.repeat(roots, sizes)
        return cls(
            roots,
            np.where(leaf, 0, feature).astype(np.int64),
            np.where(leaf, np.inf, threshold),
            np.where(leaf, own, root + left),
            np.where(leaf, own, root + right),
            value,
        )

    def mean_values(self, features: Array) -> Array:
        """Return the mean over the trees of the values in the leaves of each row."""
        # In single precision, as scikit-learn compared the training rows.
        rows = np.ascontiguousarray(features, dtype=np.float32)
        if rows.shape[1] < self._n_features:
            raise ValueError(f"the trees compare {self._n_features} features of {rows.shape[1]}")
        total = np.zeros((len(rows), self.value.shape[1]))
        for root, tree in zip(self.roots, self._compiled, strict=True):
            total += self.value[root + tree.apply(rows)]
        return total / len(self.roots)


class HyperbolicForestClassifier(ProbabilisticClassifier):
    """Extremely randomised or boosted trees on horofunctions and coordinates of several charts.

    The features are Busemann functions of ideal points, the coordinates of the ball, of the Klein
    model and of the direction, and the radius. A cut is a horosphere, a sphere around the origin,
    or a surface on which a coordinate is constant.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees; with boosting, of rounds, each of which has a tree for each class.
    method : {"extra_trees", "boosting"}, default="extra_trees"
        Extremely randomised trees, whose shares are averaged, or gradient boosting on histograms.
    n_components : int, default=4
        Number of ideal points, whose Busemann functions are features. More of them make extra trees
        less accurate in many dimensions: 32 of them by 0.2 to 1.7 points on normal laws of 32 and
        64 dimensions.
    ideal_points : {"geodesic", "harmonic", "uniform"} or array-like, default="geodesic"
        The ideal points, or how to draw them: see `hyplane.features.HorofunctionFeatures`.
    min_samples_leaf : int or None, default=None
        Fewest rows in a leaf; None for 2, and 20 with boosting, which has few leaves.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features tried for each cut, as in scikit-learn. Boosting tries half of them.
    max_depth : int or None, default=None
        Greatest depth of a tree.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the weight of all rows in a leaf. Boosting does not use it.
    learning_rate : float, default=0.1
        Factor of each tree in boosting.
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in scikit-learn.
    coordinates : {"ball", "hyperboloid", "halfspace", "klein", "polar", "tangent"}, default="ball"
        The chart of the points.
    curvature : float, default=-1.0
        A negative number.
    n_jobs : int, default=None
        Threads of scikit-learn's forest. Boosting takes its threads from OpenMP.
    random_state : int, RandomState instance or None, default=None
        Seed of the ideal points and of the trees.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels; for an indicator matrix the numbers of its columns.
    features_ : HorofunctionFeatures
        The ideal points.
    trees_ : Trees
        The trees as plain arrays.
    baseline_ : ndarray of shape (n_values,)
        With boosting, the logits before the first tree; otherwise the shares of the classes.
    n_features_in_ : int
        Number of columns of X.

    Notes
    -----
    The features are exact at any radius, but for coordinates of the ball and the Klein model, which
    round to the direction far out. All but the horofunctions depend on the origin.

    References
    ----------
    Doorenbos, Márquez-Neila, Sznitman, Mettes (2023). Hyperbolic random forests. arXiv:2308.13279.

    Geurts, Ernst, Wehenkel (2006). Extremely randomized trees. Machine Learning 63.

    Examples
    --------
    >>> from hyplane import HyperbolicForestClassifier
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(200, random_state=0)
    >>> clf = HyperbolicForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> clf.predict_proba(X[1::2]).shape
    (100, 4)
    """

    _saved = {  # noqa: RUF012
        "baseline_": "finite[n_values]",
        "features_": HorofunctionFeatures,
        "features_.ideal_points_": "finite[n_components, n_dim]",
        "trees_": Trees,
        "trees_.roots": "int[n_trees]",
        "trees_.feature": "int[n_nodes]",
        "trees_.threshold": "float[n_nodes]",
        "trees_.left": "int[n_nodes]",
        "trees_.right": "int[n_nodes]",
        "trees_.value": "finite[n_nodes, n_values]",
    }
    _parameter_constraints = {  # noqa: RUF012 (the name and form are scikit-learn's)
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"extra_trees", "boosting"})],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "ideal_points": [StrOptions({"geodesic", "harmonic", "uniform"}), "array-like"],
        "min_samples_leaf": [Interval(Integral, 1, 2**31 - 1, closed="both"), None],
        "max_features": [
            StrOptions({"sqrt", "log2"}),
            Interval(Integral, 1, 2**31 - 1, closed="both"),
            Interval(Real, 0, 1, closed="right"),
            None,
        ],
        "max_depth": [Interval(Integral, 1, 2**31 - 1, closed="both"), None],
        "min_weight_fraction_leaf": [Interval(Real, 0, 0.5, closed="both")],
        "learning_rate": [Interval(Real, 0, 1e3, closed="right")],
        **CHART_CONSTRAINTS,
        "class_weight": PARAMETER_CONSTRAINTS["class_weight"],
        "n_jobs": PARAMETER_CONSTRAINTS["n_jobs"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        method: str = "extra_trees",
        n_components: int = 4,
        ideal_points: str | ArrayLike = "geodesic",
        min_samples_leaf: int | None = None,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        min_weight_fraction_leaf: float = 0.0,
        learning_rate: float = 0.1,
        class_weight: ClassWeight = None,
        coordinates: str = "ball",
        curvature: float = -1.0,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.method = method
        self.n_components = n_components
        self.ideal_points = ideal_points
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.learning_rate = learning_rate
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
        self : HyperbolicForestClassifier
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
        ).fit(X)
        grow = self._boost if self.method == "boosting" else self._grow
        grow(self._features(X), targets, weights, tree_seed)
        self._store_classes(targets)
        return self

    def _features(self, X: Array) -> Array:
        """Return the features of rows in single precision, in which the trees compare them."""
        radius, direction = to_polar(X, **self._chart)
        r = radius[:, None]
        ball, klein = np.tanh(0.5 * r) * direction, np.tanh(r) * direction
        values = np.hstack([self.features_.transform(X), ball, klein, direction, r])
        return values.astype(np.float32)

    def _grow(self, values: Array, targets: Targets, weights: Array | None, seed: int) -> None:
        leaf = self.min_samples_leaf or 2
        forest = ExtraTreesClassifier(
            self.n_estimators,
            min_samples_leaf=leaf,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            n_jobs=self.n_jobs,
            random_state=seed,
        )
        forest.fit(_without_extremes(values, leaf), targets.codes, sample_weight=weights)
        self.trees_ = Trees.of(forest)
        self.baseline_ = class_shares(targets, weights)

    def _boost(self, values: Array, targets: Targets, weights: Array | None, seed: int) -> None:
        boosting = HistGradientBoostingClassifier(
            max_iter=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf or 20,
            max_depth=self.max_depth,
            learning_rate=self.learning_rate,
            max_features=0.5,
            random_state=seed,
        )
        shares = class_shares(targets, weights)
        columns: list[Sequence[Any]] = []
        baseline: list[float] = []
        for k, codes in enumerate(targets.codes.T if targets.multilabel else [targets.codes]):
            if codes.min() == codes.max():  # a constant label
                columns.append([])
                baseline.append(float(logit(shares[k])))
                continue
            model = clone(boosting).fit(values, codes, sample_weight=weights)
            columns += zip(*model._predictors, strict=True)
            baseline += model._baseline_prediction.ravel().tolist()
        self.trees_, self.baseline_ = Trees.boosted(columns), np.array(baseline)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probabilities of the classes.

        Extremely randomised trees: the mean over the trees of the shares of the classes in the
        leaves. The shares of the classes in all rows count as one more tree, so that nothing is
        certain.

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
        n_trees = len(self.trees_.roots)
        sums = n_trees * self.trees_.mean_values(self._features(X)) + self.baseline_
        if self.method == "extra_trees":
            return np.asarray(sums / (n_trees + 1))
        if self.decomposition_ == "joint":
            return np.asarray(softmax(sums, axis=1))
        return np.asarray(expit(sums * [-1.0, 1.0] if self.decomposition_ == "binary" else sums))


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
