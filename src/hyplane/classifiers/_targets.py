"""Labels of any kind as independent binary problems, and their scores as labels again."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from hyplane._utils.typing import Array, finite_float
from hyplane._utils.validation import encoded, indicators_of
from hyplane.solvers.rows import BinaryProblem

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
    def from_labels(cls, y: NDArray[Any]) -> "Targets":
        """Return class labels, or an indicator matrix, as targets."""
        # A column of integers, booleans or strings needs no check, which would take longer than
        # fitting a small problem.
        if y.ndim != 1 or y.dtype.kind not in "iubUS":
            try:
                kind = type_of_target(y, input_name="y")
            except TypeError as error:  # objects of different types, or None among them
                raise ValueError(
                    f"y has labels that cannot be compared: {error}. Convert all labels to numbers "
                    "or all to text, and leave out rows without a label."
                ) from error
            if kind == "multilabel-indicator":
                return cls(np.arange(y.shape[1]), indicators_of(y).astype(np.int64))
            if kind not in ("binary", "multiclass"):
                check_classification_targets(y)  # raises, in scikit-learn's words
        classes, codes = encoded(y)
        check_two_classes(classes)
        return cls(classes, codes)

    @property
    def multilabel(self) -> bool:
        """Whether a row can have several labels."""
        return self.codes.ndim == 2

    @property
    def counts(self) -> NDArray[np.int64]:
        """Rows of each class, or with each label."""
        if self.multilabel:
            return np.asarray(self.codes.sum(axis=0))
        return np.bincount(self.codes, minlength=len(self.classes))

    def decomposition(self, multi_class: str) -> str:
        """Return how the labels become binary problems: binary, ovr, ovo or multilabel."""
        if self.multilabel:
            return "multilabel"
        return "binary" if len(self.classes) == 2 else multi_class

    def problems(self, multi_class: str = "ovr") -> list[BinaryProblem]:
        """Return the binary problems, in the order of the rows of ``coef_``.

        The first of a pair of classes is on the negative side.
        """
        kind = self.decomposition(multi_class)
        if kind == "ovo":
            return [
                BinaryProblem(b, a, f"classes {self.classes[a]!s} and {self.classes[b]!s}")
                for a, b in combinations(range(len(self.classes)), 2)
            ]
        word = "label" if kind == "multilabel" else "class"
        return [
            BinaryProblem(k, name=f"{word} {self.classes[k]!s}")
            for k in range(1 if kind == "binary" else 0, len(self.classes))
        ]


def class_weights(
    classes: NDArray[Any], counts: NDArray[Any], class_weight: ClassWeight
) -> Array | None:
    """Return the weight of each class from the numbers of rows; None where all are 1.

    Classes without rows do not count for "balanced".
    """
    if class_weight is None:
        return None
    if class_weight == "balanced":
        n_present = np.count_nonzero(counts)
        return np.asarray(counts.sum() / (n_present * np.maximum(counts, 1)))
    check_class_weight(class_weight)
    weights = compute_class_weight(class_weight, classes=classes, y=classes)
    return np.asarray(weights, dtype=np.float64)


def side_weights(
    counts: NDArray[np.int64], n_rows: int, class_weight: ClassWeight
) -> list[tuple[float, float]]:
    """Return the weights of the rows with and without each label of an indicator matrix."""
    weights = []
    for count in counts.tolist():
        of_label = class_weights(np.arange(2), np.array([n_rows - count, count]), class_weight)
        negative, positive = (1.0, 1.0) if of_label is None else of_label.tolist()
        weights.append((positive, negative))
    return weights


def check_two_classes(classes: NDArray[Any]) -> None:
    """Raise an error unless there are at least two classes."""
    if len(classes) < 2:
        raise ValueError(
            "a classifier needs at least two classes in y; got one class, "
            f"{classes.tolist()[0]!r}. Add rows of another class."
        )


def one_vs_one_votes(scores: Array, n_classes: int) -> Array:
    """Votes of the pairs for each class, ties broken by how sure the pairs are.

    The scores are those of the pairs ``(0, 1), (0, 2), …``, positive for the second. The integer
    part of the result is decided by the votes alone: the rest lies between -1/3 and 1/3.
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
    """Refuse weights of classes that are not positive and finite.

    scikit-learn hands them on: libsvm ignores some and liblinear never ends with others.
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
