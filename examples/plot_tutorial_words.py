"""
Tutorial: words of a taxonomy
=============================

WordNet has 1170 words for mammals and the relations between them: a beagle is a hound, a hound is a
hunting dog, and so on. We take a Poincaré embedding of this tree, learn the groups of some words
(carnivores, rodents, …), and predict the groups of the other words.
"""

# %%
# From relations to groups
# ------------------------
# Each row is a word and a word directly above it. The group of a word is the first of seven words
# on the way up.

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
    """Return the group of a word."""
    found = (group(each) for each in above.get(word, []))
    return word if word in GROUPS else next(filter(None, found), None)


# %%
# The embedding
# -------------
# gensim takes a minute to learn an embedding from pairs of words, so we read the stored result.
# ``python tools/make_tutorial_data.py words`` computes it with:
#
# .. code-block:: python
#
#     model = PoincareModel(pairs, size=2, negative=10, burn_in=5, seed=1)  # word, word above
#     model.train(epochs=50, batch_size=50)
#     X, names = hyplane.embeddings.from_gensim_poincare(model)
points = pd.read_csv("data/mammals_points.csv", index_col="word", keep_default_na=False)
groups = pd.Series({word: group(word) for word in points.index}).dropna()
X, y = points.loc[groups.index], groups
print(y.value_counts())

# %%
# Train and test
# --------------
# Half of the words are held out. No single hyperplane separates a group from all others, so we use
# one hyperplane for each pair of groups (one-vs-one).

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
clf = HyperbolicSVC(C=10, multi_class="ovo", random_state=0).fit(X_train, y_train)
print(classification_report(y_test, clf.predict(X_test)))

# %%
# We compare with a Euclidean linear SVM by cross validation. At its best C it has the higher
# accuracy. The hyperbolic SVM has the higher macro F1, so it is better on small groups.

for C in (1, 10, 100):
    for name, each in {"hyperbolic": clf, "Euclidean": SVC(kernel="linear")}.items():
        found = cross_validate(each.set_params(C=C), X, y, cv=5, scoring=["accuracy", "f1_macro"])
        accuracy, f1 = found["test_accuracy"].mean(), found["test_f1_macro"].mean()
        print(f"C={C:<4} {name:10}  accuracy {accuracy:.3f}  macro F1 {f1:.3f}")

# %%
# Draw the decisions
# ------------------
# General words lie in the middle, special ones near the circle. To see the words, write an
# interactive page with ``explore(X, y, estimator=clf, names=list(X.index))``.

figure, ax = plt.subplots(figsize=(8.5, 6.5), layout="constrained")
PoincareDisplay.from_estimator(clf.set_params(C=10).fit(X_train, y_train), X, y, ax=ax)
ax.set_title("Kinds of mammals")
plt.show()
