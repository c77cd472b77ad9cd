"""Solvers: each takes points and a binary problem and returns a result that says why it stopped."""

from hyplane.solvers.binary import BinaryProblem, BinarySolver, HardMargin, SoftMargin
from hyplane.solvers.certificate import Certificate, certify_soft_margin
from hyplane.solvers.fitted import Hyperplanes
from hyplane.solvers.hard_margin import HardMarginResult, solve_hard_margin
from hyplane.solvers.objective import soft_margin_objective
from hyplane.solvers.one_vs_rest import OneVsRest
from hyplane.solvers.points import PackedRows, Points, Score, best_of_rows, scores_of_rows
from hyplane.solvers.soft_margin import BOUNDS, SoftMarginResult, solve_soft_margin
from hyplane.solvers.squared_hinge import SquaredHinge

__all__ = [
    "BOUNDS",
    "BinaryProblem",
    "BinarySolver",
    "Certificate",
    "HardMargin",
    "HardMarginResult",
    "Hyperplanes",
    "OneVsRest",
    "PackedRows",
    "Points",
    "Score",
    "SoftMargin",
    "SoftMarginResult",
    "SquaredHinge",
    "best_of_rows",
    "certify_soft_margin",
    "scores_of_rows",
    "soft_margin_objective",
    "solve_hard_margin",
    "solve_soft_margin",
]
