"""
New nodes of an embedded network
================================

An embedding is learned once, and nodes keep arriving. `place` puts each new node at the hyperbolic
mean of its neighbours, and moves no other point: a classifier that was fitted before still applies.
Here a quarter of the political books arrive after the fit.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.datasets import load_polbooks
from hyplane.embeddings import HyperbolicSkipGram
from hyplane.plotting import PoincareDisplay

books = load_polbooks()
graph, y = books.graph, books.target
arrived = np.random.default_rng(0).permutation(len(y))
old, new = np.sort(arrived[26:]), np.sort(arrived[:26])

embedding = HyperbolicSkipGram.converged(random_state=0).fit(graph.subgraph(old))
X, names = embedding.embedding_, embedding.node_names_
clf = HyperbolicSVC().fit(X, y[names])

# %%
# A new book is placed by the old books that were bought with it.
known = set(names.tolist())
neighbors = [[book for book in graph[node] if book in known] for node in new]
placed = embedding.place(neighbors)
right = clf.predict(placed) == y[new]
print(f"{right.sum()} of {len(new)} new books are classified right")

figure, ax = plt.subplots(figsize=(6.4, 6.8), layout="constrained")
PoincareDisplay.from_estimator(clf, X, y[names], ax=ax, size=22, class_names=books.target_names)
for marked, color, label in ((right, "k", "new, right"), (~right, "crimson", "new, wrong")):
    ax.scatter(
        *placed[marked].T, s=90, marker="*", c="white", edgecolors=color, zorder=7, label=label
    )
ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=5, frameon=False, fontsize=8)
ax.set_title(f"{right.sum()} of {len(new)} new books are classified right")
plt.show()
