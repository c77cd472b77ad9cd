"""
One-vs-rest or one-vs-one
=========================

With many classes a hyperplane that tells one class from all the rest has a hard task: the others
lie on every side of it. One-vs-one puts a hyperplane between each pair of classes and lets them
vote. Each of these problems is nearly balanced, and the regions of the classes are much freer. For
rankings and probabilities of single classes one-vs-rest is often the better choice.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.plotting import PoincareDisplay


def accuracies(seed):
    """Return the test accuracy of both, and the fitted classifiers."""
    X, y = make_hyperbolic_gaussians(960, n_classes=12, center_variance=2.0, random_state=seed)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=seed
    )
    models = [HyperbolicSVC(multi_class=way, random_state=0) for way in ("ovr", "ovo")]
    fitted = [model.fit(X_train, y_train) for model in models]
    return [clf.score(X_test, y_test) for clf in fitted], fitted, X_test, y_test


scores, fitted, X_test, y_test = accuracies(3)
figure, axes = plt.subplots(1, 2, figsize=(10, 5.2), layout="constrained")
names = {"ovr": "One-vs-rest, 12 hyperplanes", "ovo": "One-vs-one, 66 hyperplanes"}
for ax, clf, score in zip(axes, fitted, scores, strict=True):
    PoincareDisplay.from_estimator(
        clf, X_test, y_test, ax=ax, boundaries=False, legend=False, size=9
    )
    ax.set_title(f"{names[clf.multi_class]}\ntest accuracy {score:.1%}")
plt.show()

# %%
# One data set says little. Over ten of them (where the classes are farther apart, with a
# ``center_variance`` of 4, the two ways are level):
both = np.array([accuracies(seed)[0] for seed in range(10)])
print(f"one-vs-rest {both[:, 0].mean():.1%}, one-vs-one {both[:, 1].mean():.1%}")
print(f"one-vs-one is ahead in {(both[:, 1] > both[:, 0]).sum()} of {len(both)}")
