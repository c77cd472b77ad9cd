"""
Tutorial: hyplane for scikit-learn users
========================================

Everything that you do with a classifier of scikit-learn works here too: pipelines, grid search,
cross validation, calibration, inspection. The one thing to state is what the columns of X mean:
the model of hyperbolic space (``coordinates``) and its curvature. Here the rows are ordinary
features, so they are scaled and taken as tangent vectors at the origin.
"""

# %%
# A pipeline
# ----------
# Images of digits, reduced to ten principal components. `TangentScaler` centres the rows and
# scales them to a moderate radius.

import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.inspection import permutation_importance
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from hyplane import HyperbolicSVC, HyperbolicSVCCV
from hyplane.features import TangentScaler

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

svm = HyperbolicSVC(coordinates="tangent", random_state=0)
pipeline = make_pipeline(PCA(10, random_state=0), TangentScaler(), svm)
print(f"accuracy: {pipeline.fit(X_train, y_train).score(X_test, y_test):.3f}")

# %%
# Grid search and cross validation
# --------------------------------
# Parameters are reached by the names that scikit-learn gives to the steps of a pipeline.

grid = {"hyperbolicsvc__C": [0.1, 1, 10], "hyperbolicsvc__multi_class": ["ovr", "ovo"]}
search = GridSearchCV(pipeline, grid, cv=3).fit(X_train, y_train)
print(search.best_params_, f"test accuracy {search.score(X_test, y_test):.3f}")
print("folds:", cross_val_score(search.best_estimator_, X_train, y_train, cv=3).round(3))

# %%
# Probabilities
# -------------
# `HyperbolicSVCCV` chooses C and calibrates probabilities in one cross validation.
# `CalibratedClassifierCV` of scikit-learn works with every classifier here.

zero = y_train == 0  # one digit against the others
ours = make_pipeline(
    PCA(10, random_state=0),
    TangentScaler(),
    HyperbolicSVCCV(coordinates="tangent", random_state=0),
).fit(X_train, zero)
theirs = CalibratedClassifierCV(pipeline, cv=3).fit(X_train, zero)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
CalibrationDisplay.from_estimator(
    ours, X_test, y_test == 0, n_bins=5, ax=axes[0], name="HyperbolicSVCCV"
)
CalibrationDisplay.from_estimator(
    theirs, X_test, y_test == 0, n_bins=5, ax=axes[0], name="CalibratedClassifierCV"
)
axes[0].set_title("Is it a zero?")
ConfusionMatrixDisplay.from_estimator(search, X_test, y_test, ax=axes[1], colorbar=False)
axes[1].set_title("All ten digits")
plt.show()

# %%
# Inspection
# ----------
# Tools that change one column at a time need coordinates in which every row is a point: tangent
# coordinates, not those of the ball. Which principal components matter?

*steps, last = search.best_estimator_.steps
components = search.best_estimator_[:-1].transform(X_test)
importance = permutation_importance(last[1], components, y_test, n_repeats=5, random_state=0)
for number, mean in enumerate(importance.importances_mean, start=1):
    print(f"component {number}: accuracy falls by {mean:.3f}")
