"""
Kernels for classes that no hyperplane separates
================================================

Two rings of points around a third class. Hyperplanes cannot tell them apart; a kernel classifier
can. The secant and the Laplacian kernel depend on hyperbolic distance alone, so the origin is not
special to them. The Gaussian of the geodesic distance is refused: it is not positive definite.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicKernelSVC, HyperbolicSVC
from hyplane.plotting import PoincareDisplay

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], [60, 140, 200])
radius = np.array([0.5, 1.9, 3.3])[y] + 0.3 * rng.standard_normal(y.size)
X = np.column_stack([np.abs(radius), rng.uniform(0, 2 * np.pi, y.size)])  # polar

figure, axes = plt.subplots(2, 2, figsize=(8, 8.8), layout="constrained")
classifiers = {
    "hyperplanes": HyperbolicSVC(coordinates="polar"),
    "secant kernel": HyperbolicKernelSVC(kernel="secant", coordinates="polar"),
    "Laplacian kernel": HyperbolicKernelSVC(kernel="laplacian", coordinates="polar"),
    "tangent RBF": HyperbolicKernelSVC(kernel="tangent_rbf", coordinates="polar"),
}
for ax, (name, clf) in zip(axes.flat, classifiers.items(), strict=True):
    clf.fit(X, y)
    PoincareDisplay.from_estimator(clf, X, y, ax=ax, boundaries=False, legend=False, size=8)
    ax.set_title(f"{name}\n{clf.score(X, y):.0%} of these points")
plt.show()
