"""
Labels that spread through a growing network
============================================

The second experiment of the paper in small. A network grows by popularity and similarity. Each
label starts at one node and is passed on to newer neighbours with probability 0.8, as functions of
proteins are. A node can have several labels or none. LaBNE embeds the network, as in the paper; the
classifier sees only the places of the nodes and learns one hyperplane per label from half of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.datasets import popularity_similarity_graph, propagate_labels
from hyplane.embeddings import LaBNE
from hyplane.metrics import macro_average
from hyplane.plotting import PoincareDisplay, draw_graph

network = popularity_similarity_graph(500, random_state=3)
Y, pioneers = propagate_labels(network, n_labels=3, size_range=(50, 100), random_state=7)
embedding = LaBNE(exponent=2.25, disc_radius=3.0).fit(network.edges)
X, Y = embedding.embedding_, Y[embedding.node_names_]

rng = np.random.default_rng(0)
train = rng.permutation(len(X)) < len(X) // 2
clf = HyperbolicSVC(C=10.0).fit(X[train], Y[train])
precision = macro_average(Y[~train], clf.decision_function(X[~train]), "average_precision")
print(f"macro average precision on the other half: {precision:.3f}")

figure, axes = plt.subplots(1, 3, figsize=(12, 4.6), layout="constrained")
for label, ax in enumerate(axes):
    draw_graph(X, network.edges, ax=ax, node_size=0.1, edge_alpha=0.25, legend=False)
    PoincareDisplay.from_estimator(
        clf, X, Y, label=label, ax=ax, size=12, class_names=["without", "with the label"]
    )
    [first] = np.flatnonzero(embedding.node_names_ == pioneers[label])
    ax.plot(*X[first], "*", color="w", mec="k", ms=15, zorder=7)
    ax.set_title(f"label {label}: {Y[:, label].sum()} nodes, first at the star")
plt.show()
