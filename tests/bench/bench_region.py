"""The trade-off curve of zCDP at many false positive rates, against riskcal."""

import itertools

import numpy as np
from harness import Comparison
from riskcal.analysis.conversions import get_advantage_from_zcdp, get_beta_from_zcdp

from privacy_accountant import ZCDP

ALPHAS = np.linspace(0.001, 0.999, 1000)


def fresh_rhos():
    """A new rho for every call, so that no answer comes from a cache."""
    return itertools.count(0.5, 1e-6)


OURS, THEIRS = fresh_rhos(), fresh_rhos()

COMPARISONS = [
    Comparison(
        task="zCDP: beta at 1000 alphas",
        peer_name="riskcal get_beta_from_zcdp",
        ours=lambda: ZCDP(rho=next(OURS)).beta(ALPHAS),
        peer=lambda: get_beta_from_zcdp(next(THEIRS), ALPHAS),
        rounds=7,
        note="ours is certified from below; the peer returns the other end of its bracket",
    ),
    Comparison(
        task="zCDP: advantage",
        peer_name="riskcal get_advantage_from_zcdp",
        ours=lambda: ZCDP(rho=next(OURS)).advantage,
        peer=lambda: get_advantage_from_zcdp(next(THEIRS)),
        rounds=7,
    ),
]
