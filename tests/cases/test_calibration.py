"""Noise for a target (epsilon, delta): where the usual formulas give too little of it."""

import math

import mpmath
import pytest

from privacy_accountant import ADP, Gaussian


@mpmath.workdps(50)
def true_delta(sigma, epsilon):
    """The Gaussian's delta for the decimal that sigma prints as, at 50 digits."""
    mu, eps = 1 / mpmath.mpf(repr(sigma)), mpmath.mpf(epsilon)
    return mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu)


def classical(epsilon, delta):
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


CLASSICAL = [  # epsilon, the classical sigma, delta and epsilon that it really reaches, the sigma that is needed
    (10, 0.484480526260539, 2.26537436479342e-5, 10.3938823812223, 0.499888619709008515),
    (20, 0.242240263130269, 0.00152669469552486, 25.442610566667, 0.290041418032795825),
    (50, 0.0968961052521078, 0.58618426365488, 96.4339356335531, 0.149760607560836019),
    (100, 0.0484480526260539, 0.999999970101857, 300.140144155767, 0.0946699070147463882),
]


@pytest.mark.parametrize(("epsilon", "sigma", "delta", "reached", "needed"), CLASSICAL)
def test_b01_the_classical_sigma_is_seen_through_and_never_returned(epsilon, sigma, delta, reached, needed):
    assert classical(epsilon, 1e-5) == pytest.approx(sigma, rel=1e-13)
    claim = Gaussian(sigma=sigma, sensitivity=1).guarantee()
    assert claim.get_delta(epsilon) == pytest.approx(delta, rel=1e-11)
    assert claim.get_epsilon(1e-5) == pytest.approx(reached, rel=1e-11)
    calibrated = Gaussian.calibrate(ADP(epsilon, 1e-5), sensitivity=1).sigma
    assert calibrated == pytest.approx(needed, rel=1e-12)
    assert calibrated > sigma * 1.03
    assert true_delta(calibrated, epsilon) <= mpmath.mpf("1e-5")


@pytest.mark.parametrize(
    ("delta", "breaks_at"), [(1e-5, 8.41977130153634), (1e-6, 8.78209175221899)], ids=["1e-5", "1e-6"]
)
def test_b01_where_the_classical_formula_first_breaks(delta, breaks_at):
    def reaches(epsilon):
        return Gaussian(sigma=classical(epsilon, delta), sensitivity=1).guarantee().get_delta(epsilon)

    assert reaches(2) < reaches(breaks_at * (1 - 1e-9)) < delta < reaches(breaks_at * (1 + 1e-9))


@pytest.mark.parametrize(
    ("delta", "wrong", "wrong_reaches", "right"),
    [
        (1e-15, 7.481948408335167, 1.04064476688542e-15, 7.48700946798659546),
        (1e-17, 7.938764162062978, 2.58731708315966e-17, 8.05247827204829339),
        (1e-20, 8.24335396428736, 1.97204277771451e-18, 8.83822692198059234),
        (1e-50, None, None, 14.6049183417995),
    ],
)
def test_b02_a_tiny_delta_keeps_its_tail(delta, wrong, wrong_reaches, right):
    sigma = Gaussian.calibrate(ADP(1, delta), sensitivity=1).sigma
    assert sigma == pytest.approx(right, rel=1e-12)
    assert true_delta(sigma, 1) <= mpmath.mpf(repr(delta))
    assert true_delta(math.nextafter(sigma, 0), 1) > mpmath.mpf(repr(delta)) * (1 - mpmath.mpf("1e-12"))
    if wrong is not None:
        assert sigma > wrong
        claim = Gaussian(sigma=wrong, sensitivity=1).guarantee()
        assert claim.get_delta(1) == pytest.approx(wrong_reaches, rel=1e-11)
        assert claim.get_delta(1) > delta
