"""Pictures of the hyperbolic plane, on matplotlib axes (``pip install "hyplane[plot]"``).

The picture is the Poincaré disk of radius 1, whatever the chart and the curvature of the points.
Geodesics, and the curves at a constant distance from them, are exact circular arcs.
"""

from hyplane.plotting.disk import draw_disk, draw_geodesic, draw_points, to_disk
from hyplane.plotting.display import PoincareDisplay
from hyplane.plotting.explorer import Explorer, explore
from hyplane.plotting.graphs import draw_graph
from hyplane.plotting.models import draw_hyperplane, draw_models

__all__ = [
    "Explorer",
    "PoincareDisplay",
    "draw_disk",
    "draw_geodesic",
    "draw_graph",
    "draw_hyperplane",
    "draw_models",
    "draw_points",
    "explore",
    "to_disk",
]
