"""The paper's protocol: repeated stratified hold-outs, with the same splits for all methods.

`evaluate` takes any estimators and any data, multi-class or multi-label, and returns one record per
trial and method.
"""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from joblib import delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_array
from sklearn.utils.multiclass import type_of_target

from hyplane._utils.optional import import_optional
from hyplane._utils.parallel import connect, results_of
from hyplane._utils.progress import Progress
from hyplane._utils.random import RandomState, as_generator
from hyplane._utils.typing import Array, ArrayLike, finite_float
from hyplane.evaluation.methods import AVERAGED, SCORES
from hyplane.metrics import areas_of_columns, indicator_matrix

PROTOCOLS = ("holdout", "twofold")
_MOST_TRIALS = 100_000


@dataclass(frozen=True)
class Trial:
    """One split of the rows into training and test rows.

    Attributes
    ----------
    number : int
        From 0.
    seed : int
        Seed of the split and of the estimators.
    train, test : ndarray of int
        Rows, in increasing order.
    fold : int
        1 if the two parts of the trial are swapped, else 0.

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
    """The result of `evaluate`.

    Attributes
    ----------
    records : list of dict
        One per trial and method: ``method``, ``trial``, ``seed``, ``n_train``, ``n_test``, the
        scores named in `SCORES`, ``seconds`` and ``fold``.
    trials : list of Trial
        The splits of the rows.

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
            for name, each in list(found.items())[:6]
        ]
        more = [f"and {len(found) - 6} more"] if len(found) > 6 else []
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
        known = (*SCORES, "seconds")
        if score not in known:
            raise ValueError(f"score must be one of {', '.join(known)}; got {score!r}.")
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


def evaluate(
    estimators: Mapping[str, Any],
    X: ArrayLike | None,
    y: ArrayLike,
    *,
    n_trials: int = 5,
    test_size: float = 0.5,
    protocol: str = "holdout",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    dask: str | None = None,
    verbose: bool = False,
) -> Evaluation:
    """Score estimators on repeated stratified hold-outs, with the same splits for all.

    Parameters
    ----------
    estimators : dict of str to estimator, or to a pair (estimator, X)
        The methods by name. Give a pair for a method with another input, such as another embedding
        of the same nodes. Clones are fitted. Their ``random_state`` is set to the seed of the
        trial, so that cross validation inside them has the same folds.
    X : array-like of shape (n_samples, n_features) or None
        The input of all methods that are not pairs.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Class labels, or a binary indicator matrix.
    n_trials : int, default=5
        Number of hold-outs.
    test_size : float, default=0.5
        Share of the rows held out.
    protocol : {"holdout", "twofold"}, default="holdout"
        Test one part of each trial, or both parts in turn.
    random_state : None, int, RandomState or Generator, default=0
        Seed of the splits.
    n_jobs : int, default=None
        Processes for trials and methods, as in joblib. The scores do not depend on it.
    dask : str, optional
        Address of the scheduler of a Dask cluster, whose workers compute the trials instead of
        processes here. Needs the extra ``dask``, and this version of hyplane on every worker.
    verbose : bool, default=False
        Show progress on the standard error after one second.

    Returns
    -------
    evaluation : Evaluation
        Its ``records`` have one dict per trial and method.

    Notes
    -----
    See `score_predictions` for the scores and `stratified_trials` for the splits. Test rows are
    ranked by ``decision_function`` where there is one, which for `hyplane.HyperbolicSVCCV` gives
    the calibrated log-odds of each class against the rest, and else by ``predict_proba``.

    References
    ----------
    Cho, DeMeo, Peng, Berger (2018). Large-Margin Classification in Hyperbolic Space.
    arXiv:1806.00437, section 5.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from hyplane import HyperbolicSVC
    >>> from hyplane.datasets import make_hyperbolic_gaussians
    >>> X, y = make_hyperbolic_gaussians(200, random_state=0)
    >>> methods = {"hyperbolic": HyperbolicSVC(), "logistic": LogisticRegression()}
    >>> evaluation = evaluate(methods, X, y, n_trials=2)
    >>> [(record["method"], record["trial"]) for record in evaluation.records]
    [('hyperbolic', 0), ('logistic', 0), ('hyperbolic', 1), ('logistic', 1)]
    >>> evaluation.scores("hyperbolic", "macro_roc_auc").shape
    (2,)
    """
    if n_jobs is not None and (
        not isinstance(n_jobs, int | np.integer) or n_jobs == 0 or abs(n_jobs) > _MOST_TRIALS
    ):
        raise ValueError(f"n_jobs must be None or an integer other than 0; got {n_jobs!r}.")
    y = np.asarray(y)
    methods = {
        name: _with_input(name, method, X, len(y)) for name, method in dict(estimators).items()
    }
    if not methods:
        raise ValueError("estimators is empty: name at least one method.")
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}; got {protocol!r}.")
    trials = stratified_trials(y, n_trials=n_trials, test_size=test_size, random_state=random_state)
    if protocol == "twofold":
        swapped = [replace(each, train=each.test, test=each.train, fold=1) for each in trials]
        trials = [each for pair in zip(trials, swapped, strict=True) for each in pair]
    tasks = [
        (name, estimator, data, y, trial)
        for trial in trials
        for name, (estimator, data) in methods.items()
    ]
    records = []
    with Progress(len(tasks), "evaluating", lines=True, shown=verbose) as bar:
        for record in _records(tasks, n_jobs, dask):
            records.append(record)
            bar.advance()
    return Evaluation(records, trials)


