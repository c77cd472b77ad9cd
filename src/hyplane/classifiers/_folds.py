"""Folds of one binary problem: for each row, the fold that leaves it out."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hyplane._utils.typing import Mask
from hyplane.classifiers._base import generator_of
from hyplane.solvers import BinaryProblem

Folds = NDArray[np.int64]
Split = tuple[NDArray[Any], NDArray[Any]]  # rows of the training part and of the test part


@runtime_checkable
class Splitter(Protocol):
    """A cross-validation splitter of scikit-learn."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield the parts fold by fold."""


def folds_of_splits(splits: Iterable[Split], n_rows: int) -> Folds:
    """Return for each row the number of the test part it is in; these must be a partition.

    Parameters
    ----------
    splits : iterable of (training, test)
        Rows of the training part, which is taken to be all others, and of the test part.
    n_rows : int

    Returns
    -------
    folds : ndarray of int of shape (n_rows,)

    Examples
    --------
    >>> folds_of_splits([([1, 2], [0]), ([0], [1, 2])], 3)
    array([0, 1, 1])
    """
    folds = np.full(n_rows, -1, dtype=np.int64)
    for k, split in enumerate(splits):
        test = _test_rows(split, k, n_rows)
        if (folds[test] >= 0).any():
            raise _no_partition("more than once", test[folds[test] >= 0])
        folds[test] = k
    if (folds < 0).any():
        raise _no_partition("never", np.flatnonzero(folds < 0))
    return folds


def _test_rows(split: Any, k: int, n_rows: int) -> NDArray[np.intp]:
    """Return the numbers of the rows that a split leaves out."""
    try:
        _, rows = split
    except (TypeError, ValueError):
        message = f"split {k} of cv must be a pair (training rows, test rows); got {split!r}."
        raise ValueError(message) from None
    test = np.asarray(rows)
    if test.dtype == bool and test.shape == (n_rows,):
        return np.flatnonzero(test)
    if not test.size:
        return np.empty(0, dtype=np.intp)
    if test.ndim != 1 or test.dtype.kind not in "iu":
        raise ValueError(f"the test rows of split {k} of cv must be integers; got {rows!r}.")
    outside = test[(test < 0) | (test >= n_rows)]
    if outside.size:
        raise ValueError(
            f"split {k} of cv leaves out row {outside[0]}, and X has the rows 0 to {n_rows - 1}."
        )
    return test.astype(np.intp)


def _no_partition(how_often: str, rows: NDArray[Any]) -> ValueError:
    return ValueError(
        f"cv leaves {len(rows)} rows out {how_often} (first: row {rows[0]}). Use folds whose test "
        "parts are a partition, for instance StratifiedKFold."
    )


def folds_of_rows(
    cv: int | Splitter | Iterable[Split], n_rows: int, counts: Mask | None
) -> int | Splitter | Folds:
    """Turn explicit splits into the folds of the rows that count; leave other forms of cv alone.

    Parameters
    ----------
    cv : int, splitter or iterable of (training, test)
        Splits number the rows as the user has them, those of weight 0 included.
    n_rows : int
        Rows that count.
    counts : ndarray of bool, default=None
        Which of the user's rows count; None for all.

    Returns
    -------
    cv : int, splitter or ndarray of int of shape (n_rows,)
    """
    if isinstance(cv, int | np.integer):
        return int(cv)
    if isinstance(cv, Splitter):
        return cv
    if counts is None:
        return folds_of_splits(cv, n_rows)
    return folds_of_splits(cv, len(counts))[counts]


def stratified_folds(labels: NDArray[np.int8], n_folds: int, seed: int) -> Folds:
    """Divide rows into shuffled folds, each with its share of either label.

    Parameters
    ----------
    labels : ndarray of shape (m,)
        1 and -1, each at least ``n_folds`` times.
    n_folds : int
        Two or more.
    seed : int

    Returns
    -------
    folds : ndarray of int of shape (m,)

    Notes
    -----
    The folds of scikit-learn's ``StratifiedKFold(n_folds, shuffle=True, random_state=seed)``, in a
    tenth of the time: for small problems that takes longer than the fits.

    Examples
    --------
    >>> stratified_folds(np.array([1, 1, -1, -1, -1, 1], dtype=np.int8), 3, seed=0)
    array([2, 1, 2, 0, 1, 0])
    """
    if n_folds < 2:
        raise ValueError(f"cv must be at least 2 folds; got {n_folds}.")
    random_state = generator_of(seed)
    # As in scikit-learn, the label of the first row comes first.
    side = labels == labels[0]
    n_first = int(np.count_nonzero(side))
    # All labels in a row, sorted, are dealt out to the folds.
    dealt = np.arange(len(labels)) % n_folds
    folds = np.empty(len(labels), dtype=np.int64)
    for rows, own in ((side, dealt[:n_first]), (~side, dealt[n_first:])):
        own.sort()
        random_state.shuffle(own)
        folds[rows] = own
    return folds


def assign_folds(problem: BinaryProblem, cv: int | Splitter | Folds, seed: int) -> Folds | None:
    """Divide the rows of a problem into folds; None where one side has fewer than two rows.

    Parameters
    ----------
    problem : BinaryProblem
    cv : int, splitter or ndarray of int of shape (n_samples,)
        The most folds, a splitter of the problem's rows, or the folds of all rows of the data.
    seed : int
        Seed of the shuffled stratified folds.

    Returns
    -------
    folds : ndarray of int of shape (m,)
        Numbers from 0 without gaps.
    """
    n_rows = len(problem.labels)
    n_positive = int((problem.labels > 0).sum())
    rarer = min(n_positive, n_rows - n_positive)
    if rarer < 2:
        return None
    if isinstance(cv, np.ndarray):
        folds = cv if problem.rows is None else cv[problem.rows]
    elif isinstance(cv, int):
        return stratified_folds(problem.labels, min(cv, rarer), seed)
    else:
        folds = folds_of_splits(cv.split(np.zeros((n_rows, 1)), problem.labels), n_rows)
    folds = np.unique(folds, return_inverse=True)[1].astype(np.int64)
    for k in range(folds.max() + 1):
        if len(np.unique(problem.labels[folds != k])) < 2:
            raise ValueError(
                f"the training part of fold {k} has one side only of {problem.name}. Use "
                "stratified folds, or fewer of them."
            )
    return folds
