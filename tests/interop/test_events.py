"""dp-accounting's events, in and out, against its own accountants in the same run."""

import math

import dp_accounting
import mpmath
import pytest
from dp_accounting import dp_event as ev
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant
from dp_accounting.privacy_accountant import NeighboringRelation

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidParameterError,
    Laplace,
    Neighbors,
    TradeOff,
    UnsupportedConversionError,
    compose,
)
from privacy_accountant.interop import from_dp_event, to_dp_event

REPLACE_ONE, REPLACE_SPECIAL = Neighbors.REPLACE_ONE, Neighbors.REPLACE_SPECIAL


def theirs(event, delta, neighbors=Neighbors.ADD_OR_REMOVE_ONE):
    return PLDAccountant(NeighboringRelation[neighbors.name]).compose(event).get_epsilon(delta)


@pytest.mark.parametrize(
    ("event", "neighbors"),
    [
        (ev.GaussianDpEvent(1.5), Neighbors.ADD_OR_REMOVE_ONE),
        (ev.LaplaceDpEvent(0.7), Neighbors.ADD_OR_REMOVE_ONE),
        (ev.DiscreteLaplaceDpEvent(0.5, 3), Neighbors.ADD_OR_REMOVE_ONE),
        (ev.RandomizedResponseDpEvent(0.3, 5), REPLACE_ONE),
        (ev.RandomizedResponseDpEvent(0.3, 2), REPLACE_ONE),
        (ev.RandomizedResponseDpEvent(0.3, 5), REPLACE_SPECIAL),
        (ev.SelfComposedDpEvent(ev.LaplaceDpEvent(5.0), 30), Neighbors.ADD_OR_REMOVE_ONE),
        (
            ev.ComposedDpEvent(
                [ev.GaussianDpEvent(3.0), ev.SelfComposedDpEvent(ev.LaplaceDpEvent(4.0), 3), ev.NoOpDpEvent()]
            ),
            Neighbors.ADD_OR_REMOVE_ONE,
        ),
        (ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(1.0)), Neighbors.ADD_OR_REMOVE_ONE),
        (ev.PoissonSampledDpEvent(0.1, ev.LaplaceDpEvent(1.0)), Neighbors.ADD_OR_REMOVE_ONE),
        (
            ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(2.0)), 50),
            Neighbors.ADD_OR_REMOVE_ONE,
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ev.DpEvent) else value.name,
)
@pytest.mark.parametrize("delta", [1e-6, 1e-2])
def test_it_is_what_their_accountant_says(event, neighbors, delta):
    have = from_dp_event(event, neighbors=neighbors).get_epsilon(delta)
    want = theirs(event, delta, neighbors)
    # Theirs is on a grid of 1e-4, from above, and each part may be rounded up by as much.
    assert want - 0.004 <= have <= want + 1e-4


