"""
Tutorial: words of a taxonomy
=============================

WordNet knows 1170 kinds of mammals and which kind belongs to which: a beagle is a hound, a hound
is a hunting dog, and so on. Such a tree fits well into few dimensions of hyperbolic space. We take
a Poincaré embedding of it, learn the group of some words (carnivores, rodents, …), and predict the
group of words that the classifier has not seen.
"""

# %%
# From relations to groups
# ------------------------
# Each row of the table is a word and a word directly above it. The group of a word is the first of
# seven words that one meets on the way up.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.metrics import classification_report
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.svm import LinearSVC

from hyplane import HyperbolicSVC
from hyplane.plotting import PoincareDisplay

GROUPS = ("carnivore", "ungulate", "rodent", "primate", "aquatic mammal", "bat", "marsupial")
relations = pd.read_csv("data/mammals_relations.csv")
above = relations.groupby("word")["hypernym"].agg(list)


def group(word):
    """Return the group of a word, or None."""
    if word in GROUPS:
        return word
    return next((found for each in above.get(word, []) if (found := group(each))), None)


# %%
# The embedding
# -------------
# gensim learns Poincaré embeddings from pairs of words. These lines made the points; they take
# some minutes, so we read the stored result (``python tools/make_tutorial_data.py words`` makes it
# anew).
#
# .. code-block:: python
#
#     from gensim.models.poincare import PoincareModel
#     from hyplane.embeddings import from_gensim_poincare
#
#     # pairs: each word with each word above it, directly or not
#     model = PoincareModel(pairs, size=10, negative=20, burn_in=10, seed=1)
#     model.train(epochs=100)
#     X, names = from_gensim_poincare(model)

points = pd.read_csv("data/mammals_points.csv", index_col="word", keep_default_na=False)
groups = pd.Series({word: group(word) for word in points.index}).dropna()
X, y = points.loc[groups.index], groups
print(y.value_counts())

# %%
# Train and test
# --------------
# Half of the words are held out. Most words are leaves at nearly the same radius, so a large C,
# that is, a narrow margin, is the better choice here.

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
clf = HyperbolicSVC(C=100).fit(X_train, y_train)
print(classification_report(y_test, clf.predict(X_test)))

# %%
# The same rows taken for points of Euclidean space:

for name, rival in {"hyperbolic": clf, "Euclidean": LinearSVC(C=100, dual=False)}.items():
    scores = cross_val_score(rival, X, y, cv=5, scoring="f1_macro")
    print(f"{name} linear SVM: macro F1 {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# Look at it
# ----------
# Ten dimensions are projected onto the plane for the picture; the note below it says how well. To
# see the words themselves, write an interactive page with
# ``explore(X, y, estimator=clf, names=list(X.index))``.

figure, ax = plt.subplots(figsize=(8.5, 6.5), layout="constrained")
PoincareDisplay.from_estimator(clf, X, y, ax=ax, boundaries=False)
ax.set_title("Kinds of mammals")
plt.show()
