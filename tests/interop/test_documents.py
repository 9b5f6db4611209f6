"""Documents: exact round trips, a closed schema, and nothing that is read by mistake."""

import importlib.util
import json
import math
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidParameterError,
    Laplace,
    LedgerError,
    Neighbors,
    Risk,
    Sensitivity,
    TradeOff,
    compose,
)
from privacy_accountant.guarantees.pld import FinitePair, SubsampledGaussianPair
from privacy_accountant.interop import from_json, to_json

_SPEC = importlib.util.spec_from_file_location("make_schema", Path(__file__).parent / "make_schema.py")
make_schema = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(make_schema)

VALUES = [
    ADP(0.1, 1e-300),
    ADP(math.inf),
    GDP(Fraction(1, 3)),
    RDP([2, Fraction(7, 3)], [0.1, math.inf]),
    ZCDP(1e-12),
    PLD(),
    TradeOff((0, 0.25, 1), (1, 0.25, 0)),
    Risk(fpr=0.01, tpr=0.05),
    compose(ADP(1, 1e-6), ZCDP(0.1)),
    compose(GDP(0.5), Laplace(scale=2, sensitivity=1).guarantee(), ADP(0.1)),
    PLD.of(FinitePair.of_tables((0.9, 0.1), (0.5, 0.5)), 3),
    PLD.of(SubsampledGaussianPair(0.01, 1), 100),
    Gaussian(sigma=0.1, sensitivity=Sensitivity(per_value=1, values=3)),
    Gaussian(sigma=4, sensitivity=Sensitivity(l2=2), neighbors=Neighbors.REPLACE_ONE, grid=0.25, length=4),
    Laplace(scale=Fraction(10, 3), sensitivity=1),
    DiscreteLaplace(scale=1e30, sensitivity=10**20),
    DiscreteGaussian(sigma=2, sensitivity=1),
]


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(make_schema.PLACE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_published_schema_is_the_tables():
    assert make_schema.PLACE.read_text(encoding="utf-8") == make_schema.written()


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_an_equal_object_comes_back(value, validator):
    text = to_json(value)
    validator.validate(json.loads(text))
    assert from_json(text) == value
    assert to_json(from_json(text)) == text
    assert from_json(to_json(value, indent=2)) == value
    assert "\n" not in text


def test_a_receipt_comes_back_without_its_ledger(validator):
    study = Accountant(budget=ADP(1.0))
    study.release(5, Laplace(scale=3, sensitivity=1), label='März, "all"')
    receipt = study.last
    text = to_json(receipt)
    validator.validate(json.loads(text))
    back = from_json(text)
    assert back == receipt
    assert back.cost[0] == Fraction(1, 3)
    with pytest.raises(LedgerError, match="ask the study"):
        back.balance  # noqa: B018


@pytest.mark.parametrize(
    "wrong", [None, 1.0, "GDP", {"mu": 1}, Sensitivity(l1=1), Neighbors.REPLACE_ONE], ids=repr
)
def test_only_whole_things_are_written(wrong):
    with pytest.raises(InvalidParameterError, match="value must be a guarantee"):
        to_json(wrong)


GOOD = {"schema": "privacy-accountant/document", "version": 1, "value": {"type": "GDP", "mu": "0.5"}}


@pytest.mark.parametrize(
    "document",
    [
        {**GOOD, "version": 2},
        {**GOOD, "schema": "other"},
        {**GOOD, "value": None},
        {**GOOD, "value": {"type": "Sensitivity", "per_value": "1.0", "values": 2}},
        {**GOOD, "value": {"type": "GDP", "mu": 0.5}},
        {**GOOD, "value": {"type": "GDP"}},
        {**GOOD, "value": {"type": "GDP", "mu": "-1"}},
        {**GOOD, "value": {"type": "GDP", "mu": "nan"}},
        {**GOOD, "value": {"type": "GDP", "mu": "0.5", "delta": "0"}},
        {**GOOD, "value": {"type": "os.system", "command": {"text": "true"}}},
        {**GOOD, "value": {"type": "Receipt", "study": {"text": "a"}}},
        {**GOOD, "value": {"type": "Receipt", "balance": 1}},
        [GOOD],
        3,
    ],
    ids=str,
)
def test_what_is_no_document_is_refused_in_one_line(document):
    with pytest.raises(InvalidParameterError) as caught:
        from_json(json.dumps(document))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", "[" * 100_000, None, b"{}", json.dumps(GOOD).replace('"0.5"', "NaN")]
)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(InvalidParameterError, match="text must be|JSON"):
        from_json(text)
