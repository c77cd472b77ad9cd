"""
A fitted boundary in all models
===============================

A classifier does not care which model of hyperbolic space its points are written in. Here a
hyperbolic SVM tells two classes apart, and the same hyperplane, the same margin (dashed) and the
same points are drawn in four models. Only the Klein disk shows the hyperplane as a straight line;
the Poincaré disk and the half-plane show angles truly, and the hyperplane as an arc that meets the
boundary at right angles.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import convert, hyperplane_parameters
from hyplane.plotting import draw_models

centers = [[0.9, 0.4], [0.9, 2.9]]  # polar: radius and angle
X, y = make_hyperbolic_gaussians(
    60, centers=centers, variance=0.25, coordinates="polar", random_state=3
)
clf = HyperbolicSVC(coordinates="polar").fit(X, y)

# The score w*x is 1 at the distance arsinh(1/s) from the hyperplane, with s² = -w*w.
scale, offset, normal = hyperplane_parameters(clf.coef_[0])
draw_models(
    clf.coef_[0],
    X,
    y,
    coordinates="polar",
    margin=float(np.arcsinh(1 / scale)),
    models=["ball", "klein", "halfspace", "hyperboloid"],
    figure=plt.figure(figsize=(13, 3.8), layout="constrained"),
)
plt.show()

# %%
# The classifier itself gives the same answers in every model.
for model in ["ball", "klein", "halfspace", "hyperboloid"]:
    other = HyperbolicSVC(coordinates=model).fit(convert(X, "polar", model), y)
    print(f"{model:12} largest difference of w: {np.abs(other.coef_ - clf.coef_).max():.1e}")
