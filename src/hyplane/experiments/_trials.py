"""One method by the paper's protocol on one data set, as the content of a piece."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.evaluation import METHODS, evaluate, score_predictions
from hyplane.metrics import indicator_matrix

# Seconds, roughly, for one class or label in one trial: the progress bar expects by these.
_COSTS = {"euclidean": 0.007, "euclidean-ours": 0.011, "hyperbolic-ours": 0.08}
_OTHER_COST = 0.04


def expected_cost(trials: Mapping[str, Any], n_problems: int) -> float:
    """Return roughly how long the trials take, in seconds."""
    n_fits = trials["n_trials"] * (2 if trials["protocol"] == "twofold" else 1)
    seconds: float = _COSTS.get(trials["method"], _OTHER_COST) * n_problems * n_fits
    return seconds


def run_trials(
    trials: Mapping[str, Any], X: Array, y: NDArray[Any], *, seed: int
) -> dict[str, Any]:
    """Evaluate one method; the seed alone decides the splits, so they are those of every method.

    Parameters
    ----------
    trials : dict
        ``method``, a name of `METHODS`, ``n_trials`` and ``protocol``.
    X : ndarray of shape (m, n)
    y : ndarray of shape (m,) or (m, n_labels)
    seed : int

    Returns
    -------
    result : dict
        ``records``, one per trial, and ``warnings``, the texts of those raised. Beside the scores
        a record has ``macro_aupr_ceiling``, what a perfect ranking of its test part scores.
    """
    method = trials["method"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluation = evaluate(
            {method: METHODS[method].make()},
            X,
            y,
            n_trials=trials["n_trials"],
            protocol=trials["protocol"],
            random_state=seed,
        )
    records = [
        {**record, "macro_aupr_ceiling": ceiling(y, trial.test)}
        for record, trial in zip(evaluation.records, evaluation.trials, strict=True)
    ]
    texts = sorted({str(warning.message) for warning in caught})
    return {"records": records, "warnings": texts}


def ceiling(y: NDArray[Any], test: NDArray[np.int64]) -> float:
    """Return the macro AUPR of a perfect ranking of some rows, which is below 1.

    Examples
    --------
    >>> ceiling(np.array([0, 0, 1, 1, 1, 1]), np.arange(6))
    0.75
    """
    classes = np.unique(y) if y.ndim == 1 else np.arange(y.shape[1])
    truth = y[test] if y.ndim == 2 else indicator_matrix(y[test], classes)
    # No two rows the same, as scores of real classifiers are.
    scores = truth + 1e-6 * np.arange(len(truth))[:, None] / len(truth)
    if y.ndim == 1 and len(classes) == 2:
        scores = scores[:, 1]
    return score_predictions(y[test], scores, y[test], classes)["macro_aupr"]
