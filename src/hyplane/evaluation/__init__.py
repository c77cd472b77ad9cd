"""Compare classifiers: the paper's protocol, paired tests, and the register of methods."""

from hyplane.evaluation.methods import METHODS, Method
from hyplane.evaluation.paired import PairedTest, paired_t_test
from hyplane.evaluation.protocol import evaluate, score_predictions, stratified_trials
from hyplane.evaluation.results import SCORES, Evaluation, Trial

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
