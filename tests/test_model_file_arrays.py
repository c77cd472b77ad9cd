"""Arrays as JSON: they come back exactly, and nothing else is let in."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

from hyplane.model_files.codec import decode_array, encode_array

KINDS = arrays.floating_dtypes() | arrays.integer_dtypes() | arrays.boolean_dtypes()


SHAPES = arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)


@given(arrays.arrays(KINDS, SHAPES))
def test_numbers_come_back_to_the_bit(values):
    again = decode_array(json.loads(json.dumps(encode_array(values))))
    assert again.shape == values.shape
    assert again.dtype == values.dtype.newbyteorder("=")
    assert again.tobytes() == values.astype(again.dtype).tobytes()
    assert again.flags.writeable


@given(arrays.arrays(KINDS, SHAPES))
def test_decimals_come_back_to_the_bit(values):
    plain = encode_array(values, readable=True)
    again = decode_array(json.loads(json.dumps(plain, allow_nan=False)))
    assert again.shape == values.shape
    assert again.dtype == values.dtype.newbyteorder("=")
    # All numbers that are not one are the same here.
    assert np.array_equal(again, values, equal_nan=values.dtype.kind == "f")
    assert (
        np.array_equal(np.signbit(again), np.signbit(values))
        or values.dtype.kind != "f"
        or (np.isnan(values).any())
    )


@pytest.mark.parametrize(
    "change",
    [
        {"shape": [3]},
        {"shape": [1, 2]},
        {"shape": []},
        {"dtype": "|O"},
        {"dtype": "<i8"},
        {"values": [1.0, "one"]},
        {"values": [[1.0], [2.0, 3.0]]},
        {"values": 1.0},
        {"values": None},
        {"values": [1.0, None]},
        {"values": [300, -1], "dtype": "|u1"},
    ],
)
def test_decimals_that_do_not_fit_together_are_refused(change):
    with pytest.raises(ValueError, match="an array"):
        decode_array(encode_array(np.array([0.5, 1.0]), readable=True) | change)


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize("labels", [["a", "béta"], [1, "b", None, True, 0.5]])
def test_labels_come_back(labels, readable):
    values = np.array(labels, dtype=object if len(labels) > 2 else None)
    again = decode_array(json.loads(json.dumps(encode_array(values, readable=readable))))
    assert again.dtype == values.dtype
    assert again.tolist() == labels


@pytest.mark.parametrize("item", [object(), [1], float("nan"), b"bytes"])
def test_other_things_are_not_stored(item):
    values = np.empty(1, dtype=object)
    values[0] = item
    with pytest.raises(TypeError, match="is not stored"):
        encode_array(values)


@pytest.mark.parametrize(
    "change",
    [{"shape": [3]}, {"shape": [-2]}, {"dtype": "|O"}, {"array": "AA*="}, {"array": [1, []]}],
)
def test_what_does_not_fit_together_is_refused(change):
    with pytest.raises(ValueError, match="an array"):
        decode_array(encode_array(np.zeros(2)) | change)
