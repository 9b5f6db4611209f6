"""The mass at infinite loss of a composition: what no epsilon removes."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs

from privacy_accountant.exact import float_down, float_up
from privacy_accountant.guarantees.pld.moments.families import UNIT

_ALL, _COUNTED = 800, 2**50
"""Masses that add up to more than the first leave nothing; more releases than the second have tiny masses each."""
_TINY = 5e-324


@attrs.frozen(eq=False)
class Infinity:
    """The mass at infinite loss and its complement, each between two floats; `whole` is the mass itself where it is known."""

    low: float
    high: float
    rest_low: float
    rest_high: float
    whole: Fraction | None

    @classmethod
    def of(cls, masses: list[tuple[Fraction, int]]) -> Infinity:
        """1 - prod (1 - mass)^count."""
        masses = [(mass, count) for mass, count in masses if mass > 0]
        if sum(count for _, count in masses) <= 64:
            rest = math.prod((1 - mass) ** count for mass, count in masses)
            whole = Fraction(1 - rest)
            return cls(
                float_down(whole),
                float_up(whole),
                float_down(Fraction(rest)),
                float_up(Fraction(rest)),
                whole,
            )
        if any(mass == 1 for mass, _ in masses):
            return cls(1.0, 1.0, 0.0, 0.0, Fraction(1))
        if sum(mass * count for mass, count in masses) > _ALL:
            return cls(1 - UNIT, 1.0, 0.0, _TINY, None)
        # 1 - mass is rounded on the rational; for a mass next to 1 nothing is lost either.
        logs = [
            count * (math.log1p(-float(m)) if m < 0.5 else math.log(float(1 - m)))
            if count < _COUNTED
            else -float((m + m * m / 2) * count)
            for m, count in masses
        ]
        total = math.fsum(logs)
        slack = 8 * UNIT * (abs(total) + sum(count for m, count in masses if m >= 0.5))
        ends = [-math.expm1(min(total + s, 0.0)) for s in (slack, -slack)]
        rests = [math.exp(min(total + s, 0.0)) for s in (-slack, slack)]
        return cls(ends[0] * (1 - 4 * UNIT), min(1.0, ends[1] * (1 + 4 * UNIT)), rests[0], rests[1], None)
