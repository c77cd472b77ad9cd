"""Solvers: each takes points and labels and returns a result that says why it stopped."""

from hyplane.solvers.certificate import Certificate, certify_soft_margin
from hyplane.solvers.hard_margin import HardMarginResult, solve_hard_margin
from hyplane.solvers.objective import soft_margin_objective
from hyplane.solvers.packing import pack_points
from hyplane.solvers.soft_margin import SoftMarginResult, solve_soft_margin

__all__ = [
    "Certificate",
    "HardMarginResult",
    "SoftMarginResult",
    "certify_soft_margin",
    "pack_points",
    "soft_margin_objective",
    "solve_hard_margin",
    "solve_soft_margin",
]
