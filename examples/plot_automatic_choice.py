"""
What the automatic choice tried
===============================

:class:`~hyplane.HyperbolicClassifier` compares all classifiers of the package on rows left out.
Each round has more training rows and fewer candidates; only the best are fitted to all rows. The
table ``results_`` has one line for each candidate, with the reason why it left. Here one class lies
inside another, so that no hyperplane separates them.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane import HyperbolicClassifier
from hyplane.plotting import PoincareDisplay

rng = np.random.default_rng(0)
y = rng.integers(2, size=700)
radius = np.abs(np.array([0.8, 2.4])[y] + 0.6 * rng.standard_normal(y.size))
X = np.column_stack([radius, rng.uniform(0, 2 * np.pi, y.size)])  # polar

clf = HyperbolicClassifier(coordinates="polar", random_state=0).fit(X, y)
print(clf.report(8))

# %%
# On the left the search: each dot is a candidate, with the log loss of its last fits. Log losses of
# different rounds belong to different rows. On the right the classes that the chosen one predicts.

results = clf.results_
kinds = [name.split(", ")[0] for name in results["candidate"]]
kinds = ["nearest neighbours" if "nearest" in kind else kind for kind in kinds]
end = np.char.replace(results["end"], "left: ", "left after round 3: ")
ends = {
    "left after round 1": ("#c9c9c9", np.char.startswith(end, "left after round 1")),
    "left after round 2": ("#7fb2d9", np.char.startswith(end, "left after round 2")),
    "tried on all rows": ("#1f5f99", np.char.startswith(end, "left after round 3")),
    "chosen": ("#d1495b", results["weight"] > 0),
}

figure, (left, right) = plt.subplots(
    1, 2, figsize=(11, 4.4), layout="constrained", width_ratios=[1.5, 1]
)
names = sorted(set(kinds), reverse=True)
place = np.array([names.index(kind) for kind in kinds])
place = place + rng.uniform(-0.2, 0.2, len(place))  # so that equal dots are both seen
for label, (color, own) in ends.items():
    size = 110 if label == "chosen" else 40
    left.scatter(results["log_loss"][own], place[own], size, color, label=label, edgecolors="white")
left.set(xscale="log", xlabel="log loss of rows left out", yticks=range(len(names)))
left.set_yticklabels(names)
left.legend(loc="upper center", bbox_to_anchor=(0.4, -0.15), ncols=4, frameon=False)
PoincareDisplay.from_estimator(clf, X, y, ax=right, boundaries=False, legend=False, size=6)
right.set_title(clf.choice_, fontsize=9)
plt.show()
