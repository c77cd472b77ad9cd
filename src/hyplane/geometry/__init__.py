"""Functions of arrays of points in hyperbolic space.

Charts and their conversions, distances, geodesics and means, isometries, and hyperplanes. Points
are rows; every function that takes them takes the name of their chart (``coordinates``) and the
curvature of the space, one negative number that is -1 by default.
"""

from hyplane._utils.charts import CHARTS
from hyplane.geometry.charts import clip_radius, convert, from_polar, to_polar
from hyplane.geometry.distances import distance, pairwise_distances
from hyplane.geometry.errors import PointError
from hyplane.geometry.hyperplanes import (
    hyperplane_normal,
    hyperplane_parameters,
    hyperplane_points,
    hyperplane_through,
    signed_distance,
)
from hyplane.geometry.isometries import (
    apply_isometry,
    inverse_isometry,
    is_isometry,
    lorentz_boost,
    minkowski_product,
    random_isometry,
    rotation,
)
from hyplane.geometry.maps import exponential_map, geodesic_midpoint, logarithm_map
from hyplane.geometry.means import einstein_midpoint, frechet_mean
from hyplane.geometry.surfaces import busemann, surface_distance, surface_in_ball, surface_kind
from hyplane.geometry.validation import check_points

__all__ = [
    "CHARTS",
    "PointError",
    "apply_isometry",
    "busemann",
    "check_points",
    "clip_radius",
    "convert",
    "distance",
    "einstein_midpoint",
    "exponential_map",
    "frechet_mean",
    "from_polar",
    "geodesic_midpoint",
    "hyperplane_normal",
    "hyperplane_parameters",
    "hyperplane_points",
    "hyperplane_through",
    "inverse_isometry",
    "is_isometry",
    "logarithm_map",
    "lorentz_boost",
    "minkowski_product",
    "pairwise_distances",
    "random_isometry",
    "rotation",
    "signed_distance",
    "surface_distance",
    "surface_in_ball",
    "surface_kind",
    "to_polar",
]
