"""How far a plan of releases is from a target: exact where costs add up, by the plan's own bounds elsewhere."""

from __future__ import annotations

import abc
import functools
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from privacy_accountant.calibration.search import Excess, within
from privacy_accountant.errors import (
    CalibrationError,
    InvalidParameterError,
    UnsupportedConversionError,
)
from privacy_accountant.exact import Real, exact, float_down, is_infinite
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.mixed import Mixed
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.numerics.polyline import log_of

Target = ADP | GDP | ZCDP | RDP | Risk | TradeOff

_ULP = 2.0**-52
_NEAR, _STEP = 0.02, 1e-3
_LEAST_NOISE, _MOST_NOISE = -10.0, 40.0
"""log2 of the noise of one Gaussian: what needs less or more is left to the search itself."""
_PLD_REASON = (
    "an ADP, GDP, ZCDP, RDP, TradeOff or Risk (the profile of a PLD is known as an interval, so that a plan is nowhere above it "
    "cannot be shown; say which points of it matter, as ADP or as the corners of a TradeOff)"
)


@attrs.frozen
class Guess:
    """About the rho of one release that meets a target, and how much of the excess a doubled noise takes away there."""

    rho: float
    fall: float


class Goal(abc.ABC):
    """A target together with the other releases that share it."""

    @abc.abstractmethod
    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """How far `releases` equal releases overshoot, as a log ratio that falls with the noise; at most 0 when met."""

    def is_closed(self, mechanism: Mechanism, releases: int) -> bool:
        """Whether the excess is known to the last digits, rather than to the tolerance of a certified composition."""
        del mechanism, releases
        return True

    def likely(self, releases: int) -> Guess | None:
        """About what one release may cost; None when not known."""
        del releases
        return None


@attrs.frozen
class AdditiveGoal(Goal):
    """A target in units that add up: met when the exact sum of costs is at most it."""

    form: type[PrivacyGuarantee]
    limits: tuple[Fraction, ...]
    orders: tuple[Any, ...] | None

    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """The largest log ratio of the exact total to its limit."""
        costs = mechanism.price(self.form, self.orders)
        return max(_log_ratio(releases * cost, limit) for cost, limit in zip(costs, self.limits, strict=True))


@attrs.frozen
class ProfileGoal(Goal):
    """A target that is read from the composed guarantee: (epsilon, delta), or attack risk."""

    target: ADP | Risk | TradeOff
    others: tuple[PrivacyGuarantee, ...]

    def is_closed(self, mechanism: Mechanism, releases: int) -> bool:
        """See `Goal.is_closed`."""
        plan = self._plan(mechanism, releases)
        if isinstance(plan, PLD):
            return len(plan.parts) <= 1 and all(count == 1 for _, count in plan.parts)
        return not isinstance(plan, Mixed)

    def likely(self, releases: int) -> Guess | None:
        """See `Goal.likely`: many releases are nearly Gaussian, with a mu squared of twice the sum of their rho."""
        try:
            spent = float(2 * sum(exact(other.to(ZCDP).rho) for other in self.others))
        except (UnsupportedConversionError, OverflowError, ValueError):
            return None

        return _guess(lambda log_noise: self._excess_of(GDP(2.0**-log_noise)), spent, releases)

    def _plan(self, mechanism: Mechanism, releases: int) -> PrivacyGuarantee:
        return compose(mechanism.guarantee().self_compose(releases), *self.others)

    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """The log ratio of the bound that the composition proves to the one that is wanted."""
        return self._excess_of(self._plan(mechanism, releases))

    def _excess_of(self, plan: PrivacyGuarantee) -> float:
        if isinstance(self.target, Risk):
            return self.target.excess(plan)
        if isinstance(self.target, TradeOff):
            points = _lines(self.target)
        else:
            points = ((float_down(self.target.epsilon), exact(self.target.delta)),)
        # The profile from above; how wide its interval is matters only to who reads one number.
        have = plan._delta(np.array([epsilon for epsilon, _ in points])).tolist()
        return max(
            _log_ratio(Fraction(delta), allowed) for delta, (_, allowed) in zip(have, points, strict=True)
        )


def _guess(excess: Excess, spent: float, releases: int) -> Guess | None:
    """From the excess of one Gaussian with this log2 noise, of whose mu squared others have spent some."""
    excess = functools.cache(excess)
    if excess(_LEAST_NOISE) <= 0 or excess(_MOST_NOISE) > 0:
        return None
    root = within(excess, _LEAST_NOISE, _MOST_NOISE, _NEAR)
    whole = 4.0**-root
    left = whole - spent
    fall = (excess(root - _STEP) - excess(root)) / _STEP * left / whole
    return Guess(left / 2 / releases, fall) if left > 0 and 0 < fall < math.inf else None


