"""
Invariance under isometries
===========================

An isometry moves all points of the hyperbolic plane and keeps every distance. What a classifier
learns should not depend on it. The hyperbolic SVM moves its boundary along with the points. A
linear SVM on the coordinates of the disk learns something else: for it, the origin is special.
"""

import matplotlib.pyplot as plt
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import apply_isometry, convert, lorentz_boost
from hyplane.plotting import PoincareDisplay

X, y = make_hyperbolic_gaussians(
    300, centers=[[0.3, 0.5], [-0.45, 0.1], [0.3, -0.4]], variance=0.6, random_state=5
)
[target] = convert([[0.4, 0.35]], "ball", "hyperboloid")
moved = apply_isometry(lorentz_boost(target), X, coordinates="ball")

figure, axes = plt.subplots(2, 2, figsize=(8, 8.6), layout="constrained")
methods = {"Hyperbolic SVM": HyperbolicSVC, "Linear SVM": LinearSVC}
for row, (name, make) in enumerate(methods.items()):
    first, second = make().fit(X, y), make().fit(moved, y)
    changed = (first.predict(X) != second.predict(moved)).sum()
    PoincareDisplay.from_estimator(first, X, y, ax=axes[row, 0], legend=False)
    PoincareDisplay.from_estimator(second, moved, y, ax=axes[row, 1], legend=False)
    axes[row, 0].set_title(name)
    axes[row, 1].set_title(f"after the isometry: {changed} predictions changed")
plt.show()
