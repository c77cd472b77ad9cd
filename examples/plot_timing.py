"""
Time of a fit against LinearSVC
===============================

How long a fit takes on this machine as the number of points grows, for points of the plane that
overlap. The problem of LinearSVC is convex and ours is not, so several starts are needed. For few
points that costs time; for many the compiled solver is faster, since it searches on a sample before
it looks at all rows.
``benchmarks/`` has dated measurements for more dimensions.
"""

from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians


def seconds(make, X, y, repeats):
    """Return the shortest of several fits."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        make().fit(X, y)
        times.append(perf_counter() - start)
    return min(times)


counts = [300, 1000, 3000, 10_000, 30_000, 100_000, 300_000]
times = {"HyperbolicSVC": [], "LinearSVC(dual=False)": []}
for count in counts:
    X, y = make_hyperbolic_gaussians(
        count, centers=[[0.4, 0.0], [-0.3, 0.1]], variance=1.0, random_state=0
    )
    repeats = 5 if count < 20_000 else 2
    times["HyperbolicSVC"].append(seconds(lambda: HyperbolicSVC(random_state=0), X, y, repeats))
    times["LinearSVC(dual=False)"].append(seconds(lambda: LinearSVC(dual=False), X, y, repeats))

figure, ax = plt.subplots(figsize=(5.6, 3.7), layout="constrained")
for (name, values), color in zip(times.items(), ["#0072B2", "#D55E00"], strict=True):
    ax.loglog(counts, 1000 * np.array(values), "o-", color=color, label=name)
ax.set(xlabel="points", ylabel="time of a fit in ms")
ax.grid(alpha=0.3)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
