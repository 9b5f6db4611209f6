import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from privacy_accountant.codec.answers import decode_answer, encode_answer
from privacy_accountant.errors import InvalidParameterError

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
answers = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=10,
)
arrays = npst.arrays(
    npst.integer_dtypes(endianness="=")
    | npst.unsigned_integer_dtypes(endianness="=")
    | npst.boolean_dtypes()
    | npst.floating_dtypes(endianness="=", sizes=(16, 32, 64)),
    npst.array_shapes(min_dims=0, min_side=0, max_dims=3, max_side=4),
)


def through_json(answer):
    return decode_answer(json.loads(json.dumps(encode_answer(answer), allow_nan=False)))


def kinds(value):
    if isinstance(value, dict):
        return {key: kinds(item) for key, item in value.items()}
    return [type(value), [kinds(item) for item in value]] if isinstance(value, (list, tuple)) else type(value)


@given(answers)
def test_answers_come_back_in_their_kind(answer):
    again = through_json(answer)
    assert again == answer
    assert kinds(again) == kinds(answer)


@given(arrays)
def test_arrays_come_back_bit_for_bit(array):
    again = through_json(array)
    assert type(again) is type(array)
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    np.testing.assert_array_equal(again, array)


@pytest.mark.parametrize(
    "value", [np.int64(-3), np.uint8(255), np.float64(0.1), np.bool_(True), np.int32(2**31 - 1)]
)
def test_numpy_scalars_keep_their_dtype(value):
    again = through_json(value)
    assert type(again) is type(value)
    assert again == value


def test_python_integers_of_any_size_survive_in_arrays_and_alone():
    long = -(3**20_000)
    array = np.array([[1, long]], dtype=object)
    assert through_json(long) == long
    again = through_json(array)
    assert again.dtype == object
    assert again.tolist() == [[1, long]]


def test_signed_zero_and_infinities_survive():
    assert math.copysign(1, through_json(-0.0)) == -1
    assert through_json((math.inf, -math.inf)) == (math.inf, -math.inf)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", 1j, np.array(["a"]), np.array([1j])])
def test_other_kinds_are_refused_by_kind_alone(value):
    with pytest.raises(InvalidParameterError, match="answer must be"):
        encode_answer(value)


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        0.5,
        {"pickle": "x"},
        {"dtype": "S9", "values": []},
        {"dtype": "int64", "shape": [3], "values": [1]},
        {"dtype": "int64", "values": None},
    ],
)
def test_malformed_answers_are_refused(data):
    with pytest.raises(InvalidParameterError, match="answer must be"):
        decode_answer(data)
