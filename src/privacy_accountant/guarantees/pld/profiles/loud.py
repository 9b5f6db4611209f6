"""A few atoms that lie far apart beside everything else: the profile of the rest, once for each atom.

Between distant atoms a composed loss has next to no mass, and a contour through the whole loses its digits there. Given the atoms a_j of
weights w_j, delta(e) = sum_j w_j delta'(e - a_j), where delta' is the profile of the rest at any real threshold.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.pairs.closed_pairs import RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs.dominating import DominatingPair
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.profile import Bounds, Corners, Profile

Parts: TypeAlias = tuple[tuple[DominatingPair, int], ...]

_FAR_APART = 30.0
_MOST_CORNERS, _AT_ONCE = 1024, 1 << 20
_MOST_ATOMS = 2048
_GUESSES = 10.0 ** -np.array([0.05, 0.3, 0.6, 1, 1.5, 2, 3, 5, 8, 12, 20, 40, 80, 160, 300])


def split(parts: Parts) -> tuple[Parts, Parts] | None:
    """The parts whose few atoms lie far apart, and the others; None unless there are both and the others are symmetric."""
    loud = tuple((pair, count) for pair, count in parts if _is_loud(pair, count))
    quiet = tuple(
        (RandomizedResponsePair(pair.epsilon) if isinstance(pair, RandomizedResponsePair) else pair, count)
        for pair, count in parts
        if (pair, count) not in loud
    )
    if not loud or not quiet or math.prod(pair.count_atoms(count) for pair, count in loud) > _MOST_ATOMS:
        return None
    return (loud, quiet) if all(pair.is_symmetric and pair.infinity_mass == 0 for pair, _ in quiet) else None


def _is_loud(pair: DominatingPair, count: int) -> bool:
    if pair.count_atoms(count) > _MOST_ATOMS:
        return False
    losses = np.sort(pair.law(count)[0])
    return len(losses) > 1 and float(np.min(np.diff(losses))) >= _FAR_APART


class LoudProfile(Profile):
    """Atoms and the profile of the rest, which is symmetric and has no mass at infinity."""

    def __init__(
        self, infinity: Infinity, top: Fraction | None, law: tuple[Array, Array, float], rest: Profile
    ) -> None:
        super().__init__(infinity, top)
        losses, logs, self._lost = law
        keep = logs > -745.0
        self._lost += float(np.count_nonzero(~keep)) * 5e-324
        order = np.argsort(losses[keep], kind="stable")
        self._losses, logs = losses[keep][order], logs[keep][order]
        slack = 64 * UNIT * (len(logs) + np.abs(logs))
        with np.errstate(under="ignore"):
            weights = np.exp(logs)
        self._weights = weights * (1 - slack), weights * (1 + slack)
        self._rest = rest
        self.is_cheap = rest.is_cheap
        self._corners: Corners | None = None

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        rows = max(1, _AT_ONCE // len(self._losses))
        pieces = [self._some(e[i : i + rows], tolerance) for i in range(0, len(e), rows)]
        columns = [np.concatenate([getattr(part, f.name) for part in pieces]) for f in attrs.fields(Bounds)]
        return Bounds(*columns)

    def _some(self, e: Array, tolerance: float) -> Bounds:
        shape = len(e), len(self._losses)
        away = np.subtract.outer(e, self._losses)
        rounding = 8 * UNIT * (np.abs(e)[:, None] + np.abs(self._losses)[None, :])
        # The profile falls: its lower ends are taken a little to the right, its upper ends a little to the left.
        moved = np.concatenate(((away + rounding).ravel(), (away - rounding).ravel()))
        part = _two_sided(self._rest, moved, tolerance)
        right, left = slice(0, away.size), slice(away.size, None)
        low, high = self._weights

        def total(values: Array, half: slice, weights: Array) -> Array:
            return np.asarray(values[half].reshape(shape) @ weights)

        return Bounds(
            total(part.delta_low, right, low) * (1 - 64 * UNIT),
            total(part.delta_high, left, high) * (1 + 64 * UNIT) + self._lost,
            total(part.room_low, left, low) * (1 - 64 * UNIT),
            total(part.room_high, right, high) * (1 + 64 * UNIT) + self._lost,
            total(part.flow, left, high),
        )

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`: the atom that the mass above reaches."""
        mass = np.cumsum(self._weights[1][::-1])[::-1]
        at = max(int(np.searchsorted(-mass, -delta, side="right")) - 1, 0)
        inner = min(delta / float(mass[at]), 1.0 - 2.0**-53)
        near, steep = self._rest.guess(inner, max(1 - inner, rest) if inner > rest else 1 - inner)
        return min(max(float(self._losses[at]) + near, 0.0), self.top_high), steep

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        high, room = np.full_like(e, self._lost), np.zeros_like(e)
        for loss, low, more in zip(self._losses, *self._weights, strict=True):
            rounding = 8 * UNIT * (np.abs(e) + abs(loss))
            t = e - loss - rounding
            size = np.abs(t)
            delta, rest = self._rest.swift_bounds(size)
            with np.errstate(under="ignore"):
                shrink = np.exp(-size)
                high += more * np.where(t >= 0, delta, -np.expm1(-size) + shrink * delta)
                room += low * np.where(t >= 0, rest, shrink * rest)
        return high * (1 + 64 * UNIT), room * (1 - 64 * UNIT)

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`: around every atom."""
        del first, second, between
        if self._corners is None:
            inner = np.array([self._rest.guess(float(d), float(1 - d))[0] for d in _GUESSES])
            inner = inner[np.isfinite(inner)]
            reach = np.unique(np.concatenate((-inner, np.zeros(1), inner)))
            e = np.unique(np.add.outer(self._losses, reach))
            e = e[(e >= 0) & (e < self.top_high)]
            e = e[:: max(1, math.ceil(len(e) / _MOST_CORNERS))]
            high, room = self.swift(e)
            high = np.minimum(high, 1.0)
            flow = np.maximum(-np.gradient(high, e), 0.0) if len(e) > 1 else np.zeros_like(e)
            self._corners = Corners(e, flow, flow, high, room)
        return self._corners


def _two_sided(profile: Profile, t: Array, tolerance: float) -> Bounds:
    """Bounds at any real threshold: room(-s) = e^-s room(s) for a symmetric pair."""
    size = np.abs(t)
    part = profile.bounds(size, tolerance)
    with np.errstate(under="ignore"):
        shrink = np.exp(-size)
        missing = -np.expm1(-size)
        ahead = t >= 0
        return Bounds(
            np.where(ahead, part.delta_low, missing + shrink * part.delta_low),
            np.where(ahead, part.delta_high, missing + shrink * part.delta_high),
            np.where(ahead, part.room_low, shrink * part.room_low),
            np.where(ahead, part.room_high, shrink * part.room_high),
            np.where(ahead, part.flow, np.maximum(shrink * (part.room_high - part.flow), 0.0)),
        )
