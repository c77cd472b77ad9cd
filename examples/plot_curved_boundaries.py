"""
Curved boundaries
=================

``w*x = c`` with a constant c is a hyperplane or one of its equidistants, a horosphere or a sphere.
In the Poincaré disk all of them are circles. Here one class lies around a point, and the others
around it: a hyperplane cuts off half of the plane, a horosphere the neighbourhood of a point at
infinity, a sphere that of a point inside. ``surface="any"`` takes the surface of the lowest
objective. The dashed curves are the margins.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import CurvedHyperbolicSVC
from hyplane.geometry import apply_isometry, convert, lorentz_boost
from hyplane.plotting import PoincareDisplay

rng = np.random.default_rng(0)
y = np.repeat(["inside", "outside"], [80, 220])
radius = np.where(y == "inside", rng.uniform(0.0, 1.5, y.size), rng.uniform(1.3, 3.5, y.size))
around_origin = np.column_stack([radius, rng.uniform(0.0, 2.0 * np.pi, y.size)])
boost = lorentz_boost([np.cosh(0.7), np.sinh(0.7), 0.0])
X = convert(apply_isometry(boost, around_origin, coordinates="polar"), "polar", "ball")

figure, axes = plt.subplots(2, 2, figsize=(8, 8.8), layout="constrained")
for ax, surface in zip(axes.flat, ["hyperplane", "horosphere", "sphere", "any"], strict=True):
    clf = CurvedHyperbolicSVC(surface=surface, random_state=0).fit(X, y)
    PoincareDisplay.from_estimator(clf, X, y, ax=ax, legend=False, size=8)
    ax.set_title(f"{surface}\n{clf.score(X, y):.0%} of these points")
plt.show()
