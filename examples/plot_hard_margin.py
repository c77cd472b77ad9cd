"""
The hard margin and its support points
======================================

``C=np.inf`` asks for the hyperplane with the largest distance to the closest point. The problem is
not convex, but it is solved to global optimality: ``gap_`` is a proven bound of what any other
hyperplane could gain. The circled points hold the hyperplane in place. All others could be removed
without moving it.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.plotting import PoincareDisplay

X, y = make_hyperbolic_gaussians(
    80, centers=[[0.7, 0.3], [-0.6, -0.4]], variance=0.45, random_state=3
)
clf = HyperbolicSVC(C=np.inf).fit(X, y)

display = PoincareDisplay.from_estimator(clf, X, y, legend=False)
support = clf.support_vectors_
display.ax_.scatter(*support.T, s=160, facecolors="none", edgecolors="k", linewidths=1.5, zorder=6)
display.ax_.set_title(
    f"margin {clf.margin_[0]:.4f}; no other is larger by more than {clf.gap_[0]:.0e}\n"
    f"{len(support)} of {len(X)} points are support points"
)
plt.show()

# %%
# Leaving all other points out gives the same hyperplane.
alone = HyperbolicSVC(C=np.inf).fit(support, y[clf.support_])
print("largest difference of w:", np.abs(alone.coef_ - clf.coef_).max())
