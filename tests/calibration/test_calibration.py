"""Calibration: the least noise that meets a target, met in exact arithmetic or by the plan's own bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    CalibrationError,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidParameterError,
    Laplace,
    Neighbors,
    Risk,
    Sensitivity,
    TradeOff,
    compose,
)
from privacy_accountant.exact import exact


@mpmath.workdps(60)
def gaussian_delta(sigma, epsilon):
    mu, eps = 1 / mpmath.mpf(sigma), mpmath.mpf(epsilon)
    return mpmath.ncdf(mu / 2 - eps / mu) - mpmath.exp(eps) * mpmath.ncdf(-mu / 2 - eps / mu)


@pytest.mark.parametrize(
    ("epsilon", "delta", "sigma"),
    [
        # B01: where the classical formula under-noises; B02: where 1 + erf loses the tail
        (10, 1e-5, "0.499888619709008515"),
        (20, 1e-5, "0.290041418032795825"),
        (50, 1e-5, "0.149760607560836019"),
        (100, 1e-5, "0.0946699070147463882"),
        (1, 1e-15, "7.48700946798659546"),
        (1, 1e-17, "8.05247827204829339"),
        (1, 1e-20, "8.83822692198059234"),
        (1, 1e-50, "14.6049183417995"),
        # B28: a target that made a grid ask for tens of gigabytes
        (0.01, 1e-5, "243.785437675678029"),
    ],
)
def test_gaussian_noise_for_epsilon_and_delta(epsilon, delta, sigma):
    mechanism = Gaussian.calibrate(ADP(epsilon, delta), sensitivity=1)
    assert mechanism.sigma == pytest.approx(float(sigma), rel=1e-12)
    assert gaussian_delta(mechanism.sigma, epsilon) <= mpmath.mpf(delta)


def test_additive_targets_are_met_exactly_and_with_nothing_to_spare():
    assert Gaussian.calibrate(GDP(1), sensitivity=1, releases=9) == Gaussian(sigma=3, sensitivity=1)
    assert Laplace.calibrate(ADP(1, 0), sensitivity=1, releases=10) == Laplace(scale=10, sensitivity=1)
    assert Gaussian.calibrate(ZCDP(0.5), sensitivity=Sensitivity(per_value=1, values=4)).sigma == 2
    assert Gaussian.calibrate(RDP((2, 8), (1, 2)), sensitivity=1).sigma == pytest.approx(
        math.sqrt(2), rel=1e-15
    )
    assert DiscreteLaplace.calibrate(ADP(0.5), sensitivity=2).scale == 4
    assert DiscreteGaussian.calibrate(ZCDP(0.125), sensitivity=1).sigma == 2


@pytest.mark.parametrize("releases", [1, 7, 100])
@pytest.mark.parametrize("target", [GDP(0.7), ZCDP(0.3), RDP((1.5, 3.3, 40), (0.2, 0.3, 3.0))])
@pytest.mark.parametrize("cls", [Gaussian, Laplace])
def test_the_exact_sum_of_costs_fits_and_a_little_less_noise_does_not(cls, target, releases):
    mechanism = cls.calibrate(target, sensitivity=1, releases=releases)
    orders = target.orders if isinstance(target, RDP) else None
    limits = {
        GDP: lambda t: (exact(t.mu) ** 2,),
        ZCDP: lambda t: (exact(t.rho), Fraction(0)),
        RDP: lambda t: tuple(map(exact, t.epsilons)),
    }
    limit = limits[type(target)](target)

    def fits(candidate):
        return all(
            releases * cost <= room
            for cost, room in zip(candidate.price(type(target), orders), limit, strict=True)
        )

    noise = getattr(mechanism, cls.noise_parameter)
    assert fits(mechanism)
    assert not fits(cls(noise * (1 - 1e-12), 1))


@pytest.mark.parametrize("cls", [Gaussian, Laplace])
@pytest.mark.parametrize(
    "risk",
    [
        Risk(advantage=0.1),
        Risk(fpr=0.01, tpr=0.05),
        Risk(prior=0.1, bayes_risk=0.095),
        Risk(baseline=0.2, success=0.3),
        Risk(advantage=0.1, fpr=0.001, tpr=0.004),
    ],
    ids=repr,
)
def test_noise_for_a_risk(cls, risk):
    mechanism = cls.calibrate(risk, sensitivity=1)
    noise = getattr(mechanism, cls.noise_parameter)
    assert risk.is_met_by(mechanism.guarantee())
    assert not risk.is_met_by(cls(noise * (1 - 1e-9), 1).guarantee())


def test_closed_forms_of_single_targets():
    assert Laplace.calibrate(Risk(advantage=0.1), sensitivity=1).scale == pytest.approx(
        -1 / (2 * math.log(0.9)), rel=1e-12
    )
    scale = Laplace.calibrate(ADP(1.0, 1e-3), sensitivity=1).scale
    assert scale == pytest.approx(1 / (1 - 2 * math.log1p(-1e-3)), rel=1e-12)
    sigma = Gaussian.calibrate(Risk(advantage=0.1), sensitivity=1).sigma
    assert sigma == pytest.approx(1 / (2 * math.sqrt(2) * float(mpmath.erfinv(0.1))), rel=1e-12)


def test_many_releases_and_others_share_the_target():
    target = ADP(1.0, 1e-6)
    laplace = Laplace.calibrate(target, sensitivity=1, releases=20)
    assert laplace.guarantee().self_compose(20).get_delta(1.0) <= 1e-6
    assert Laplace(laplace.scale * 0.999, 1).guarantee().self_compose(20).get_delta(1.0) > 1e-6
    other = Gaussian(sigma=8, sensitivity=1).guarantee()
    beside = Gaussian.calibrate(target, sensitivity=1, releases=3, with_other=[other])
    assert compose(other, beside.guarantee().self_compose(3)).get_delta(1.0) <= 1e-6
    assert beside.sigma > Gaussian.calibrate(target, sensitivity=1, releases=3).sigma
    assert Gaussian.calibrate(GDP(0.5), sensitivity=1, with_other=[GDP(0.3)]).sigma == 2.5


def test_noise_for_a_curve():
    """A target of corners is met exactly when the profile is at most the intercept of every side."""
    curve = GDP(1).to(TradeOff, count=12)
    sigma = Gaussian.calibrate(curve, sensitivity=1).sigma
    assert sigma == pytest.approx(1, rel=1e-9)
    two = Gaussian.calibrate(curve, sensitivity=1, releases=2)
    assert two.sigma == pytest.approx(math.sqrt(2), rel=1e-9)
    alphas = [0.0, 1e-6, 0.01, 0.2, 0.5, 0.9, 1.0]
    assert (two.guarantee().self_compose(2).beta(alphas) >= curve.beta(alphas) - 1e-12).all()
    corner = TradeOff((0, 0.2, 1), (1, 0.2, 0))
    assert Laplace.calibrate(corner, sensitivity=1).scale == pytest.approx(1 / math.log(4), rel=1e-9)
    assert DiscreteLaplace.calibrate(corner, sensitivity=1).scale == pytest.approx(1 / math.log(4), rel=1e-9)
    laplace = Laplace.calibrate(curve, sensitivity=1, releases=3, with_other=[GDP(0.5)])
    plan = compose(laplace.guarantee().self_compose(3), GDP(0.5))
    assert (plan.beta(alphas) >= curve.beta(alphas) - 1e-12).all()


@pytest.mark.parametrize("cls", [Gaussian, Laplace])
@pytest.mark.parametrize("releases", [3, 100])
def test_several_risks_for_several_releases(cls, releases):
    risk = Risk(advantage=0.2, fpr=0.001, tpr=0.004, prior=0.1, bayes_risk=0.09, baseline=0.2, success=0.35)
    mechanism = cls.calibrate(risk, sensitivity=1, releases=releases)
    noise = getattr(mechanism, cls.noise_parameter)
    assert risk.is_met_by(mechanism.guarantee().self_compose(releases))
    assert not risk.is_met_by(cls(noise * (1 - 1e-4), 1).guarantee().self_compose(releases))


def test_certified_targets_waste_little():
    for epsilon, delta, count in [(1.0, 1e-6, 100), (0.1, 1e-12, 7), (3.0, 1e-9, 50)]:
        scale = Laplace.calibrate(ADP(epsilon, delta), sensitivity=1, releases=count).scale
        assert Laplace(scale, 1).guarantee().self_compose(count).get_delta(epsilon) <= delta
        assert Laplace(scale * (1 - 1e-4), 1).guarantee().self_compose(count).get_delta(epsilon) > delta


def test_a_loss_is_no_target():
    with pytest.raises(
        InvalidParameterError, match="target must be an ADP, GDP, ZCDP, RDP, TradeOff or Risk .the profile"
    ):
        Gaussian.calibrate(GDP(1).to(PLD), sensitivity=1)


def test_neighbors_are_passed_on():
    made = Gaussian.calibrate(GDP(1), sensitivity=1, neighbors=Neighbors.REPLACE_ONE)
    assert made.neighbors is Neighbors.REPLACE_ONE


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: Gaussian.calibrate(Risk(advantage=0), sensitivity=1), "no amount"),
        (lambda: Gaussian.calibrate(GDP(1), sensitivity=1, with_other=[GDP(1)]), "leave nothing"),
        (lambda: Gaussian.calibrate(ADP(math.inf, 0.1), sensitivity=1), "promises nothing"),
        (lambda: Gaussian.calibrate(ADP(1, 1), sensitivity=1), "promises nothing"),
        (lambda: Laplace.calibrate(ADP(0, 0), sensitivity=1), "no release at all"),
        (lambda: Gaussian.calibrate(TradeOff((0, 1), (0, 0)), sensitivity=1), "promises nothing"),
        (
            lambda: Gaussian.calibrate(TradeOff((0, 0.2, 1), (1, 0.2, 0)), sensitivity=1),
            "exactly none of a risk",
        ),
        (
            lambda: Gaussian.calibrate(Risk(advantage=0.1), sensitivity=1, with_other=[GDP(1)]),
            "other releases alone",
        ),
    ],
)
def test_unreachable_targets_say_why(call, reason):
    with pytest.raises(CalibrationError, match=reason) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, None])
def test_bad_arguments(bad):
    with pytest.raises(InvalidParameterError, match="^releases must be"):
        Gaussian.calibrate(GDP(1), sensitivity=1, releases=bad)
    with pytest.raises(InvalidParameterError, match="^target must be"):
        Gaussian.calibrate(bad, sensitivity=1)
    with pytest.raises(InvalidParameterError, match="^with_other must be"):
        Gaussian.calibrate(GDP(1), sensitivity=1, with_other=[bad])
    with pytest.raises(InvalidParameterError, match="^sensitivity must be"):
        Gaussian.calibrate(GDP(1), sensitivity=-1)


@pytest.mark.parametrize(
    ("target", "other"),
    [(ADP(1), GDP(0.1)), (ADP(1), ADP(0.1, 1e-9)), (GDP(1), GDP(math.inf)), (RDP(2, 1), RDP(1.5, 0.1))],
    ids=repr,
)
def test_others_that_have_no_finite_cost_are_named(target, other):
    with pytest.raises(CalibrationError, match="another release has no finite"):
        Laplace.calibrate(target, sensitivity=1, with_other=[other])


@pytest.mark.parametrize(
    "other", [ZCDP(0.01), RDP((2, 8, 32), (0.02, 0.08, 0.32)), ADP(0.05, 1e-9)], ids=repr
)
def test_others_that_have_only_renyi_bounds_share_a_target(other):
    """Checked by the plan's own bounds; and a hundredth less noise does not do."""
    target = ADP(1.0, 1e-4)
    mechanism = Laplace.calibrate(target, sensitivity=1, releases=2, with_other=[other])
    plans = [
        compose(Laplace(mechanism.scale * factor, 1).guarantee().self_compose(2), other)
        for factor in (1, 0.99)
    ]
    assert plans[0].get_delta(1.0) <= 1e-4 < plans[1].get_delta(1.0)
