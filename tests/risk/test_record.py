"""The machine's face: parsed as JSON by a strict reader and compared with the guarantee itself."""

import json
import math

import pytest

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.risk import RiskReport, StudyFacts

FORMS = [GDP(0), GDP(0.5), GDP(float("inf")), ADP(1, 0), ADP(1, 1e-6), ADP(800, 1e-9), ADP(float("inf"), 0)]
STUDY = StudyFacts(
    neighbors=Neighbors.REPLACE_SPECIAL,
    adaptive=True,
    study="Station 7 ä",
    releases=2,
    mechanisms=[("a", "Gaussian(sigma=1)"), ("b", "Laplace(scale=1)")],
)
KEYS = {
    "schema",
    "version",
    "guarantee",
    "study",
    "bounds",
    "attacks",
    "advantage",
    "bayes_risks",
    "ppvs",
    "posteriors",
    "attack_successes",
    "epsilons_at_delta",
    "deltas_at_epsilon",
    "implied",
    "summary",
    "groups",
    "sentences",
}


def strictly(text):
    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def own(question, *arguments):
    """The guarantee's own answer; asked one by one, its last bit may differ from the one in an array."""
    return pytest.approx(question(*arguments), rel=1e-14, abs=0)


def number(value):
    return math.inf if value == "inf" else value


@pytest.mark.parametrize("guarantee", FORMS, ids=repr)
def test_every_number_is_the_guarantees_own(guarantee):
    record = strictly(RiskReport(guarantee).to_json())
    assert set(record) == KEYS
    for row in record["attacks"]:
        assert row["beta"] == own(guarantee.beta, row["alpha"])
        assert row["tpr"] == own(RiskReport(guarantee).tpr, row["alpha"])
    for row in record["bayes_risks"]:
        assert row["bayes_risk"] == own(guarantee.bayes_risk, row["prior"])
        assert row["without_results"] == min(row["prior"], 1 - row["prior"])
    for row in record["ppvs"]:
        # The guarantee pays for its roundings with ulps; the report computes this share exactly from its beta.
        assert row["ppv"] == pytest.approx(guarantee.ppv(row["alpha"], row["prior"]), rel=1e-11, abs=0)
    for row in record["posteriors"]:
        assert row["posterior"] == own(RiskReport(guarantee).posterior, row["prior"], row["exception"])
    for row in record["attack_successes"]:
        assert row["attack_success"] == own(guarantee.attack_success, row["baseline"])
    for row in record["epsilons_at_delta"]:
        assert number(row["epsilon"]) == own(guarantee.get_epsilon, row["delta"])
    for row in record["deltas_at_epsilon"]:
        assert row["delta"] == own(guarantee.get_delta, row["epsilon"])
    assert record["advantage"] == guarantee.advantage
    assert record["guarantee"] == {"form": type(guarantee).__name__, "text": repr(guarantee)}


def test_the_grid_of_the_record():
    record = RiskReport(GDP(1)).to_dict()
    assert [row["alpha"] for row in record["attacks"]] == [0.0001, 0.001, 0.01, 0.1]
    assert [row["prior"] for row in record["bayes_risks"]] == [0.01, 0.1, 0.5]
    assert [row["delta"] for row in record["epsilons_at_delta"]] == [0.0, 1e-9, 1e-6, 1e-5, 1e-3]
    assert len(record["ppvs"]) == 12


def test_plain_data_and_text_are_the_same():
    report = RiskReport(ADP(1, 1e-6), study=STUDY)
    assert strictly(report.to_json()) == report.to_dict() == strictly(report.to_json(indent=2))


def test_no_infinity_but_the_word():
    record = RiskReport(GDP(1)).to_dict()
    assert record["epsilons_at_delta"][0] == {"epsilon": "inf", "delta": 0.0, "epsilon_low": None}


def test_the_sides_of_the_bounds():
    bounds = RiskReport(GDP(1)).to_dict()["bounds"]
    assert {name for name, side in bounds.items() if side == "lower"} == {"beta", "bayes_risk", "epsilon_low"}
    assert set(bounds.values()) == {"lower", "upper"}


def test_the_facts_of_a_study():
    study = RiskReport(GDP(1), study=STUDY).to_dict()["study"]
    assert study["study"] == "Station 7 ä"
    assert study["neighbors"] == "REPLACE_SPECIAL"
    assert study["adaptive"] is True
    assert study["mechanisms"][1] == {"label": "b", "mechanism": "Laplace(scale=1)"}
    assert study["ledger_head"] is None
    assert RiskReport(GDP(1)).to_dict()["study"] is None


def test_a_record_may_be_changed_by_its_owner_without_changing_the_next():
    report = RiskReport(GDP(1))
    report.to_dict()["bounds"].clear()
    report.to_dict()["attacks"][0].clear()
    assert report.to_dict()["bounds"]
    assert report.to_dict()["attacks"][0]
