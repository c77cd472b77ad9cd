"""
LaBNE finds the angles of a network
===================================

A network that grew by popularity and similarity has hidden coordinates: old nodes are near the
centre, similar ones at similar angles. LaBNE sees the links only. It takes angles from two
eigenvectors of the Laplacian and radii from the degrees. Right, the angles it finds against the
true ones (up to a rotation and a reflection, which no method can know).
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane.datasets import popularity_similarity_graph
from hyplane.embeddings import LaBNE
from hyplane.geometry import convert
from hyplane.plotting import draw_graph

network = popularity_similarity_graph(800, mean_degree=6, exponent=2.5, random_state=4)
labne = LaBNE(exponent=2.5, angles="equidistant").fit(network.edges)
polar = convert(labne.embedding_, "ball", "polar")
truth = network.angle[labne.node_names_]

# The rotation and reflection that fit best.
candidates = []
for side in (1, -1):
    shift = np.angle(np.mean(np.exp(1j * (truth - side * polar[:, 1]))))
    found = (side * polar[:, 1] + shift) % (2 * np.pi)
    candidates.append((abs(np.mean(np.exp(1j * (truth - found)))), found))
agreement, found = max(candidates, key=lambda pair: pair[0])
print(f"mean resultant length of the differences: {agreement:.3f} (1 is perfect)")

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
polar[:, 0] *= 3 / polar[:, 0].max()  # for the eye: the true radii are all but on the rim
draw_graph(polar, network.edges, coordinates="polar", ax=left, node_size=8)
left.set_title("the embedding, radii shortened")
right.plot(truth % (2 * np.pi), found, ".", color="#0072B2", ms=4)
right.set(xlabel="true angle", ylabel="angle found", aspect="equal")
ticks = [0, np.pi, 2 * np.pi]
right.set_xticks(ticks, ["0", "π", "2π"])
right.set_yticks(ticks, ["0", "π", "2π"])
right.spines[["top", "right"]].set_visible(False)
plt.show()
