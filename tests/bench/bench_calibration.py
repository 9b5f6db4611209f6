"""Noise for a hundred equal releases under (1, 1e-6), against dp-accounting's calibration."""

import itertools

from dp_accounting import GaussianDpEvent, LaplaceDpEvent, SelfComposedDpEvent
from dp_accounting.mechanism_calibration import calibrate_dp_mechanism
from dp_accounting.pld import PLDAccountant
from harness import Comparison

from privacy_accountant import ADP, Gaussian, Laplace

RELEASES = 100


def fresh():
    """A new epsilon near 1 for every call, so that no answer comes from a cache."""
    return itertools.count(1.0, 1e-6)


def peer(event, epsilons):
    return calibrate_dp_mechanism(
        PLDAccountant,
        lambda noise: SelfComposedDpEvent(event(noise), RELEASES),
        next(epsilons),
        1e-6,
    )


def comparison(mechanism, event):
    own, theirs = fresh(), fresh()
    return Comparison(
        task=f"calibrate {RELEASES} equal {mechanism.__name__} releases to (1, 1e-6)",
        peer_name="dp-accounting calibrate_dp_mechanism",
        ours=lambda: mechanism.calibrate(ADP(next(own), 1e-6), sensitivity=1, releases=RELEASES),
        peer=lambda: peer(event, theirs),
        goal=1 / 20,
        rounds=3,
        note="neither is told where to look; ours is the least noise that the certified composition confirms",
    )


COMPARISONS = [comparison(Gaussian, GaussianDpEvent), comparison(Laplace, LaplaceDpEvent)]
