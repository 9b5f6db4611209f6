r"""How far the results can move an attacker's belief, but for a stated exception.

Write L for the privacy loss, the logarithm of how much likelier the results are with the person's record than without it. Bayes'
rule turns a belief p into :math:`p e^L / (1 - p + p e^L)`. Since :math:`\delta(\varepsilon) = E[(1 - e^{\varepsilon - L})_+]`, Markov's
inequality gives, for every t above epsilon,

.. math:: \Pr[L > t] \le \frac{\delta(\varepsilon)}{1 - e^{\varepsilon - t}},

and the same without the record, where results with a large loss are rarer still. The exception bounds the right-hand side.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from privacy_accountant.exact import exact, float_up, probability
from privacy_accountant.guarantees.arguments import Answer, Array, answer
from privacy_accountant.guarantees.base import PrivacyGuarantee

_SHARES = np.array([0.0, 1e-8, 1e-6, 1e-4, 0.001, 0.01, 0.03, 0.1, 0.2, 0.5])
"""Shares of the exception at which the profile is asked; each gives a bound, and the least is taken."""


def loss_bound(guarantee: PrivacyGuarantee, exception: float) -> float:
    """The least privacy loss that is found to be exceeded with probability at most `exception`, rounded up."""
    deltas = _SHARES * exception
    epsilons: Array = guarantee.get_epsilon(deltas)
    # A tiny delta is rounded to a float beside the share that was meant, so the share is read back from it.
    shares = deltas / exception if exception > 0 else np.zeros_like(deltas)
    losses = epsilons - np.log1p(-shares * (1.0 + 2.0**-50))
    return max(0.0, float(np.min(losses)) * (1.0 + 2.0**-50))


def largest_posterior(prior: float, loss: float) -> float:
    """The belief that a prior becomes when the loss is `loss`, rounded up."""
    if prior == 0.0 or loss == 0.0:
        return prior
    if loss > 700.0:
        return 1.0
    believed, odds = exact(prior), Fraction(math.exp(loss)) * (1 + Fraction(1, 2**50))
    return min(1.0, float_up(believed * odds / (1 - believed + believed * odds)))


def posterior(guarantee: PrivacyGuarantee, prior: ArrayLike, exception: float) -> Answer:
    """An upper bound on the belief after the results, but with probability at most `exception`; see `RiskReport.posterior`."""
    chance = float_up(exact(probability(exception, "exception")))
    loss = loss_bound(guarantee, chance)
    return answer(
        lambda priors: np.array([largest_posterior(one, loss) for one in priors.tolist()]),
        prior,
        "prior",
        "a number in [0, 1]",
    )
