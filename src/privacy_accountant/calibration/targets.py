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

from privacy_accountant.errors import CalibrationError, InvalidParameterError
from privacy_accountant.exact import exact, float_down
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
_NEAR = 1e-3
_PLD_REASON = (
    "an ADP, GDP, ZCDP, RDP, TradeOff or Risk (the profile of a PLD is known as an interval, so that a plan is nowhere above it "
    "cannot be shown; say which points of it matter, as ADP or as the corners of a TradeOff)"
)


class Goal(abc.ABC):
    """A target together with the other releases that share it."""

    @abc.abstractmethod
    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """How far `releases` equal releases overshoot, as a log ratio that falls with the noise; at most 0 when met."""

    def is_closed(self, mechanism: Mechanism, releases: int) -> bool:
        """Whether the excess is known to the last digits, rather than to the tolerance of a certified composition."""
        del mechanism, releases
        return True

    def likely(self, releases: int) -> tuple[float, float] | None:
        """About the rho of one release that meets the target, and the excess that a halved rho takes away; None when not known."""
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

    def likely(self, releases: int) -> tuple[float, float] | None:
        """See `Goal.likely`: many releases are nearly Gaussian, with a mu squared of twice the sum of their rho."""
        if self.others or not isinstance(self.target, ADP):
            return None
        epsilon, delta = np.array([float_down(self.target.epsilon)]), float_down(self.target.delta)
        low, high = -40.0, 40.0
        while high - low > _NEAR:
            middle = (low + high) / 2
            low, high = (low, middle) if GDP(2.0**middle)._delta(epsilon)[0] > delta else (middle, high)
        ends = np.log([GDP(2.0**log_mu)._delta(epsilon)[0] for log_mu in (low, low - _NEAR)])
        return float(4.0**low / 2 / releases), float(ends[0] - ends[1]) / (2 * _NEAR)

    def _plan(self, mechanism: Mechanism, releases: int) -> PrivacyGuarantee:
        return compose(mechanism.guarantee().self_compose(releases), *self.others)

    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """The log ratio of the bound that the composition proves to the one that is wanted."""
        plan = self._plan(mechanism, releases)
        if isinstance(self.target, Risk):
            return self.target.excess(plan)
        if isinstance(self.target, TradeOff):
            return max(_log_ratio(_profile(plan, epsilon), delta) for epsilon, delta in _lines(self.target))
        return _log_ratio(_profile(plan, float_down(self.target.epsilon)), exact(self.target.delta))


def _profile(plan: PrivacyGuarantee, epsilon: float) -> Fraction:
    """delta(eps), eps >= 0, from above; how wide its interval is matters only to who reads one number."""
    return Fraction(float(plan._delta(np.array([epsilon]))[0]))


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
        left = [limit - cost for limit, cost in zip(left, _cost(other, form, orders), strict=True)]
    # A component that is zero from the start (the delta of a pure target) asks for zero; the others need room.
    if any(
        room < 0 or (room == 0 and limit > 0) for room, limit in zip(left, limits, strict=True)
    ) or not any(limits):
        raise CalibrationError(
            target, "the other releases leave nothing of it" if others else "only no release at all meets it"
        )
    return AdditiveGoal(form, tuple(left), orders)


def _cost(
    other: PrivacyGuarantee, form: type[PrivacyGuarantee], orders: tuple[Any, ...] | None
) -> tuple[Fraction, ...]:
    if form is ADP:
        return exact(other.to(ADP, delta=0).epsilon), Fraction(0)
    if form is GDP:
        return (exact(other.to(GDP).mu) ** 2,)
    if form is ZCDP:
        return exact(other.to(ZCDP).rho), Fraction(0)
    return tuple(exact(value) for value in other.to(RDP, orders=orders).epsilons)


def _log_ratio(have: Fraction, allowed: Fraction) -> float:
    """log(have / allowed) with an exact sign."""
    if have <= allowed:
        return -math.inf if have == 0 else min(_log(have) - _log(allowed), 0.0)
    return max(_log(have) - _log(allowed), 5e-324) if allowed > 0 else math.inf


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)