@functools.lru_cache(maxsize=8)
def _lines(curve: TradeOff) -> tuple[tuple[float, Fraction], ...]:
    """The points (eps, delta) of a profile that together say that it is nowhere below the curve: one for each side.

    A plan is above the line 1 - delta - e^eps alpha exactly when its profile at eps is at most delta; eps is rounded down. The sides
    that fall more slowly than 1 mirror the others.
    """
    lines = []
    for a, b in itertools.pairwise(curve.corners):
        slope = (a[1] - b[1]) / (b[0] - a[0])
        if slope >= 1:
            log = log_of(slope)
            lines.append((max(0.0, log - 16 * _ULP * log), 1 - a[1] - slope * a[0]))
    return tuple(lines)


def goal_for(target: object, others: Sequence[PrivacyGuarantee]) -> Goal:
    """The goal behind a target.

    Raises:
        InvalidParameterError: When the target is of another kind.
        CalibrationError: When the other releases alone use the target up.
    """
    if isinstance(target, PLD):
        raise InvalidParameterError("target", _PLD_REASON, target)
    if _promises_nothing(target):
        raise CalibrationError(target, "it promises nothing, so any noise meets it")
    if isinstance(target, (Risk, TradeOff)) or (isinstance(target, ADP) and target.delta > 0):
        return ProfileGoal(target, tuple(others))
    return _additive_goal(target, others)


def _promises_nothing(target: object) -> bool:
    if isinstance(target, TradeOff):
        return not _lines(target)
    if isinstance(target, ADP):
        return target.epsilon == math.inf or target.delta == 1
    return isinstance(target, GDP) and target.mu == math.inf


def _additive_goal(target: object, others: Sequence[PrivacyGuarantee]) -> Goal:
    if isinstance(target, ADP):
        return _additive(target, ADP, (exact(target.epsilon), Fraction(0)), others)
    if isinstance(target, GDP):
        return _additive(target, GDP, (exact(target.mu) ** 2,), others)
    if isinstance(target, ZCDP):
        return _additive(target, ZCDP, (exact(target.rho), Fraction(0)), others)
    if isinstance(target, RDP):
        return _additive(
            target, RDP, tuple(exact(value) for value in target.epsilons), others, tuple(target.orders)
        )
    raise InvalidParameterError("target", "an ADP, GDP, ZCDP, RDP, TradeOff or Risk", target)


def _additive(
    target: Target,
    form: type[PrivacyGuarantee],
    limits: tuple[Fraction, ...],
    others: Sequence[PrivacyGuarantee],
    orders: tuple[Any, ...] | None = None,
) -> AdditiveGoal:
    left = list(limits)
    for other in others:
        left = [limit - cost for limit, cost in zip(left, _cost(target, other, form, orders), strict=True)]
    # A component that is zero from the start (the delta of a pure target) asks for zero; the others need room.
    if any(
        room < 0 or (room == 0 and limit > 0) for room, limit in zip(left, limits, strict=True)
    ) or not any(limits):
        raise CalibrationError(
            target, "the other releases leave nothing of it" if others else "only no release at all meets it"
        )
    return AdditiveGoal(form, tuple(left), orders)


def _cost(
    target: Target, other: PrivacyGuarantee, form: type[PrivacyGuarantee], orders: tuple[Any, ...] | None
) -> tuple[Fraction, ...]:
    """What another release takes of an additive target.

    Raises:
        CalibrationError: When it has no finite cost in the target's unit.
    """
    if form is ADP:
        values: tuple[Real, ...] = (other.to(ADP, delta=0).epsilon,)
    elif form is GDP:
        values = (other.to(GDP).mu,)
    elif form is ZCDP:
        values = (other.to(ZCDP).rho,)
    else:
        values = other.to(RDP, orders=orders).epsilons
    if any(is_infinite(value) for value in values):
        unit = "epsilon at delta 0" if form is ADP else "bound in its unit"
        raise CalibrationError(target, f"another release has no finite {unit}: {other!r}")
    costs = tuple(exact(value) for value in values)
    if form is GDP:
        return (costs[0] ** 2,)
    return costs if form is RDP else (*costs, Fraction(0))


def _log_ratio(have: Fraction, allowed: Fraction) -> float:
    """log(have / allowed) with an exact sign."""
    if have <= allowed:
        return -math.inf if have == 0 else min(_log(have) - _log(allowed), 0.0)
    return max(_log(have) - _log(allowed), 5e-324) if allowed > 0 else math.inf


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
