"""The profile of a composed loss with two-sided bounds: what every way of computing it shares."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.exact import float_down, float_up
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles import inverse
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity

TINY = 5e-324
LINE_TOLERANCE = 2e-5
"""Relative width of the bounds that supporting lines are taken from."""


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


class Profile(abc.ABC):
    """Profile, complement and their inverse at e >= 0, with proved ends.

    A way of computing gives `_finite`: bounds for the law of the finite losses, scaled to mass 1.
    """

    is_cheap = False
    """Whether one more threshold costs next to nothing."""

    def __init__(self, infinity: Infinity, top: Fraction | None) -> None:
        self.infinity = infinity
        self.top_high = math.inf if top is None else float_up(top)
        self.top_low = math.inf if top is None else float_down(top)
        self._table: tuple[Corners, Corners] | None = None

    @abc.abstractmethod
    def _finite(self, e: Array, tolerance: float) -> Bounds:
        """Bounds for the finite losses at finite e in [0, top)."""

    @abc.abstractmethod
    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """A threshold near which the finite losses have the profile delta, and about -d log delta / de there (0 when unknown).

        `rest` is 1 - delta with digits of its own.
        """

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
        if inf.rest_high == 0:
            return Corners(*(np.zeros(0) for _ in attrs.fields(Corners)))
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
        return inverse.epsilon(self, delta, tolerance)
