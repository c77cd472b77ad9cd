"""
Ten dimensions in the plane
===========================

A picture of points in ten hyperbolic dimensions is a projection, and no projection keeps all
distances. The *radial* one keeps the distance to the centre (the Fréchet mean) and loses least:
compare the stress, the relative error of the distances, below each picture. HoroPCA and the
principal components never make a distance longer. The closest points of a plane, the *orthogonal*
projection, shrink everything towards the centre.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from hyplane import HyperbolicSVC
from hyplane.plotting import PoincareDisplay, draw_disk, draw_points

data, digit = load_digits(return_X_y=True)
tangent = PCA(10).fit_transform(data[digit < 5])
X = 2 * tangent / np.median(np.linalg.norm(tangent, axis=1))  # median radius 2
y = digit[digit < 5]

figure, axes = plt.subplots(2, 2, figsize=(9, 10), layout="constrained")
for method, ax in zip(["radial", "horo", "tangent", "orthogonal"], axes.flat, strict=True):
    draw_disk(ax)
    draw_points(X, y, coordinates="tangent", projection=method, ax=ax)
    ax.set_title(method)

# %%
# The decisions of a classifier
# -----------------------------
# Between two classes the picture is exact where it matters. The hyperplane is a diameter, and each
# point has its true signed distance, so that sides and margins (dashed) are right. With several
# classes the regions are the decisions on the slice of the space that is drawn. The frame is fitted
# to them too, and the note says how many points lie on a region of their predicted class.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 6.4), layout="constrained")
parity = np.where(y % 2, "odd", "even")
two = HyperbolicSVC(coordinates="tangent", random_state=0).fit(X, parity)
PoincareDisplay.from_estimator(two, X, parity, ax=left)
five = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0).fit(X, y)
PoincareDisplay.from_estimator(five, X, y, boundaries=False, ax=right)
