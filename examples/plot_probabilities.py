"""
Calibrated probabilities
========================

`hyplane.HyperbolicSVCCV` chooses C by cross validation and fits Platt's sigmoid to the scores of
the rows that were left out. Left, the probability of the second class in the disk: it changes with
the distance from the hyperplane. Right, is it true? Of the test points that were given a
probability near p, a share p should be of the second class. The sigmoid of the raw score ``w*x``,
which was never meant as a probability, is too sure at both ends: the score grows exponentially with
the distance.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.calibration import calibration_curve

from hyplane import HyperbolicSVCCV
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.plotting import draw_disk, draw_points

X, y = make_hyperbolic_gaussians(
    6000, centers=[[0.35, 0.1], [-0.25, 0.0]], variance=2.0, random_state=1
)
clf = HyperbolicSVCCV(random_state=0).fit(X[:1000], y[:1000])
probability = clf.predict_proba(X[1000:])[:, 1]
raw = expit(clf.minkowski_products(X[1000:]))

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
figure.get_layout_engine().set(wspace=0.12)
draw_disk(left)
ticks = np.linspace(-1, 1, 301)
grid = np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(-1, 2)
inside = np.linalg.norm(grid, axis=1) < 0.999
shade = np.full(len(grid), np.nan)
shade[inside] = clf.predict_proba(grid[inside])[:, 1]
image = left.pcolormesh(
    ticks, ticks, shade.reshape(301, 301), cmap="PuOr_r", vmin=0, vmax=1, rasterized=True
)
draw_points(X[:200], y[:200], ax=left)
figure.colorbar(image, ax=left, label="probability of class 1", shrink=0.8)

for values, name, color in [(probability, "calibrated", "#0072B2"), (raw, "raw score", "#D55E00")]:
    share, mean = calibration_curve(y[1000:], values, n_bins=10)
    right.plot(mean, share, "o-", color=color, label=name)
right.plot([0, 1], [0, 1], color="0.6", lw=1, zorder=0)
right.set(xlabel="probability given", ylabel="share of class 1", aspect="equal")
right.spines[["top", "right"]].set_visible(False)
right.legend(frameon=False)
plt.show()
