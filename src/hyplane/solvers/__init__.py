"""Solvers of binary problems. A result has the hyperplane, the value and why the solver stopped."""

from hyplane.solvers.certificate import Certificate, certify_soft_margin
from hyplane.solvers.hard_margin import HardMargin as HardMargin
from hyplane.solvers.hard_margin import HardMarginResult, solve_hard_margin
from hyplane.solvers.result import SoftMarginResult
from hyplane.solvers.rows import Points
from hyplane.solvers.soft_margin import SoftMargin as SoftMargin
from hyplane.solvers.soft_margin import solve_soft_margin

__all__ = [
    "Certificate",
    "HardMarginResult",
    "Points",
    "SoftMarginResult",
    "certify_soft_margin",
    "solve_hard_margin",
    "solve_soft_margin",
]