@pytest.mark.parametrize(
    "event",
    [
        ev.MixtureOfGaussiansDpEvent(4.0, [0, 1], [0.5, 0.5]),
        ev.TruncatedSubsampledGaussianDpEvent(100, 0.1, 15, 2.0),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_they_discretise_is_read_as_it_is(event):
    accountant = PLDAccountant(NeighboringRelation.ADD_OR_REMOVE_ONE, 1e-3).compose(event)
    have = from_dp_event(event)
    for delta in (1e-6, 1e-2):
        assert have.get_epsilon(delta) == pytest.approx(accountant.get_epsilon(delta), rel=1e-3, abs=1e-6)


def test_events_without_loss_and_without_privacy():
    assert from_dp_event(ev.NoOpDpEvent()) == PLD()
    assert from_dp_event(ev.ComposedDpEvent([])) == PLD()
    assert from_dp_event(ev.SelfComposedDpEvent(ev.GaussianDpEvent(1.0), 0)) == PLD()
    assert from_dp_event(ev.RandomizedResponseDpEvent(0.0, 1), neighbors=REPLACE_ONE) == PLD()
    assert from_dp_event(ev.RandomizedResponseDpEvent(1.0, 4), neighbors=REPLACE_ONE).advantage == 0
    for event in (ev.NonPrivateDpEvent(), ev.GaussianDpEvent(0), ev.LaplaceDpEvent(0)):
        assert from_dp_event(event).advantage == 1
        assert from_dp_event(ev.ComposedDpEvent([event, ev.LaplaceDpEvent(1.0)])).advantage == 1
    assert from_dp_event(ev.RandomizedResponseDpEvent(0.0, 3), neighbors=REPLACE_ONE).advantage == 1


def test_counts_are_kept_as_counts():
    million = ev.SelfComposedDpEvent(ev.SelfComposedDpEvent(ev.LaplaceDpEvent(1000.0), 1000), 1000)
    ((pair, count),) = from_dp_event(million).parts
    assert (pair.epsilon, count) == (0.001, 1_000_000)


def test_zero_concentrated():
    assert from_dp_event(ev.ZCDpEvent(0.3)) == ZCDP(0.3)
    curve = from_dp_event(ev.ZCDpEvent(0.3, 0.1))
    assert isinstance(curve, RDP)
    assert curve.at((2.0,)).epsilons == (0.7,)
    accountant = dp_accounting.rdp.RdpAccountant().compose(ev.ZCDpEvent(0.3, 0.1))
    assert curve.get_epsilon(1e-6) <= accountant.get_epsilon(1e-6) * (1 + 1e-4)


def test_samples_of_samples_are_bounded_through_the_curve():
    twice = ev.PoissonSampledDpEvent(0.5, ev.PoissonSampledDpEvent(0.2, ev.GaussianDpEvent(1.0)))
    once = from_dp_event(ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(1.0)))
    bound = from_dp_event(twice)
    for epsilon in (0.0, 0.3, 1.0, 3.0):
        low, _ = once.get_delta(epsilon, interval=True)
        assert low <= bound.get_delta(epsilon)
    assert bound.advantage == pytest.approx(once.advantage, rel=1e-3)


def test_several_releases_on_one_sample_are_amplified_together():
    """Ten pure releases on one sample: composed first, amplified once."""
    ten = ev.SelfComposedDpEvent(ev.LaplaceDpEvent(1.0), 10)
    have = from_dp_event(ev.PoissonSampledDpEvent(0.1, ten))
    assert have.get_epsilon(0.0) <= math.log1p(0.1 * math.expm1(10.0)) * (1 + 1e-9)


@pytest.mark.parametrize("delta", [1e-6, 1e-3])
def test_samples_of_fixed_size(delta):
    event = ev.SampledWithoutReplacementDpEvent(100, 10, ev.GaussianDpEvent(2.0))
    have = from_dp_event(ev.SelfComposedDpEvent(event, 20), neighbors=REPLACE_ONE).get_epsilon(delta)
    accountant = dp_accounting.rdp.RdpAccountant(None, NeighboringRelation.REPLACE_ONE).compose(event, 20)
    assert 0 < have <= accountant.get_epsilon(delta)
    pure = from_dp_event(
        ev.SampledWithoutReplacementDpEvent(100, 10, ev.LaplaceDpEvent(1.0)), neighbors=REPLACE_ONE
    )
    assert pure.epsilon == pytest.approx(math.log1p(0.1 * math.expm1(1.0)), rel=1e-12)
    assert from_dp_event(
        ev.SampledWithoutReplacementDpEvent(9, 9, ev.GaussianDpEvent(2.0)), neighbors=REPLACE_ONE
    ) == GDP(0.5)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 1000, [3, 100, 7]])
def test_trees(steps):
    event = ev.SingleEpochTreeAggregationDpEvent(2.0, steps)
    orders = [2.0, 8.0]
    accountant = dp_accounting.rdp.RdpAccountant(orders, NeighboringRelation.REPLACE_SPECIAL).compose(event)
    have = from_dp_event(event, neighbors=REPLACE_SPECIAL).to(RDP, orders=orders)
    assert [float(epsilon) for epsilon in have.epsilons] == pytest.approx(accountant._rdp, rel=1e-12)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (ev.UnsupportedDpEvent(), "Opaque"),
        (ev.SampledWithReplacementDpEvent(10, 2, ev.GaussianDpEvent(1.0)), "drawn several times"),
        (ev.RepeatAndSelectDpEvent(ev.GaussianDpEvent(1.0), 3, 1), "number of repetitions"),
        (
            ev.SampledWithoutReplacementDpEvent(
                10, 2, ev.ComposedDpEvent([ev.GaussianDpEvent(1.0), ev.LaplaceDpEvent(1.0)])
            ),
            "only Gaussian and pure",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ev.DpEvent) else None,
)
def test_what_has_no_guarantee_is_named(event, said):
    for whole in (event, ev.ComposedDpEvent([ev.GaussianDpEvent(1.0), event])):
        with pytest.raises(UnsupportedConversionError, match=said) as caught:
            from_dp_event(whole, neighbors=REPLACE_ONE)
        assert type(event).__name__ in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("event", "neighbors", "field"),
    [
        ("GaussianDpEvent(1.0)", Neighbors.ADD_OR_REMOVE_ONE, "event"),
        (ev.GaussianDpEvent(-1.0), Neighbors.ADD_OR_REMOVE_ONE, "noise_multiplier"),
        (ev.GaussianDpEvent(math.nan), Neighbors.ADD_OR_REMOVE_ONE, "noise_multiplier"),
        (ev.SelfComposedDpEvent(ev.GaussianDpEvent(1.0), -1), Neighbors.ADD_OR_REMOVE_ONE, "count"),
        (ev.DiscreteLaplaceDpEvent(0.0, 1), Neighbors.ADD_OR_REMOVE_ONE, "noise_parameter"),
        (ev.RandomizedResponseDpEvent(0.5, 3), Neighbors.ADD_OR_REMOVE_ONE, "neighbors"),
        (ev.SingleEpochTreeAggregationDpEvent(1.0, 4), Neighbors.ADD_OR_REMOVE_ONE, "neighbors"),
        (ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(1.0)), REPLACE_ONE, "neighbors"),
        (
            ev.PoissonSampledDpEvent(1.1, ev.GaussianDpEvent(1.0)),
            Neighbors.ADD_OR_REMOVE_ONE,
            "sampling_probability",
        ),
        (ev.SampledWithoutReplacementDpEvent(10, 2, ev.GaussianDpEvent(1.0)), REPLACE_SPECIAL, "neighbors"),
        (ev.SampledWithoutReplacementDpEvent(10, 11, ev.GaussianDpEvent(1.0)), REPLACE_ONE, "sample_size"),
    ],
    ids=str,
)
def test_bad_events(event, neighbors, field):
    with pytest.raises(InvalidParameterError) as caught:
        from_dp_event(event, neighbors=neighbors)
    assert caught.value.field == field


