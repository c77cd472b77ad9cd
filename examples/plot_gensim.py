"""
A Poincaré embedding from gensim
================================

gensim learns Poincaré embeddings of taxonomies. `hyplane.embeddings.from_gensim_poincare` takes its
points and the names of the nodes, and the classifier goes on from there: here it learns which nodes
are animals and which are plants.
"""

import matplotlib.pyplot as plt
import numpy as np
from gensim.models.poincare import PoincareModel
from matplotlib.patheffects import withStroke

from hyplane import HyperbolicSVC
from hyplane.embeddings import from_gensim_poincare
from hyplane.plotting import PoincareDisplay

KINDS = {
    "animal": {
        "mammal": ["dog", "cat", "horse", "whale", "bat"],
        "bird": ["eagle", "owl", "duck", "swan"],
        "fish": ["trout", "salmon", "tuna", "pike"],
        "insect": ["bee", "ant", "fly", "moth"],
    },
    "plant": {
        "tree": ["oak", "pine", "birch", "maple"],
        "flower": ["rose", "tulip", "lily", "daisy"],
        "herb": ["basil", "mint", "sage", "thyme"],
    },
}
relations, kingdom = [], {}
for top, groups in KINDS.items():
    kingdom[top] = top
    for group, leaves in groups.items():
        relations.append((group, top))
        kingdom[group] = top
        for leaf in leaves:
            relations += [(leaf, group), (leaf, top)]
            kingdom[leaf] = top

model = PoincareModel(relations, size=2, negative=5, seed=3)
model.train(epochs=200)
X, names = from_gensim_poincare(model)
y = np.array([kingdom[name] for name in names])

clf = HyperbolicSVC(C=10).fit(X, y)
figure, ax = plt.subplots(figsize=(6.4, 6.8), layout="constrained")
PoincareDisplay.from_estimator(clf, X, y, ax=ax, size=30)
for name in ["animal", "plant", *KINDS["animal"], *KINDS["plant"]]:
    offset = (4, -16) if name == "animal" else (5, 5)
    text = ax.annotate(name, X[names.index(name)], offset, textcoords="offset points", zorder=8)
    text.set_path_effects([withStroke(linewidth=3, foreground="white")])
ax.set_title(f"{clf.score(X, y):.0%} of {len(names)} nodes on the right side")
plt.show()
