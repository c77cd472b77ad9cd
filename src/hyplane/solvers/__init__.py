"""Solvers: each takes points and a binary problem and returns a result that says why it stopped."""

from hyplane.solvers.binary import BinaryProblem, BinarySolver
from hyplane.solvers.block_samples import BlockSample
from hyplane.solvers.block_summary import Summary
from hyplane.solvers.certificate import Certificate, certify_soft_margin
from hyplane.solvers.fitted import Hyperplanes, SoftMarginResult, hyperplane_at_infinity
from hyplane.solvers.hard_margin import HardMargin, HardMarginResult, solve_hard_margin
from hyplane.solvers.over_blocks import BlockProblem, solve_over_blocks
from hyplane.solvers.points import PackedRows, Points, Score, best_of_rows, scores_of_rows
from hyplane.solvers.ready_blocks import ReadyBlock, naming_rows, pack_block, ready_block
from hyplane.solvers.reservoir import Reservoir
from hyplane.solvers.soft_margin import BOUNDS, SoftMargin, solve_soft_margin
from hyplane.solvers.squared_hinge import SquaredHinge

__all__ = [
    "BOUNDS",
    "BinaryProblem",
    "BinarySolver",
    "BlockProblem",
    "BlockSample",
    "Certificate",
    "HardMargin",
    "HardMarginResult",
    "Hyperplanes",
    "PackedRows",
    "Points",
    "ReadyBlock",
    "Reservoir",
    "Score",
    "SoftMargin",
    "SoftMarginResult",
    "SquaredHinge",
    "Summary",
    "best_of_rows",
    "certify_soft_margin",
    "hyperplane_at_infinity",
    "naming_rows",
    "pack_block",
    "ready_block",
    "scores_of_rows",
    "solve_hard_margin",
    "solve_over_blocks",
    "solve_soft_margin",
]
