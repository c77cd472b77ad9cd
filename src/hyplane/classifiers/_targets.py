"""Labels of any kind as independent binary problems, and their scores as labels again."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from hyplane._utils.typing import Array, finite_float
from hyplane.solvers import BinaryProblem

# Rows that are looked at together, so that temporaries stay small.
_CHUNK = 1 << 16
# Pairs of classes from which on one-vs-one is worth a warning: 100 classes have 4950.
_MANY_PAIRS = 4900

ClassWeight = dict[Any, float] | Literal["balanced"] | None


@dataclass(frozen=True)
class Targets:
    """Class labels, or a binary indicator matrix of labels that may go together.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    codes : ndarray of shape (m,) or (m, n_classes)
        Index of the class of each row; for several labels a row, the indicator matrix.
    """

    classes: NDArray[Any]
    codes: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, y: NDArray[Any]) -> "Targets":
        """Recognise the kind of labels."""
        # One column of integers, booleans or strings is what it seems; asking takes longer than
        # fitting a small problem does.
        if y.ndim != 1 or y.dtype.kind not in "iubUS":
            try:
                kind = type_of_target(y, input_name="y")
            except TypeError as error:  # objects of different types, or None among them
                raise ValueError(
                    f"y has labels that cannot be compared: {error}. Convert all labels to numbers "
                    "or all to text, and leave out rows without a label."
                ) from error
            if kind == "multilabel-indicator":
                return cls(np.arange(y.shape[1]), _indicators(y))
            if kind not in ("binary", "multiclass"):
                check_classification_targets(y)  # raises, in scikit-learn's words
        classes, codes = _classes_and_codes(y)
        refuse_one_class(classes)
        return cls(classes, codes)

    @property
    def multilabel(self) -> bool:
        """Whether a row can have several labels."""
        return self.codes.ndim == 2

    def decomposition(self, multi_class: str) -> str:
        """Return how the labels become binary problems: binary, ovr, ovo or multilabel."""
        if self.multilabel:
            return "multilabel"
        return "binary" if len(self.classes) == 2 else multi_class

    def names(self, multi_class: str = "ovr") -> list[str]:
        """Return what each binary problem tells apart, in the order of the rows of ``coef_``."""
        kind = self.decomposition(multi_class)
        if kind == "multilabel":
            return [f"label {k}" for k in range(len(self.classes))]
        if kind == "ovo":
            return [f"classes {self.classes[a]!s} and {self.classes[b]!s}" for a, b in self.pairs]
        return [f"class {label!s}" for label in self.classes[1 if kind == "binary" else 0 :]]

    def problems(
        self,
        multi_class: str = "ovr",
        class_weight: ClassWeight = None,
        sample_weight: Array | None = None,
    ) -> list[BinaryProblem]:
        """Return the binary problems, in the order of the rows of ``coef_``.

        Parameters
        ----------
        multi_class : {"ovr", "ovo"}, default="ovr"
            One problem per class, or one per pair of classes.
        class_weight : dict, "balanced" or None, default=None
            As in scikit-learn. For an indicator matrix the classes are 0 and 1 of each label.
        sample_weight : ndarray of shape (m,), default=None
            Weights of the rows.

        Returns
        -------
        problems : list of BinaryProblem
        """
        names = self.names(multi_class)
        if self.multilabel:
            return [
                BinaryProblem(
                    _signs(present == 1),
                    None,
                    _row_weights(np.arange(2), present, class_weight, sample_weight, name),
                    name,
                )
                for name, present in zip(names, self.codes.T, strict=True)
            ]
        weights = self.row_weights(class_weight, sample_weight)
        if len(self.classes) > 2 and multi_class == "ovo":
            pairs = zip(self.pairs, names, strict=True)
            return [self._pair(a, b, weights, name) for (a, b), name in pairs]
        if len(self.classes) == 2:
            # The second is the positive one: codes of one byte already say which rows are positive.
            short = self.codes.dtype == np.uint8
            positive = self.codes.view(np.bool_) if short else self.codes == 1
            return [BinaryProblem(_signs(positive), None, weights, names[0])]
        return [
            BinaryProblem(_signs(self.codes == k), None, weights, name)
            for k, name in enumerate(names)
        ]

    def row_weights(self, class_weight: ClassWeight, sample_weight: Array | None) -> Array | None:
        """Return the weights of rows by class and by sample together; None where all are 1."""
        return _row_weights(self.classes, self.codes, class_weight, sample_weight, "y")

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of classes for one-vs-one; the second of a pair is the positive one."""
        return list(combinations(range(len(self.classes)), 2))

    @cached_property
    def _rows_by_class(self) -> list[NDArray[np.intp]]:
        ends = np.cumsum(np.bincount(self.codes, minlength=len(self.classes)))
        return np.split(np.argsort(self.codes, kind="stable"), ends[:-1])

    def _pair(self, a: int, b: int, weights: Array | None, name: str) -> BinaryProblem:
        rows = np.sort(np.concatenate([self._rows_by_class[a], self._rows_by_class[b]]))
        return BinaryProblem(
            _signs(self.codes[rows] == b),
            rows,
            None if weights is None else weights[rows],
            name,
        )


