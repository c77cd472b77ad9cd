"""
The curvature is part of the data
=================================

The same numbers mean other points if the curvature is another. The ball of curvature -k has the
radius 1/√k: the smaller k, the larger the ball, the more Euclidean the part of it that the points
fill, and the straighter the boundaries. Say which curvature an embedding was trained with;
`hyplane.embeddings.from_geoopt` passes it on.
"""

import matplotlib.pyplot as plt

from hyplane import HyperbolicSVC
from hyplane.datasets import make_hyperbolic_gaussians
from hyplane.geometry import distance
from hyplane.plotting import PoincareDisplay

X, y = make_hyperbolic_gaussians(
    240, centers=[[0.6, 0.35], [-0.1, 0.55], [0.3, -0.4]], variance=0.5, random_state=2
)

figure, axes = plt.subplots(1, 3, figsize=(11, 4.2), layout="constrained")
for ax, curvature in zip(axes, [-1.0, -0.5, -0.1], strict=True):
    clf = HyperbolicSVC(curvature=curvature).fit(X, y)
    PoincareDisplay.from_estimator(clf, X, y, ax=ax, legend=False)
    apart = distance(X[:1], [[0.0, 0.0]], curvature=curvature)[0]
    ax.set_title(f"curvature {curvature:g}\nfirst point {apart:.2f} from the origin")
plt.show()
