"""What every form shares: fields checked where they are given, frozen, equal by value, readable."""

import math
from decimal import Decimal
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP, InvalidParameterError, TradeOff, compose
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import LaplacePair

FORMS = [ADP(1, 1e-6), GDP(1), RDP((2, 8), (0.1, 0.4)), ZCDP(0.5), PLD.of(LaplacePair(1))]
FORMS += [TradeOff((0, 0.125, 0.5, 1), (1, 0.5, 0.125, 0)), compose(ADP(1, 1e-6), ZCDP(0.1))]
forms = pytest.mark.parametrize("guarantee", FORMS, ids=lambda guarantee: type(guarantee).__name__)

BAD_NUMBERS = [math.nan, -1, -1e-300, True, "1", None, np.float32(0.5), 1j, [1], np.array([1.0])]


@pytest.mark.parametrize("bad", BAD_NUMBERS, ids=repr)
@pytest.mark.parametrize(
    ("build", "field"), [(ADP, "epsilon"), (lambda x: ADP(1, x), "delta"), (GDP, "mu"), (ZCDP, "rho")]
)
def test_a_bad_field_is_named(build, field, bad):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be .*; got ") as refusal:
        build(bad)
    assert refusal.value.field == field
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("bad", [1.5, math.inf, Fraction(10001, 10000)])
def test_delta_is_a_probability(bad):
    with pytest.raises(InvalidParameterError, match="delta must be a number in"):
        ADP(1, bad)


@pytest.mark.parametrize("form", [ADP, GDP, ZCDP])
def test_numbers_are_the_decimals_that_were_typed(form):
    assert form(0.1) == form(Fraction(1, 10)) == form(Decimal("0.1")) == form(np.float64(0.1))
    assert form(2) == form(2.0) == form(np.int64(2))
    assert form(Fraction(1, 3)) != form(1 / 3)


@forms
def test_frozen_hashable_and_readable(guarantee):
    field = attrs.fields(type(guarantee))[0].name
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(guarantee, field, 0)
    assert hash(guarantee) == hash(attrs.evolve(guarantee))
    assert repr(guarantee).startswith(type(guarantee).__name__ + "(")
    assert "<table>" in guarantee._repr_html_()


@forms
@pytest.mark.parametrize(
    "bad", [-0.1, 1.1, math.nan, True, "0.5", [], [0.1, math.nan], [[0.1], [0.1, 0.2]], [True]]
)
def test_bad_questions_are_refused(guarantee, bad):
    for question, field in (
        (guarantee.beta, "alpha"),
        (guarantee.get_epsilon, "delta"),
        (guarantee.bayes_risk, "prior"),
        (guarantee.attack_success, "baseline"),
    ):
        with pytest.raises(InvalidParameterError, match=f"^{field} must be "):
            question(bad)


@forms
@pytest.mark.parametrize("bad", [math.nan, True, "1", []])
def test_epsilon_is_any_real_number(guarantee, bad):
    with pytest.raises(InvalidParameterError, match=r"^epsilon must be "):
        guarantee.get_delta(bad)
    assert guarantee.get_delta(-math.inf) == 1
    assert guarantee.get_delta(-0.5) > 1 - math.exp(-0.5)


@forms
@pytest.mark.parametrize("bad", [0, -1, 1.0, True, "2"])
def test_counts_are_positive_integers(guarantee, bad):
    with pytest.raises(InvalidParameterError, match="count must be an integer >= 1"):
        guarantee.self_compose(bad)


@forms
@pytest.mark.parametrize("kind", [np.float64, np.float32, list])
def test_arrays_keep_their_shape(guarantee, kind):
    grid = [[0.0, 0.25, 0.5], [0.75, 0.9375, 1.0]]
    asked = grid if kind is list else np.array(grid, dtype=kind)
    for question in (guarantee.beta, guarantee.bayes_risk, guarantee.get_delta, guarantee.get_complement):
        answer = question(asked)
        assert answer.shape == (2, 3)
        assert answer.dtype == np.float64
        assert type(question(0.25)) is float
    assert guarantee.beta([0, 1]).tolist() == [guarantee.beta(0), 0.0]
    assert guarantee.beta(np.float64(0.25)) == guarantee.beta(0.25)


