"""
Circles in the hyperbolic plane
===============================

Why trees fit in hyperbolic space: it has more room. Left, circles of radius 1, 2, 3 and 4 around
two points of the Poincaré disk. They look like ordinary circles, but the steps between them are all
of the same hyperbolic length. Right, the length of a circle against its radius. In the Euclidean
plane it grows linearly, in the hyperbolic plane like the number of nodes of a tree: exponentially.
"""

import matplotlib.pyplot as plt
import numpy as np

from hyplane.geometry import apply_isometry, convert, lorentz_boost
from hyplane.plotting import draw_disk

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6), layout="constrained")

draw_disk(left)
angle = np.linspace(0, 2 * np.pi, 400)
[place] = convert([[2.0, 0.6]], "polar", "hyperboloid")
for centre, color in [([1.0, 0.0, 0.0], "#0072B2"), (place, "#D55E00")]:
    boost = lorentz_boost(centre)
    for radius in (1, 2, 3, 4):
        circle = np.column_stack([np.full_like(angle, radius), angle])
        moved = apply_isometry(boost, circle, coordinates="polar")
        ball = convert(moved, "polar", "ball")
        left.plot(*ball.T, color=color, lw=1.6)
    [dot] = convert([centre], "hyperboloid", "ball")
    left.plot(*dot, "o", color=color)
left.set_title("circles of radius 1, 2, 3, 4")

radius = np.linspace(0, 6.3, 200)
right.semilogy(radius, 2 * np.pi * np.sinh(radius), label="hyperbolic: 2π sinh r")
right.semilogy(radius, 2 * np.pi * radius, label="Euclidean: 2π r")
right.semilogy(np.arange(1, 7), 3.0 ** np.arange(1, 7), "k.", label="tree of branching 3: $3^r$")
right.set(xlabel="radius r", ylabel="length of the circle", xlim=(0, 6.3), ylim=(0.5, 3000))
right.legend(frameon=False)
right.grid(alpha=0.3)
plt.show()
