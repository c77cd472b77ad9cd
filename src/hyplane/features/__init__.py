"""What a pipeline takes: kernels, features, projections, scaling, and changes of chart."""

from hyplane.features.chart_transformer import ChartTransformer
from hyplane.features.horofunctions import HorofunctionFeatures
from hyplane.features.kernels import (
    HyperbolicKernel,
    gamma_grid,
    laplacian_kernel,
    scale_gamma,
    scale_radius,
    secant_kernel,
)
from hyplane.features.projection import HyperbolicProjection, HyperplaneView
from hyplane.features.random_features import HyperbolicRandomFeatures
from hyplane.features.tangent_scaler import TangentScaler

__all__ = [
    "ChartTransformer",
    "HorofunctionFeatures",
    "HyperbolicKernel",
    "HyperbolicProjection",
    "HyperbolicRandomFeatures",
    "HyperplaneView",
    "TangentScaler",
    "gamma_grid",
    "laplacian_kernel",
    "scale_gamma",
    "scale_radius",
    "secant_kernel",
]
