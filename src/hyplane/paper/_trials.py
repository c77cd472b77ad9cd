"""One method by the paper's protocol on one data set, as the content of a piece."""

import hashlib
import json
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Array
from hyplane.evaluation import METHODS, evaluate
from hyplane.metrics import indicator_matrix

# Seconds, roughly, for one class or label in one trial: the progress bar estimates with them.
_COSTS = {"euclidean": 0.007, "euclidean-ours": 0.011, "hyperbolic-ours": 0.08}
_OTHER_COST = 0.04


class OwnMethod(str):
    """A digest of an estimator of one's own, which carries the estimator along.

    Settings of pieces are text, and pieces go to other processes: as text this is what tells one
    estimator from another (its class, its parameters, the file it is defined in).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> first, second = (OwnMethod.of(LogisticRegression(C=C)) for C in (1.0, 2.0))
    >>> first == second, first == OwnMethod.of(LogisticRegression()), second.estimator
    (False, True, LogisticRegression(C=2.0))
    """

    estimator: Any = None
    place: str = ""  # module:object, where it was imported from there

    @classmethod
    def of(cls, estimator: Any) -> "OwnMethod":
        """Wrap an estimator."""
        for needed in ("fit", "predict", "get_params"):
            if not hasattr(estimator, needed):
                raise ValueError(
                    f"a method is an estimator, with fit, predict and get_params; got "
                    f"{estimator!r}, which has no {needed}."
                )
        if not (hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")):
            raise ValueError(
                f"{estimator!r} has neither decision_function nor predict_proba, by one of which "
                "test rows are ranked."
            )
        made = cls(_digest_of(estimator))
        made.estimator = estimator
        return made

    @classmethod
    def named(cls, place: str) -> "OwnMethod":
        """Import an estimator, or a class or function that makes one, from ``module:object``."""
        module, _, name = place.partition(":")
        folder = str(Path.cwd())
        if folder not in sys.path:  # as python -m does it
            sys.path.insert(0, folder)
        try:
            found: Any = import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError) as error:
            raise ValueError(f"no method {place!r}: {error}.") from error
        is_estimator = hasattr(found, "fit") and not isinstance(found, type)
        made = cls.of(found if is_estimator or not callable(found) else found())
        made.place = place
        return made


def _digest_of(estimator: Any) -> str:
    kind = type(estimator)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    own = "" if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()
    parameters = {key: repr(value) for key, value in sorted(estimator.get_params().items())}
    content = json.dumps([kind.__module__, kind.__qualname__, own, parameters])
    return f"{kind.__name__} {hashlib.sha256(content.encode()).hexdigest()[:16]}"


def title_of(method: str) -> str:
    """Name a method for tables and sentences; one's own has the name it was given.

    Examples
    --------
    >>> title_of("euclidean"), title_of("mine")
    ('Euclidean SVM', 'mine')
    """
    return METHODS[method].title if method in METHODS else method


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
        ``method``, a name of `METHODS`, ``n_trials`` and ``protocol``; ``Cs``, if the grid is not
        the paper's; ``own``, an `OwnMethod`, if the method is none of ours.
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
            {method: estimator_of(trials)},
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


def estimator_of(trials: Mapping[str, Any]) -> Any:
    """Return the estimator that the settings of trials ask for.

    Examples
    --------
    >>> estimator_of({"method": "euclidean", "Cs": [1.0]}).Cs
    [1.0]
    """
    if "own" in trials:
        return trials["own"].estimator
    grid = {"Cs": trials["Cs"]} if "Cs" in trials else {}
    return METHODS[trials["method"]].make(**grid)


def ceiling(y: NDArray[Any], test: NDArray[np.int64]) -> float:
    """Return the macro AUPR of a perfect ranking of some rows, which is below 1.

    Examples
    --------
    >>> ceiling(np.array([0, 0, 1, 1, 1, 1]), np.arange(6))
    0.75
    """
    classes = np.unique(y) if y.ndim == 1 else np.arange(y.shape[1])
    truth = y[test] if y.ndim == 2 else indicator_matrix(y[test], classes)
    if y.ndim == 1 and len(classes) == 2:
        truth = truth[:, 1:]
    count = truth.sum(axis=0)
    count = count[(count > 0) & (count < len(truth))]
    # The trapezoids of P positive rows before all others begin at the recall 1/P.
    return float(np.mean(1.0 - 1.0 / count))
