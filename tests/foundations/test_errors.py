"""Errors: one line, data as attributes, and a round trip through pickle."""

from __future__ import annotations

import pickle

import pytest

import privacy_accountant as pa
from privacy_accountant import errors

EVERY = [
    errors.InvalidParameterError("sigma", "positive", -1),
    errors.InvalidAggregateError("value", "an integer", "float"),
    errors.UnsupportedConversionError("ADP", "GDP", "delta > 0 has no finite mu"),
    errors.CalibrationError(1, "no noise meets it"),
    errors.BudgetExceededError(
        "s: needs 1", study="s", budget=1, spent=2, requested=3, fits="Laplace(scale >= 2)"
    ),
    errors.NeighborsMismatchError(pa.Neighbors.REPLACE_ONE, pa.Neighbors.ADD_OR_REMOVE_ONE),
    errors.BudgetMismatchError("s", "budget", 1, 2),
    errors.ReleaseFailedError("s", 7),
    errors.LedgerCorruptedError("entry 3: hash", entry=3),
    errors.MissingExtraError("plot()", "plot"),
]


@pytest.mark.parametrize("error", EVERY, ids=lambda error: type(error).__name__)
def test_one_line_and_a_round_trip(error):
    assert isinstance(error, errors.PrivacyAccountantError)
    assert "\n" not in str(error)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


def test_a_long_value_is_cut_to_one_short_line():
    text = str(errors.InvalidParameterError("alpha", "small", "x\n" * 500))
    assert len(text) < 200
    assert "\n" not in text
