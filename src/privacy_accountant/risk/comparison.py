"""Two guarantees side by side: which is the more private one, proved, or where their curves cross, or that it cannot be told."""

from __future__ import annotations

import enum
import itertools
import math

import attrs
import numpy as np

from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.exact import Real, exact, float_down
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.registry import conversions
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.risk.report import RiskReport
from privacy_accountant.risk.rounding import percent_label

RATES = tuple(float(f"{step}e{power}") for power in range(-5, 0) for step in range(1, 10))
"""False positive rates at which two curves are held against each other."""

_CELLS = 600
_FARTHEST = 60.0


class Verdict(enum.Enum):
    """What is proved about two guarantees."""

    SAME = "both describe the same curve"
    FIRST = "the first is at least as private against every attack"
    SECOND = "the second is at least as private against every attack"
    CROSS = "their curves cross: each is the more private one against some attacks"
    UNKNOWN = "it cannot be told which is the more private one"


@attrs.frozen
class Comparison:
    """What is proved about two guarantees; `str()` says it in words.

    Attributes:
        verdict: Which of them is the more private one, everywhere.
        crossings: Intervals (low, high) of false positive rates in each of which the curves cross.
        first: False positive rates at which the first is proved to be strictly more private.
        second: The same of the second. Rates in neither list are too close to call.
    """

    verdict: Verdict
    crossings: tuple[tuple[float, float], ...] = ()
    first: tuple[float, ...] = ()
    second: tuple[float, ...] = ()

    def __str__(self) -> str:
        said = f"{self.verdict.value[0].upper()}{self.verdict.value[1:]}."
        if self.crossings:
            where = ", and between ".join(
                f"{percent_label(low)} and {percent_label(high)}" for low, high in self.crossings
            )
            lowest = "first" if self.crossings[0][0] in self.first else "second"
            return f"{said} They cross at false positive rates between {where}; below, the {lowest} is the more private one."
        if self.verdict is Verdict.UNKNOWN and (self.first or self.second):
            return f"{said} Wherever it can, it is the {'first' if self.first else 'second'}."
        return said


def compare(first: PrivacyGuarantee | RiskReport, second: PrivacyGuarantee | RiskReport) -> Comparison:
    r"""Compare two guarantees, as proved: a verdict rests on bounds from both sides, never on two upper bounds alone.

    One guarantee is at least as private as another when its trade-off function is nowhere below. That is proved through the
    other's own form, by the conversions of the library. That curves cross is proved at two false positive rates, by a lower bound
    on the one curve above an upper bound on the other, and the other way round. Upper bounds exist where a guarantee is a
    privacy loss distribution or converts to one without loss:
    :math:`f(\alpha) \le \max_i\, 1 - \delta_{low}(\varepsilon_{i+1}) - e^{\varepsilon_i}\alpha` and the same of the mirrored lines.

    Args:
        first: A guarantee, or a report of one.
        second: Another, under the same relation between neighbouring data sets and of the same unit of privacy: a guarantee
            does not know them, so only the caller can.

    Raises:
        InvalidParameterError: When one is not a guarantee.

    Example:
        >>> from privacy_accountant import ADP, GDP, Laplace
        >>> compare(GDP(mu=0.5), GDP(mu=1.0)).verdict.name
        'FIRST'
        >>> compare(Laplace(scale=2.0, sensitivity=1).guarantee(), ADP(epsilon=0.5)).verdict.name
        'FIRST'
        >>> compare(ADP(epsilon=1.0), GDP(mu=0.7)).verdict.name
        'CROSS'
    """
    one, other = _guarantee(first, "first"), _guarantee(second, "second")
    safer = _at_least_as_private(one, other), _at_least_as_private(other, one)
    if all(safer):
        return Comparison(Verdict.SAME)
    signs = _signs(one, other)
    ahead = tuple(rate for rate, sign in zip(RATES, signs, strict=True) if sign > 0)
    behind = tuple(rate for rate, sign in zip(RATES, signs, strict=True) if sign < 0)
    if any(safer):
        return Comparison(Verdict.FIRST if safer[0] else Verdict.SECOND, (), ahead, behind)
    if ahead and behind:
        return Comparison(Verdict.CROSS, _crossings(signs), ahead, behind)
    return Comparison(Verdict.UNKNOWN, (), ahead, behind)


