"""What a guarantee is in other currencies: never less risk than it has, and nothing where there is nothing to say."""

import math

import pytest

from privacy_accountant import ADP, GDP, RDP, ZCDP, DiscreteGaussian, Laplace, compose, summarize_mu
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.risk import RiskReport

HALF = Laplace(scale=2.0, sensitivity=1).guarantee()


def implied(guarantee):
    return RiskReport(guarantee).to_dict()["implied"]


@pytest.mark.parametrize("guarantee", [GDP(0.5), ADP(1), ZCDP(0.3), HALF, compose(HALF, GDP(0.2))], ids=repr)
def test_what_is_implied_never_has_less_risk(guarantee):
    found = implied(guarantee)
    for form in (GDP(found["mu"]), ZCDP(found["rho"])):
        for alpha in (1e-4, 0.01, 0.3):
            assert form.beta(alpha) <= guarantee.beta(alpha) * (1 + 1e-14)
        assert form.advantage >= guarantee.advantage * (1 - 1e-14)


def test_own_parameters_are_shown_as_they_were_typed():
    assert implied(GDP(0.1)) == {"mu": 0.1, "rho": pytest.approx(0.005, rel=1e-15)}
    assert implied(ZCDP(0.1))["rho"] == 0.1
    assert "As zero-concentrated differential privacy: rho at most 0.1." in str(RiskReport(ZCDP(0.1)))


@pytest.mark.parametrize(
    ("guarantee", "without"),
    [
        (ADP(1, 1e-6), ("mu", "rho")),
        (RDP(orders=(2,), epsilons=(1,)), ("mu", "rho")),
        (DiscreteGaussian(sigma=3, sensitivity=1).guarantee(PLD), ("mu",)),
    ],
    ids=repr,
)
def test_nothing_is_said_where_nothing_is_implied(guarantee, without):
    found = implied(guarantee)
    assert {name for name, value in found.items() if value is None} == set(without)


def test_infinite_parameters_are_not_printed():
    assert implied(GDP(math.inf))["mu"] == "inf"
    assert "mu at most" not in str(RiskReport(GDP(math.inf)))


def test_a_pair_is_summed_up_with_its_slack_and_regret():
    pair = ADP(1, 1e-6)
    expected = summarize_mu(pair, slack=1e-6)
    found = RiskReport(pair).to_dict()["summary"]
    assert found == {"mu": expected.mu, "slack": 1e-6, "regret": expected.regret}
    assert "Summary by one Gaussian curve, with slack 1e-6: mu at most 1.24" in str(RiskReport(pair)).replace(
        "\n", " "
    )
    for none in (GDP(1), ADP(math.inf, 0.1), ADP(0, 1)):
        assert RiskReport(none).to_dict()["summary"] is None


def test_both_ends_of_epsilon_are_certified_where_the_guarantee_certifies_them():
    loss = compose(HALF, GDP(0.2))
    rows = RiskReport(loss).to_dict()["epsilons_at_delta"]
    for row in rows[1:]:
        assert row["epsilon_low"] <= row["epsilon"] <= row["epsilon_low"] * 1.001
    low, high = loss.get_epsilon(1e-6, interval=True)
    told = next(row for row in rows if row["delta"] == 1e-6)
    assert (told["epsilon_low"], told["epsilon"]) == (pytest.approx(low), pytest.approx(high))
    assert "least epsilon is" in str(RiskReport(loss))
    assert "least epsilon is" not in str(RiskReport(GDP(1)))


def test_a_loss_of_very_many_parts_is_not_converted_part_by_part(monkeypatch):
    monkeypatch.setattr("privacy_accountant.risk.figures._MOST_PARTS", 1)
    assert implied(compose(HALF, GDP(0.2))) == {"mu": None, "rho": None}
    assert implied(HALF)["mu"] is not None