def refuse_one_class(classes: NDArray[Any]) -> None:
    """Raise an error where there is nothing to tell apart."""
    if len(classes) < 2:
        raise ValueError(
            "a classifier needs at least two classes in y; got one class, "
            f"{classes.tolist()[0]!r}. Add rows of another class."
        )


def weights_of_classes(
    classes: NDArray[Any], counts: NDArray[Any], class_weight: ClassWeight
) -> Array | None:
    """Return the weight of each class, where only the numbers of their rows are known.

    Classes without rows do not count for "balanced". None where all weights are 1.

    Examples
    --------
    >>> weights_of_classes(np.array(["a", "b"]), np.array([3, 1]), "balanced").round(3)
    array([0.667, 2.   ])
    """
    if class_weight == "balanced":
        present = np.count_nonzero(counts)
        return np.asarray(counts.sum() / (present * np.maximum(counts, 1)))
    return Targets(classes, np.arange(len(classes))).row_weights(class_weight, None)


def warn_of_many_pairs(n_classes: int) -> None:
    """Warn where one-vs-one makes very many hyperplanes."""
    n_pairs = n_classes * (n_classes - 1) // 2
    if n_pairs > _MANY_PAIRS:
        warnings.warn(
            f"one-vs-one with {n_classes} classes makes {n_pairs} hyperplanes, and each row is "
            f"scored by all of them. multi_class='ovr' makes {n_classes}.",
            UserWarning,
            stacklevel=4,
        )


def _classes_and_codes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    """Return the different labels and the index of each, in the smallest type."""
    if y.dtype.kind in "iub" and len(y):
        # Most often there are two, which takes two comparisons.
        others = y != y[0]
        two = y[[0, int(np.argmax(others))]]
        if two[0] != two[1] and np.array_equal(others, y == two[1]):
            is_larger = others if two[1] > two[0] else ~others
            return np.sort(two), is_larger.view(np.uint8)
    if y.dtype.kind in "iu" and len(y):
        lowest, highest = int(y.min()), int(y.max())
        # Integers of a small range are looked up, not sorted.
        if highest - lowest < _CHUNK and highest < 2**62:
            return _of_small_range(y, lowest, highest - lowest + 1)
    classes = np.unique(y)
    codes = np.empty(len(y), dtype=np.min_scalar_type(len(classes)))
    for first in range(0, len(y), _CHUNK):
        codes[first : first + _CHUNK] = np.searchsorted(classes, y[first : first + _CHUNK])
    return classes, codes


def _of_small_range(
    y: NDArray[np.integer[Any]], lowest: int, width: int
) -> tuple[NDArray[Any], NDArray[np.integer[Any]]]:
    chunks = [slice(first, first + _CHUNK) for first in range(0, len(y), _CHUNK)]
    places = np.empty(min(len(y), _CHUNK), dtype=np.int64)
    present = np.zeros(width, dtype=bool)
    for chunk in chunks:
        part = y[chunk]
        present[np.subtract(part, lowest, out=places[: len(part)], dtype=np.int64)] = True
    offsets = np.flatnonzero(present)
    code_of = np.zeros(width, dtype=np.min_scalar_type(len(offsets)))
    code_of[offsets] = np.arange(len(offsets))
    codes = np.empty_like(y, dtype=code_of.dtype)
    for chunk in chunks:
        part = y[chunk]
        at = np.subtract(part, lowest, out=places[: len(part)], dtype=np.int64)
        np.take(code_of, at, out=codes[chunk], mode="clip")
    return (offsets + lowest).astype(y.dtype), codes


