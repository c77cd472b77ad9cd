"""Logistic regression in hyperbolic space, linear and with kernels."""

from hyplane.logistic.kernel import HyperbolicKernelLogisticRegression
from hyplane.logistic.linear import HyperbolicLogisticRegression

__all__ = ["HyperbolicKernelLogisticRegression", "HyperbolicLogisticRegression"]
