"""What a study has spent, exact, and fast with thousands of distinct costs.

A cost is a vector of rationals that add up. Beside the count of every distinct cost a balance keeps, for each component, a
pair of integers that bound the sum in units of 2**-200. Almost every comparison is settled by that pair; only when a limit
lies between the two is the sum of rationals formed, and then the comparison is exact.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import attrs

from privacy_accountant.codec.numbers import decode_rational
from privacy_accountant.errors import LedgerCorruptedError
from privacy_accountant.exact import GRAIN

Vector = tuple[Fraction, ...]

_REDUCE_BITS = 20_000
"""Denominators shorter than this are kept in lowest terms while they are summed; a gcd of longer ones costs more than it saves."""


@attrs.frozen
class Balance:
    """The sum of the costs of all reserves that were not voided, or of several such sums the largest in every component.

    Of several, because a release that touches several partitions has to fit beside what each of them was charged: it does when
    it fits beside the largest in every component.

    Attributes:
        low: Lower bounds of the components, in units of 2**-200.
        high: Upper bounds of the components, in the same units.
        counts: Reads how often each distinct cost was charged, by the cost's canonical JSON.
        settings: The settings of the study as they are now, canonical JSON.
        partition: The partition whose balance it is; None for that of a study as a whole.
        several: The balances of which it is the largest; empty when it is one.
    """

    low: tuple[int, ...]
    high: tuple[int, ...]
    counts: Callable[[], Mapping[str, int]] = attrs.field(repr=False, eq=False)
    settings: str = attrs.field(default="", repr=False, eq=False)
    partition: str | None = attrs.field(default=None, eq=False)
    several: tuple[Balance, ...] = attrs.field(default=(), repr=False, eq=False)

    def each(self) -> tuple[Balance, ...]:
        """The balances of which it is the largest, or itself."""
        return self.several or (self,)

    def kept(self) -> Balance:
        """The same for use after the transaction in which it was read."""
        several = tuple(one.kept() for one in self.several)
        counts = dict(self.counts())
        return attrs.evolve(self, counts=lambda: counts, several=several)

    def compare(self, other: Balance, place: int) -> int:
        """Whether a component is larger (1), as large (0) or smaller (-1) than that of another balance; exact."""
        if self.low[place] > other.high[place] or self.high[place] < other.low[place]:
            return 1 if self.low[place] > other.high[place] else -1
        if self.low[place] == self.high[place] == other.low[place] == other.high[place]:
            return 0
        (a, b), (c, d) = self._exact(place), other._exact(place)
        return (a * d > c * b) - (a * d < c * b)

    def within(self, limits: Vector, cost: Vector, times: int = 1) -> bool:
        """Whether `times` more charges of a cost keep every component at or below its limit; exact."""
        return self.short(limits, cost, times) is None

    def short(self, limits: Vector, cost: Vector, times: int = 1) -> int | None:
        """The first component that `times` more charges of a cost would take past its limit; None when they fit; exact."""
        for place, limit in enumerate(limits):
            if not self._stays_within(place, limit, cost[place], times):
                return place
        return None

    def room(self, limits: Vector, cost: Vector) -> int | None:
        """How many more charges of a cost fit; None when it is free of charge; exact."""
        counts = [
            self._room_in(place, limit, cost[place]) for place, limit in enumerate(limits) if cost[place] > 0
        ]
        return max(0, min(counts)) if counts else None

    def _stays_within(self, place: int, limit: Fraction, cost: Fraction, times: int) -> bool:
        (least, most), (floor, ceiling) = scaled(cost), scaled(limit)
        if self.high[place] + most * times <= floor:
            return True
        if self.low[place] + least * times > ceiling:
            return False
        top, bottom = self._exact(place)
        rest = limit - cost * times
        return top * rest.denominator <= rest.numerator * bottom

    def _room_in(self, place: int, limit: Fraction, cost: Fraction) -> int:
        least = math.floor((limit - Fraction(self.high[place], 1 << GRAIN)) / cost)
        most = math.floor((limit - Fraction(self.low[place], 1 << GRAIN)) / cost)
        if least == most:
            return least
        top, bottom = self._exact(place)
        return (
            (limit.numerator * bottom - top * limit.denominator)
            * cost.denominator
            // (limit.denominator * bottom * cost.numerator)
        )

    def _exact(self, place: int) -> tuple[int, int]:
        if self.several:
            return max((one._exact(place) for one in self.several), key=lambda sum_: Fraction(*sum_))
        by_denominator: dict[int, int] = {}
        for text, count in self.counts().items():
            term = terms(text)[place]
            by_denominator[term.denominator] = (
                by_denominator.get(term.denominator, 0) + term.numerator * count
            )
        top, bottom = _sum([(top, bottom) for bottom, top in by_denominator.items()])
        if not self.low[place] * bottom <= top << GRAIN <= self.high[place] * bottom:
            raise LedgerCorruptedError("the counted costs are not those that the balance bounds")
        return top, bottom


def largest(balances: Sequence[Balance]) -> Balance:
    """The largest of several balances in every component."""
    if len(balances) == 1:
        return balances[0]
    low, high = (tuple(map(max, *(getattr(one, end) for one in balances))) for end in ("low", "high"))
    return attrs.evolve(balances[0], low=low, high=high, partition=None, several=tuple(balances))


def empty(size: int) -> Balance:
    """The balance of a study of `size` components before its first charge."""
    return Balance((0,) * size, (0,) * size, dict)


@functools.lru_cache(maxsize=1 << 15)
def terms(cost: str) -> Vector:
    """The rationals of a cost; none when the cost is not additive (a composed plan)."""
    values = json.loads(cost)
    return (
        tuple(decode_rational(value) for value in values)
        if all(isinstance(value, str) for value in values)
        else ()
    )


@functools.lru_cache(maxsize=1 << 15)
def increments(cost: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What one charge of a cost adds to the lower and upper bounds."""
    ends = [scaled(term) for term in terms(cost)]
    return tuple(low for low, _ in ends), tuple(high for _, high in ends)


