"""How far a plan of releases is from a target: exact where costs add up, by the plan's own bounds elsewhere."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.errors import CalibrationError, InvalidParameterError
from privacy_accountant.exact import exact, float_down
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import compose
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms.base import Mechanism

Target = ADP | GDP | ZCDP | RDP | Risk


class Goal(abc.ABC):
    """A target together with the other releases that share it."""

    @abc.abstractmethod
    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """How far `releases` equal releases overshoot, as a log ratio that falls with the noise; at most 0 when met."""


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

    target: ADP | Risk
    others: tuple[PrivacyGuarantee, ...]

    def excess(self, mechanism: Mechanism, releases: int) -> float:
        """The log ratio of the bound that the composition proves to the one that is wanted."""
        plan = compose(mechanism.guarantee().self_compose(releases), *self.others)
        if isinstance(self.target, Risk):
            return self.target.excess(plan)
        delta = Fraction(plan.get_delta(float_down(self.target.epsilon)))
        return _log_ratio(delta, exact(self.target.delta))


def goal_for(target: object, others: Sequence[PrivacyGuarantee]) -> Goal:
    """The goal behind a target.

    Raises:
        InvalidParameterError: When the target is of another kind.
        CalibrationError: When the other releases alone use the target up.
    """
    if isinstance(target, Risk):
        return ProfileGoal(target, tuple(others))
    if isinstance(target, ADP):
        if target.epsilon == math.inf or target.delta == 1:
            raise CalibrationError(target, "it promises nothing, so any noise meets it")
        if target.delta > 0:
            return ProfileGoal(target, tuple(others))
        return _additive(target, ADP, (exact(target.epsilon), Fraction(0)), others)
    if isinstance(target, GDP):
        if target.mu == math.inf:
            raise CalibrationError(target, "it promises nothing, so any noise meets it")
        return _additive(target, GDP, (exact(target.mu) ** 2,), others)
    if isinstance(target, ZCDP):
        return _additive(target, ZCDP, (exact(target.rho), Fraction(0)), others)
    if isinstance(target, RDP):
        return _additive(
            target, RDP, tuple(exact(value) for value in target.epsilons), others, tuple(target.orders)
        )
    raise InvalidParameterError("target", "an ADP, GDP, ZCDP, RDP or Risk", target)


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
