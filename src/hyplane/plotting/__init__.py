"""Pictures of the hyperbolic plane, on matplotlib axes (``pip install "hyplane[plot]"``).

Displays show a classifier in one of four models of the plane: the Poincaré disk, the Klein disk,
the upper half-plane and the hyperboloid. The functions draw points, graphs and geodesics in the
Poincaré disk of radius 1, whatever the chart and the curvature of the points. Geodesics, and the
curves at a constant distance from them, are exact. Sizes follow matplotlib's style in force;
`paper_style` is one for print.
"""

from hyplane.plotting.disk import draw_disk, draw_geodesic, draw_graph, draw_points, to_disk
from hyplane.plotting.displays import (
    HalfPlaneDisplay,
    HyperboloidDisplay,
    KleinDisplay,
    ModelDisplay,
    PoincareDisplay,
)
from hyplane.plotting.hyperplanes import draw_hyperplane, draw_models
from hyplane.plotting.style import paper_style

__all__ = [
    "HalfPlaneDisplay",
    "HyperboloidDisplay",
    "KleinDisplay",
    "ModelDisplay",
    "PoincareDisplay",
    "draw_disk",
    "draw_geodesic",
    "draw_graph",
    "draw_hyperplane",
    "draw_models",
    "draw_points",
    "paper_style",
    "to_disk",
]