def stratified_trials(
    y: ArrayLike,
    *,
    n_trials: int = 5,
    test_size: float = 0.5,
    random_state: RandomState = 0,
) -> list[Trial]:
    """Split rows into training and test rows several times, stratified by class.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Class labels, or a binary indicator matrix. In the latter case each row counts, in each
        trial, as one of its labels drawn at random; rows without a label are a class of their own.
    n_trials, test_size, random_state
        As in `evaluate`.

    Returns
    -------
    trials : list of Trial

    Notes
    -----
    A class of a single row cannot be divided. Such rows are put together as one class; if there is
    only one such row, it joins the largest class.

    Examples
    --------
    >>> [trial] = stratified_trials([0, 0, 1, 1, 1, 1], n_trials=1)
    >>> sorted(np.array([0, 0, 1, 1, 1, 1])[trial.test].tolist())
    [0, 1, 1]
    """
    if not isinstance(n_trials, int | np.integer) or not 1 <= n_trials <= _MOST_TRIALS:
        raise ValueError(
            f"n_trials must be at least 1, an integer up to {_MOST_TRIALS}; got {n_trials!r}."
        )
    if not 0.0 < (finite_float(test_size) or 0.0) < 1.0:
        raise ValueError(f"test_size is a share between 0 and 1; got {test_size!r}.")
    y = np.asarray(y)
    kind = type_of_target(y, input_name="y")
    if kind in ("binary", "multiclass"):
        classes = _divisible(np.unique(y, return_inverse=True)[1].astype(np.int64))
    elif kind != "multilabel-indicator":
        raise ValueError(f"y must be class labels or a binary indicator matrix; got {kind} values.")
    seeds = as_generator(random_state).integers(2**31 - 1, size=n_trials).tolist()
    trials = []
    for number, seed in enumerate(seeds):
        if kind == "multilabel-indicator":
            classes = _divisible(_drawn_labels(y, np.random.default_rng(seed)))
        splitter = StratifiedShuffleSplit(1, test_size=test_size, random_state=seed)
        train, test = next(splitter.split(classes, classes))
        trials.append(Trial(number, seed, np.sort(train), np.sort(test)))
    return trials


