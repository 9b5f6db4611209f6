"""dp-accounting 0.6 where its grids can be trusted: few parts and deltas far above its round-off."""

import warnings

import numpy as np
import pytest

from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from dp_accounting.pld import privacy_loss_distribution as peer

FINE = 1e-4


def pairs():
    yield (
        "laplace",
        PLD.of(LaplacePair(0.5), 6),
        lambda: [peer.from_laplace_mechanism(2.0, value_discretization_interval=FINE)] * 6,
    )
    yield (
        "laplace and gaussian",
        PLD.of(LaplacePair(0.5), 2).union(PLD.of(GaussianPair(0.25))),
        lambda: [
            *[peer.from_laplace_mechanism(2.0, value_discretization_interval=FINE)] * 2,
            peer.from_gaussian_mechanism(2.0, value_discretization_interval=FINE),
        ],
    )
    yield (
        "discrete laplace",
        PLD.of(DiscreteLaplacePair(2, 2), 5),
        lambda: (
            [peer.from_discrete_laplace_mechanism(0.5, sensitivity=2, value_discretization_interval=FINE)] * 5
        ),
    )
    yield (
        "discrete gaussian",
        PLD.of(DiscreteGaussianPair(9, 1), 5),
        lambda: [peer.from_discrete_gaussian_mechanism(3.0, value_discretization_interval=FINE)] * 5,
    )


@pytest.mark.parametrize(("name", "form", "build"), list(pairs()), ids=[p[0] for p in pairs()])
def test_pessimistic_peer_values_are_just_above_the_certified_interval(name, form, build):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, *rest = build()
        theirs = first
        for part in rest:
            theirs = theirs.compose(part)
        for e in (0.0, 0.5, 1.0):
            low, high = form.get_delta(e, interval=True)
            value = theirs.get_delta_for_epsilon(e)
            assert value >= low * (1 - 1e-7)
            assert value <= high * (1 + 5e-3)
        for delta in (1e-2, 1e-4):
            low, high = form.get_epsilon(delta, interval=True)
            value = theirs.get_epsilon_for_delta(delta)
            assert low - 1e-6 <= value <= high * (1 + 5e-3) + 1e-6


def test_where_the_peer_is_unsafe_the_certified_interval_is_above_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = peer.from_privacy_parameters(
            peer.common.DifferentialPrivacyParameters(0.01, 0.0), value_discretization_interval=1e-4
        )
        value = theirs.self_compose(10000).get_epsilon_for_delta(1e-12)
    from privacy_accountant.guarantees.pld import RandomizedResponsePair

    low, high = PLD.of(RandomizedResponsePair(0.01), 10000).get_epsilon(1e-12, interval=True)
    assert value < 7.22
    assert 7.235142 < low <= high
    assert np.isclose(low, 7.2351427, rtol=1e-6)
