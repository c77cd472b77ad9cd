"""Solvers of binary problems: a result says the hyperplane, the value, how it ended and why."""

from hyplane.solvers.binary_solver import BinarySolver
from hyplane.solvers.block_rows import OutOfCoreRows
from hyplane.solvers.certificate import Certificate, certify_soft_margin
from hyplane.solvers.hard_margin import HardMargin, HardMarginResult, solve_hard_margin
from hyplane.solvers.over_blocks import solve_over_blocks
from hyplane.solvers.result import Hyperplanes, SoftMarginResult, hyperplane_at_infinity
from hyplane.solvers.rows import (
    BinaryProblem,
    BinaryRows,
    Points,
    Rows,
    Score,
    best_of_rows,
    scores_of_rows,
)
from hyplane.solvers.soft_margin import BOUNDS, SoftMargin, solve_soft_margin
from hyplane.solvers.squared_hinge import SquaredHinge

__all__ = [
    "BOUNDS",
    "BinaryProblem",
    "BinaryRows",
    "BinarySolver",
    "Certificate",
    "HardMargin",
    "HardMarginResult",
    "Hyperplanes",
    "OutOfCoreRows",
    "Points",
    "Rows",
    "Score",
    "SoftMargin",
    "SoftMarginResult",
    "SquaredHinge",
    "best_of_rows",
    "certify_soft_margin",
    "hyperplane_at_infinity",
    "scores_of_rows",
    "solve_hard_margin",
    "solve_over_blocks",
    "solve_soft_margin",
]
