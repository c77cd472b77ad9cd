"""
One hyperplane in three models
==============================

The same hyperplane, its margin and the same points on the hyperboloid, in the Poincaré ball and in
the upper half-space.
"""

import numpy as np

from hyplane.plotting import draw_models

rng = np.random.default_rng(4)
points = np.column_stack([rng.uniform(0.2, 1.45, 26), rng.uniform(0, 2 * np.pi, 26)])
figure = draw_models([0.15, 0.98, 0.25], points, coordinates="polar", margin=0.5)
figure.savefig("models.png", dpi=110)
