"""
Tutorial: words of a taxonomy
=============================

WordNet knows 1170 kinds of mammals and which kind belongs to which: a beagle is a hound, a hound
is a hunting dog, and so on. Such a tree fits into the hyperbolic plane. We take a
Poincaré embedding of it, learn the group of some words (carnivores, rodents, …), and predict the
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
from sklearn.model_selection import cross_validate, train_test_split
from sklearn.svm import SVC

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
# gensim learns Poincaré embeddings from pairs of words. These lines made the points; they take a
# minute, so we read the stored result (``python tools/make_tutorial_data.py words`` makes it anew).
#
# .. code-block:: python
#
#     from gensim.models.poincare import PoincareModel
#     from hyplane.embeddings import from_gensim_poincare
#
#     # pairs: each word with each word above it, directly or not
#     model = PoincareModel(pairs, size=2, negative=10, burn_in=5, seed=1)
#     model.train(epochs=50, batch_size=50)
#     X, names = from_gensim_poincare(model)

points = pd.read_csv("data/mammals_points.csv", index_col="word", keep_default_na=False)
groups = pd.Series({word: group(word) for word in points.index}).dropna()
X, y = points.loc[groups.index], groups
print(y.value_counts())

# %%
# Train and test
# --------------
# Half of the words are held out. Each group is a set of branches, and no single hyperplane cuts it
# off from all others, so we let one hyperplane separate each pair of groups (one-vs-one).

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
clf = HyperbolicSVC(C=10, multi_class="ovo", random_state=0).fit(X_train, y_train)
print(classification_report(y_test, clf.predict(X_test)))

# %%
# The rival is a linear SVM, also one-vs-one, that takes the same rows for points of the Euclidean
# plane. At its best C it has the higher accuracy. The hyperbolic SVM has the higher F1, that is, it
# is better on small groups, and it depends less on C.

for C in (1, 10, 100):
    for name, rival in {"hyperbolic": clf, "Euclidean": SVC(kernel="linear")}.items():
        scores = cross_validate(rival.set_params(C=C), X, y, cv=5, scoring=["accuracy", "f1_macro"])
        accuracy, f1 = scores["test_accuracy"].mean(), scores["test_f1_macro"].mean()
        print(f"C={C:<4} {name:10}  accuracy {accuracy:.3f}  macro F1 {f1:.3f}")

# %%
# Look at it
# ----------
# General words lie in the middle, special ones near the rim. To see the words themselves, write an
# interactive page with ``explore(X, y, estimator=clf, names=list(X.index))``.

figure, ax = plt.subplots(figsize=(8.5, 6.5), layout="constrained")
PoincareDisplay.from_estimator(clf.set_params(C=10).fit(X_train, y_train), X, y, ax=ax)
ax.set_title("Kinds of mammals")
plt.show()
