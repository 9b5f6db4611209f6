"""The trade-off curve of Renyi bounds at many false positive rates, and a curve of corners, against riskcal."""

import itertools

import numpy as np
from harness import Comparison
from riskcal.analysis.conversions import get_beta_from_adp, get_beta_from_rdp

from privacy_accountant import ADP, RDP

ALPHAS = np.linspace(1e-5, 1 - 1e-5, 100_000)


def fresh():
    """A new bound for every call, so that no answer comes from a cache."""
    return itertools.count(0.5, 1e-6)


def renyi(order):
    own, theirs = fresh(), fresh()
    return Comparison(
        task=f"RDP of order {order:g}: beta at 100,000 alphas",
        peer_name="riskcal get_beta_from_rdp",
        ours=lambda: RDP(orders=order, epsilons=next(own)).beta(ALPHAS),
        peer=lambda: get_beta_from_rdp(next(theirs), ALPHAS, order),
        goal=1 / 2,
        rounds=7,
        note="ours is certified from below; the peer returns a bisection's midpoint",
    )


ADPS, PEERS = fresh(), fresh()

COMPARISONS = [
    renyi(2.0),
    renyi(7.3),
    Comparison(
        task="ADP: beta at 100,000 alphas",
        peer_name="riskcal get_beta_from_adp",
        ours=lambda: ADP(next(ADPS), 1e-6).beta(ALPHAS),
        peer=lambda: get_beta_from_adp(next(PEERS), 1e-6, ALPHAS),
        rounds=7,
    ),
]
