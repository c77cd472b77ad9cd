"""
Tutorial: single cells
======================

The input is 700 blood cells with the principal components of their gene expression, as scanpy has
them in ``adata.obsm["X_pca"]``, and a type for each cell. Principal components are ordinary
vectors. To use them as points of hyperbolic space, we take them as tangent vectors at the origin,
after scaling.
"""

# %%
# Read the cells
# --------------
# The table was written by ``python tools/make_tutorial_data.py cells`` from scanpy's
# ``pbmc68k_reduced``. If you have scanpy, use ``adata.obsm["X_pca"]`` and
# ``adata.obs["bulk_labels"]`` instead.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from hyplane import HyperbolicSVC
from hyplane.features import TangentScaler
from hyplane.plotting import PoincareDisplay

cells = pd.read_csv("data/cells.csv", index_col="cell")
X, y = cells.filter(like="PC").iloc[:, :20], cells["cell_type"]
print(y.value_counts())

# %%
# Scale, then classify
# --------------------
# `TangentScaler` centres the rows and scales them to a moderate radius. Without it the median
# radius is about 10, where directions matter more than lengths, and the solver warns about some
# fits that have not converged. We ignore these warnings here.

print("median radius:", np.median(np.linalg.norm(X, axis=1)).round(1))
svm = HyperbolicSVC(coordinates="tangent", multi_class="ovo", random_state=0)
classifiers = {
    "hyperbolic SVM, unscaled": svm,
    "hyperbolic SVM, scaled": make_pipeline(TangentScaler(coordinates="tangent"), svm),
    "linear SVM": SVC(kernel="linear", C=0.1),
}
warnings.simplefilter("ignore", ConvergenceWarning)
for name, each in classifiers.items():
    scores = cross_val_score(each, X, y, cv=4)
    print(f"{name}: accuracy {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# Which types are confused?
# -------------------------
# A quarter of the cells is held out. Most errors are between related types.

X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
clf = classifiers["hyperbolic SVM, scaled"].fit(X_train, y_train)
predicted = clf.predict(X_test)
print(f"test accuracy {clf.score(X_test, y_test):.3f}")
print(
    pd.Series([f"{a} as {b}" for a, b in zip(y_test, predicted, strict=True) if a != b])
    .value_counts()
    .head(5)
)

# %%
# Draw the decisions
# ------------------
# We draw the last step of the pipeline, with the scaled rows of the test cells.

figure, ax = plt.subplots(figsize=(9, 6.5), layout="constrained")
PoincareDisplay.from_estimator(clf[-1], clf[:-1].transform(X_test), y_test, ax=ax, boundaries=False)
ax.set_title("Held-out blood cells")
plt.show()
