"""Supporting lines of a trade-off function, placed where they help most.

Any threshold eps gives the line 1 - delta(eps) - e^eps alpha, which no attack crosses. Few lines are enough when they are dense
where the profile bends, and a polygon of lines is a valid, slightly weaker curve.
"""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.arguments import Array
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.numerics.polyline import Line

_LEAST_DELTA = 1e-30
_HIGHEST = 700.0
"""e^eps is a double up to here; what lies beyond becomes an outcome that gives the person away."""
_FIRST = 8
_TINY = 1e-300
_SMOOTH = 1e-10
_SEARCH_STEPS = 40
_GOLDEN = (math.sqrt(5) - 1) / 2


@attrs.frozen(eq=False)
class _Profile:
    """A profile at thresholds in ascending order."""

    at: Array
    delta: Array
    rest: Array

    @classmethod
    def of(cls, guarantee: PrivacyGuarantee, at: Array) -> _Profile:
        return cls(at, *guarantee._profile(at))

    def lines(self) -> list[Line]:
        """The supporting lines; of delta and its complement the one that has the digits."""
        return [
            (
                Fraction(float(delta)) if delta < 0.5 else 1 - Fraction(float(rest)),
                Fraction(math.exp(e) * (1 + 2.0**-50)) if e > 0 else Fraction(1),
            )
            for e, delta, rest in zip(self.at.tolist(), self.delta, self.rest, strict=True)
        ]


def _top(guarantee: PrivacyGuarantee) -> float:
    """The last threshold that is worth a line: where the profile reaches its end, or a delta of 1e-30."""
    least = float(guarantee._delta(np.array([math.inf]))[0])
    top = float(guarantee._epsilon(np.array([least]))[0])
    if top > _HIGHEST:
        top = float(guarantee._epsilon(np.array([min(max(_LEAST_DELTA, least * (1 + 1e-6)), 1.0)]))[0])
    return min(top, _HIGHEST)


def spread(guarantee: PrivacyGuarantee, count: int) -> list[Line]:
    """At most `count` lines, at thresholds >= 0, where the polygon's profile would be furthest from the guarantee's."""
    top = _top(guarantee)
    first = np.linspace(0.0, top, max(2, min(count, _FIRST), count // _FIRST)) if top > 0 else np.zeros(1)
    known = _Profile.of(guarantee, first)
    excess = np.full(len(known.at) - 1, math.inf)
    while len(known.at) < count and len(excess) and (worst := excess.max()) > _SMOOTH:
        chosen = np.flatnonzero(excess >= worst / 4)
        chosen = np.sort(chosen[np.argsort(-excess[chosen], kind="stable")][: count - len(known.at)])
        middle = _Profile.of(guarantee, (known.at[chosen] + known.at[chosen + 1]) / 2)
        measured = _excess(known, middle, chosen)
        known = _Profile(
            *(
                np.insert(getattr(known, field.name), chosen + 1, getattr(middle, field.name))
                for field in attrs.fields(_Profile)
            )
        )
        excess[chosen] = measured / 4
        excess = np.insert(excess, chosen, measured / 4)
    return known.lines()


def _excess(known: _Profile, middle: _Profile, left: NDArray[np.intp]) -> Array:
    """How far, as log ratios, the chords in e^eps are from the profile and from its complement half-way.

    In the tail, where delta falls steeply, what counts is the error of eps: the steepness divides.
    """
    low, high = known.at[left], known.at[left + 1]
    share = np.expm1(middle.at - high) / np.minimum(np.expm1(low - high), -_TINY)
    delta = known.delta[left + 1] + share * (known.delta[left] - known.delta[left + 1])
    rest = known.rest[left + 1] + share * (known.rest[left] - known.rest[left + 1])
    above = np.log(np.maximum(delta, _TINY) / np.maximum(middle.delta, _TINY))
    ends = np.maximum(known.delta, _LEAST_DELTA)
    steepness = np.log(ends[left] / ends[left + 1]) / np.maximum(high - low, _TINY) * middle.at
    below = np.log(np.maximum(middle.rest, _TINY) / np.maximum(rest, _TINY))
    return np.asarray(np.where(delta > _LEAST_DELTA, np.abs(above), 0.0) / (1 + steepness) + np.abs(below))


def at_thresholds(guarantee: PrivacyGuarantee, thresholds: Array) -> list[Line]:
    """The lines at given thresholds >= 0."""
    return _Profile.of(guarantee, thresholds).lines()


def touching(guarantee: PrivacyGuarantee, alphas: Array) -> list[Line]:
    """The lines that touch f at these alphas, and the one of slope 1; by a golden-section search for all at once.

    No line has a slope above 1 / alpha, and what the search is off by enters squared.
    """
    alphas = np.minimum(alphas, guarantee._beta(alphas))
    top = _top(guarantee)
    log = np.log(np.maximum(alphas, _TINY))
    low, high = np.zeros_like(alphas), np.clip(-log, 0.0, top)

    def height(e: Array) -> Array:
        with np.errstate(under="ignore"):
            return np.asarray(guarantee._complement(e) - np.where(alphas > 0, np.exp(e + log), 0.0))

    inner, outer = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    left, right = height(inner), height(outer)
    for _ in range(_SEARCH_STEPS):
        up = right > left
        low, high = np.where(up, inner, low), np.where(up, high, outer)
        kept, known = np.where(up, outer, inner), np.where(up, right, left)
        new = np.where(up, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
        value = height(new)
        inner, outer = np.where(up, kept, new), np.where(up, new, kept)
        left, right = np.where(up, known, value), np.where(up, value, known)
    return at_thresholds(guarantee, np.unique(np.concatenate([[0.0], (low + high) / 2, [top]])))
