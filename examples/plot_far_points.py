"""
Points at radius 5000
=====================

In ball coordinates a double cannot tell a point at radius 37 from the boundary, and the hyperboloid
coordinates cosh r and sinh r overflow at radius 710. Polar and tangent coordinates hold any radius,
and every computation of hyplane takes them as they are. Right, the distance of points along a ray
to a hyperplane: by the textbook formula, and by `hyplane.geometry.signed_distance`.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.geometry import signed_distance
from hyplane.plotting import PoincareDisplay

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 40)
angle = np.where(y == 1, rng.uniform(0.3, 1.6, 80), rng.uniform(2.0, 6.0, 80))
X = np.column_stack([rng.uniform(4000, 5000, 80), angle])
clf = HyperbolicSVC(coordinates="polar").fit(X, y)
print(f"accuracy {clf.score(X, y):.2f}; largest distance {clf.signed_distance(X).max():.0f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
PoincareDisplay.from_estimator(clf, X, y, ax=left, regions=False, margins=False)
left.set_title("80 points, radius 4000 to 5000")

w = np.array([0.2, 0.6, -1.1])
radius = np.geomspace(1, 5000, 200)
ray = np.column_stack([radius, np.full(200, 2.0)])
with np.errstate(all="ignore"):
    x = np.column_stack(
        [np.cosh(radius), np.sinh(radius) * np.cos(2.0), np.sinh(radius) * np.sin(2.0)]
    )
    product = x[:, 0] * w[0] - x[:, 1] * w[1] - x[:, 2] * w[2]
    textbook = np.arcsinh(product / np.sqrt(w[1:] @ w[1:] - w[0] ** 2))
exact = signed_distance(ray, w, coordinates="polar")
right.loglog(radius, exact, color="#0072B2", lw=2, label="signed_distance")
right.loglog(radius, textbook, "o", ms=4, color="#D55E00", label="textbook formula")
right.axvline(710, color="0.6", ls="--", lw=1)
right.text(640, 1.5, "cosh overflows", ha="right", color="0.4")
right.set(xlabel="radius of the point", ylabel="distance to the hyperplane")
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()
