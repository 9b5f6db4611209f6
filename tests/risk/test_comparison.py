"""Comparisons against curves in many digits: no verdict is ever wrong, and the plain ones are found."""

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, RDP, ZCDP, Gaussian, Laplace
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.risk import RiskReport, Verdict, compare
from privacy_accountant.risk.comparison import RATES

HALF = Laplace(scale=2.0, sensitivity=1).guarantee()


def truth(guarantee, alpha):
    """The trade-off function in 40 digits."""
    with mpmath.workdps(40):
        alpha = mpmath.mpf(repr(alpha) if isinstance(alpha, float) else alpha)
        if isinstance(guarantee, GDP):
            level = mpmath.sqrt(2) * mpmath.erfinv(2 * alpha - 1)
            return mpmath.ncdf(-level - mpmath.mpf(guarantee.mu))
        epsilon, delta = mpmath.mpf(guarantee.epsilon), mpmath.mpf(guarantee.delta)
        lines = 1 - delta - mpmath.exp(epsilon) * alpha, mpmath.exp(-epsilon) * (1 - delta - alpha)
        return max(0, *lines)


curves = st.one_of(
    st.floats(0.05, 5).map(GDP), st.builds(ADP, st.floats(0, 6), st.sampled_from([0.0, 1e-6, 1e-3, 0.1]))
)


@settings(max_examples=40)
@given(curves, curves)
def test_whatever_is_said_is_true_of_the_curves_themselves(first, second):
    found = compare(first, second)
    with mpmath.workdps(40):
        gaps = {alpha: truth(first, alpha) - truth(second, alpha) for alpha in RATES}
        assert all(gaps[alpha] > 0 for alpha in found.first)
        assert all(gaps[alpha] < 0 for alpha in found.second)
        if found.verdict in (Verdict.FIRST, Verdict.SAME):
            assert min(gaps.values()) >= -mpmath.mpf("1e-30")
        if found.verdict in (Verdict.SECOND, Verdict.SAME):
            assert max(gaps.values()) <= mpmath.mpf("1e-30")
        for low, high in found.crossings:
            assert gaps[low] * gaps[high] < 0
    assert (found.verdict is Verdict.CROSS) == bool(found.crossings)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (GDP(0.5), GDP(1), Verdict.FIRST),
        (GDP(1), GDP(1), Verdict.SAME),
        (GDP(1), GDP(1).to(PLD), Verdict.SAME),
        (HALF, ADP(0.5), Verdict.FIRST),
        (ADP(0.5), HALF, Verdict.SECOND),
        (GDP(1), ZCDP(0.5), Verdict.FIRST),
        (ZCDP(0.2), ZCDP(0.1), Verdict.SECOND),
        (GDP(0.1), RDP(orders=(2, 4), epsilons=(1, 2)), Verdict.FIRST),
        (ADP(1), GDP(0.7), Verdict.CROSS),
        (HALF, GDP(0.5), Verdict.CROSS),
        (ADP(1, 1e-6), ADP(0.5, 1e-3), Verdict.CROSS),
        (ADP(1), ADP(float("inf")), Verdict.FIRST),
        (GDP(float("inf")), GDP(0), Verdict.SECOND),
        (ADP(1, 1e-6), ZCDP(10), Verdict.UNKNOWN),
    ],
    ids=repr,
)
def test_the_plain_ones_are_told(first, second, verdict):
    assert compare(first, second).verdict is verdict


def test_swapping_the_two_swaps_the_answer():
    one, other = compare(ADP(1), GDP(0.7)), compare(GDP(0.7), ADP(1))
    assert (one.first, one.second, one.crossings) == (other.second, other.first, other.crossings)


def test_where_pure_and_gaussian_cross():
    crossings = compare(ADP(1), GDP(0.7)).crossings
    assert len(crossings) == 2
    for low, high in crossings:
        with mpmath.workdps(40):
            root = mpmath.findroot(
                lambda a: truth(ADP(1), a) - truth(GDP(0.7), a), (low, high), solver="anderson"
            )
        assert low < root < high


def test_composed_losses_are_compared_too():
    many = Laplace(scale=20.0, sensitivity=1).guarantee().self_compose(8).compose(GDP(0.1))
    assert compare(many, GDP(3)).verdict is Verdict.FIRST
    assert compare(many, ADP(0.4)).verdict is Verdict.CROSS  # the Gaussian tail passes every epsilon


def test_reports_compare_as_their_guarantees_and_speak():
    noisy = Gaussian(sigma=4.0, sensitivity=1).guarantee()
    found = compare(RiskReport(noisy), RiskReport(GDP(1)))
    assert str(found) == "The first is at least as private against every attack."
    crossed = str(compare(ADP(1), GDP(0.7)))
    assert "cross at false positive rates between 10% and 20%" in crossed
    assert crossed.endswith("below, the first is the more private one.")
    third = Laplace(scale=3.0, sensitivity=1).guarantee()
    assert str(compare(HALF, third)).endswith("Wherever it can, it is the second.")


@pytest.mark.parametrize("wrong", [None, 1.0, "GDP(1)"])
def test_what_is_no_guarantee_is_refused(wrong):
    with pytest.raises(InvalidParameterError, match="second"):
        compare(GDP(1), wrong)
