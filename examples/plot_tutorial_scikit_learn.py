"""
Tutorial: hyplane for scikit-learn users
========================================

hyplane's classifiers work with scikit-learn's pipelines, grid search, cross validation, calibration
and inspection. In addition, state the model of hyperbolic space of your points (``coordinates``)
and its curvature. Here the rows are ordinary features, taken as tangent vectors at the origin.
"""

# %%
# A pipeline
# ----------
# We reduce images of digits to ten principal components. `TangentScaler` centres and scales them.

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
pipeline = make_pipeline(PCA(10, random_state=0), TangentScaler(coordinates="tangent"), svm)
print(f"accuracy: {pipeline.fit(X_train, y_train).score(X_test, y_test):.3f}")

# %%
# Grid search and cross validation
# --------------------------------
# As in any pipeline, the names of parameters begin with the name of the step.

grid = {"hyperbolicsvc__C": [0.1, 1, 10], "hyperbolicsvc__multi_class": ["ovr", "ovo"]}
search = GridSearchCV(pipeline, grid, cv=3).fit(X_train, y_train)
print(search.best_params_, f"test accuracy {search.score(X_test, y_test):.3f}")
print("folds:", cross_val_score(search.best_estimator_, X_train, y_train, cv=3).round(3))

# %%
# Probabilities
# -------------
# `HyperbolicSVCCV` chooses C and calibrates probabilities in one cross validation.
# scikit-learn's `CalibratedClassifierCV` works with every classifier of hyplane.

is_eight = y_train == 8  # one digit against the others
ours = make_pipeline(
    PCA(10, random_state=0),
    TangentScaler(coordinates="tangent"),
    HyperbolicSVCCV(coordinates="tangent", random_state=0),
).fit(X_train, is_eight)
theirs = CalibratedClassifierCV(pipeline, cv=3).fit(X_train, is_eight)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
for name, each in {"HyperbolicSVCCV": ours, "CalibratedClassifierCV": theirs}.items():
    CalibrationDisplay.from_estimator(each, X_test, y_test == 8, n_bins=5, ax=axes[0], name=name)
axes[0].set_title("Is it an eight?")
ConfusionMatrixDisplay.from_estimator(search, X_test, y_test, ax=axes[1], colorbar=False)
axes[1].set_title("All ten digits")
plt.show()

# %%
# Inspection
# ----------
# Which principal components matter? Tools that change one column at a time need tangent
# coordinates, in which every row is a point.

components = search.best_estimator_[:-1].transform(X_test)
importance = permutation_importance(
    search.best_estimator_[-1], components, y_test, n_repeats=5, random_state=0
)
for number, mean in enumerate(importance.importances_mean, start=1):
    print(f"component {number}: accuracy falls by {mean:.3f}")
