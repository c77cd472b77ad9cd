"""
A problem without an optimal hyperplane
=======================================

For a rare class inside another one, no hyperplane is best: pushing it outwards lowers the objective
a little more each time, for ever. Right, the lowest objective among all hyperplanes at distance a
from the origin. With ``bound="ball"`` hyplane bounds ``|a|`` by the radius R of the data, so that a
minimum exists: the hyperplane ends at the bound and calls every point of the rare class an
exception. By default, ``bound="horosphere"``, the limit itself is taken, where level sets of the
score are horospheres. The attribute ``degenerate_`` says that this happened.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import to_polar
from hyplane.plotting import PoincareDisplay

X, y = make_hyperbolic_gaussians(
    [90, 8], centers=[[0.0, 0.0], [0.1, 0.05]], variance=[1.2, 0.15], random_state=2
)
clf = HyperbolicSVC(C=1.0, bound="ball").fit(X, y)
limiting = HyperbolicSVC(C=1.0).fit(X, y)
print(clf.degenerate_, clf.objective_, limiting.degenerate_, limiting.objective_)
radius, direction = to_polar(X, "ball")
signs = np.where(y == 1, 1, -1)


def objective(place, offset):
    """Return the objective of the hyperplane with (log s, θ) at a distance from the origin."""
    along = direction @ [np.cos(place[1]), np.sin(place[1])]
    unit = np.sinh(offset) * np.cosh(radius) - np.cosh(offset) * np.sinh(radius) * along
    scale = np.exp(place[0])
    losses = np.maximum(0, np.arcsinh(1) - np.arcsinh(scale * signs * unit))
    return 0.5 * scale**2 + losses.sum()


def lowest(offset):
    """Return the lowest objective of the hyperplanes at a signed distance from the origin."""
    starts = [(size, angle) for size in (-6, -3, 0) for angle in np.linspace(0, 2 * np.pi, 36)]
    start = min(starts, key=lambda place: objective(place, offset))
    found = minimize(objective, start, args=(offset,), method="Nelder-Mead", tol=1e-10)
    return found.fun


offsets = np.linspace(-8, 1, 46)
limit = lowest(-12.0)
excess = [lowest(offset) - limit for offset in offsets]

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
PoincareDisplay.from_estimator(
    clf, X, y, ax=left, class_names=["many", "rare"], margins=False, size=26
)
left.set_title(f"the fit: a = {clf.hyperplanes_.offset[0]:.2f}")
right.semilogy(offsets, excess, color="#0072B2")
right.axvline(-radius.max(), color="#D55E00", ls="--", lw=1.2)
right.text(-radius.max() - 0.15, max(excess), "a = -R", color="#D55E00", va="top", ha="right")
right.set(
    xlabel="signed distance a of the origin to the hyperplane",
    ylabel="lowest objective above its limit",
)
right.spines[["top", "right"]].set_visible(False)
plt.show()
