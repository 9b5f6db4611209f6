"""Sampled releases, as people met them with other accountants."""

import math

import pytest
from dp_accounting import dp_event as ev

from privacy_accountant import (
    ADP,
    DPSGD,
    RDP,
    Accountant,
    BudgetExceededError,
    Composed,
    FixedSizeSampled,
    Gaussian,
    InvalidParameterError,
    Laplace,
    Neighbors,
    NeighborsMismatchError,
    PoissonSampled,
    UnsupportedConversionError,
)
from privacy_accountant.interop import from_dp_event


def sampled_gaussian(rate, sigma):
    return PoissonSampled(Gaussian(sigma=sigma, sensitivity=1), rate=rate)


def brackets(interval, truth, digits):
    low, high = interval
    return low <= truth + digits and truth - digits <= high <= truth * (1 + 1e-3) + digits


B16 = [
    (58.9, 0.0363048482040551),
    (59.05, 0.0364076058690971),
    (59.25, 0.0365447074035087),
    (59.5, 0.0367162312567132),
]


def test_b16_a_divergence_is_positive_at_fractional_orders_and_grows_with_them():
    orders = [order for order, _ in B16]
    have = sampled_gaussian(0.4, 12).guarantee(RDP, orders=orders).epsilons
    for (_, truth), bound in zip(B16, have, strict=True):
        assert truth * (1 - 1e-13) <= bound <= truth * (1 + 1e-6)
    assert list(have) == sorted(have)


@pytest.mark.parametrize(
    ("rate", "sigma", "order", "truth"),
    [
        (0.1, 1, 1.1, 0.00809856846807384),
        (0.1, 1, 2.5, 0.0235037272610031),
        (0.2, 3, 1.1, 0.00253613338918),
        (0.2, 3, 1.5, 0.00348425597468),
    ],
)
def test_b17_small_fractional_orders(rate, sigma, order, truth):
    (have,) = sampled_gaussian(rate, sigma).guarantee(RDP, orders=[order]).epsilons
    assert truth * (1 - 1e-11) <= have <= truth * (1 + 1e-6)


@pytest.mark.filterwarnings("ignore::privacy_accountant.guarantees.pld.PrecisionWarning")
def test_b18_a_tiny_rate_neither_vanishes_nor_grows():
    once = sampled_gaussian(1e-10, 1)
    (have,) = once.guarantee(RDP, orders=[2]).epsilons
    assert 1.71828182845904e-20 <= have <= 1.7182819e-20
    assert 3.82924922548025e-11 <= once.guarantee().get_delta(0.0) <= 3.8292493e-11
    # A loss that one step in a hundred million has: valid, and said to be wide. A usual accountant by orders says 0.4528.
    low, high = sampled_gaussian(1e-8, 1).guarantee().self_compose(1_000_000).get_epsilon(1e-9, interval=True)
    assert low <= 4.51690e-5 + 5e-11
    assert 4.51690e-5 - 5e-11 <= high <= 2e-4


@pytest.mark.parametrize(
    ("rate", "delta", "truth"),
    [
        (0.00033, 1.1e-18, 0.067213614),
        (0.00033, 1.13e-18, 0.067185446),
        (0.00038, 1.13e-18, 0.077540878),
        (0.00038, 1.11e-18, 0.077562364),
    ],
)
def test_b23_deltas_near_machine_precision(rate, delta, truth):
    steps = sampled_gaussian(rate, 4).guarantee().self_compose(10_000)
    assert brackets(steps.get_epsilon(delta, interval=True), truth, 1e-9)


def test_b31_sampled_laplace():
    ten = PoissonSampled(Laplace(scale=1, sensitivity=1), rate=0.1).guarantee().self_compose(10)
    assert brackets(ten.get_epsilon(1e-5, interval=True), 1.17420730, 1e-8)


@pytest.mark.filterwarnings("ignore::privacy_accountant.guarantees.pld.PrecisionWarning")
@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta", "limit_theorem", "truth"),
    [
        (0.2, 3, 50, 1 / 48000, 1.83847831, 1.96081134),
        (0.001, 0.6, 1000, 1e-6, 0.49442942, 2.1066641),
        (0.01, 1, 100, 1e-5, 0.45750587, 0.71803566),
        (0.01, 0.6, 1000, 1e-5, 5.56289713, 7.43361383),
    ],
)
def test_b32_no_limit_theorem_stands_in_for_the_composition(rate, sigma, steps, delta, limit_theorem, truth):
    training = DPSGD(noise_multiplier=sigma, sampling_rate=rate, steps=steps).guarantee()
    low, high = training.get_epsilon(delta, interval=True)
    assert low <= truth + 1e-7
    assert truth - 1e-7 <= high <= truth * (1 + 2e-5)
    assert training.get_epsilon(delta) > limit_theorem


def test_b42_releases_on_one_sample_are_composed_before_they_are_amplified():
    one = Laplace(scale=1, sensitivity=1)
    together = PoissonSampled(Composed([one] * 10), rate=0.1)
    claimed_apart = 10 * PoissonSampled(one, rate=0.1).price(ADP)[0]
    have = float(together.price(ADP)[0])
    assert have == pytest.approx(7.69782342291983, rel=1e-13)
    assert have > claimed_apart


def test_b43_batches_of_fixed_size_are_not_poisson_samples():
    claimed = 2.843440  # of a two-point pair that forgets the records that are left out: no bound (arXiv 2405.20769)
    fixed = FixedSizeSampled(Gaussian(sigma=1, sensitivity=2), size=10, population=1000)
    steps = fixed.guarantee().self_compose(1000)
    assert steps.get_epsilon(1e-5) > claimed
    assert fixed.neighbors is Neighbors.REPLACE_ONE
    study = Accountant(budget=ADP(10, 1e-5))
    with pytest.raises(NeighborsMismatchError):
        study.spend(fixed, label="under another relation")


def test_b44_sampling_with_replacement_has_no_such_bound():
    with pytest.raises(UnsupportedConversionError, match="drawn several times"):
        from_dp_event(ev.SampledWithReplacementDpEvent(1000, 100, ev.GaussianDpEvent(1.0)))


def test_b45_shuffled_epochs_count_without_amplification():
    """One epoch touches each record once: one release without sampling, and no way here to say shuffled."""
    epoch = Gaussian(sigma=1, sensitivity=1).guarantee()
    assert epoch.get_epsilon(1e-5) == pytest.approx(4.3771780956812246, rel=1e-12)
    poisson = DPSGD(noise_multiplier=1, sampling_rate=0.01, steps=100).guarantee()
    assert poisson.get_epsilon(1e-5) < epoch.get_epsilon(1e-5)


def test_b46_the_rate_that_is_checked_is_the_rate_that_is_charged():
    study = Accountant(budget=ADP(1.1, 1e-5), adaptive=False)
    checked = DPSGD(noise_multiplier=1, sampling_rate=0.01, steps=100)
    real = DPSGD(noise_multiplier=1, sampling_rate=0.08, steps=100)
    assert brackets(real.guarantee().get_epsilon(1e-5, interval=True), 5.6134186, 1e-7)
    assert study.can_afford(checked)
    assert not study.can_afford(real)
    with pytest.raises(BudgetExceededError):
        study.spend(real, label="training")
    assert study.history() == ()


@pytest.mark.parametrize("rate", [0.0, 1.5, -0.1, math.nan])
def test_b43_a_rate_is_a_probability(rate):
    with pytest.raises(InvalidParameterError, match="rate"):
        sampled_gaussian(rate, 1)
