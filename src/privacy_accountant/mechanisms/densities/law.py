"""Draws from a bar chart, exactly: the bar from its cumulative weights, read lazily, and the place in it by rejection."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.exact import exact
from privacy_accountant.mechanisms.densities.bars import Bars
from privacy_accountant.noise.chunks import gather
from privacy_accountant.noise.cumulative import Cumulative, Steps
from privacy_accountant.noise.entropy import ByteSource, integer, operating_system, words
from privacy_accountant.noise.table import Table

_GUARD = 48
_ROOM = 62


class BarLaw:
    """The law of a bar chart, in units of the values' grid."""

    def __init__(self, bars: Bars) -> None:
        self.bars = bars
        self.units = bars.layout.units
        self.first = bars.layout.shift - self.units // 2

    @cached_property
    def table(self) -> Table:
        """What draws the bar, counted from the middle one."""
        return Table(BarOrder(self.bars))

    def draw(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Independent integers: int64, or Python integers where one passes int64."""
        drawn = gather(math.prod(shape), lambda count: self.draw_from(count, operating_system))
        return drawn.reshape(shape)

    def draw_one(self) -> int:
        """One integer."""
        bar = self.table.draw_one(operating_system)
        return bar * self.units + _uniform_one(self.units, operating_system) + self.first

    def draw_from(self, count: int, read: ByteSource) -> NDArray[Any]:
        """Independent integers, from a source of bytes."""
        drawn = self.table.draw(count, read)
        place = _uniform(count, self.units, read)
        most = (int(np.abs(drawn).max(initial=0)) + 2) * self.units + abs(self.first)
        if most.bit_length() > _ROOM:
            drawn, place = drawn.astype(object), place.astype(object)
        return np.asarray(drawn * self.units + (place + self.first))

    def half_width(self, level: float) -> int:
        """An h that a draw stays within with probability at least `level`: the least at which a bar ends."""
        bits = math.ceil(-math.log2(1 - level)) + _GUARD
        wanted = math.ceil(exact(level) * (1 << bits))
        low, high = BarOrder(self.bars).enclose(bits)
        masses = [now - before for now, before in zip(low, (0, *high), strict=False)]
        within = sorted((self._farthest(place), mass) for place, mass in enumerate(masses))
        reached = 0
        for farthest, mass in within:
            reached += mass
            if reached >= wanted:
                return farthest
        return within[-1][0]

    def _farthest(self, place: int) -> int:
        """How far from 0 the draws of a bar may be."""
        bar = ((place + 1) >> 1) * (2 * (place & 1) - 1)
        start = bar * self.units + self.first
        return max(abs(start), abs(start + self.units - 1))


@attrs.frozen(eq=False)
class BarOrder(Cumulative):
    """The bars in the order 0, 1, -1, 2, -2, ... from the middle one."""

    bars: Bars

    signed = True

    def enclose(self, bits: int) -> Steps:
        """See `Cumulative.enclose`: exact within the chart, in fixed point beyond it, where both ends go on."""
        bars, precision = self.bars, bits + _GUARD
        scale = (1 << precision) / bars.total
        sums = list(itertools.accumulate(_outwards(bars.weights)))
        lows = [math.floor(scale * weight) for weight in sums]
        highs = [math.ceil(scale * weight) for weight in sums]
        ends = (_tail(bars.right_block, bars.right, scale), _tail(bars.left_block, bars.left, scale))
        beyond = itertools.chain.from_iterable(zip(*ends, strict=True))
        low, high, rest = lows[-1], highs[-1], 1 << _GUARD
        while (1 << precision) - low >= rest:
            less, more = next(beyond)
            low, high = low + less, high + more
            lows.append(low)
            highs.append(high)
        top = (1 << bits) - 1
        return [min(low >> _GUARD, top) for low in lows], [min(high >> _GUARD, top) for high in highs]


def _outwards(weights: tuple[int, ...]) -> Iterator[int]:
    middle = len(weights) // 2
    yield weights[middle]
    for distance in range(1, middle + 1):
        yield weights[middle + distance]
        yield weights[middle - distance]


def _tail(block: tuple[int, ...], ratio: Fraction, scale: Fraction) -> Iterator[tuple[int, int]]:
    """Bounds on the scaled weights beyond one end of the chart, outwards."""
    top, bottom = ratio.numerator, ratio.denominator
    lows = [math.floor(scale * weight) for weight in block]
    highs = [math.ceil(scale * weight) for weight in block]
    while True:
        lows = [low * top // bottom for low in lows]
        highs = [-(-high * top // bottom) for high in highs]
        yield from zip(lows, highs, strict=True)


def _uniform(count: int, size: int, read: ByteSource) -> NDArray[Any]:
    """Independent uniform integers from 0 to size - 1: those of enough bits, drawn again where they are too large."""
    bits = (size - 1).bit_length()
    if bits == 0:
        return np.zeros(count, dtype=np.int64)
    kind = np.int64 if bits <= _ROOM else object
    values = words(count, bits, read).astype(kind)
    while (over := np.flatnonzero(values >= size)).size:
        values[over] = words(over.size, bits, read).astype(kind)
    return values


def _uniform_one(size: int, read: ByteSource) -> int:
    bits = (size - 1).bit_length()
    while bits and (value := integer(bits, read)) >= 0:
        if value < size:
            return value
    return 0
