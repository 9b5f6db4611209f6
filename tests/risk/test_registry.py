"""Registry entries: valid by the registry's own schema where a copy lies beside the checkout, and read back safely."""

import datetime as dt
import json
from pathlib import Path

import jsonschema
import pytest

from privacy_accountant import ADP, GDP, RDP, ZCDP, Laplace, Neighbors
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.risk import RiskReport, StudyFacts, from_registry, to_registry

SHARED = Path(__file__).parents[3] / "shared" / "registry"
ASKED = {
    "name": "Admissions by ward",
    "data_curators": ["Hospital of St. Olav"],
    "description": "Monthly counts.",
    "intended_use": "Planning of beds.",
    "data_product_type": "Summary statistics",
    "data_product_region": "Norway",
    "publication_date": "2026-03-01",
    "privacy_unit": "patient",
    "registry_authors": ["The steward"],
}
STUDY = StudyFacts(neighbors=Neighbors.REPLACE_ONE, adaptive=True, study="ward-7")
COMPOSED = Laplace(scale=5.0, sensitivity=1).guarantee().compose(GDP(0.1))
FORMS = [GDP(0.5), ADP(1), ADP(1, 1e-6), ZCDP(0.3), COMPOSED, GDP(0.5).to(RDP, orders=(2, 8, 32))]


@pytest.fixture(scope="module")
def validator():
    path = SHARED / "deployments-schema.yaml"
    if not path.exists():
        pytest.skip("the registry's schema does not lie beside the checkout, at ../shared/registry")
    yaml = pytest.importorskip("yaml")
    return jsonschema.Draft202012Validator(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("guarantee", FORMS, ids=lambda form: type(form).__name__)
@pytest.mark.parametrize("study", [None, STUDY], ids=["bare", "study"])
def test_an_entry_is_valid(validator, guarantee, study):
    validator.validate(to_registry(RiskReport(guarantee, study=study), **ASKED))


@pytest.mark.parametrize("guarantee", FORMS, ids=lambda form: type(form).__name__)
def test_what_is_read_back_never_claims_less_risk(guarantee):
    entry = json.loads(json.dumps(to_registry(RiskReport(guarantee), **ASKED)))
    read = from_registry(entry).guarantee
    for alpha in (1e-4, 0.01, 0.3):
        assert read.beta(alpha) <= guarantee.beta(alpha)
    assert read.advantage >= guarantee.advantage * (1 - 1e-12)


def test_forms_that_the_registry_has_come_back_as_they_were():
    for guarantee in (ADP(1), ADP(1, 1e-6), ZCDP(0.3)):
        assert from_registry(to_registry(RiskReport(guarantee), **ASKED)).guarantee == guarantee
    pure = Laplace(scale=2.0, sensitivity=1).guarantee().self_compose(2)
    assert from_registry(to_registry(RiskReport(pure), **ASKED)).guarantee.epsilon == pytest.approx(1)


def test_the_relation_and_the_risk_are_told():
    loss = to_registry(RiskReport(GDP(1), study=STUDY), **ASKED)["deployment"]["privacy_loss"]
    assert "replace one" in loss["privacy_unit_details"]
    assert "true positive rate of at most 9.24%" in loss["privacy_parameters_details"]


def test_the_slug_is_made_of_plain_words():
    entry = to_registry(RiskReport(GDP(1)), **{**ASKED, "name": "Ärzte & co."})
    assert entry["url_slug"] == "rzte-co-hospital-of-st-olav-2026"


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("name", " "),
        ("data_curators", "Hospital"),
        ("data_curators", []),
        ("registry_authors", [3]),
        ("data_product_type", "A table"),
        ("model_name", "Trusted"),
        ("publication_date", "March"),
        ("publication_date", dt.date(2026, 3, 1)),
        ("privacy_unit", None),
    ],
)
def test_what_is_wrong_is_named(field, wrong):
    with pytest.raises(InvalidParameterError, match=field):
        to_registry(RiskReport(GDP(1)), **{**ASKED, field: wrong})


def test_no_promise_is_no_entry():
    with pytest.raises(InvalidParameterError, match="rho"):
        to_registry(RiskReport(GDP(float("inf"))), **ASKED)


def entry_of(parameters, variant):
    return {
        "deployment": {
            "dp_variant": {"variant_name": variant},
            "privacy_loss": {"privacy_parameters": parameters},
        }
    }


@pytest.mark.parametrize(
    ("parameters", "variant", "missing"),
    [
        ({"epsilon": 1.0}, "Approximate DP", "delta"),
        ({"epsilon": 1.0, "delta": "n^{-2}"}, "Approximate DP", "delta"),
        ({"epsilon": 1.0}, "Zero-concentrated DP", "rho"),
        ({"delta": 1e-6}, "Approximate DP", "epsilon"),
        ({"epsilon": 1.0}, "Renyi DP", "variant_name"),
        ({"epsilon": True}, "Pure DP", "epsilon"),
        ({}, None, "epsilon"),
    ],
)
def test_an_entry_that_does_not_say_enough_says_what_is_missing(parameters, variant, missing):
    with pytest.raises(InvalidParameterError, match=missing):
        from_registry(entry_of(parameters, variant))


@pytest.mark.parametrize("wrong", [{}, None, {"deployment": {}}, {"deployment": {"privacy_loss": []}}])
def test_what_is_no_entry_is_refused(wrong):
    with pytest.raises(InvalidParameterError):
        from_registry(wrong)


def test_a_stated_delta_is_never_dropped():
    # One entry calls itself pure and states a delta: the weaker reading is the safe one.
    assert from_registry(entry_of({"epsilon": 1.0, "delta": 1e-7}, "Pure DP")).guarantee == ADP(1, 1e-7)
    assert from_registry(
        entry_of({"epsilon": 1, "delta": 1e-5, "rho": 0.1}, "Zero-concentrated DP")
    ).guarantee == ZCDP(0.1)
