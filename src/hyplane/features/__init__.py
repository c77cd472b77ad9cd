"""What a pipeline takes: kernels, random features, horofunctions, and changes of chart."""

from hyplane.features.chart_transformer import ChartTransformer
from hyplane.features.horofunctions import HorofunctionFeatures
from hyplane.features.kernels import (
    HyperbolicKernel,
    laplacian_kernel,
    scale_gamma,
    scale_radius,
    secant_kernel,
    tangent_rbf_kernel,
)
from hyplane.features.random_features import HyperbolicRandomFeatures

__all__ = [
    "ChartTransformer",
    "HorofunctionFeatures",
    "HyperbolicKernel",
    "HyperbolicRandomFeatures",
    "laplacian_kernel",
    "scale_gamma",
    "scale_radius",
    "secant_kernel",
    "tangent_rbf_kernel",
]
