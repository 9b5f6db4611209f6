"""Mechanisms and guarantees as dp-accounting's events."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import Real, exact, float_down, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    DominatingPair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
    SubsampledGaussianPair,
    SubsampledLaplacePair,
)
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.numerics.enclosure import exp_bounds


def to_dp_event(releases: Mechanism | PrivacyGuarantee | Iterable[Mechanism | PrivacyGuarantee]) -> Any:
    """The dp-accounting event of a mechanism, of a guarantee, or of a list of them together.

    Parameters become floats on the safe side: the event has at least the privacy loss that is described. Equal parts are
    self-composed events. The discrete Gaussian becomes its zCDP, for which there is an event; noise that is rounded becomes
    the noise before rounding, of which it is a function.

    Args:
        releases: What to describe.

    Returns:
        A `dp_accounting.DpEvent`.

    Raises:
        InvalidParameterError: When it is none of these.
        UnsupportedConversionError: For what has no event: (epsilon, delta) with a positive delta, Renyi curves, polygons and
            tabulated losses. `to_dp_accounting` exchanges those as privacy loss distributions.

    Example:
        >>> from privacy_accountant import Gaussian, Laplace
        >>> event = to_dp_event([Gaussian(sigma=4, sensitivity=1), Laplace(scale=2, sensitivity=1)])
        >>> [type(one).__name__ for one in event.events]
        ['GaussianDpEvent', 'LaplaceDpEvent']
    """
    from dp_accounting import dp_event  # noqa: PLC0415 (loaded when asked for)

    if isinstance(releases, (Mechanism, PrivacyGuarantee)):
        return _event(_guarantee_of(releases), dp_event)
    given: object = releases
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InvalidParameterError("releases", "a mechanism, a guarantee, or a list of them", given)
    events = [_event(_guarantee_of(one), dp_event) for one in given]
    return dp_event.ComposedDpEvent(events) if events else dp_event.NoOpDpEvent()


def _guarantee_of(one: object) -> PrivacyGuarantee:
    if isinstance(one, Mechanism):
        return one.guarantee()
    if isinstance(one, PrivacyGuarantee):
        return one
    raise InvalidParameterError("releases", "a mechanism, a guarantee, or a list of them", one)


@functools.singledispatch
def _event(guarantee: object, dp_event: Any) -> Any:
    """The event of one guarantee."""
    del dp_event
    reason = "dp-accounting has no event for it; to_dp_accounting(guarantee.to(PLD)) gives a distribution"
    raise UnsupportedConversionError(type(guarantee).__name__, "a DpEvent", reason)


@_event.register
def _(guarantee: GDP, dp_event: Any) -> Any:
    if guarantee.mu == 0:
        return dp_event.NoOpDpEvent()
    return (
        dp_event.GaussianDpEvent(_inverse(guarantee.mu))
        if guarantee.mu < math.inf
        else dp_event.NonPrivateDpEvent()
    )


@_event.register
def _(guarantee: ZCDP, dp_event: Any) -> Any:
    if guarantee.rho == math.inf:
        return dp_event.NonPrivateDpEvent()
    return dp_event.ZCDpEvent(float_up(exact(guarantee.rho))) if guarantee.rho else dp_event.NoOpDpEvent()


@_event.register
def _(guarantee: ADP, dp_event: Any) -> Any:
    if guarantee.delta > 0 and guarantee.epsilon < math.inf:
        return _event.dispatch(object)(guarantee, dp_event)
    return _response(guarantee.epsilon, dp_event)


@_event.register
def _(guarantee: PLD, dp_event: Any) -> Any:
    events = [
        _times(_pair(pair, dp_event), count, dp_event) for pair, count in guarantee.parts if _counts(pair)
    ]
    if not events:
        return dp_event.NoOpDpEvent()
    return events[0] if len(events) == 1 else dp_event.ComposedDpEvent(events)


def _times(event: Any, count: int, dp_event: Any) -> Any:
    return event if count == 1 else dp_event.SelfComposedDpEvent(event, count)


def _counts(pair: DominatingPair) -> bool:
    """Of the two directions of a sampled release, dp-accounting's event means both."""
    return not isinstance(pair, (SubsampledGaussianPair, SubsampledLaplacePair)) or pair.removal


@functools.singledispatch
def _pair(pair: object, dp_event: Any) -> Any:
    """The event of one part of a privacy loss distribution."""
    del dp_event
    reason = "dp-accounting has no event for it; to_dp_accounting gives a distribution"
    raise UnsupportedConversionError(type(pair).__name__, "a DpEvent", reason)


@_pair.register
def _(pair: GaussianPair, dp_event: Any) -> Any:
    return _event(PLD.of(pair).to(GDP), dp_event)


@_pair.register
def _(pair: LaplacePair, dp_event: Any) -> Any:
    return dp_event.LaplaceDpEvent(_inverse(pair.epsilon))


@_pair.register
def _(pair: DiscreteLaplacePair, dp_event: Any) -> Any:
    return dp_event.DiscreteLaplaceDpEvent(float_up(1 / exact(pair.scale)), pair.sensitivity)


@_pair.register
def _(pair: DiscreteGaussianPair, dp_event: Any) -> Any:
    return dp_event.ZCDpEvent(float_up(Fraction(pair.sensitivity**2) / (2 * exact(pair.sigma_squared))))


@_pair.register
def _(pair: RandomizedResponsePair, dp_event: Any) -> Any:
    if pair.delta > 0 and pair.epsilon < math.inf:
        return _pair.dispatch(object)(pair, dp_event)
    return _response(pair.epsilon, dp_event)


@_pair.register
def _(pair: SubsampledGaussianPair, dp_event: Any) -> Any:
    return _on_sample(pair.sampling, _pair(GaussianPair(pair.mu_squared), dp_event), dp_event)


@_pair.register
def _(pair: SubsampledLaplacePair, dp_event: Any) -> Any:
    return _on_sample(pair.sampling, _pair(LaplacePair(pair.epsilon), dp_event), dp_event)


def _on_sample(rate: Real, event: Any, dp_event: Any) -> Any:
    return dp_event.PoissonSampledDpEvent(float_up(rate), event)


def _inverse(value: Real) -> float:
    """1 / value as a float, rounded down."""
    return float_down(1 / exact(value))


def _response(epsilon: Real, dp_event: Any) -> Any:
    """Binary randomized response at epsilon: 2 / (e^epsilon + 1) of the answers are random, rounded down."""
    if epsilon == math.inf:
        return dp_event.NonPrivateDpEvent()
    if epsilon == 0:
        return dp_event.NoOpDpEvent()
    return dp_event.RandomizedResponseDpEvent(float_down(2 / (exp_bounds(exact(epsilon))[1] + 1)), 2)
