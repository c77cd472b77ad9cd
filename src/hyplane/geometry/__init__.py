"""Hyperbolic space as pure functions on arrays.

Charts and their conversions, distances, geodesics and means, isometries, and hyperplanes. Points
are rows; every function that takes them takes the name of their chart (``coordinates``) and the
curvature of the space, one negative number that is -1 by default.
"""

from hyplane._utils.charts import CHARTS
from hyplane.geometry.charts import convert, from_polar, to_polar
from hyplane.geometry.distances import (
    distance,
    log_cosh_distances,
    pairwise_distances,
    polar_distance,
)
from hyplane.geometry.errors import PointError
from hyplane.geometry.horospheres import (
    boost_ideal_points,
    busemann,
    check_ideal_points,
    horosphere_distance,
    polar_busemann,
)
from hyplane.geometry.hyperplanes import (
    hyperplane_normal,
    hyperplane_parameters,
    hyperplane_points,
    hyperplane_through,
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
from hyplane.geometry.maps import (
    exponential_map,
    geodesic_midpoint,
    logarithm_map,
    solve_triangle,
)
from hyplane.geometry.means import einstein_midpoint
from hyplane.geometry.plane_distances import polar_signed_distance, signed_distance
from hyplane.geometry.recentering import Recentering, polar_boost, recentered
from hyplane.geometry.surfaces import (
    EuclideanSphere,
    equidistant_distance,
    sphere_distance,
    surface_distance,
    surface_in_ball,
    surface_kind,
)
from hyplane.geometry.validation import check_points, clip_radius

__all__ = [
    "CHARTS",
    "EuclideanSphere",
    "PointError",
    "Recentering",
    "apply_isometry",
    "boost_ideal_points",
    "busemann",
    "check_ideal_points",
    "check_points",
    "clip_radius",
    "convert",
    "distance",
    "einstein_midpoint",
    "equidistant_distance",
    "exponential_map",
    "from_polar",
    "geodesic_midpoint",
    "horosphere_distance",
    "hyperplane_normal",
    "hyperplane_parameters",
    "hyperplane_points",
    "hyperplane_through",
    "inverse_isometry",
    "is_isometry",
    "log_cosh_distances",
    "logarithm_map",
    "lorentz_boost",
    "minkowski_product",
    "pairwise_distances",
    "polar_boost",
    "polar_busemann",
    "polar_distance",
    "polar_signed_distance",
    "random_isometry",
    "recentered",
    "rotation",
    "signed_distance",
    "solve_triangle",
    "sphere_distance",
    "surface_distance",
    "surface_in_ball",
    "surface_kind",
    "to_polar",
]