def scaled(value: Fraction) -> tuple[int, int]:
    """The multiples of 2**-200 next to a number, below and above."""
    top, bottom = value.as_integer_ratio()
    low, rest = divmod(top << GRAIN, bottom)
    return low, low + (rest > 0)


def add(bounds: tuple[int, ...], increment: tuple[int, ...], times: int) -> tuple[int, ...]:
    """Bounds after `times` more charges (-1 takes one back)."""
    return tuple([bound + step * times for bound, step in zip(bounds, increment, strict=True)])


def amounts(low: tuple[int, ...], high: tuple[int, ...]) -> Vector:
    """The components of a balance as people read them: the simplest rationals between the bounds.

    These are the exact sums as long as their denominators stay below about 10**27, and within 2**-180 of them beyond.
    """
    return tuple(
        simplest(Fraction(a, 1 << GRAIN), Fraction(b, 1 << GRAIN)) for a, b in zip(low, high, strict=True)
    )


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in [low, high], 0 <= low <= high, by continued fractions."""
    quotients: list[int] = []
    while low.denominator != 1:
        whole = math.ceil(low)
        if whole <= high:
            break
        quotients.append(whole - 1)
        low, high = 1 / (high - whole + 1), 1 / (low - whole + 1)
    result = Fraction(math.ceil(low))
    for quotient in reversed(quotients):
        result = quotient + 1 / result
    return result


def _sum(parts: list[tuple[int, int]]) -> tuple[int, int]:
    """The sum of fractions as one, by halves, so that the long multiplications are few and balanced."""
    if not parts:
        return 0, 1
    while len(parts) > 1:
        odd = parts[-1:] if len(parts) % 2 else []
        parts = [_add(parts[i], parts[i + 1]) for i in range(0, len(parts) - 1, 2)] + odd
    return parts[0]


def _add(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    (a, b), (c, d) = first, second
    common = math.gcd(b, d) if max(b.bit_length(), d.bit_length()) < _REDUCE_BITS else 1
    return a * (d // common) + c * (b // common), b // common * d