# --------------------------------------------------------------------------------------------- out


@pytest.mark.parametrize(
    "guarantee",
    [
        GDP(0.7),
        GDP(1 / 3),
        ZCDP(0.3),
        ADP(0.4),
        PLD(),
        GDP(math.inf),
        ADP(math.inf),
        Laplace(scale=3, sensitivity=1).guarantee(),
        Laplace(scale=0.3, sensitivity=0.7).guarantee().self_compose(7),
        DiscreteLaplace(scale=3, sensitivity=2).guarantee(),
        compose(GDP(0.5), Laplace(scale=2, sensitivity=1).guarantee(), ADP(0.1)),
    ],
    ids=repr,
)
def test_out_and_in_again(guarantee):
    event = to_dp_event(guarantee)
    assert isinstance(event, ev.DpEvent)
    back = from_dp_event(event, neighbors=REPLACE_ONE)
    for delta in (1e-8, 1e-3):
        have, want = back.get_epsilon(delta), guarantee.get_epsilon(delta)
        assert want <= have * (1 + 1e-12)
        assert have == pytest.approx(want, rel=1e-4)


def test_sampled_releases_out_and_in_again():
    event = ev.SelfComposedDpEvent(ev.PoissonSampledDpEvent(0.01, ev.GaussianDpEvent(1.0)), 100)
    both = ev.ComposedDpEvent([event, ev.PoissonSampledDpEvent(0.2, ev.LaplaceDpEvent(2.0))])
    assert to_dp_event(from_dp_event(event)) == event
    assert from_dp_event(to_dp_event(from_dp_event(both))) == from_dp_event(both)


def test_parameters_are_rounded_to_less_privacy():
    with mpmath.workdps(50):
        # 1 / 3 as a decimal, whose inverse no float is.
        noise = mpmath.mpf(to_dp_event(GDP(0.3)).noise_multiplier)
        assert noise <= 1 / mpmath.mpf("0.3") <= noise * (1 + mpmath.mpf(2) ** -52)
        random = mpmath.mpf(to_dp_event(ADP(0.3)).noise_parameter)
        exact = 2 / (mpmath.exp(mpmath.mpf("0.3")) + 1)
        assert random <= exact <= random * (1 + mpmath.mpf(2) ** -51)


def test_mechanisms_and_lists():
    event = to_dp_event([Gaussian(sigma=4, sensitivity=2), DiscreteGaussian(sigma=2, sensitivity=1), GDP(0)])
    assert event == ev.ComposedDpEvent([ev.GaussianDpEvent(2.0), ev.ZCDpEvent(0.125), ev.NoOpDpEvent()])
    assert to_dp_event([]) == ev.NoOpDpEvent()
    assert to_dp_event(Gaussian(sigma=4, sensitivity=2)) == ev.GaussianDpEvent(2.0)


@pytest.mark.parametrize(
    "guarantee",
    [ADP(1, 1e-6), RDP([2], [0.5]), TradeOff((0, 0.25, 1), (1, 0.25, 0)), compose(ADP(1, 1e-6), ZCDP(0.1))],
    ids=repr,
)
def test_what_has_no_event(guarantee):
    with pytest.raises(UnsupportedConversionError, match="DpEvent"):
        to_dp_event(guarantee)


@pytest.mark.parametrize("wrong", [3, "GDP(1)", [GDP(1), 3], None])
def test_what_is_no_release(wrong):
    with pytest.raises(InvalidParameterError, match="releases"):
        to_dp_event(wrong)
