"""Labels of any type become numbers block by block."""

import numpy as np
import pytest

from hyplane._utils.validation import (
    EncodedLabels,
    LabelError,
    codes_of,
    encoded,
    joined_labels,
)


@pytest.mark.parametrize(
    "y",
    [
        np.array([3, -1, 3, 7]),
        np.array([10**12, 5, 5]),
        np.array([10**12 + 1, 10**12]),
        np.array([1, -2, 0, -1], dtype=np.int8),
        np.array([250, 255, 251], dtype=np.uint8),
        np.array([127, -128, 0], dtype=np.int8),
        np.array([2**63 + 5, 3, 2**63 + 5], dtype=np.uint64),
        np.array([True, False, True]),
        np.array(["b", "a", "bb"]),
        np.array(["b", "a", "bb"], dtype=object),
        np.array([1.0, 2.0, 1.0]),
        EncodedLabels(np.array(["z", "unused", "a"]), np.array([0, 2, 0])),
    ],
)
def test_codes_give_back_the_labels(y):
    classes, codes = encoded(y)
    plain = y.values[y.codes] if isinstance(y, EncodedLabels) else y
    assert classes.tolist() == sorted(set(plain.tolist()))
    assert classes[codes_of(y, classes)].tolist() == plain.tolist()
    assert classes.dtype == plain.dtype
    assert classes[codes].tolist() == plain.tolist()
    assert codes.dtype == np.int32


@pytest.mark.parametrize(
    ("y", "row"),
    [
        (np.array([1.0, np.nan]), 1),
        (np.array(["a", None], dtype=object), 1),
        (np.array([1, "NaT"], dtype="timedelta64[s]"), 1),
        (EncodedLabels(np.array(["a"]), np.array([0, 0, -1])), 2),
        (EncodedLabels(np.array([1.0, np.nan]), np.array([0, 0, 1])), 2),
    ],
)
def test_a_missing_label_is_named_by_its_row(y, row):
    with pytest.raises(LabelError, match="has no label") as caught:
        encoded(y)
    assert caught.value.row == row


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([0, 1, 2]), np.array([0, 1])),
        (np.array([0, 1, 2]), np.array([0, 1, 3])),
        (np.array(["a", "a", "z"]), np.array(["a", "b"])),
        (EncodedLabels(np.array(["z", "a"]), np.array([1, 1, 0])), np.array(["a", "b"])),
    ],
)
def test_a_label_of_no_class_is_named_by_its_row(y, classes):
    with pytest.raises(LabelError, match="not among the classes") as caught:
        codes_of(y, classes)
    assert caught.value.row == 2


@pytest.mark.parametrize("other", [["a"], [b"a"], ["2026-01-01"]])
def test_words_bytes_dates_and_numbers_are_not_joined(other):
    kind = "datetime64[D]" if other[0] == "2026-01-01" else None
    with pytest.raises(ValueError, match="different types: 1 and "):
        joined_labels([np.array([1, 2]), np.array(other, dtype=kind)])


def test_objects_without_an_order_are_refused():
    with pytest.raises(ValueError, match="labels of type int and str cannot be sorted"):
        encoded(np.array(["a", 1], dtype=object))


def test_the_union_keeps_longer_words():
    assert joined_labels([np.array(["a"]), np.array([]), np.array(["long"])]).tolist() == [
        "a",
        "long",
    ]