def _indicators(y: NDArray[Any]) -> NDArray[np.int64]:
    """Return an indicator matrix as integers, or say where it has another value than 0 and 1."""
    wrong = np.argwhere((y != 0) & (y != 1))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(
            f"y has {y[row, column]!s} in row {row}, column {column}; an indicator matrix has 1 "
            "where a row has the label and 0 where not. Convert it, for instance with y > 0."
        )
    return y.astype(np.int64)


def _row_weights(
    classes: NDArray[Any],
    codes: NDArray[np.integer[Any]],
    class_weight: ClassWeight,
    sample_weight: Array | None,
    what: str,
) -> Array | None:
    """Return the weights of rows by class and by sample together; None where all are 1."""
    if class_weight is None:
        return sample_weight
    present = np.unique(codes)
    known = np.ones(len(classes))
    if isinstance(class_weight, dict):
        weight: Any
        for value, weight in class_weight.items():
            if not isinstance(weight, Real):
                raise ValueError(f"class_weight of {value!s} is {weight!r}, which is no number.")
    known[present] = compute_class_weight(class_weight, classes=classes[present], y=classes[codes])
    bad = np.flatnonzero(~(np.isfinite(known) & (known >= 0.0)))
    if bad.size:
        raise ValueError(
            f"class_weight of {classes[bad[0]]!s} is {float(known[bad[0]])!r}; weights are finite "
            "and not negative."
        )
    weights = known[codes] if sample_weight is None else known[codes] * sample_weight
    for code in present:
        if not (weights[codes == code] > 0.0).any():
            raise ValueError(
                f"no row of {what} with value {classes[code]!s} has a positive weight: "
                f"class_weight is {float(known[code])!r}. Give it a larger weight, or leave its "
                "rows out."
            )
    return np.asarray(weights)


def _signs(positive: NDArray[np.bool_]) -> NDArray[np.int8]:
    signs = positive.view(np.int8) * np.int8(2)
    signs -= np.int8(1)
    return signs


def one_vs_one_votes(scores: Array, n_classes: int) -> Array:
    """Votes of the pairs for each class, ties broken by how sure the pairs are.

    Parameters
    ----------
    scores : ndarray of shape (m, n_classes * (n_classes - 1) / 2)
        Finite scores of the pairs ``(0, 1), (0, 2), …``, positive for the second.
    n_classes : int

    Returns
    -------
    votes : ndarray of shape (m, n_classes)
        Their integer part is decided by the votes alone: the rest lies between -1/3 and 1/3.

    Examples
    --------
    >>> one_vs_one_votes(np.array([[-1.0, -1.0, 2.0]]), 3).round(2)
    array([[ 2.22, -0.25,  1.17]])
    """
    first, second = np.triu_indices(n_classes, 1)
    pairs = np.arange(len(first))
    # For each class the pairs in which it is the second, minus those in which it is the first.
    signs = sparse.csr_array(
        (np.repeat([1.0, -1.0], len(pairs)), (np.tile(pairs, 2), np.r_[second, first])),
        shape=(len(pairs), n_classes),
    )
    confidence = scores @ signs
    votes = (scores > 0.0) @ signs + np.arange(n_classes - 1, -1, -1.0)
    return np.asarray(votes + confidence / (3.0 * (np.abs(confidence) + 1.0)))


def check_class_weight(class_weight: Any) -> None:
    """Refuse weights of classes that are not positive numbers.

    scikit-learn hands them on: libsvm ignores some and liblinear never ends with others.

    Parameters
    ----------
    class_weight : dict, "balanced" or None

    Raises
    ------
    ValueError
        If a weight is no number, not positive, or not finite.

    Examples
    --------
    >>> check_class_weight({0: 1.0, 1: -2.0})
    Traceback (most recent call last):
    ValueError: class_weight of 1 is -2.0; weights of classes are positive and finite.
    """
    if not isinstance(class_weight, dict):
        return
    for label, weight in class_weight.items():
        number = finite_float(weight)
        if number is None or not number > 0:
            raise ValueError(
                f"class_weight of {label!s} is {weight!r}; weights of classes are positive and "
                "finite."
            )
