"""Convex polygons in exact rational arithmetic: the geometry of piecewise-linear trade-off functions.

A polygon is a list of points (alpha, beta) with growing alpha. A line is a pair (intercept, slope) that stands for
beta = 1 - intercept - slope * alpha: the supporting line of slope e^eps has intercept delta(eps).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.exact import canonical, exact, float_up

Point: TypeAlias = tuple[Fraction, Fraction]
Line: TypeAlias = tuple[Fraction, Fraction]
Array: TypeAlias = NDArray[np.float64]

_END: Point = (Fraction(1), Fraction(0))
_CERTAIN: Line = (Fraction(1), Fraction(0))
_HALF = Fraction(1, 2)


def lower_hull(points: Iterable[Point]) -> list[Point]:
    """The lower convex hull from the least alpha to the largest; points on an edge are left out.

    Example:
        >>> one = Fraction(1)
        >>> corners = lower_hull([(0 * one, one), (one / 2, one / 2), (one, 0 * one), (one / 4, one / 4)])
        >>> [(float(a), float(b)) for a, b in corners]
        [(0.0, 1.0), (0.25, 0.25), (1.0, 0.0)]
    """
    hull: list[Point] = []
    for point in sorted(points):
        if hull and hull[-1][0] == point[0]:
            continue
        while len(hull) > 1 and not _turns_up(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _turns_up(a: Point, b: Point, c: Point) -> bool:
    """Whether b is strictly below the line from a to c."""
    return (b[1] - a[1]) * (c[0] - b[0]) < (c[1] - b[1]) * (b[0] - a[0])


def symmetric_below(points: Sequence[Point]) -> list[Point]:
    """The largest convex polygon below one and its mirror image at the diagonal: what holds whichever law is the null."""
    first_zero = next(i for i, (_, beta) in enumerate(points) if beta == 0)
    mirrored = [(beta, alpha) for alpha, beta in points[: first_zero + 1]]
    return lower_hull([*points, *mirrored, _END])


def envelope(lines: Iterable[Line]) -> list[Line]:
    """The lines that touch the upper envelope of all, steepest first."""
    kept: list[Line] = []
    for line in sorted(lines, key=lambda one: (-one[1], one[0])):
        if kept and kept[-1][1] == line[1]:
            continue
        while kept and kept[-1][0] >= line[0]:
            kept.pop()
        while len(kept) > 1 and crossing(kept[-2], kept[-1]) >= crossing(kept[-1], line):
            kept.pop()
        kept.append(line)
    return kept


def crossing(steep: Line, flat: Line) -> Fraction:
    """The alpha at which two lines of different slopes meet."""
    return (flat[0] - steep[0]) / (steep[1] - flat[1])


def above_lines(lines: Iterable[Line]) -> list[Point]:
    """The polygon that is the upper envelope of lines and of beta = 0."""
    kept = envelope([*lines, _CERTAIN])
    points = [(Fraction(0), 1 - kept[0][0]), _END]
    for steep, flat in pairwise(kept):
        at = crossing(steep, flat)
        if 0 < at < 1:
            points.append((at, max(1 - steep[0] - steep[1] * at, Fraction(0))))
    return lower_hull(points)


def symmetric_above(lines: Iterable[Line]) -> list[Point]:
    """The envelope of lines of slopes >= 1, slope 1 among them, and of their mirror images, with short coordinates.

    Nowhere above the true envelope: between two corners that is one line, and corners on or below both lines that meet there
    are joined by chords on or below it. So a corner may be moved to a float, as long as it is moved down to both its lines.
    """
    kept = envelope(lines)
    corners = [(Fraction(0), 1 - _round_up(kept[0][0]))]
    for steep, flat in pairwise(kept):
        at = exact(float(crossing(steep, flat)))
        power = max(intercept + slope * at for intercept, slope in (steep, flat))
        corners.append((at, 1 - _round_up(power)))
    mirrored = [(beta, alpha) for alpha, beta in corners]
    return lower_hull([*corners, *mirrored, _END])


def _round_up(power: Fraction) -> Fraction:
    """A short number at or above a power, at most 1: few digits of it below one half, of its complement above."""
    if power >= 1:
        return Fraction(1)
    if power <= _HALF:
        return exact(float_up(canonical(power)))
    rest = float(1 - power)
    while rest > 0 and exact(rest) > 1 - power:
        rest = math.nextafter(rest, 0.0)
    return 1 - exact(rest)


def below_samples(points: Sequence[Point]) -> list[Point]:
    """The largest convex polygon that is certainly below every convex non-increasing curve through these points.

    Outside its own interval the chord of two neighbouring points is below the curve. So between two points the curve is
    above the chords of the intervals on either side, continued, and above the next point's beta; the hull of the lowest points
    that these leave is what is known.
    """
    chords = [_chord(a, b) for a, b in pairwise(points)]
    lowest = [points[0], points[-1]]
    for i, (left, right) in enumerate(pairwise(points)):
        floor: Line = (1 - right[1], Fraction(0))
        steep = chords[i - 1] if i > 0 else None
        flat = chords[i + 1] if i + 1 < len(chords) else floor
        if steep is None:
            lowest.append((left[0], 1 - flat[0] - flat[1] * left[0]))
        elif steep[1] <= flat[1]:
            lowest.append(right)
        else:
            at = min(max(crossing(steep, flat), left[0]), right[0])
            lowest.append((at, 1 - flat[0] - flat[1] * at))
    return lower_hull(lowest)


def _chord(a: Point, b: Point) -> Line:
    slope = (a[1] - b[1]) / (b[0] - a[0])
    return 1 - a[1] - slope * a[0], slope


def repeated(points: Sequence[Point], times: int) -> list[Point]:
    """The curve 1 - (1 - f) o ... o (1 - f), which holds for groups of `times` people when f holds for one."""
    power = [(alpha, 1 - beta) for alpha, beta in points]
    result = power
    for _ in range(times - 1):
        result = _after(result, power)
    return lower_hull([(alpha, 1 - value) for alpha, value in result])


def _after(first: Sequence[Point], second: Sequence[Point]) -> list[Point]:
    """The composition of two non-decreasing concave polygons on [0, 1], `first` applied first."""
    corners = {alpha for alpha, _ in first}
    for (low, value), (high, top) in pairwise(first):
        if top > value:
            corners.update(
                low + (alpha - value) / (top - value) * (high - low)
                for alpha, _ in second
                if value < alpha < top
            )
    return [(at, value_at(second, value_at(first, at))) for at in sorted(corners)]


def value_at(points: Sequence[Point], at: Fraction) -> Fraction:
    """The polygon's value at a place between its ends."""
    for (low, value), (high, top) in pairwise(points):
        if at <= high:
            return value + (at - low) / (high - low) * (top - value)
    return points[-1][1]


def log_of(value: Fraction) -> float:
    """log of a positive rational to a relative 16 half-ulps, however large or small it is, and next to 1 as well."""
    if abs(value - 1) < _HALF:
        return math.log1p(float(value - 1))
    shift = value.numerator.bit_length() - value.denominator.bit_length()
    if abs(shift) < 1000:
        return math.log(float(value))
    return math.log(float(value / Fraction(2) ** shift)) + shift * math.log(2)


def corner_logs(points: Iterable[Point]) -> tuple[Array, Array, Array]:
    """Logarithms of alpha, beta and 1 - beta of the corners on and left of the diagonal, those at alpha = 0 left out."""
    inner = [(alpha, beta, 1 - beta) for alpha, beta in points if 0 < alpha <= beta]
    columns = zip(*inner, strict=True) if inner else ((), (), ())
    alpha, beta, power = (np.array([log_of(x) for x in column], dtype=np.float64) for column in columns)
    return alpha, beta, power
