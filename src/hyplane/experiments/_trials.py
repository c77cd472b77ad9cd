"""One method by the paper's protocol on one data set, as the content of a piece."""

import warnings
from typing import Any

from numpy.typing import NDArray

from hyplane._typing import Array
from hyplane.evaluation import METHODS, evaluate

# Seconds, roughly, for one class or label in one trial: the progress bar expects by these.
_COSTS = {"euclidean": 0.007}
_OTHER_COST = 0.04


def expected_cost(method: str, n_problems: int, n_trials: int) -> float:
    """Return roughly how long the trials take, in seconds."""
    return _COSTS.get(method, _OTHER_COST) * n_problems * n_trials


def run_trials(
    method: str, X: Array, y: NDArray[Any], *, n_trials: int, seed: int
) -> dict[str, Any]:
    """Evaluate one method; the seed alone decides the splits, so they are those of every method.

    Parameters
    ----------
    method : str
        A name of `METHODS`.
    X : ndarray of shape (m, n)
    y : ndarray of shape (m,) or (m, n_labels)
    n_trials : int
    seed : int

    Returns
    -------
    result : dict
        ``records``, one per trial, and ``warnings``, the texts of those raised.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluation = evaluate(
            {method: METHODS[method].make()}, X, y, n_trials=n_trials, random_state=seed
        )
    texts = sorted({str(warning.message) for warning in caught})
    return {"records": evaluation.records, "warnings": texts}
