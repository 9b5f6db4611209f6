import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    InvalidParameterError,
    TradeOff,
    UnsupportedConversionError,
    compose,
)
from privacy_accountant.guarantees import registry
from privacy_accountant.guarantees.pld import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)

SIX = (ADP, GDP, RDP, ZCDP, PLD, TradeOff)
SAMPLES = {
    ADP: ADP(1),
    GDP: GDP(1),
    RDP: RDP((2, 8), (0.1, 0.4)),
    ZCDP: ZCDP(0.5),
    PLD: PLD.of(LaplacePair(1)),
    TradeOff: TradeOff((0, 0.25, 1), (1, 0.25, 0)),
}


@pytest.mark.parametrize("target", SIX)
@pytest.mark.parametrize("source", SIX)
def test_every_pair_converts_or_says_why_not(source, target):
    guarantee = SAMPLES[source]
    parameters = {ADP: {"delta": 1e-6}, RDP: {"orders": (2, 8)}}.get(target, {})
    try:
        result = guarantee.to(target, **parameters)
    except UnsupportedConversionError as refusal:
        assert (refusal.source, refusal.target) == (source.__name__, target.__name__)  # noqa: PT017
        assert "registered" not in refusal.reason  # noqa: PT017
        assert len(refusal.reason) > 40  # noqa: PT017
    else:
        assert type(result) is target


def test_the_table_says_what_it_holds():
    pairs = {(entry.source, entry.target): entry for entry in registry.conversions()}
    assert pairs[ADP, ZCDP].citation.endswith("arXiv 2510.25746")
    assert pairs[GDP, PLD].exact
    assert not pairs[GDP, ZCDP].exact
    assert pairs[ZCDP, ADP].parameters == ("delta", "epsilon")
    assert pairs[GDP, RDP].parameters == ("orders",)


def test_the_same_form_is_itself():
    for guarantee in SAMPLES.values():
        assert guarantee.to(type(guarantee)) is guarantee


@pytest.mark.parametrize("guarantee", SAMPLES.values(), ids=lambda guarantee: type(guarantee).__name__)
def test_adp_takes_exactly_one_coordinate(guarantee):
    pair = guarantee.to(ADP, delta=1e-6)
    assert pair.delta == 1e-6
    assert pair.epsilon >= guarantee.get_epsilon(1e-6)
    assert guarantee.to(ADP, epsilon=0.1).delta >= guarantee.get_delta(0.1)
    with pytest.raises(InvalidParameterError, match=r"delta must be given, or epsilon instead \(exactly one"):
        guarantee.to(ADP, delta=1e-6, epsilon=1)
    with pytest.raises(InvalidParameterError, match="delta must be a number in"):
        guarantee.to(ADP, delta=2)
    with pytest.raises(InvalidParameterError, match="epsilon must be a number >= 0"):
        guarantee.to(ADP, epsilon=-1)


def test_adp_needs_a_coordinate():
    with pytest.raises(InvalidParameterError, match="delta must be given"):
        GDP(1).to(ADP)


def test_unknown_and_missing_parameters_are_named():
    with pytest.raises(InvalidParameterError, match="delta must be a parameter of GDP to ZCDP"):
        GDP(1).to(ZCDP, delta=1e-6)
    with pytest.raises(InvalidParameterError, match="orders must be given for a conversion from GDP to RDP"):
        GDP(1).to(RDP)


@pytest.mark.parametrize(
    "source",
    [
        ADP(1, 1e-9),
        PLD.of(RandomizedResponsePair(1, 1e-9)),
        PLD.of(RandomizedResponsePair(1, 1e-9)).compose(GDP(1)),
    ],
)
@pytest.mark.parametrize(("target", "parameters"), [(GDP, {}), (ZCDP, {}), (RDP, {"orders": 2})])
def test_delta_has_no_rho_mu_or_divergence(source, target, parameters):
    with pytest.raises(UnsupportedConversionError, match="with delta > 0 .* compose it as it is"):
        source.to(target, **parameters)


