"""The profile of a composed loss with two-sided bounds: what every way of computing it shares."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.exact import exact, float_down, float_up
from privacy_accountant.guarantees.pld.families import UNIT, Array

TINY = 5e-324
LINE_TOLERANCE = 2e-5
"""Relative width of the bounds that supporting lines are taken from."""
_NEWTON_STEPS = 60
_REFINEMENTS = 4
_LIKELY = 0.02
"""Above this delta it is looked at first whether epsilon = 0 will do."""


@attrs.frozen(eq=False)
class Bounds:
    """Two-sided bounds at thresholds e >= 0.

    Attributes:
        delta_low: Lower bound of the profile.
        delta_high: Upper bound of the profile.
        room_low: Lower bound of the complement.
        room_high: Upper bound of the complement.
        flow: Estimate of -d delta / d e = e^e Q(L > e).
    """

    delta_low: Array
    delta_high: Array
    room_low: Array
    room_high: Array
    flow: Array


@attrs.frozen(eq=False)
class Corners:
    """Thresholds e >= 0 in ascending order with what their supporting lines need.

    Attributes:
        e: The thresholds.
        before: About e^e Q(L >= e).
        after: About e^e Q(L > e).
        delta_high: Upper bounds of the profile.
        room_low: Lower bounds of the complement.
    """

    e: Array
    before: Array
    after: Array
    delta_high: Array
    room_low: Array

    @property
    def first(self) -> Array:
        """About log Q(L > e), falling."""
        return _falling(_log(self.after) - self.e)

    @property
    def second(self) -> Array:
        """About log P(L > e), falling."""
        return _falling(_log(self.after + self.delta_high))

    @classmethod
    def joined(cls, pieces: Sequence[Corners]) -> Corners:
        """One piece after the other."""
        return cls(*(np.concatenate([getattr(piece, f.name) for piece in pieces]) for f in attrs.fields(cls)))

    def taken(self, index: NDArray[np.intp]) -> Corners:
        """Some of the thresholds."""
        return Corners(*(getattr(self, f.name)[index] for f in attrs.fields(Corners)))


def _falling(values: Array) -> Array:
    return np.minimum.accumulate(values) if len(values) else values


def _log(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(values), -800.0)


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
        # 1 - mass is rounded on the rational; for a mass next to 1 nothing is lost either.
        logs = [count * (math.log1p(-float(m)) if m < 0.5 else math.log(float(1 - m))) for m, count in masses]
        total = math.fsum(logs)
        slack = 8 * UNIT * (abs(total) + sum(count for m, count in masses if m >= 0.5))
        ends = [-math.expm1(min(total + s, 0.0)) for s in (slack, -slack)]
        rests = [math.exp(min(total + s, 0.0)) for s in (-slack, slack)]
        return cls(ends[0] * (1 - 4 * UNIT), min(1.0, ends[1] * (1 + 4 * UNIT)), rests[0], rests[1], None)


class Profile(abc.ABC):
    """Profile, complement and their inverse at e >= 0, with proved ends.

    A way of computing gives `_finite`: bounds for the law of the finite losses, scaled to mass 1.
    """

    def __init__(self, infinity: Infinity, top: Fraction | None) -> None:
        self.infinity = infinity
        self.top_high = math.inf if top is None else float_up(top)
        self.top_low = math.inf if top is None else float_down(top)
        self._table: tuple[Corners, Corners] | None = None

    @abc.abstractmethod
    def _finite(self, e: Array, tolerance: float) -> Bounds:
        """Bounds for the finite losses at finite e in [0, top)."""

    @abc.abstractmethod
    def guess(self, delta: float) -> tuple[float, float]:
        """A threshold near which the finite losses have this profile, and about -d log delta / de there (0 when unknown)."""

    @abc.abstractmethod
    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """Where to look for supporting lines of the finite losses.

        Args:
            first: Values that log Q(L > e) should pass through.
            second: Values that log P(L > e) should pass through.
            between: Whether everything between them is wanted too.
        """

    @abc.abstractmethod
    def swift(self, e: Array) -> tuple[Array, Array]:
        """Upper bounds of the finite profile and lower bounds of its complement in [0, top), made for many thresholds at once."""

    def table(self, first: Array, second: Array, *, between: bool) -> Corners:
        """The corners of all losses, the infinite ones included."""
        inf = self.infinity
        scale = math.log(inf.rest_high)
        with np.errstate(divide="ignore"):
            rest = np.log(np.maximum(np.exp(second) - inf.high, 0.0) / inf.rest_high)
        part = self.corners(first - scale, np.maximum(rest, -800.0), between=between)
        if self._table is not None and self._table[0] is part:
            return self._table[1]
        high, room = self._worse(part.delta_high, part.room_low)
        whole = Corners(part.e, part.before * inf.rest_high, part.after * inf.rest_high, high, room)
        self._table = part, whole
        return whole

    def swift_bounds(self, e: Array) -> tuple[Array, Array]:
        """Upper bounds of the profile and lower bounds of its complement at e >= 0."""
        high, room = np.zeros_like(e), np.ones_like(e)
        inside = e < self.top_high
        if inside.any():
            more, less = self.swift(e[inside])
            high[inside], room[inside] = np.clip(more, TINY, 1.0), np.clip(less, 0.0, 1.0)
        return self._worse(high, room)

    def ceiling(self, e: Array) -> Array:
        """Upper bounds of the profile that cost little; 1 says nothing."""
        return np.ones_like(e)

    def _worse(self, high: Array, room: Array) -> tuple[Array, Array]:
        """Safe ends with the infinite losses."""
        zero = np.zeros_like(high)
        whole = self._with_infinity(Bounds(zero, high, room, zero + 1, zero))
        return whole.delta_high, whole.room_low

    def snap(self, e: Array) -> tuple[Array, ...]:
        """The thresholds whose lines are worth taking in the place of e: e itself, or the corners on either side."""
        return (e,)

    def bounds(self, e: Array, tolerance: float) -> Bounds:
        """Two-sided bounds at e >= 0, infinity included."""
        inside = e < self.top_high
        n = len(e)
        out = Bounds(np.zeros(n), np.zeros(n), np.ones(n), np.ones(n), np.zeros(n))
        if inside.any():
            part = self._finite(e[inside], tolerance)
            for name in ("delta_low", "room_low"):
                getattr(out, name)[inside] = np.clip(getattr(part, name), 0.0, 1.0)
            out.delta_high[inside] = np.clip(part.delta_high, TINY, 1.0)
            out.room_high[inside] = np.clip(part.room_high, TINY, 1.0)
            out.flow[inside] = part.flow
        return self._with_infinity(out)

    def _with_infinity(self, part: Bounds) -> Bounds:
        inf = self.infinity
        if inf.high == 0:
            return part
        up, down = 1 + 4 * UNIT, 1 - 4 * UNIT
        with np.errstate(under="ignore"):
            more = part.delta_high > 0
            return Bounds(
                np.where(more, inf.low + inf.rest_low * part.delta_low * down, inf.low),
                np.where(more, np.minimum((inf.high + inf.rest_high * part.delta_high) * up, 1.0), inf.high),
                np.where(more, inf.rest_low * part.room_low * down, inf.rest_low),
                np.where(more, np.minimum(inf.rest_high * part.room_high * up, inf.rest_high), inf.rest_high),
                inf.rest_high * part.flow,
            )

    def epsilon(self, delta: float, tolerance: float) -> tuple[float, float]:
        """Bounds of the least e >= 0 with profile at most delta."""
        inf = self.infinity
        if delta >= 1:
            return 0.0, 0.0
        # Where the mass is known, the question's delta is compared with it as the decimal that it is.
        allowed = delta >= inf.high if inf.whole is None else exact(delta) >= inf.whole
        if inf.rest_low == 0 or (not allowed and delta < inf.low):
            return math.inf, math.inf
        if inf.whole is not None and exact(delta) == inf.whole:
            return self.top_low, self.top_high
        margin = 2 * UNIT * delta if inf.high > 0 else 0.0
        targets = (
            (delta - inf.low + margin) / inf.rest_low * (1 + 4 * UNIT) if inf.high > 0 else delta,
            (delta - inf.high - margin) / inf.rest_high * (1 - 4 * UNIT) if inf.high > 0 else delta,
        )
        return self._between(delta, targets, self.top_high if allowed else math.inf, tolerance)

    def _between(
        self, delta: float, targets: tuple[float, float], most: float, tolerance: float
    ) -> tuple[float, float]:
        """Both ends, given what the finite profile may be at the lower and at the upper one."""
        middle = min(max(targets[1], TINY), 1.0)
        guess = self.guess(middle)
        if guess[0] <= 0 or middle > _LIKELY:
            start = self.bounds(np.zeros(1), tolerance)
            if start.delta_high[0] <= delta:
                return 0.0, 0.0
        near_top = self.top_low * (1 - tolerance / 4)
        close = most < math.inf and guess[0] >= near_top
        if close and self.bounds(np.array([near_top]), tolerance).delta_low[0] > delta:
            return near_top, most
        high = min(most, self._end(targets[1], guess, tolerance, upper=True)) if targets[1] > 0 else most
        low = self._end(min(targets[0], 1.0), guess, tolerance, upper=False) if targets[0] > 0 else 0.0
        return min(low, high), high

    def _end(self, target: float, guess: tuple[float, float], tolerance: float, *, upper: bool) -> float:
        """The proved end on one side: profile bound at most `target` (upper), or above it (lower)."""
        # An epsilon within `tolerance` needs a delta within tolerance * epsilon * steepness; half of that, to be well inside.
        e, steep = guess
        fineness = min(max(tolerance, 0.5 * tolerance * e * steep), 0.1)
        for _ in range(_REFINEMENTS):
            root, steep = self._root(target, e, fineness, upper=upper)
            wanted = tolerance * max(root, 0.0) * steep
            if wanted >= 1.5 * fineness or fineness < 1e-9:
                break
            fineness, e = max(min(wanted / 2, fineness / 4), 1e-10), root
        return self._proved(target, root, 1e-6 * fineness / steep, fineness, upper=upper)

    def _value(self, e: float, fineness: float, *, upper: bool) -> tuple[float, float]:
        """log of the bound of the finite profile at e, and the estimate of -d log delta / de."""
        if e >= self.top_high:
            return -math.inf, 1.0
        part = self._finite(np.array([max(e, 0.0)]), fineness)
        value = float((part.delta_high if upper else part.delta_low)[0])
        middle = max(float(part.delta_high[0] + part.delta_low[0]) / 2, TINY)
        return (math.log(value) if value > 0 else -math.inf), max(float(part.flow[0]) / middle, 1e-12)

    def _root(self, target: float, guess: float, fineness: float, *, upper: bool) -> tuple[float, float]:
        """Newton's method on log delta inside a bracket; nothing is proved here."""
        goal, low, high = math.log(target), 0.0, self.top_high
        e = min(max(guess, 0.0), high if high < math.inf else max(guess, 0.0))
        steep = 1.0
        for _ in range(_NEWTON_STEPS):
            value, steep = self._value(e, fineness, upper=upper)
            low, high = (e, high) if value > goal else (low, e)
            new = e + (value - goal) / steep if value > -math.inf else (low + e) / 2
            if not low <= new <= high:
                new = (low + high) / 2 if high < math.inf else 2 * e + 1
            if abs(new - e) <= 1e-6 * fineness / steep + 4 * UNIT * e:
                return new, steep
            e = new
        return e, steep

    def _proved(self, target: float, root: float, step: float, fineness: float, *, upper: bool) -> float:
        """Step outward from the root until the bound confirms it."""
        goal = math.log(target)
        step = max(step, 8 * UNIT * root, 1e-300)
        side = 1.0 if upper else -1.0
        e = root
        for _ in range(200):
            e = min(max(root + side * step, 0.0), self.top_high)
            value, _ = self._value(e, fineness, upper=upper)
            if (value <= goal) if upper else (value > goal):
                return e
            if e in (0.0, self.top_high):
                break
            step *= 4
        return self.top_high if upper else 0.0
