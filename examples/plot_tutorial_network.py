"""
Tutorial: from an edge list to a classifier
===========================================

The input of this tutorial are two small tables: the games between 115 American college football
teams in the season of 2000, and the conference of each team. Teams play most games within their
conference. We embed the network of games in hyperbolic space without looking at the
conferences, learn the conferences of two thirds of the teams, and predict those of the others.
"""

# %%
# Read the network
# ----------------
# `load_graph` takes networkx graphs and matrices, and reads files: edge lists, GML, GraphML,
# adjacency matrices.

import matplotlib.pyplot as plt
import networkx as nx
import pandas as pd
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
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
# The hyperbolic skip-gram learns from random walks: teams that often occur in the same walk come
# close to each other. The result is an array of points of the Poincaré ball, here in five
# dimensions.

embedding = HyperbolicSkipGram.converged(n_components=5, random_state=0)
X = embedding.fit_transform(network.graph)
y = network.target_names[network.target]

# %%
# Train and test
# --------------
# With twelve small classes one-vs-one is the better choice: each hyperplane separates two
# conferences. A third of the teams is held out.

X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=1 / 3, stratify=y, random_state=0
)
clf = HyperbolicSVC(multi_class="ovo", random_state=0).fit(X_train, y_train)
predicted = clf.predict(X_test)
print(f"{(predicted == y_test).sum()} of {len(y_test)} held-out teams are classified correctly")
print(pd.crosstab(y_test, predicted != y_test, rownames=["conference"], colnames=["wrong"]))

# %%
# Compare
# -------
# The natural rival is a linear SVM that takes the same points for points of Euclidean space. Both
# choose C by an inner cross validation.

rivals = {"hyperbolic": clf, "Euclidean": SVC(kernel="linear")}
for name, rival in rivals.items():
    search = GridSearchCV(rival, {"C": [0.1, 1, 10, 100]}, cv=3)
    scores = cross_val_score(search, X, y, cv=4)
    print(f"{name}: accuracy {scores.mean():.3f} ± {scores.std():.3f}")

# %%
# Look at it
# ----------
# Five dimensions are projected onto the plane for the picture. The regions are the decisions on the
# slice of the space that is drawn, and the note says how many points lie on a region of their
# predicted class.

figure, ax = plt.subplots(figsize=(8.5, 6.5), layout="constrained")
PoincareDisplay.from_estimator(clf, X, y, ax=ax, size=30, boundaries=False)
ax.set_title("Conferences of football teams")
plt.show()

# %%
# A new team is placed at the mean of its opponents and classified there:

rows = {name: row for row, name in enumerate(network.node_names)}
opponents = ["UCLA", "ArizonaState", "SouthernCalifornia"]
newcomer = embedding.place([[rows[team] for team in opponents]])
print(f"a team that plays {', '.join(opponents)}: {clf.predict(newcomer)[0]}")
