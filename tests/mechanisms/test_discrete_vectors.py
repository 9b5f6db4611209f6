"""Discrete Gaussian noise on vectors: the worst of all shifts when entries are counted, zCDP when only a norm is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from privacy_accountant import ADP, RDP, ZCDP, DiscreteGaussian, Risk, Sensitivity

REACH = 12
"""Sigmas on either side; what lies beyond is below 1e-31."""


def delta_of(sigma, shifts, epsilon):
    """The profile of a vector of shifts, by enumeration: a loss is a whole number of steps of 1/(2 sigma**2)."""
    x = np.arange(-math.ceil(REACH * sigma), math.ceil(REACH * sigma) + 1)
    masses = np.exp(-x * x / (2 * sigma**2))
    total, least = np.ones(1), 0
    for shift in filter(None, shifts):
        one = np.zeros(2 * shift * (len(x) - 1) + 1)
        one[:: 2 * shift] = masses / masses.sum()
        total, least = np.convolve(total, one), least + shift**2 + 2 * shift * int(x[0])
    loss = (least + np.arange(len(total))) / (2 * sigma**2)
    above = loss > epsilon
    return math.fsum(total[above] * -np.expm1(epsilon - loss[above]))


@pytest.mark.parametrize(
    ("sigma", "each", "entries"), [(1, 1, 2), (1, 1, 4), (2, 1, 3), (2, 3, 2), (0.5, 1, 2), (5, 2, 3)]
)
def test_the_account_of_counted_entries_is_that_of_the_worst_shift(sigma, each, entries):
    noise = DiscreteGaussian(sigma, Sensitivity(per_value=each, values=entries))
    guarantee = noise.guarantee()
    for epsilon in (0.0, 0.3, 1.0, 2.0, 4.0):
        truth = delta_of(sigma, (each,) * entries, epsilon)
        answer = guarantee.get_delta(epsilon)
        assert truth * (1 - 1e-7) <= answer <= truth * (1 + 1e-4) + 1e-12
        for shifts in itertools.product(range(each + 1), repeat=entries):
            assert delta_of(sigma, shifts, epsilon) <= answer * (1 + 1e-7) + 1e-15
    assert noise.guarantee(ZCDP).rho == pytest.approx(each**2 * entries / (2 * sigma**2), rel=1e-15)
    assert noise.guarantee(RDP, orders=(2, 5)).epsilons == pytest.approx(
        [order * each**2 * entries / (2 * sigma**2) for order in (2, 5)], rel=1e-15
    )
    assert guarantee.advantage < noise.guarantee(ZCDP).advantage


def test_no_shift_of_a_given_norm_is_the_worst_for_every_attack():
    """Why a bound on the L2 norm alone is accounted by zCDP: the order of two shifts of equal norm depends on epsilon."""
    one, four = (2,), (1, 1, 1, 1)
    assert delta_of(1, one, 2.0) == pytest.approx(0.267, abs=5e-4)
    assert delta_of(1, four, 2.0) == pytest.approx(0.315, abs=5e-4)
    assert delta_of(1, one, 1.0) > delta_of(1, four, 1.0)
    known = DiscreteGaussian(1, Sensitivity(l2=2)).guarantee()
    assert known == ZCDP(2.0)
    for epsilon in (1.0, 2.0):
        assert known.get_delta(epsilon) > max(delta_of(1, shifts, epsilon) for shifts in (one, four))


def test_counted_vectors_are_calibrated_by_their_own_curve():
    cells = Sensitivity(per_value=1, values=4)
    quiet = DiscreteGaussian.calibrate(Risk(advantage=0.1), sensitivity=cells)
    assert quiet.guarantee().advantage <= 0.1
    assert (
        quiet.sigma
        < 0.9 * DiscreteGaussian.calibrate(Risk(advantage=0.1), sensitivity=Sensitivity(l2=2)).sigma
    )
    tight = DiscreteGaussian.calibrate(ADP(1.0, 1e-6), sensitivity=cells)
    assert tight.guarantee().get_delta(1.0) <= 1e-6
    assert delta_of(tight.sigma, (1, 1, 1, 1), 1.0) == pytest.approx(1e-6, rel=1e-2)


def test_many_entries_and_large_scales_are_answered_at_once():
    many = DiscreteGaussian(1000, Sensitivity(per_value=1, values=100_000)).guarantee()
    assert many.get_epsilon(1e-6) < ZCDP(0.05).get_epsilon(1e-6)
    assert 0.1256 < many.advantage < 0.1257


@pytest.mark.parametrize("entries", [1, 3])
@pytest.mark.parametrize("sigma", [1e-170, 1e-3, 1e150, 1e155, 1e300, 10**400])
def test_every_scale_is_answered(sigma, entries):
    guarantee = DiscreteGaussian(sigma, Sensitivity(per_value=1, values=entries)).guarantee()
    narrow = sigma < 1
    assert guarantee.advantage == pytest.approx(float(narrow), abs=1e-9)
    assert guarantee.get_delta(0.5) == pytest.approx(float(narrow), abs=1e-9)
    assert guarantee.beta(0.05) == pytest.approx(0.0 if narrow else 0.95, abs=1e-9)
