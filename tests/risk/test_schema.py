"""The record against the schema that is published with the package."""

import json
from importlib import resources

import jsonschema
import pytest

from privacy_accountant import GDP, Laplace
from privacy_accountant.risk import RiskReport
from privacy_accountant.risk.record import BOUNDS

SCHEMA = json.loads(
    resources.files("privacy_accountant.risk").joinpath("schema", "risk-report-1.json").read_text("utf-8")
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def closed(schema):
    """The schema with every key that it does not name forbidden: a key that is not documented is found out."""
    if isinstance(schema, dict):
        inner = {key: closed(value) for key, value in schema.items()}
        if "properties" in schema and isinstance(schema.get("required"), list):
            return {**inner, "additionalProperties": False}
        return inner
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


def test_the_schema_is_a_schema():
    VALIDATOR.check_schema(SCHEMA)


def test_every_report_is_valid_and_every_key_is_documented(report, ward):
    composed = RiskReport(Laplace(scale=5.0, sensitivity=1).guarantee().compose(GDP(0.1)))
    for one in (report, ward, composed):
        jsonschema.Draft202012Validator(closed(SCHEMA)).validate(json.loads(one.to_json()))


def test_later_keys_are_ignored_and_earlier_ones_are_required(ward):
    record = ward.to_dict()
    VALIDATOR.validate({**record, "later": 1})
    for key in record:
        assert not VALIDATOR.is_valid({name: value for name, value in record.items() if name != key})


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("version", 2),
        ("advantage", 1.5),
        ("advantage", None),
        ("epsilons_at_delta", [{"epsilon": "infinite", "delta": 0, "epsilon_low": None}]),
        ("bounds", {"beta": "exact"}),
    ],
)
def test_what_is_wrong_is_refused(ward, key, wrong):
    assert not VALIDATOR.is_valid({**ward.to_dict(), key: wrong})


def test_every_bound_of_the_record_has_a_side(ward):
    record = ward.to_dict()
    rows = [
        row for value in record.values() if isinstance(value, list) for row in value if isinstance(row, dict)
    ]
    bounded = {name for row in rows for name in row} - {
        "alpha",
        "prior",
        "baseline",
        "exception",
        "without_results",
        "size",
    }
    assert bounded | {"advantage", *record["implied"]} == set(BOUNDS)
