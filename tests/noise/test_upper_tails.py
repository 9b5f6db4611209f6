"""Tails of the laws from above, against closed forms in high precision."""

from fractions import Fraction

import mpmath
import pytest

from privacy_accountant.noise import DiscreteGaussianLaw, RoundedGaussianLaw
from privacy_accountant.noise.upper_tails import tail_above


@pytest.mark.parametrize("scale", [Fraction(1, 100), Fraction(1), Fraction(7, 2), Fraction(1000)], ids=str)
@pytest.mark.parametrize("least", [-3, 0, 1, 2, 5, 30, 300])
def test_a_tail_is_bounded_tightly_from_above(law_type, scale, least, tail):
    law = law_type(scale)
    bound = tail_above(law, least)
    if least <= 0:
        assert bound == 1
        return
    with mpmath.workdps(80):
        truth = tail(law, least - 1) / 2
        loose = 1 + mpmath.mpf(10) ** (-4 if law_type is DiscreteGaussianLaw and scale > 128 else -15)
        found = mpmath.mpf(bound.numerator) / bound.denominator
        assert found >= truth * (1 - mpmath.mpf(10) ** -60)
        assert found <= truth * loose or found < mpmath.mpf(10) ** -300


def test_known_values():
    """One noisy count of a person alone, scale 1, threshold 5: from a public report of a rule that was off by one."""
    from privacy_accountant.noise import DiscreteLaplaceLaw

    law = DiscreteLaplaceLaw(Fraction(1))
    assert float(tail_above(law, 4)) == pytest.approx(0.0133898049326985, rel=1e-13)
    assert float(tail_above(law, 5)) == pytest.approx(0.00492583395603573, rel=1e-13)
    sigma = RoundedGaussianLaw(Fraction("3.73063163482"))
    assert float(tail_above(sigma, 17)) == pytest.approx(4.87051441002e-6, rel=1e-9)
    assert float(tail_above(sigma, 16)) == pytest.approx(1.62791501203e-5, rel=1e-9)
