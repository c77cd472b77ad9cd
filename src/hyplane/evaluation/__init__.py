"""Compare classifiers: the paper's protocol, paired tests, and the register of methods."""

from typing import TYPE_CHECKING

from hyplane._utils.lazy import lazy_names
from hyplane.evaluation.methods import METHODS, SCORES, Method

if TYPE_CHECKING:
    from hyplane.evaluation.paired import PairedTest, paired_t_test
    from hyplane.evaluation.protocol import (
        Evaluation,
        Trial,
        evaluate,
        score_predictions,
        stratified_trials,
    )

__all__ = [
    "METHODS",
    "SCORES",
    "Evaluation",
    "Method",
    "PairedTest",
    "Trial",
    "evaluate",
    "paired_t_test",
    "score_predictions",
    "stratified_trials",
]
__getattr__, __dir__ = lazy_names(__name__)
