"""Histories of private training runs, as the trainers keep them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, integer, non_negative, probability
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD, SubsampledGaussianPair
from privacy_accountant.interop.events import EVERYTHING, NOTHING

_RULE = "triples (noise_multiplier, sample_rate, steps)"


def from_history(history: Iterable[Any]) -> PrivacyGuarantee:
    """The guarantee of a training run whose history is a list of (noise_multiplier, sample_rate, steps).

    Opacus keeps `accountant.history` like this, and JAX-privacy's runs are described by the same three numbers. Every step
    is a Gaussian on a *Poisson* sample, under add-or-remove-one: a loader that shuffles and cuts batches of one size does not have
    this guarantee.

    Args:
        history: The triples, in any order. Steps with equal numbers are counted together.

    Returns:
        A `PLD` with both directions of every step, or a `GDP` when every step uses all data.

    Raises:
        InvalidParameterError: When a triple is none, or a number is out of range.

    Example:
        >>> run = from_history([(1.1, 256 / 60_000, 14_062)])
        >>> round(run.get_epsilon(1e-5), 2)
        2.38
    """
    if isinstance(history, (str, bytes)) or not isinstance(history, Iterable):
        raise InvalidParameterError("history", _RULE, history)
    steps: Counter[tuple[Real, Real]] = Counter()
    for triple in history:
        if not isinstance(triple, (tuple, list)) or len(triple) != 3:
            raise InvalidParameterError("history", _RULE, triple)
        noise, rate = non_negative(triple[0], "noise_multiplier"), probability(triple[1], "sample_rate")
        steps[noise, rate] += integer(triple[2], "steps", "an integer >= 0", least=0)
    several = [
        _step(noise, rate).self_compose(count) for (noise, rate), count in steps.items() if count and rate
    ]
    return compose(*several) if several else NOTHING


def _step(noise: Real, rate: Real) -> PrivacyGuarantee:
    if noise == 0:
        return EVERYTHING
    multiplier = 1 / exact(noise)
    if rate == 1:
        return GDP(canonical(multiplier))
    return PLD.of(SubsampledGaussianPair(rate, canonical(multiplier**2)))
