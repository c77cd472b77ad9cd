"""
Handwritten digits in ten hyperbolic dimensions
===============================================

Nothing here is limited to the plane. Ten principal components of the digits are taken as tangent
vectors at the origin of a ten-dimensional hyperbolic space (``coordinates="tangent"``: every vector
is a point). One-vs-one beats one-vs-rest, and kernels beat hyperplanes. Below, test images that the
secant kernel gets wrong: "3, not 2" is a 3 that it takes for a 2.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from hyplane import HyperbolicKernelSVC, HyperbolicSVC
from hyplane.baselines import rbf_svc

digits = load_digits()
rows = np.arange(len(digits.target))
train, test = train_test_split(rows, test_size=0.5, stratify=digits.target, random_state=0)

scaler, pca = StandardScaler().fit(digits.data[train]), PCA(10)
reduced = pca.fit_transform(scaler.transform(digits.data[train]))
scale = 2 / np.sqrt((reduced**2).sum(axis=1).mean())  # root mean square radius 2
X = scale * pca.transform(scaler.transform(digits.data))
y = digits.target

classifiers = {
    "one-vs-rest": HyperbolicSVC(coordinates="tangent"),
    "one-vs-one": HyperbolicSVC(coordinates="tangent", multi_class="ovo"),
    "secant kernel": HyperbolicKernelSVC(C=10, coordinates="tangent"),
    "Euclidean RBF\non ball coordinates": rbf_svc(C=10, coordinates="tangent"),
}
scores = {
    name: clf.fit(X[train], y[train]).score(X[test], y[test]) for name, clf in classifiers.items()
}

figure = plt.figure(figsize=(9, 5), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=[2, 1])
ax = above.subplots()
colors = ["#0072B2", "#0072B2", "#009E73", "0.6"]
accuracy = [100 * score for score in scores.values()]
ax.scatter(accuracy, list(scores), s=90, color=colors, zorder=3)
for name, value in zip(scores, accuracy, strict=True):
    ax.annotate(f"{value:.1f} %", (value, name), (9, 0), textcoords="offset points", va="center")
ax.grid(axis="y", color="0.88")
ax.set(xlim=(80, 100), ylim=(-0.5, 3.5), xlabel="test accuracy in %")
ax.invert_yaxis()
ax.spines[["top", "right"]].set_visible(False)

predicted = classifiers["secant kernel"].predict(X[test])
wrong = test[predicted != y[test]][:10]
for ax, row in zip(below.subplots(1, 10), wrong, strict=True):
    ax.imshow(digits.images[row], cmap="gray_r")
    [answer] = classifiers["secant kernel"].predict(X[[row]])
    ax.set_title(f"{y[row]}, not {answer}", fontsize=9)
    ax.set_axis_off()
plt.show()
