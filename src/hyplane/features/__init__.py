"""What a pipeline takes: kernels, random features, horofunctions, and changes of chart."""

from hyplane.features.chart_transformer import ChartTransformer
from hyplane.features.functions import laplacian_kernel, secant_kernel, tangent_rbf_kernel
from hyplane.features.horofunctions import HorofunctionFeatures
from hyplane.features.hyperbolic_kernel import HyperbolicKernel
from hyplane.features.random_features import HyperbolicRandomFeatures
from hyplane.features.scale import scale_gamma

__all__ = [
    "ChartTransformer",
    "HorofunctionFeatures",
    "HyperbolicKernel",
    "HyperbolicRandomFeatures",
    "laplacian_kernel",
    "scale_gamma",
    "secant_kernel",
    "tangent_rbf_kernel",
]
