"""Positive definite kernels on hyperbolic space, and random features for large data."""

from hyplane.kernels.functions import laplacian_kernel, secant_kernel, tangent_rbf_kernel
from hyplane.kernels.horofunctions import HorofunctionFeatures
from hyplane.kernels.hyperbolic_kernel import HyperbolicKernel
from hyplane.kernels.random_features import HyperbolicRandomFeatures
from hyplane.kernels.scale import scale_gamma

__all__ = [
    "HorofunctionFeatures",
    "HyperbolicKernel",
    "HyperbolicRandomFeatures",
    "laplacian_kernel",
    "scale_gamma",
    "secant_kernel",
    "tangent_rbf_kernel",
]
