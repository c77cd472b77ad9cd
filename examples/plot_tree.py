"""
A subtree is a half-plane
=========================

Hyperbolic space has room for trees, and hyperplanes for their branches. Here is a tree such as
WordNet's, drawn with equal edges. The question is always the same: is a node below a given one? For
every subtree of at least five nodes, right, the F1 score of a hyperbolic and of a linear SVM on the
same coordinates. One geodesic cuts off any branch; a straight line in the disk cannot, once the
branch is one of many at the rim.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_tree
from hyplane.plotting import PoincareDisplay, draw_graph

tree = make_hyperbolic_tree(4, 6, n_nodes=600, edge_length=2.0, random_state=1)


def below(node):
    """Return for each node whether it is in the subtree of a node."""
    inside = np.zeros(len(tree.parent), dtype=int)
    inside[node] = 1
    for child in range(node + 1, len(tree.parent)):  # parents come before their children
        inside[child] = inside[tree.parent[child]]
    inside[node] = 1
    return inside


scores = []
for node in range(1, len(tree.parent)):
    inside = below(node)
    if inside.sum() >= 5:
        pair = HyperbolicSVC(C=10), LinearSVC(C=10)
        fits = [clf.fit(tree.points, inside).predict(tree.points) for clf in pair]
        scores.append([tree.generation[node], *(f1_score(inside, fit) for fit in fits)])
scores = np.array(scores)

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 5), layout="constrained")
node = int(np.flatnonzero(tree.generation == 2)[2])
inside = below(node)
clf = HyperbolicSVC(C=10).fit(tree.points, inside)
draw_graph(tree.points, tree.edges, ax=left, node_size=0.1, edge_alpha=0.6, legend=False)
PoincareDisplay.from_estimator(
    clf, tree.points, inside, ax=left, class_names=["elsewhere", "below the star"], margins=False
)
left.plot(*tree.points[node], "*", color="w", mec="k", ms=15, zorder=7)

generations = np.unique(scores[:, 0])
for column, name, color in [(1, "hyperbolic SVM", "#0072B2"), (2, "linear SVM", "#D55E00")]:
    jitter = np.random.default_rng(column).uniform(-0.15, 0.15, len(scores))
    right.plot(scores[:, 0] + jitter, scores[:, column], ".", color=color, alpha=0.35)
    means = [scores[scores[:, 0] == g, column].mean() for g in generations]
    right.plot(generations, means, "o-", color=color, label=name)
right.set(xlabel="generation of the node above", ylabel="F1 of its subtree", ylim=(-0.03, 1.05))
right.set_xticks(generations)
right.legend(frameon=False, loc="lower left")
right.spines[["top", "right"]].set_visible(False)
plt.show()
