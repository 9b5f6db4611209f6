"""The ends of every range: no NaN, no warning, no overflow, the right limits, the safe side."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP, TradeOff, UnsupportedConversionError
from privacy_accountant.guarantees.pld import GaussianPair, LaplacePair, RandomizedResponsePair

pytestmark = pytest.mark.filterwarnings(
    "ignore::privacy_accountant.guarantees.pld.precision.PrecisionWarning"
)

RATES = np.array([0.0, 1e-300, 1e-17, 0.5, 1 - 1e-16, 1.0])
DELTAS = np.array([0.0, 1e-300, 1e-30, 0.5, 1.0])
EPSILONS = np.array([-1e4, -1e-300, 0.0, 1e-300, 1e-8, 1.0, 745.0, 1e4, 1e140, math.inf])


def ends(low, high, *more):
    return st.one_of(
        st.sampled_from([low, high, *more]),
        st.floats(math.log10(low), math.log10(high)).map(lambda x: 10.0**x),
    )


MUS = ends(1e-8, 1e3, 0.0, math.inf)
EPS = ends(1e-12, 1e4, 0.0, 1e-300, 800.0, math.inf)
DELTA = ends(1e-300, 1.0, 0.0)
RHOS = ends(1e-12, 1e4, 0.0, math.inf)
ORDERS = ends(1e-6, 1e6).map(lambda s: 1 + s)
GUARANTEES = st.one_of(
    st.builds(GDP, MUS),
    st.builds(ADP, EPS, DELTA),
    st.builds(ZCDP, RHOS),
    st.builds(RDP, ORDERS, ends(1e-12, 1e4, 0.0, math.inf)),
    st.builds(lambda e: PLD.of(LaplacePair(e)), EPS),
    st.builds(lambda m: PLD.of(GaussianPair(m * m)), MUS),
    st.builds(lambda e, d: PLD.of(RandomizedResponsePair(e, d)), EPS, DELTA),
    st.builds(lambda e, m: PLD([(LaplacePair(e), 3), (GaussianPair(m * m), 1)]), EPS, MUS),
    st.builds(lambda e, f, d: PLD([(LaplacePair(e), 2), (RandomizedResponsePair(f, d), 9)]), EPS, EPS, DELTA),
    st.builds(lambda e, d: ADP(e, d).to(TradeOff), EPS, DELTA),
    st.builds(
        lambda a, d: TradeOff((0, a, 1), (1 - d, max(0.0, (1 - d) * (1 - a) * 0.5), 0)),
        ends(1e-300, 0.5),
        ends(1e-300, 0.4),
    ),
)


@given(GUARANTEES)
@settings(max_examples=150)
def test_every_question_has_an_answer(guarantee):
    beta = guarantee.beta(RATES)
    assert ((beta >= 0) & (beta <= 1 - RATES)).all()
    assert beta[-1] == 0
    delta, rest = guarantee.get_delta(EPSILONS), guarantee.get_complement(EPSILONS)
    assert ((delta >= 0) & (delta <= 1) & (rest >= 0) & (rest <= 1)).all()
    assert delta[0] == 1
    assert (delta + rest >= 1 - 1e-9).all()
    epsilon = guarantee.get_epsilon(DELTAS)
    assert (epsilon >= 0).all()
    assert epsilon[-1] == 0
    bayes, success = guarantee.bayes_risk(RATES), guarantee.attack_success(RATES)
    assert (bayes[[0, -1]] == 0).all()
    assert ((bayes >= 0) & (bayes <= 0.5)).all()
    assert ((success >= RATES) & (success <= 1)).all()
    for prior in (0.0, 1e-300, 0.5, 1.0):
        value = guarantee.ppv(RATES, prior)
        assert ((value >= 0) & (value <= 1)).all()
    assert 0 <= guarantee.advantage <= 1
    assert guarantee.advantage >= delta[2] * (1 - 1e-12)


@given(GUARANTEES, st.sampled_from([1, 2, 1000]))
@settings(max_examples=40)
def test_composition_and_groups_at_the_ends(guarantee, count):
    many = guarantee.self_compose(count)
    assert 0 <= many.advantage <= 1
    assert many.advantage >= guarantee.advantage * (1 - 1e-4)
    if not (isinstance(guarantee, (RDP, TradeOff)) and count > 2):
        try:
            assert guarantee.for_group(count).advantage >= guarantee.advantage * (1 - 1e-9)
        except UnsupportedConversionError as refusal:
            assert "halves the orders" in refusal.reason  # noqa: PT017 - the one legal refusal


@pytest.mark.parametrize(
    ("guarantee", "advantage"),
    [
        (GDP(1e-8), 1e-8 / math.sqrt(2 * math.pi)),
        (GDP(1e3), 1.0),
        (ADP(1e-300), 5e-301),
        (ADP(1e4), 1.0),
        (ADP(0, 1e-300), 1e-300),
        (ZCDP(1e-12), math.sqrt(1e-12 / 2)),
        (ZCDP(1e4), 1.0),
        (ADP(0, 2.0**-60).to(TradeOff), 2.0**-60),
    ],
    ids=repr,
)
def test_limits(guarantee, advantage):
    assert guarantee.advantage == pytest.approx(advantage, rel=1e-6)
    assert guarantee.advantage >= advantage * (1 - 1e-8)