def test_no_privacy_converts_to_no_privacy():
    for nothing in (ADP(math.inf), ADP(1, 1), GDP(math.inf), PLD.of(LaplacePair(math.inf))):
        assert nothing.to(ZCDP) == ZCDP(math.inf)
        assert nothing.to(RDP, orders=2) == RDP(2, math.inf)
    assert ADP(math.inf).to(GDP) == GDP(math.inf)
    assert ZCDP(math.inf).to(RDP, orders=2) == RDP(2, math.inf)


def test_rational_conversions_are_exact():
    assert GDP(3).to(ZCDP) == ZCDP(4.5)
    assert GDP(Fraction(1, 3)).to(ZCDP).rho == Fraction(1, 18)
    assert GDP(Fraction(1, 3)).to(PLD).to(GDP) == GDP(Fraction(1, 3))
    assert GDP(0.2).to(RDP, orders=(2, 3)) == RDP((2, 3), (0.04, 0.06))
    assert ZCDP(0.1).to(RDP, orders=(2, 3)) == RDP((2, 3), (0.2, 0.3))
    assert PLD.of(DiscreteGaussianPair(9, 3)).to(ZCDP) == ZCDP(0.5)
    assert PLD.of(GaussianPair(0.25)).to(GDP) == GDP(0.5)


def test_costs_are_multiples_of_the_grain_at_or_above_the_truth():
    rho = ADP(1).to(ZCDP).rho
    assert isinstance(rho, Fraction)
    assert (rho * 2**200).denominator == 1
    with mpmath.workdps(80):
        truth = mpmath.tanh(mpmath.mpf(1) / 2)
        assert 0 <= mpmath.mpf(rho.numerator) / rho.denominator - truth <= mpmath.mpf(2) ** -200


def test_parts_add_exactly():
    parts = compose(PLD.of(LaplacePair(0.5), 3), PLD.of(LaplacePair(1)), GDP(0.5))
    once = [Fraction(PLD.of(LaplacePair(epsilon)).to(ZCDP).rho) for epsilon in (0.5, 1)]
    assert parts.to(ZCDP).rho == 3 * once[0] + once[1] + Fraction(1, 8)


@pytest.mark.parametrize(("scale", "sensitivity"), [(1, 1), (2, 3), (0.5, 4), (30, 7)])
def test_discrete_laplace_mu_touches_its_own_curve(scale, sensitivity):
    release = PLD.of(DiscreteLaplacePair(scale, sensitivity))
    mu = float(release.to(GDP).mu)
    pure = float(ADP(Fraction(sensitivity) / Fraction(scale)).to(GDP).mu)
    assert mu <= pure * (1 + 1e-12)
    ratio = math.exp(-1 / scale)
    vertices = ratio ** np.arange(1, sensitivity + 1) / (1 + ratio)
    alphas = np.concatenate([np.geomspace(1e-12, 0.5, 400), vertices])
    assert (GDP(mu).beta(alphas) <= release.beta(alphas) * (1 + 1e-9)).all()
    assert (GDP(mu * (1 - 1e-6)).beta(vertices) > release.beta(vertices)).any()


def test_laplace_mu_is_less_than_randomized_response():
    assert PLD.of(LaplacePair(1)).to(GDP).mu == pytest.approx(1.030, abs=1e-3)
    assert ADP(1).to(GDP).mu == pytest.approx(1.232, abs=1e-3)


def test_discrete_gaussian_is_not_gaussian():
    with pytest.raises(UnsupportedConversionError, match="not Gaussian differential privacy"):
        PLD.of(DiscreteGaussianPair(4, 1)).to(GDP)


@pytest.mark.parametrize("denominator", [3, 7, 11, 13, 97])
def test_asked_on_the_strict_side_of_the_decimal(denominator):
    """The claim at delta = 1/3 must hold for 1/3, not only for the double next to it, which may be above."""
    delta = Fraction(1, denominator)
    pair = GDP(1).to(ADP, delta=delta)
    assert pair.delta == delta
    with mpmath.workdps(40):
        epsilon = mpmath.mpf(pair.epsilon)
        truth = mpmath.ncdf(0.5 - epsilon) - mpmath.exp(epsilon) * mpmath.ncdf(-0.5 - epsilon)
        assert truth <= mpmath.mpf(1) / denominator
