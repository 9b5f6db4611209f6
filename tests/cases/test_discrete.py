"""Integer noise has its own curve, above or below that of the continuous law."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from privacy_accountant import ZCDP, DiscreteGaussian, Gaussian, Laplace
from privacy_accountant.noise import DiscreteGaussianLaw, RoundedGaussianLaw, RoundedLaplaceLaw


@pytest.mark.parametrize(
    ("sigma", "epsilon", "advantage"),
    [
        (1, 4.4302380552794121, 0.398942278266862),
        (2, 2.011339821347705, 0.199471140200716),
        (10, 0.340818285246244, 0.0398942280401433),
    ],
)
def test_b33_discrete_gaussian_has_its_own_curve(sigma, epsilon, advantage):
    release = DiscreteGaussian(sigma=sigma, sensitivity=1).guarantee()
    assert epsilon * (1 - 1e-14) <= release.get_epsilon(1e-5) <= epsilon * (1 + 1e-4)
    assert release.advantage == pytest.approx(advantage, rel=1e-12)
    assert float(release.to(ZCDP).rho) == 1 / (2 * sigma**2)


def test_b33_the_discrete_value_may_lie_below_the_continuous():
    release = DiscreteGaussian(sigma=1, sensitivity=1).guarantee()
    assert 4.499590982194 <= release.get_epsilon(1e-6) <= 4.49959098219432 * (1 + 1e-4) < 4.88655411746221


SHARES = [  # sigma^2 of each share, epsilon of one law of the summed variance, epsilon of the sum of two shares
    (0.125, 9.96141138802617, 11.2749973873257),
    (0.5, 4.43023805527941, 4.45966723176698),
]


@pytest.mark.parametrize(("variance", "as_one", "really"), SHARES)
def test_b34_two_shares_are_not_one_law_of_the_summed_variance(variance, as_one, really, hockey_stick):
    share = DiscreteGaussianLaw(Fraction(math.sqrt(variance)))
    masses = {k: share.pmf(k) for k in range(-60, 61)}
    both = {
        k: math.fsum(masses[j] * masses[k - j] for j in masses if k - j in masses) for k in range(-120, 121)
    }
    one = DiscreteGaussian(sigma=math.sqrt(2 * variance), sensitivity=1).guarantee()
    assert one.get_epsilon(1e-5) == pytest.approx(as_one, rel=1e-9)

    def delta(epsilon):
        return hockey_stick(lambda k: both.get(k, 0.0), epsilon, reach=100)

    assert delta(really * (1 - 1e-6)) > 1e-5 > delta(really * (1 + 1e-6))
    assert delta(as_one) > 1e-5


def test_b34_with_one_dishonest_helper_only_one_share_counts():
    honest = DiscreteGaussian(sigma=math.sqrt(0.125), sensitivity=1).guarantee()
    assert honest.get_epsilon(1e-5) == pytest.approx(11.9994400037605, rel=1e-9)


def test_b34_the_variance_of_what_is_drawn():
    """Two shares of parameter 0.125 have a variance of 0.0707, not the 0.2150 of one of parameter 0.25."""
    share = DiscreteGaussian(sigma=math.sqrt(0.125), sensitivity=1)
    zeros = np.zeros(400_000, dtype=int)
    two = share.randomize(zeros) + share.randomize(zeros)
    one = DiscreteGaussian(sigma=0.5, sensitivity=1).randomize(zeros)
    for drawn, variance in ((two, 0.070675409648), (one, 0.215012675088)):
        spread = float(np.std(drawn.astype(float) ** 2)) / math.sqrt(zeros.size)
        assert abs(np.mean(drawn.astype(float) ** 2) - variance) < 6 * spread


CAST = [(1, 1.69314718055995), (10, 0.793147180559945), (100, 0.703147180559945)]


@pytest.mark.parametrize(("scale", "cast"), CAST)
def test_b35_laplace_noise_is_rounded_to_nearest_and_not_cast(scale, cast):
    """A cast doubles the mass at 0, and with it epsilon grows from 1/b to 1/b + ln 2."""
    law = RoundedLaplaceLaw(Fraction(scale))
    logs = [math.log(law.pmf(k)) for k in range(-30, 31)]
    losses = [abs(one - other) for one, other in pairwise(logs)]
    assert max(losses) == pytest.approx(1 / scale, rel=1e-9)
    assert Laplace(scale=scale, sensitivity=1).guarantee().get_epsilon(0) == 1 / scale

    at_zero, cast_at_zero = -math.expm1(-0.5 / scale), -math.expm1(-1 / scale)
    cast_at_one = (math.exp(-1 / scale) - math.exp(-2 / scale)) / 2
    assert math.log(cast_at_zero / cast_at_one) == pytest.approx(cast, rel=1e-12)
    assert law.pmf(0) == pytest.approx(at_zero, rel=1e-14)
    zeros = int((Laplace(scale=scale, sensitivity=1).randomize(np.zeros(400_000, dtype=int)) == 0).sum())
    assert stats.binomtest(zeros, 400_000, at_zero).pvalue > 1e-7
    assert stats.binomtest(zeros, 400_000, cast_at_zero).pvalue < 1e-30


def test_b35_gaussian_noise_is_rounded_to_nearest_and_not_cast(hockey_stick):
    sigma = 3.73063163481594
    law, claim = RoundedGaussianLaw(Fraction(str(sigma))), Gaussian(sigma=sigma, sensitivity=1).guarantee()
    assert claim.get_delta(0.5) == pytest.approx(0.00413271133226947, rel=1e-10)
    assert claim.advantage == pytest.approx(0.106617638452101, rel=1e-12)
    masses = {k: law.pmf(k) for k in range(-61, 62)}
    assert hockey_stick(masses.get, 0.5, reach=60) <= claim.get_delta(0.5)
    assert hockey_stick(masses.get, 0, reach=60) <= claim.advantage

    def cast(k):
        inner, outer = (abs(k) / sigma, (abs(k) + 1) / sigma)
        mass = stats.norm.sf(inner) - stats.norm.sf(outer)
        return mass if k else 2 * mass

    assert hockey_stick(cast, 0.5, reach=60) == pytest.approx(0.0530523058706039, rel=1e-9)
    assert hockey_stick(cast, 0, reach=60) == pytest.approx(0.211340032543468, rel=1e-9)
    zeros = int((Gaussian(sigma=sigma, sensitivity=1).randomize(np.zeros(400_000, dtype=int)) == 0).sum())
    assert stats.binomtest(zeros, 400_000, law.pmf(0)).pvalue > 1e-7
    assert stats.binomtest(zeros, 400_000, cast(0)).pvalue < 1e-30