@forms
def test_directions_meet(guarantee):
    """delta is an upper and its complement a lower bound of numbers that add up to 1."""
    at = np.array([0.0, 0.3, 1.0, 4.0])
    total = guarantee.get_delta(at) + guarantee.get_complement(at)
    below, above = (1e-9, 1e-4) if isinstance(guarantee, Mixed) else (1e-12, 1e-9)
    assert ((total >= 1 - below) & (total <= 1 + above)).all()


@pytest.mark.parametrize(
    "nothing",
    [ADP(math.inf), ADP(1, 1), GDP(math.inf), ZCDP(math.inf), RDP(2, math.inf), TradeOff((0, 1), (0, 0))],
    ids=repr,
)
def test_no_privacy_is_legal(nothing):
    assert nothing.advantage == 1
    assert nothing.beta([0.0, 0.5, 1.0]).tolist() == [0.0, 0.0, 0.0]
    assert nothing.get_delta(3) == 1
    assert nothing.get_epsilon([0.5, 1.0]).tolist() == [math.inf, 0.0]
    assert nothing.bayes_risk(0.5) == 0


@pytest.mark.parametrize(
    "perfect", [ADP(0), GDP(0), ZCDP(0), RDP((2, 3), (0, 1)), PLD(), TradeOff((0, 1), (1, 0))], ids=repr
)
def test_perfect_privacy_is_exact(perfect):
    alphas = np.array([0.0, 0.25, 0.5, 1.0])
    assert perfect.advantage == 0
    assert perfect.beta(alphas).tolist() == pytest.approx((1 - alphas).tolist(), abs=1e-14)
    assert perfect.get_delta(0) == 0
    assert perfect.get_epsilon(0) == 0
    assert perfect.bayes_risk(0.25) == 0.25


@pytest.mark.parametrize("delta", [1e-17, 1e-300, 0.1, 1e-5, Fraction(1, 3)])
def test_a_small_delta_is_never_rounded_away(delta):
    """1 - delta is a lower bound: a double next to 1 must be below it."""
    room = 1 - (Fraction(delta) if isinstance(delta, Fraction) else Fraction(repr(delta)))
    assert Fraction(ADP(1, delta).beta(0)) <= room
    assert Fraction(ADP(1, delta).get_complement(5)) <= room
    assert Fraction(ADP(1, delta).get_delta(5)) >= 1 - room


@pytest.mark.parametrize(
    "bad", [[True, 0.5], [[0.1], [0.2, 0.3]], [], ["0.1"], "0.1", True, math.nan, [math.nan], 1j]
)
def test_a_question_about_no_number_is_refused_in_one_line(bad):
    for ask in (GDP(1).beta, GDP(1).get_epsilon, GDP(1).bayes_risk, GDP(1).attack_success):
        with pytest.raises(InvalidParameterError) as caught:
            ask(bad)
        assert "\n" not in str(caught.value)
    with pytest.raises(InvalidParameterError, match="not a vector"):
        GDP(1).ppv(0.1, [0.1, 0.2])


def test_the_smallest_loss_is_not_no_loss():
    assert ADP(5e-324).to(GDP).mu > 0
    assert GDP(5e-324).advantage > 0
    assert ADP(0).to(GDP) == GDP(0)
    assert GDP(1).get_delta(10**400) == 0


@pytest.mark.parametrize("epsilon", [0.3, 37.7, 268.4, 700.1])
def test_the_decimal_of_epsilon_holds_in_the_exponent(epsilon):
    """A float next to the decimal that was typed is off by half an ulp, which e^epsilon multiplies by epsilon."""
    release = ADP(epsilon, 1e-9)
    with mpmath.workdps(340):
        e, room = mpmath.mpf(repr(epsilon)), 1 - mpmath.mpf("1e-9")
        for alpha in (1e-300, 1e-120, 1e-12, 0.00117, 0.4, 0.9):
            a = mpmath.mpf(alpha)
            truth = max(0, room - mpmath.exp(e) * a, mpmath.exp(-e) * (room - a))
            assert release.beta(alpha) <= truth
            assert release.attack_success(alpha) >= 1 - truth
        for prior in (1e-300, 1e-9, 0.2):
            odds = mpmath.log(1 - mpmath.mpf(prior)) - mpmath.log(mpmath.mpf(prior))
            inside = (mpmath.exp(-e) + mpmath.exp(odds - e)) / (1 + mpmath.exp(-e)) if odds < e else 1
            assert release.bayes_risk(prior) <= prior * room * inside