def score_predictions(
    y_true: ArrayLike, y_score: ArrayLike, y_pred: ArrayLike, classes: ArrayLike
) -> dict[str, float]:
    """Score the predictions for one set of test rows.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_labels)
        Classes, or indicator matrices.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores of the classes; one column for two classes, higher for the second.
    classes : array-like of shape (n_classes,)
        Classes in the order of the columns; not used for indicator matrices.

    Returns
    -------
    scores : dict
        ``macro_`` (mean over the classes that some but not all test rows have) and ``micro_`` (all
        pairs of a row and a class pooled) of ``aupr`` (the trapezoid rule of the paper's authors),
        ``average_precision`` and ``roc_auc``; and ``accuracy``, the share of rows that are right,
        in all their labels. With two classes the second is the one to find, and macro and micro
        are the same.

    Examples
    --------
    >>> scores = score_predictions([0, 1, 1, 0], [-1.0, 2.0, 0.5, 1.0], [0, 1, 1, 1], [0, 1])
    >>> round(scores["macro_average_precision"], 3), scores["accuracy"]
    (0.833, 0.75)
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    y_score = check_array(y_score, dtype=np.float64, ensure_2d=False, input_name="y_score")
    truth = y_true if y_true.ndim == 2 else indicator_matrix(y_true, classes)
    truth = check_array(truth, dtype=None, ensure_2d=False, input_name="y_true")
    if y_score.ndim == 1:
        truth, y_score = truth[:, 1:], y_score[:, None]
    for name, given, needed in (("y_score", y_score, truth), ("y_pred", y_pred, y_true)):
        if given.shape != needed.shape:
            raise ValueError(f"{name} has shape {given.shape} where {needed.shape} is needed.")
    mixed = truth.min(axis=0) < truth.max(axis=0)
    if not mixed.any():
        raise ValueError(
            "the test part has one class only, so nothing can be ranked. Use more rows, or a "
            "larger test_size."
        )
    metrics = list(AVERAGED.values())
    single = areas_of_columns(truth[:, mixed], y_score[:, mixed], metrics)
    pooled = areas_of_columns(truth.ravel(), y_score.reshape(-1, 1), metrics)
    found = {}
    for end, areas, area in zip(AVERAGED, single, pooled, strict=True):
        found[f"macro_{end}"] = float(np.mean(areas))
        found[f"micro_{end}"] = float(area[0])
    # scikit-learn's accuracy_score takes a millisecond, as long as all areas together.
    right = (y_true == y_pred).reshape(len(y_true), -1).all(axis=1)
    return {**found, "accuracy": float(right.mean())}


def _with_input(name: str, method: Any, X: ArrayLike | None, n_rows: int) -> tuple[Any, Any]:
    estimator, data = method if isinstance(method, tuple) else (method, X)
    if data is None:
        raise ValueError(f"the method {name!r} has no input: give X, or (estimator, X) for it.")
    if not hasattr(estimator, "get_params"):
        raise TypeError(f"the method {name!r} is no estimator but a {type(estimator).__name__}.")
    data = data if hasattr(data, "shape") else np.asarray(data)
    if not data.shape:
        raise ValueError(f"the input of {name!r} has no rows: it is no table.")
    if data.shape[0] != n_rows:
        raise ValueError(
            f"the input of {name!r} has {data.shape[0]} rows and y {n_rows}: they must agree."
        )
    return estimator, data


def _records(
    tasks: list[tuple[Any, ...]], n_jobs: int | None, dask: str | None
) -> Iterator[dict[str, Any]]:
    """Run the trials in processes here or on a cluster; yield their records in order."""
    if dask is None:
        yield from results_of((delayed(_run_trial)(*task) for task in tasks), n_jobs)
        return
    with connect(dask) as client:
        # A table is sent once. As a task it can be made again where a worker is lost.
        tables = {id(each): each for _, _, data, y, _ in tasks for each in (data, y)}
        sent = {number: client.submit(copy, table) for number, table in tables.items()}
        columns = zip(*tasks, strict=True)
        moved = [[sent.get(id(each), each) for each in column] for column in columns]
        yield from client.get_executor(pure=False).map(_run_trial, *moved)


def _run_trial(name: str, estimator: Any, X: Any, y: NDArray[Any], trial: Trial) -> dict[str, Any]:
    start = perf_counter()
    fitted = clone(estimator)
    seeds = [key for key in fitted.get_params() if key.split("__")[-1] == "random_state"]
    fitted.set_params(**dict.fromkeys(seeds, trial.seed))
    fitted.fit(_rows(X, trial.train), y[trial.train])
    held_out = _rows(X, trial.test)
    classes = np.unique(y) if y.ndim == 1 else np.arange(y.shape[1])
    scores = _class_scores(fitted, held_out, y, classes)
    found = score_predictions(y[trial.test], scores, fitted.predict(held_out), classes)
    return {
        "method": name,
        "trial": trial.number,
        "fold": trial.fold,
        "seed": trial.seed,
        "n_train": len(trial.train),
        "n_test": len(trial.test),
        **found,
        "seconds": perf_counter() - start,
    }


def _rows(X: Any, rows: NDArray[np.int64]) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _class_scores(fitted: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Array:
    """Return one column per class or label, or a single one of two classes."""
    if hasattr(fitted, "decision_function"):
        scores = np.asarray(fitted.decision_function(X), dtype=np.float64)
    else:
        scores = _as_matrix(fitted.predict_proba(X))
        if y.ndim == 1 and scores.shape[1] == 2:
            scores = scores[:, 1]
    if y.ndim == 2 or len(fitted.classes_) == len(classes):
        return scores
    # A class that the training part did not have gets the lowest score: it is never predicted.
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    padded = np.full((len(scores), len(classes)), scores.min() - 1.0)
    padded[:, np.searchsorted(classes, fitted.classes_)] = scores
    return padded


def _as_matrix(probabilities: Any) -> Array:
    """Turn scikit-learn's list of one table per label into one column per label."""
    if not isinstance(probabilities, list):
        return np.asarray(probabilities, dtype=np.float64)
    of_one = [each[:, 1] if each.shape[1] == 2 else np.zeros(len(each)) for each in probabilities]
    return np.column_stack(of_one)


def _drawn_labels(y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw one of the labels of each row; 0 for a row without."""
    # The largest of independent uniform numbers is each label's with the same probability.
    draws = np.where(y > 0, rng.random(y.shape), 0.0)
    return np.where((y > 0).any(axis=1), draws.argmax(axis=1) + 1, 0)


def _divisible(strata: NDArray[np.int64]) -> NDArray[np.int64]:
    codes, counts = np.unique(strata, return_inverse=True, return_counts=True)[1:]
    single = counts[codes] == 1
    if single.sum() == 1:
        codes[single] = counts.argmax()
    elif single.any():
        codes[single] = len(counts)
    return np.asarray(codes, dtype=np.int64)
