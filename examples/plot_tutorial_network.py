"""
Tutorial: from an edge list to a classifier
===========================================

The input is two small tables: the games between 115 American college football teams in the season
of 2000, and the conference of each team. Teams play most games within their conference. We embed
the network of games without the conferences, learn the conferences of two thirds of the teams, and
predict those of the others.
"""

# %%
# Read the network
# ----------------
# `load_graph` takes networkx graphs and matrices, and reads edge lists, GML and GraphML.
import matplotlib.pyplot as plt
import networkx as nx
import pandas as pd
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import SVC

from hyplane import HyperbolicSVC
from hyplane.datasets import load_graph
from hyplane.embeddings import HyperbolicSkipGram
from hyplane.plotting import PoincareDisplay

games = pd.read_csv("data/football_games.csv")
conferences = pd.read_csv("data/football_conferences.csv", index_col="team")["conference"]
graph = nx.from_pandas_edgelist(games, "team", "opponent")
network = load_graph(graph, labels=conferences.to_dict())
print(f"{network.graph.number_of_nodes()} teams, {network.graph.number_of_edges()} games")

# %%
# Embed it
# --------
# The hyperbolic skip-gram learns from random walks: teams that often occur in the same walk get
# close points. The result is an array of points of the Poincaré ball, here in five dimensions.

embedding = HyperbolicSkipGram.converged(n_components=5, random_state=0)
X = embedding.fit_transform(network.graph)
y = network.target_names[network.target]

# %%
# Train and test
# --------------
# A third of the teams is held out. With twelve small classes we use one-vs-one: each hyperplane
# separates two conferences. We compare with a linear SVM of Euclidean space on the same points.
# Cross validation chooses C for both. On so few teams a small difference may be chance.

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=39, stratify=y, random_state=0)
classifiers = {
    "hyperbolic": HyperbolicSVC(multi_class="ovo", random_state=0),
    "Euclidean": SVC(kernel="linear"),
}
for name, classifier in classifiers.items():
    search = GridSearchCV(classifier, {"C": [0.1, 1, 10, 100]}, cv=3).fit(X_train, y_train)
    classifiers[name] = search.best_estimator_
    print(f"{name}: {(search.predict(X_test) == y_test).sum()} of {len(y_test)} correct")

# %%
# Draw the decisions
# ------------------
# Five dimensions are projected onto the plane. The regions are the decisions on the slice of the
# space that is drawn; the note says how many points lie on a region of their predicted class.

clf = classifiers["hyperbolic"]
figure, ax = plt.subplots(figsize=(8.5, 6.5), layout="constrained")
PoincareDisplay.from_estimator(clf, X, y, ax=ax, size=30, boundaries=False)
ax.set_title("Conferences of football teams")
plt.show()

# %%
# Classify a new team
# -------------------
# A new team is placed at the mean of its opponents.

rows = {name: row for row, name in enumerate(network.node_names)}
opponents = ["UCLA", "ArizonaState", "SouthernCalifornia"]
newcomer = embedding.place([[rows[team] for team in opponents]])
print(f"a team that plays {', '.join(opponents)}: {clf.predict(newcomer)[0]}")