def _guarantee(value: object, field: str) -> PrivacyGuarantee:
    found = value.guarantee if isinstance(value, RiskReport) else value
    if not isinstance(found, PrivacyGuarantee):
        raise InvalidParameterError(field, "a guarantee or a report of one", value)
    return found


def _at_least_as_private(one: PrivacyGuarantee, other: PrivacyGuarantee) -> bool:
    """Whether the first guarantee implies the second, in the second's own form."""
    if one == other or _same_loss(one, other):
        return True
    try:
        return _implies(one, other)
    except (UnsupportedConversionError, InvalidParameterError):
        return False


def _implies(one: PrivacyGuarantee, other: PrivacyGuarantee) -> bool:
    if isinstance(other, ADP):
        return _within_pair(one, other)
    if isinstance(other, GDP):
        return _below(one.to(GDP).mu, other.mu)
    if isinstance(other, ZCDP):
        return _below(one.to(ZCDP).rho, other.rho)
    if isinstance(other, RDP):
        return all(map(_below, one.to(RDP, orders=other.orders).epsilons, other.epsilons))
    return False


def _within_pair(one: PrivacyGuarantee, pair: ADP) -> bool:
    """A pair holds when the profile says so; two pairs are compared as typed."""
    if isinstance(one, ADP) and _below(one.epsilon, pair.epsilon) and _below(one.delta, pair.delta):
        return True
    if pair.epsilon == math.inf:
        return True
    return exact(one.get_delta(float_down(exact(pair.epsilon)))) <= exact(pair.delta)


def _same_loss(one: PrivacyGuarantee, other: PrivacyGuarantee) -> bool:
    """Whether both are one privacy loss, written in two forms."""
    losses = _without_loss(one), _without_loss(other)
    return losses[0] is not None and losses[0] == losses[1]


def _below(value: Real, limit: Real) -> bool:
    if limit == math.inf:
        return True
    return value != math.inf and exact(value) <= exact(limit)


def _signs(one: PrivacyGuarantee, other: PrivacyGuarantee) -> list[int]:
    """1 where the first curve is proved to be above, -1 where the second is, 0 where neither."""
    alphas = np.array(RATES)
    above = _above(one, other, alphas)
    below = _above(other, one, alphas)
    return [int(up) - int(down) for up, down in zip(above, below, strict=True)]


def _above(one: PrivacyGuarantee, other: PrivacyGuarantee, alphas: Array) -> list[bool]:
    bound = _highest(other, alphas)
    if bound is None:
        return [False] * len(alphas)
    lower: Array = one.beta(alphas)
    return [bool(found) for found in lower > bound]


def _highest(guarantee: PrivacyGuarantee, alphas: Array) -> Array | None:
    """An upper bound on the guarantee's own trade-off function, None where there is none."""
    loss = _without_loss(guarantee)
    if loss is None:
        return None
    epsilons = np.linspace(0.0, min(loss.get_epsilon(1e-7), _FARTHEST), _CELLS + 1)
    low, _ = loss.get_delta(epsilons, interval=True)
    # Within a cell the profile is at least its value at the cell's end; beyond the last end, at least 0.
    room = np.append(1.0 - low[1:], 1.0) + 1e-15
    with np.errstate(under="ignore"):
        steep = room[:, None] - np.exp(epsilons)[:, None] * alphas
        flat = np.exp(-epsilons)[:, None] * (room[:, None] - alphas)
    highest: Array = np.maximum(np.max(np.maximum(steep, flat), axis=0), 0.0) + 1e-14
    return highest


def _without_loss(guarantee: PrivacyGuarantee) -> PLD | None:
    if isinstance(guarantee, PLD):
        return guarantee
    forms = {entry.source for entry in conversions() if entry.target is PLD and entry.exact}
    return guarantee.to(PLD) if type(guarantee) in forms else None


def _crossings(signs: list[int]) -> tuple[tuple[float, float], ...]:
    known = [(rate, sign) for rate, sign in zip(RATES, signs, strict=True) if sign]
    return tuple((low, high) for (low, before), (high, after) in itertools.pairwise(known) if before != after)
