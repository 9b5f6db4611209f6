"""Aggregates that are known modulo a plaintext modulus: read as what they are, or refused before they are looked at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import InvalidAggregateError, InvalidParameterError
from privacy_accountant.mechanisms.values.residues import Residues

moduli = st.one_of(st.integers(2, 40), st.integers(2, 2**130))


@given(moduli, st.booleans(), st.data())
def test_every_aggregate_within_the_bound_is_read_back(modulus, signed, data):
    largest = (modulus - 1) // 2 if signed else modulus - 1
    most = data.draw(st.integers(0, largest))
    truth = data.draw(st.lists(st.integers(-most if signed else 0, most), min_size=1, max_size=5))
    reading = Residues(modulus, most, signed)
    for residues in ([x % modulus for x in truth], [x - modulus * (x % 3) for x in truth], truth):
        assert reading.read(residues) == truth
        assert reading.read(residues[0]) == truth[0]
        assert reading.read(np.array(residues, dtype=object)).tolist() == truth
    with pytest.raises(InvalidParameterError, match="^at_most must be below"):
        Residues(modulus, largest + 1, signed)


@given(moduli, st.booleans(), st.data())
def test_any_residue_at_all_is_read_and_lands_at_the_nearest_end(modulus, signed, data):
    most = data.draw(st.integers(0, (modulus - 1) // 2 if signed else modulus - 1))
    residue = data.draw(st.integers(-(2**140), 2**140))
    centred = residue % modulus
    if signed and 2 * centred >= modulus:
        centred -= modulus
    assert Residues(modulus, most, signed).read(residue) == min(max(centred, -most if signed else 0), most)


def test_each_slot_has_its_own_bound():
    reading = Residues(257, [100, 3, 0], signed=True)
    assert reading.read([256, 250, 0]) == [-1, -3, 0]
    assert reading.read(np.array([160, 2, 5], dtype=np.uint8)).tolist() == [-97, 2, 0]
    for wrong in ([1, 2], 5, [[1, 2, 3]]):
        with pytest.raises(InvalidAggregateError, match="each of the 3 bounds"):
            reading.read(wrong)
    with pytest.raises(InvalidParameterError, match="half the modulus 257"):
        Residues(257, [100, 129], signed=True)


def test_kinds_come_back():
    reading = Residues(65537, 1000, signed=True)
    assert reading.read((65536, [1, 2])[0]) == -1
    assert reading.read(((65536, 1), (2, 3))) == ((-1, 1), (2, 3))
    frame = pd.DataFrame({"a": np.uint32([65530, 2]), "b": [1, 65000]}, index=["x", "y"])
    pd.testing.assert_frame_equal(
        reading.read(frame), pd.DataFrame({"a": [-7, 2], "b": [1, -537]}, index=["x", "y"])
    )
    with pytest.raises(InvalidAggregateError, match="float"):
        reading.read(0.5)


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("modulus", {"modulus": 1}),
        ("modulus", {"modulus": 257.0}),
        ("modulus", {"modulus": True}),
        ("at_most", {"at_most": -1}),
        ("at_most", {"at_most": 2.5}),
        ("at_most", {"at_most": []}),
        ("at_most", {"at_most": [[1]]}),
        ("at_most", {"at_most": [1, None]}),
        ("at_most", {"at_most": "5"}),
        ("signed", {"signed": 1}),
        ("signed", {"signed": "centred"}),
    ],
)
def test_bad_parameters_are_refused_by_name(field, arguments):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be"):
        Residues(**{"modulus": 257, "at_most": 5, "signed": False} | arguments)


@pytest.mark.parametrize("reading", [Residues(2**100, 2**60), Residues(257, [1, 2], signed=True)])
def test_a_reading_survives_the_ledger(reading):
    assert Residues.restore(reading.write()) == reading
