"""
What C does
===========

``C`` weighs the losses against the margin. The dashed lines are the curves ``w*x = ±1``; points
between them, or on the wrong side, cost something. A small C accepts more of them for a wide
margin. A large C narrows the margin until as few points as possible are inside.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import hyperplane_parameters
from hyplane.plotting import PoincareDisplay

X, y = make_hyperbolic_gaussians(
    120, centers=[[0.55, 0.1], [-0.45, -0.25]], variance=0.8, random_state=7
)

figure, axes = plt.subplots(2, 2, figsize=(8, 8.8), layout="constrained")
for ax, C in zip(axes.flat, [0.01, 0.1, 1.0, 100.0], strict=True):
    clf = HyperbolicSVC(C=C, random_state=0).fit(X, y)
    PoincareDisplay.from_estimator(clf, X, y, ax=ax, margins=True, legend=False)
    scale = hyperplane_parameters(clf.coef_[0])[0]
    inside = np.abs(clf.decision_function(X)) < 1
    ax.set_title(f"C = {C:g}\nmargin {np.arcsinh(1 / scale):.2f}, {inside.sum()} points inside")
plt.show()
