"""A mu for reports: what it claims holds for the guarantee, and its regret is a regret."""

import math

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    InvalidParameterError,
    MuSummary,
    PrivacyGuarantee,
    TradeOff,
    summarize_mu,
)
from privacy_accountant.guarantees.pld import PLD, LaplacePair

ALPHAS = np.concatenate([[0.0], np.geomspace(1e-12, 0.5, 200), np.linspace(0.5, 1, 200)])
EPSILONS = np.array([0.0, 0.5, 1.0, 3.0])


@pytest.mark.parametrize("slack", [0, 1e-6, 1e-3, 0.05])
@pytest.mark.parametrize(
    "guarantee",
    [
        GDP(1),
        ADP(1),
        ADP(1, 1e-6),
        ZCDP(0.5),
        RDP((2, 8), (0.1, 0.4)),
        TradeOff((0, 0.1, 0.25, 1), (0.99, 0.5, 0.25, 0)),
        ADP(math.inf),
        GDP(0),
    ],
    ids=repr,
)
def test_what_a_summary_says_holds(guarantee, slack):
    summary = summarize_mu(guarantee, slack=slack)
    assert isinstance(summary, MuSummary)
    assert not isinstance(summary, PrivacyGuarantee)
    assert (summary.beta(ALPHAS) <= guarantee.beta(ALPHAS) + 1e-12).all()
    assert (summary.get_delta(EPSILONS) >= guarantee.get_delta(EPSILONS) * (1 - 1e-4)).all()
    assert summary.advantage >= guarantee.advantage * (1 - 1e-4)
    moved = guarantee.beta(np.minimum(ALPHAS + summary.regret, 1.0)) - summary.regret
    assert (moved <= GDP(summary.mu).beta(ALPHAS) + 1e-9).all()
    assert 0 <= summary.regret <= 1


def test_more_slack_never_needs_more_mu():
    mus = [summarize_mu(ADP(1, 1e-6), slack=slack).mu for slack in (0, 1e-7, 1e-6, 1e-5, 1e-3, 0.1)]
    assert mus[0] == math.inf > mus[1]
    assert mus == sorted(mus, reverse=True)
    assert mus[3] == pytest.approx(ADP(1).to(GDP).mu, rel=1e-3)


def test_a_gaussian_is_its_own_summary():
    summary = summarize_mu(GDP(0.7), slack=0)
    assert summary.mu == 0.7
    assert summary.regret < 1e-4


def test_composed_laplace_is_nearly_gaussian():
    many = PLD.of(LaplacePair(0.1), 100)
    summary = summarize_mu(many, slack=1e-5)
    assert summary.regret < 0.02
    assert (summary.beta(ALPHAS) <= many.beta(ALPHAS) + 1e-12).all()


@pytest.mark.parametrize("bad", [-1, 1, 2, math.nan, "0", True])
def test_bad_slack(bad):
    with pytest.raises(InvalidParameterError, match="^slack must be"):
        summarize_mu(GDP(1), slack=bad)
