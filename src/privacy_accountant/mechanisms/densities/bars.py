r"""A noise law of the caller's own as a bar chart of whole numbers: the law that is drawn *and* accounted.

What can be proved of a density that is a black box of floats? Nothing, so nothing is asked of it: it only says how tall the
bars of a chart are. Heights are rounded to integers, and outside the chart they go on for ever, each the same exact ratio of
the one before. That chart is the law. Its draws are exact and its guarantee is the guarantee of these very integers, so the
density may be wrong in its last digits, or altogether, and the account still holds.

Bars are `units` wide in units of the values' grid, and the unit is uniform within its bar. Moving a value by a whole number of
bars moves the bar alone; any other move is a public coin's choice between the two whole numbers around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.errors import InvalidParameterError

Density = Callable[[NDArray[np.float64]], Any]
Quantile = Callable[[float], Any]

FINE, FINEST = 32, 1024
"""Bars to the spread of the noise, half its interquartile range: for wide sensitivities, and at most for narrow ones."""

MOST = 1 << 14
"""Bars on either side of the middle, for heavy tails; at any rate the chart is WIDE spreads wide."""

WIDE = 64

MOST_MOVED = 1 << 10
"""Bars that the sensitivity may span; noise that is narrow against it has coarser bars."""

SLOWEST = Fraction(1, 1 << 12)
"""A bar beyond the chart is lower than the one before it by this share at least, so that draws find an end."""

CUT = 2.0**-33
"""The chart reaches to this quantile on either side, where its size allows it."""

_DIGITS, _DEEPEST = 64, 128
"""Bits of the lowest bar within the chart, and how far, in bits, the highest may be above it."""

_LEFT_OVER, _FEW = 128, 64
"""All bars together may be wider than the sensitivity by this share of it; so many are tried at least."""

_MENDED = 20
"""A law counts as log-concave when its bars need mending by a 2**-20th at most."""


@attrs.frozen
class Layout:
    """Where the bars are.

    Attributes:
        width: Of a bar, in the units of the density.
        units: Of the values' grid to a bar.
        moved: By how many bars the sensitivity moves a value, at most.
        share: Of the public coin's sides, the one on which it moves that far; on the other it moves one bar less.
        median: Where the middle of the middle bar is, in the units of the density, so that symmetric laws have symmetric charts.
        shift: The same as the nearest unit: a public number, by which draws are moved.
        reach: How many bars there are on either side of the middle one.
    """

    width: Fraction
    units: int
    moved: int
    share: Fraction
    median: Fraction
    shift: int
    reach: int

    def points(self) -> NDArray[np.float64]:
        """The middles of the bars, each the double nearest to it."""
        common = math.lcm(self.width.denominator, self.median.denominator)
        step, start = int(self.width * common), int(self.median * common)
        around = range(-self.reach, self.reach + 1)
        return np.array([(start + at * step) / common for at in around], dtype=np.float64)


@attrs.frozen(eq=False)
class Bars:
    """A law on the integers: exact weights around the middle, and beyond them the outermost ones again and again, each time smaller.

    Attributes:
        layout: Where the bars are.
        weights: Of the bars from -reach to reach.
        period: How many of the outermost weights recur.
        left: By which factor they do on the left; 0 where the law ends.
        right: The same on the right.
        log_concave: Whether every weight's square is at least the product of its neighbours'.
    """

    layout: Layout
    weights: tuple[int, ...]
    period: int
    left: Fraction
    right: Fraction
    log_concave: bool

    @property
    def total(self) -> Fraction:
        """The sum of all weights."""
        left = sum(self.left_block) * self.left / (1 - self.left)
        right = sum(self.right_block) * self.right / (1 - self.right)
        return sum(self.weights) + left + right

    @property
    def is_symmetric(self) -> bool:
        """Whether it is its own mirror image."""
        return self.left == self.right and self.weights == self.weights[::-1]

    @property
    def right_block(self) -> tuple[int, ...]:
        """The weights that recur on the right, outwards."""
        return self.weights[-self.period :]

    @property
    def left_block(self) -> tuple[int, ...]:
        """The weights that recur on the left, outwards."""
        return self.weights[: self.period][::-1]


def lay_out(quantile: Quantile, sensitivity: Fraction, unit: Fraction) -> Layout:
    """Where the bars are for a value that moves by at most `sensitivity`, in multiples of `unit`.

    Bars are so wide that the sensitivity is a whole number of them. Where it is so narrow that the chart would become too large,
    they are wider than the sensitivity.

    Raises:
        InvalidParameterError: When quantiles are not finite and in order.
    """
    first, middle, last = (read_quantile(quantile, p) for p in (CUT, 0.5, 1 - CUT))
    spread, cut = read_spread(quantile), max(last - middle, middle - first)
    finest = min(spread / FINEST, cut / (WIDE * FINEST))
    steps = math.ceil(sensitivity / unit)
    if sensitivity >= finest:
        moved, units = _whole(steps, math.ceil(FINE * sensitivity / spread))
        width, share = sensitivity / moved, Fraction(1)
    else:
        units = math.ceil(finest / unit)
        moved, width, share = 1, units * unit, Fraction(steps, units)
    reach = min(math.ceil(cut / width) + 1, max(MOST, math.ceil(WIDE * spread / width)))
    return Layout(width, units, moved, share, middle, round(middle / unit), max(reach, 2 * moved + 1))


def _whole(steps: int, wanted: int) -> tuple[int, int]:
    """How many bars `steps` units are, about as many as wanted, and how many units a bar is, with little left over."""
    least = min(max(wanted, 1), MOST_MOVED, steps)
    units = {moved: -(-steps // moved) for moved in range(least, min(max(2 * least, _FEW), steps) + 1)}
    near = (bars for bars in units if (bars * units[bars] - steps) * _LEFT_OVER <= steps)
    moved = next(near, min(units, key=lambda bars: bars * units[bars]))
    return moved, units[moved]


def read_spread(quantile: Quantile) -> Fraction:
    """Half the interquartile range of a law.

    Raises:
        InvalidParameterError: When it is not positive and finite.
    """
    spread = (read_quantile(quantile, 0.75) - read_quantile(quantile, 0.25)) / 2
    if spread <= 0:
        raise InvalidParameterError("quantile", "larger at 0.75 than at 0.25", float(spread))
    return spread


def read_quantile(quantile: Quantile, p: float) -> Fraction:
    """A quantile of the caller's law.

    Raises:
        InvalidParameterError: When it is no finite number.
    """
    value = np.asarray(quantile(p), dtype=np.float64)
    if value.shape != () or not np.isfinite(value):
        raise InvalidParameterError("quantile", f"a finite number at {p}", value.tolist())
    return Fraction(float(value))


def draw_up(layout: Layout, log_density: Density) -> Bars:
    """The chart of a density.

    Raises:
        InvalidParameterError: When the density is no array of numbers below infinity, or 0 on the whole chart.
    """
    weights = _weights(_read_logs(log_density, layout.points()))
    mended = _mended(weights)
    kept, period = (weights, layout.moved) if mended is None else (mended, 1)
    right = _ratio(kept[-2 * period : -period], kept[-period:])
    left = _ratio(kept[period : 2 * period][::-1], kept[:period][::-1])
    return Bars(layout, tuple(kept), period, left, right, mended is not None)


def _read_logs(log_density: Density, points: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        logs, again = (np.asarray(log_density(points.copy()), dtype=np.float64) for _ in range(2))
    if logs.shape != points.shape:
        raise InvalidParameterError(
            "log_density", f"an array of shape {points.shape}, as its argument is", logs.shape
        )
    if not np.array_equal(logs, again, equal_nan=True):
        raise InvalidParameterError("log_density", "the same whenever it is asked", "two answers")
    bad = np.flatnonzero(np.isnan(logs) | (logs == math.inf))
    if bad.size:
        rule = f"a number below infinity (it is not at {points[bad[0]]!r})"
        raise InvalidParameterError("log_density", rule, float(logs[bad[0]]))
    if not (logs > -math.inf).any():
        raise InvalidParameterError("log_density", "above minus infinity between the quantiles", -math.inf)
    return logs


def _weights(logs: NDArray[np.float64]) -> list[int]:
    """Integers in proportion to the exponentials: at least 1 for every number, 0 for minus infinity."""
    powers = (logs - logs.max()) / math.log(2)
    there = powers > -math.inf
    depth = math.ceil(min(-float(powers[there].min()), _DEEPEST))
    whole = np.floor(np.where(there, powers, 0.0))
    digits = np.exp2(np.where(there, powers, 0.0) - whole) * 2.0**52
    shifts = np.maximum(whole, -(_DEEPEST + _DIGITS + 64)).astype(np.int64) + (_DIGITS + depth - 52)
    scaled = (
        digit << shift if shift >= 0 else digit >> -shift
        for digit, shift in zip(digits.astype(np.int64).tolist(), shifts.tolist(), strict=True)
    )
    return [max(weight, 1) if positive else 0 for weight, positive in zip(scaled, there, strict=True)]


def _mended(weights: Sequence[int]) -> list[int] | None:
    """The weights, lowered until they are log-concave, from the highest outwards; None when one would have to fall by much."""
    mode = weights.index(max(weights))
    mended = list(weights)
    for step, end in ((1, len(weights)), (-1, -1)):
        for at in range(mode + 2 * step, end, step):
            last, before = mended[at - step], mended[at - 2 * step]
            most = last * last // before if before else 0
            if mended[at] > most:
                if (mended[at] - most) << _MENDED > mended[at]:
                    return None
                mended[at] = most
    return mended


def _ratio(before: Sequence[int], block: Sequence[int]) -> Fraction:
    """The factor by which the outermost block goes on: the largest by which it follows the one before, so that few losses are new."""
    if block[-1] == 0:
        return Fraction(0)
    ratios = [Fraction(b, a) for a, b in zip(before, block, strict=True) if a and b]
    return min(max(ratios, default=Fraction(1)), 1 - min(len(block) * SLOWEST, Fraction(1, 2)))
