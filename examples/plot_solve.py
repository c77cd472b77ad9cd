"""
How a fit is computed
=====================

Left, the objective over all hyperplanes of the plane: each is its distance a from the origin and
its direction θ, with the best scale s for the two. There is no constraint in these coordinates. But
every point adds a kink where its score is 1, and the kinks make many shallow local minima. The
orange lines are BFGS descents from twenty random starts; the star is the answer of hyplane.

Right, how far each descent ends from the optimum, beside the 2000 gradient steps of the paper's
algorithm. A single descent is not enough. This is why the compiled solver starts several times,
continues with steps that move along the kinks, and perturbs the best candidates.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import convert, hyperplane_normal

C = 10.0
X, y = make_hyperbolic_gaussians([100, 30], random_state=8)
x = convert(X, "ball", "hyperboloid")
labels = np.where(y == 1, 1, -1)
signs = np.array([1.0, -1.0, -1.0])  # of the Minkowski product


def objective_of(w):
    """Return the objective of the paper at w."""
    losses = np.maximum(0, np.arcsinh(1) - np.arcsinh(labels * (x @ (signs * w))))
    return -0.5 * w @ (signs * w) + C * losses.sum()


def gradient_of(w):
    """Return the gradient of the objective in w."""
    z = labels * (x @ (signs * w))
    slope = np.where(z < 1, labels / np.sqrt(1 + z**2), 0)
    return -signs * (w + C * (slope @ x))


def objective(place):
    """Return the objective and its gradient in the chart (log s, a, θ)."""
    scale, offset, u = np.exp(place[0]), place[1], np.array([np.cos(place[2]), np.sin(place[2])])
    w = hyperplane_normal(scale, offset, u)
    along = np.r_[np.cosh(offset), np.sinh(offset) * u]
    turn = np.r_[0.0, np.cosh(offset) * np.array([-u[1], u[0]])]
    slope = gradient_of(w)
    slopes = np.array([slope @ w, scale * (slope @ along), scale * (slope @ turn)])
    return objective_of(w), slopes


# %%
# BFGS, with a line search for the weak Wolfe conditions, which a step can meet also where the
# function has kinks.


def descend(place, n_steps=100):
    """Return the places that a descent passes, each with its objective."""
    value, slope = objective(place)
    inverse = 0.3 * np.eye(3) / np.linalg.norm(slope)  # a first step of length 0.3
    path = [np.r_[place, value]]
    for _ in range(n_steps):
        direction = -inverse @ slope
        low, high, length = 0.0, np.inf, 1.0
        for _ in range(40):
            new_value, new_slope = objective(place + length * direction)
            if new_value > value + 1e-4 * length * (slope @ direction):
                high = length
            elif new_slope @ direction < 0.9 * (slope @ direction):
                low = length
            else:
                break
            length = 0.5 * (low + high) if np.isfinite(high) else 2 * low
        else:
            break
        step, change = length * direction, new_slope - slope
        place, value, slope = place + step, new_value, new_slope
        path.append(np.r_[place, value])
        ratio = 1 / (step @ change)
        keep = np.eye(3) - ratio * np.outer(step, change)
        inverse = keep @ inverse @ keep.T + ratio * np.outer(step, step)
    return np.array(path)


rng = np.random.default_rng(0)
starts = np.column_stack([np.zeros(20), rng.uniform(-1.5, 1.5, 20), rng.uniform(-np.pi, np.pi, 20)])
paths = [descend(start) for start in starts]
clf = HyperbolicSVC(C=C, tol=1e-12).fit(X, labels)
best, planes = clf.objective_[0], clf.hyperplanes_

# %%
# The paper's algorithm: from a linear SVM of the ambient space 2000 steps of length 0.001, each
# pulled back into the cone ``w*w < 0``.
w = signs * LinearSVC(C=C, dual=False, fit_intercept=False).fit(x, labels).coef_[0]
lowest = np.inf
for _ in range(2000):
    lowest = min(lowest, objective_of(w))
    w = w - 1e-3 * gradient_of(w)
    if w @ (signs * w) > -1e-4:
        w[0] = np.sign(w[0]) * np.sqrt(w[1:] @ w[1:] - 1e-4)

# %%
# The surface, by trying forty scales at each place, and the picture.
offsets, angles = np.linspace(-3, 3, 121), np.linspace(-np.pi, np.pi, 121)
surface = np.full((len(offsets), len(angles)), np.inf)
for column, angle in enumerate(angles):
    along = x[:, 1:] @ [np.cos(angle), np.sin(angle)]
    unit = labels * (np.sinh(offsets)[:, None] * x[:, 0] - np.cosh(offsets)[:, None] * along)
    for scale in np.geomspace(0.05, 20, 40):
        losses = np.maximum(0, np.arcsinh(1) - np.arcsinh(scale * unit)).sum(axis=1)
        surface[:, column] = np.minimum(surface[:, column], 0.5 * scale**2 + C * losses)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
levels = best * np.geomspace(1.0, 8.0, 24)
left.contourf(angles, offsets, surface, levels=levels, cmap="Blues", extend="max")
left.contour(angles, offsets, surface, levels=levels, colors="w", linewidths=0.5)
for path in paths:
    turned = path[:, 2] - 2 * np.pi * np.round(path[-1, 2] / (2 * np.pi))
    left.plot(turned, path[:, 1], "-", color="#D55E00", lw=0.7, alpha=0.5)
    left.plot(turned[-1], path[-1, 1], ".", color="#D55E00", ms=6)
angle = np.arctan2(planes.normal[0, 1], planes.normal[0, 0])
left.plot(angle, planes.offset[0], "*", color="#F0E442", mec="k", ms=15)
left.set(xlim=(-np.pi, np.pi), ylim=(-3, 3))
left.set(xlabel="direction θ of the normal", ylabel="distance a from the origin")

ends = np.sort([path[-1, 3] for path in paths]) / best - 1
right.semilogy(np.arange(1, 21), np.maximum(ends, 1e-9), "o", color="#D55E00", label="descents")
right.axhline(lowest / best - 1, color="0.35", label="2000 gradient steps")
right.set(xlabel="descent, the best first", ylabel="relative distance to the optimum")
right.set_xticks([1, 5, 10, 15, 20])
right.legend(frameon=False)
right.spines[["top", "right"]].set_visible(False)
plt.show()

print(f"hyplane {best:.4f}, gradient steps {lowest:.4f}, best descent {best * (1 + ends[0]):.4f}")
print(f"hyplane evaluated the objective {clf.results_[0].n_evaluations} times")
