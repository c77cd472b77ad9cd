"""
The paper's comparison on a few data sets
=========================================

The first experiment of the paper in small: mixtures of four hyperbolic Gaussians, half of the
points for training, C by cross validation, the macro-averaged area under the precision-recall
curve. Each dot is one data set; above the line the hyperbolic SVM is better. ``hyplane reproduce``
runs all three experiments in full.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.evaluation import METHODS, evaluate, paired_t_test

methods = {name: METHODS[name].make() for name in ("hyperbolic", "euclidean")}
means = {name: [] for name in methods}
for seed in range(15):
    X, y = make_hyperbolic_gaussians(400, random_state=seed)
    evaluation = evaluate(methods, X, y, n_trials=2, random_state=seed)
    for name in methods:
        means[name].append(evaluation.scores(name, "macro_aupr").mean())
test = paired_t_test(means["hyperbolic"], means["euclidean"])

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
low = np.floor(10 * min(means["euclidean"])) / 10
ax.plot([low, 1], [low, 1], color="0.6", lw=1)
ax.plot(means["euclidean"], means["hyperbolic"], "o", color="#0072B2")
ax.set(
    xlabel="Euclidean SVM", ylabel="Hyperbolic SVM", aspect="equal", xlim=(low, 1), ylim=(low, 1)
)
ax.set_title(
    f"macro AUPR: {test.difference:+.3f}, higher in {test.wins} of {test.n}, p = {test.p_value:.0e}"
)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
