"""The four mechanisms: what they guarantee, what they cost exactly, and what they draw."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidAggregateError,
    InvalidParameterError,
    Laplace,
    Neighbors,
    Sensitivity,
    UnsupportedConversionError,
)

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]


def make(cls, noise, sensitivity=1, **more):
    return cls(**{cls.noise_parameter: noise, "sensitivity": sensitivity, **more})


# ---------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize("cls", FOUR)
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, "1", None, np.float32(0.1)])
def test_bad_noise_is_refused_on_the_field(cls, bad):
    with pytest.raises(
        InvalidParameterError, match=f"^{cls.noise_parameter} must be a positive finite number"
    ):
        make(cls, bad)


@pytest.mark.parametrize("cls", FOUR)
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, "1", None])
def test_bad_sensitivity_is_refused_on_the_field(cls, bad):
    with pytest.raises(InvalidParameterError, match="^sensitivity must be"):
        make(cls, 1, bad)


@pytest.mark.parametrize("cls", [DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("bad", [0.5, 1.5, Sensitivity(per_value=0.5, values=2)])
def test_a_law_on_the_integers_needs_a_whole_sensitivity(cls, bad):
    with pytest.raises(InvalidParameterError, match="whole number"):
        make(cls, 1, bad)


@pytest.mark.parametrize("cls", FOUR)
def test_neighbors_are_a_relation_or_the_studys(cls):
    assert make(cls, 1).neighbors is None
    assert make(cls, 1, neighbors=Neighbors.REPLACE_ONE).neighbors is Neighbors.REPLACE_ONE
    with pytest.raises(InvalidParameterError, match="^neighbors must be"):
        make(cls, 1, neighbors="REPLACE_ONE")


@pytest.mark.parametrize("cls", FOUR)
def test_mechanisms_are_values(cls):
    one, other = make(cls, 0.5), make(cls, Decimal("0.5"))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own bytes
    assert repr(one) == f"{cls.__name__}({cls.noise_parameter}=0.5, sensitivity=1.0)"
    with pytest.raises(AttributeError):
        one.sensitivity = 2


@pytest.mark.parametrize("cls", FOUR)
@pytest.mark.parametrize("noise", [1e-300, 1e-3, 1, 1e6, 2**62, 10**400])
def test_every_positive_finite_scale_constructs_and_draws(cls, noise):
    noisy = make(cls, noise).randomize(5)
    assert isinstance(noisy, int)
    if noise == 1e-300:
        assert noisy == 5


# ---------------------------------------------------------------------------------------------- guarantees


def test_the_native_guarantees():
    assert Gaussian(sigma=3, sensitivity=1).guarantee() == GDP(Fraction(1, 3))
    assert Gaussian(sigma=4, sensitivity=Sensitivity(per_value=1, values=4)).guarantee() == GDP(0.5)
    assert Laplace(scale=4, sensitivity=Sensitivity(per_value=1, values=4)).guarantee(ADP, delta=0) == ADP(
        1.0
    )
    assert DiscreteGaussian(sigma=2, sensitivity=Sensitivity(l2=2)).guarantee() == ZCDP(0.5)


def test_the_discrete_gaussian_of_one_entry_has_its_own_curve():
    one = DiscreteGaussian(sigma=1, sensitivity=1).guarantee()
    assert one.advantage == pytest.approx(0.39894227826686170558, abs=1e-12)
    assert one.advantage > Gaussian(sigma=1, sensitivity=1).guarantee().advantage
    named = DiscreteGaussian(sigma=4, sensitivity=Sensitivity(per_value=3, values=1)).guarantee()
    assert named == DiscreteGaussian(sigma=4, sensitivity=3).guarantee()


def test_a_discrete_gaussian_whose_shift_may_be_split_refuses_vectors():
    with pytest.raises(InvalidAggregateError, match="Sensitivity"):
        DiscreteGaussian(sigma=4, sensitivity=2).randomize([1, 2])
    assert len(DiscreteGaussian(sigma=4, sensitivity=1).randomize([1, 2])) == 2
    assert (
        len(DiscreteGaussian(sigma=4, sensitivity=Sensitivity(per_value=2, values=1)).randomize([1, 2])) == 2
    )


def test_parameters_without_a_form_are_refused():
    with pytest.raises(InvalidParameterError, match="form"):
        Gaussian(sigma=1, sensitivity=1).guarantee(delta=1e-6)


# ---------------------------------------------------------------------------------------------- exact prices


def test_rational_prices_stay_rational():
    gaussian = Gaussian(sigma=0.3, sensitivity=Sensitivity(per_value=0.1, values=2))
    assert gaussian.price(GDP) == (Fraction(2, 9),)
    assert gaussian.price(ZCDP) == (Fraction(1, 9), 0)
    assert gaussian.price(RDP, (1.5, 2)) == (Fraction(1, 6), Fraction(2, 9))
    assert Laplace(scale=0.3, sensitivity=0.1).price(ADP) == (Fraction(1, 3), 0)
    assert DiscreteLaplace(scale=0.3, sensitivity=1).price(ADP) == (Fraction(10, 3), 0)
    assert DiscreteGaussian(sigma=0.5, sensitivity=1).price(ZCDP) == (2, 0)


@pytest.mark.parametrize("scale", [0.01, 1, 3, 1000])
@mpmath.workdps(120)
def test_transcendental_prices_are_rounded_up_by_at_most_a_few_grains(scale):
    epsilon = mpmath.mpf(1) / mpmath.mpf(str(scale))
    (rho, delta) = Laplace(scale=scale, sensitivity=1).price(ZCDP)
    truth = epsilon + mpmath.exp(-epsilon) - 1
    assert delta == 0
    assert 0 <= mpmath.mpf(rho.numerator) / rho.denominator - truth <= mpmath.mpf(2) ** -198
    (rho, _) = DiscreteLaplace(scale=scale, sensitivity=1).price(ZCDP)
    truth = epsilon * mpmath.tanh(epsilon / 2)
    assert 0 <= mpmath.mpf(rho.numerator) / rho.denominator - truth <= mpmath.mpf(2) ** -198


def test_a_laplace_costs_its_own_mu():
    (mu_squared,) = Laplace(scale=1, sensitivity=1).price(GDP)
    assert float(mu_squared) == pytest.approx(stats.norm.ppf(math.exp(-0.5) / 2) ** 2 * 4, rel=1e-12)


@pytest.mark.parametrize(("cls", "form"), [(Gaussian, ADP), (DiscreteGaussian, ADP), (DiscreteGaussian, GDP)])
def test_what_has_no_finite_price_says_so(cls, form):
    with pytest.raises(UnsupportedConversionError) as caught:
        make(cls, 1).price(form)
    assert "\n" not in str(caught.value)


def test_prices_fall_with_the_noise():
    for cls in FOUR:
        assert make(cls, 1).price(ZCDP)[0] > make(cls, 1.5).price(ZCDP)[0] > make(cls, 100).price(ZCDP)[0]


# ---------------------------------------------------------------------------------------------- draws


@pytest.mark.parametrize(
    ("mechanism", "law"),
    [
        (
            Gaussian(sigma=3, sensitivity=1),
            lambda k: stats.norm.cdf((k + 0.5) / 3) - stats.norm.cdf((k - 0.5) / 3),
        ),
        (
            Laplace(scale=2, sensitivity=1),
            lambda k: stats.laplace.cdf((k + 0.5) / 2) - stats.laplace.cdf((k - 0.5) / 2),
        ),
        (DiscreteLaplace(scale=2, sensitivity=1), lambda k: stats.dlaplace.pmf(k, 0.5)),
        (
            DiscreteGaussian(sigma=3, sensitivity=1),
            lambda k: np.exp(-(k**2) / 18) / np.exp(-(np.arange(-99, 100.0) ** 2) / 18).sum(),
        ),
    ],
    ids=lambda case: type(case).__name__,
)
def test_the_noise_has_the_law_that_is_accounted(mechanism, law):
    draws = 200_000
    noise = mechanism.randomize(np.full(draws, 1000)) - 1000
    support = np.arange(-12, 13)
    observed = np.array([(noise == k).sum() for k in support])
    expected = np.array([law(float(k)) for k in support]) * draws
    observed, expected = (
        np.append(observed, draws - observed.sum()),
        np.append(expected, draws - expected.sum()),
    )
    assert stats.chisquare(observed, expected).pvalue > 1e-6


def test_entries_get_independent_noise():
    noise = Gaussian(sigma=50, sensitivity=1).randomize(np.zeros((2, 50_000), dtype=int))
    assert abs(np.corrcoef(noise[0], noise[1])[0, 1]) < 5 / math.sqrt(50_000)


@pytest.mark.parametrize("cls", FOUR)
def test_the_noise_interval_covers(cls):
    mechanism = make(cls, 7)
    half = mechanism.noise_interval(0.95)
    inside = np.mean(np.abs(mechanism.randomize(np.zeros(100_000, dtype=int))) <= half)
    assert 0.945 < inside < 0.97
    for bad in (0, 1, 1.5, math.nan, True):
        with pytest.raises(InvalidParameterError, match="level"):
            mechanism.noise_interval(bad)
