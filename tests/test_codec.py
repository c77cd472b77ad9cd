"""Arrays as JSON: they come back exactly, and nothing else is let in."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as arrays

from hyplane._codec import decode_array, encode_array

KINDS = arrays.floating_dtypes() | arrays.integer_dtypes() | arrays.boolean_dtypes()


@given(arrays.arrays(KINDS, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)))
def test_numbers_come_back_to_the_bit(values):
    again = decode_array(json.loads(json.dumps(encode_array(values))))
    assert again.shape == values.shape
    assert again.dtype == values.dtype.newbyteorder("=")
    assert again.tobytes() == values.astype(again.dtype).tobytes()
    assert again.flags.writeable


@pytest.mark.parametrize("labels", [["a", "béta"], [1, "b", None, True, 0.5]])
def test_labels_come_back(labels):
    values = np.array(labels, dtype=object if len(labels) > 2 else None)
    again = decode_array(json.loads(json.dumps(encode_array(values))))
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
