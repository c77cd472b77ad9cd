"""
From a graph to a classifier
============================

Zachary's karate club split in two after a dispute. Three steps: embed the graph in the hyperbolic
plane by random walks, fit a classifier on half of the members, and ask it about the others.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke
from sklearn.model_selection import train_test_split

from hyplane import HyperbolicSVC
from hyplane.datasets import load_karate
from hyplane.embeddings import HyperbolicSkipGram
from hyplane.plotting import PoincareDisplay, draw_graph

club = load_karate()
embedding = HyperbolicSkipGram.converged(random_state=1)
X = embedding.fit_transform(club.graph)
y = club.target

train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
clf = HyperbolicSVC(C=1.0).fit(X[train], y[train])
print(f"{(clf.predict(X[test]) == y[test]).sum()} of {len(test)} members are classified right")

figure, ax = plt.subplots(figsize=(6, 6.4), layout="constrained")
draw_graph(X, np.array(club.graph.edges), ax=ax, node_size=0.1, legend=False)
display = PoincareDisplay.from_estimator(
    clf, X, y, ax=ax, size=45, class_names=[f"with {name}" for name in club.target_names]
)
ax.scatter(*X[train].T, s=110, facecolors="none", edgecolors="k", linewidths=1.0, zorder=6)
for member, offset in [(0, (9, 6)), (33, (-6, 16))]:  # the instructor and the officer
    name = club.node_names[member]
    text = ax.annotate(name, X[member], offset, textcoords="offset points", zorder=8, size=13)
    text.set_path_effects([withStroke(linewidth=3, foreground="white")])
ax.set_title("circled: the members it learned from")
plt.show()

# %%
# A new member who knows the members 1, 2 and 3 (rows 0, 1 and 2) is placed at their mean and
# classified there.
newcomer = embedding.place([[0, 1, 2]])
print("the newcomer joins", club.target_names[clf.predict(newcomer)][0])
