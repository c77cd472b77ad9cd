"""What an evaluation found: scores, trial by trial, and their short forms."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.optional import import_optional
from hyplane._utils.typing import Array

# The metrics of a record by the ends of their columns' names; each is a macro and a micro average.
AVERAGED = {
    "aupr": "trapezoid_aupr",
    "average_precision": "average_precision",
    "roc_auc": "roc_auc",
}
SCORES = (*(f"{kind}_{end}" for end in AVERAGED for kind in ("macro", "micro")), "accuracy")
# Methods that the short form of an evaluation names.
_SHOWN = 6


@dataclass(frozen=True)
class Trial:
    """One division of the rows.

    Attributes
    ----------
    number : int
        From 0.
    seed : int
        The seed it was drawn with, which the estimators get too.
    train, test : ndarray of int
        Rows, in increasing order.
    fold : int
        1 where the halves of the trial have changed places, else 0.

    Examples
    --------
    >>> from hyplane.evaluation import stratified_trials
    >>> [trial] = stratified_trials([0, 0, 1, 1], n_trials=1)
    >>> len(trial.train), len(trial.test)
    (2, 2)
    """

    number: int
    seed: int
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    fold: int = 0


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What `evaluate` found.

    Attributes
    ----------
    records : list of dict
        One per trial and method: ``method``, ``trial``, ``seed``, ``n_train``, ``n_test``, the
        scores named in `SCORES`, ``seconds`` and ``fold``.
    trials : list of Trial
        The divisions of the rows.

    Examples
    --------
    >>> from hyplane import HyperbolicSVC
    >>> from hyplane.evaluation import evaluate
    >>> X = [[0.5, 0.1], [0.6, -0.2], [0.4, 0.3], [-0.5, 0.3], [-0.7, 0.0], [-0.4, -0.1]]
    >>> found = evaluate({"mine": HyperbolicSVC()}, X, [1, 1, 1, 0, 0, 0], n_trials=2)
    >>> found.scores("mine", "accuracy")
    array([1., 1.])
    >>> found
    Evaluation of 1 method in 2 trials, macro average precision: mine 1.000 ± 0.000
    """

    records: list[dict[str, Any]]
    trials: list[Trial]

    @property
    def methods(self) -> list[str]:
        """The names of the methods, in the order they were given."""
        return list(dict.fromkeys(record["method"] for record in self.records))

    def __repr__(self) -> str:
        score = "macro_average_precision"
        found = self.summary(score)
        shown = [
            f"{name} {each['mean']:.3f} ± {each['sd']:.3f}"
            for name, each in list(found.items())[:_SHOWN]
        ]
        more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        n_trials = len({trial.number for trial in self.trials})
        return (
            f"Evaluation of {len(found)} method{'s' * (len(found) != 1)} in {n_trials} "
            f"trial{'s' * (n_trials != 1)}, {score.replace('_', ' ')}: {', '.join(shown + more)}"
        )

    def to_frame(self) -> Any:
        """Return the records as a data frame of pandas, one row per trial and method.

        Returns
        -------
        frame : pandas.DataFrame

        Examples
        --------
        >>> from hyplane import HyperbolicSVC
        >>> from hyplane.evaluation import evaluate
        >>> X = [[0.5, 0.1], [0.6, -0.2], [0.4, 0.3], [-0.5, 0.3], [-0.7, 0.0], [-0.4, -0.1]]
        >>> found = evaluate({"mine": HyperbolicSVC()}, X, [1, 1, 1, 0, 0, 0], n_trials=2)
        >>> found.to_frame().groupby("method")["accuracy"].mean().to_dict()
        {'mine': 1.0}
        """
        return import_optional("pandas", "experiments").DataFrame(self.records)

    def summary(self, score: str = "macro_average_precision") -> dict[str, dict[str, float]]:
        """Return mean and standard deviation of a score over trials, the highest mean first.

        Parameters
        ----------
        score : str, default="macro_average_precision"
            One of `SCORES`, or ``"seconds"``.

        Returns
        -------
        summary : dict
            By method ``mean``, ``sd`` (0 for a single trial) and ``n``.

        Examples
        --------
        >>> from hyplane import HyperbolicSVC
        >>> from hyplane.evaluation import evaluate
        >>> X = [[0.5, 0.1], [0.6, -0.2], [0.4, 0.3], [-0.5, 0.3], [-0.7, 0.0], [-0.4, -0.1]]
        >>> found = evaluate({"mine": HyperbolicSVC()}, X, [1, 1, 1, 0, 0, 0], n_trials=2)
        >>> found.summary("accuracy")
        {'mine': {'mean': 1.0, 'sd': 0.0, 'n': 2}}
        """
        if score not in (*SCORES, "seconds"):
            raise ValueError(
                f"score must be one of {', '.join(SCORES)} and seconds; got {score!r}."
            )
        found = {}
        for name in self.methods:
            values = self.scores(name, score)
            sd = float(values.std(ddof=1)) if len(values) > 1 else 0.0
            found[name] = {"mean": float(values.mean()), "sd": sd, "n": len(values)}
        return dict(sorted(found.items(), key=lambda item: -item[1]["mean"]))

    def scores(self, method: str, score: str = "macro_aupr") -> Array:
        """Return the scores of a method, trial by trial.

        Parameters
        ----------
        method : str
        score : str, default="macro_aupr"
            One of `SCORES`.

        Returns
        -------
        scores : ndarray of shape (n_trials,)
        """
        found = [record[score] for record in self.records if record["method"] == method]
        if not found:
            known = sorted({record["method"] for record in self.records})
            raise ValueError(f"no method {method!r} was evaluated; there are {known}.")
        return np.array(found, dtype=np.float64)
