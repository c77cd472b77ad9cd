"""
Decision boundaries in the Poincaré disk
========================================

Four classes of points, each a Gaussian on the hyperbolic plane. A hyperbolic support vector
classifier separates each class from the rest by a geodesic: a circular arc that meets the rim at
right angles. A linear classifier takes the ball coordinates for ordinary numbers and has only
straight lines. The lines belong to the class of their colour; the regions show what is predicted.

``python -m hyplane.demo`` does the same from the command line, and averages over more data sets.
"""

import matplotlib.pyplot as plt

from hyplane.demo import compare, draw

models, accuracies, test = compare(seed=5)
for name, accuracy in accuracies.items():
    print(f"{name}: test accuracy {accuracy:.1%}")
draw(models, accuracies, test, plt.figure(figsize=(9.0, 5.35), layout="constrained"))
plt.savefig("decision_boundary.png", dpi=150)
