"""
A proof of the global optimum
=============================

The soft-margin problem is not convex, so a solver could stop in a local minimum. In the plane,
`hyplane.HyperbolicSVC.certify` proves how far above the global optimum the fit can be. It divides
the set of all hyperplanes into boxes and bounds the objective on each from below. Here the search
is stopped after more and more boxes. The lower bound rises to the value of the fit, and then the
fit is proven to be a global optimum.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.solvers import Points, certify_soft_margin

X, y = make_hyperbolic_gaussians(200, n_classes=2, random_state=4)
clf = HyperbolicSVC(C=1.0).fit(X, y)
value = float(clf.objective_[0])

labels = np.where(y == 1, 1, -1).astype(np.int8)
points = Points.from_chart(X, "ball")
counts = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000]
bounds = []
for count in counts:
    proof = certify_soft_margin(
        points, labels, C=1.0, plane=clf.results_[0], max_boxes=count, max_seconds=60
    )
    bounds.append(proof.lower_bound)
    if proof.proven:
        break
counts = counts[: len(bounds)]
print(f"proven after {proof.n_boxes} boxes and {proof.seconds:.2f} s; gap {proof.gap:.1e}")

figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
ax.axhline(value, color="#0072B2", lw=2, label="objective of the fit")
ax.plot(counts, bounds, "o-", color="#D55E00", label="proven lower bound")
ax.fill_between(counts, bounds, value, color="#D55E00", alpha=0.15, label="still possible")
ax.set(xscale="log", xlabel="boxes bounded", ylabel="objective", ylim=(0, 1.1 * value))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower right")
plt.show()
