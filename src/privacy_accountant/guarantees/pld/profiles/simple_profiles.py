"""Profiles that need no contour: closed forms, and laws whose atoms are written down."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privacy_accountant.exact import exact
from privacy_accountant.guarantees.pld.moments.families import Array
from privacy_accountant.guarantees.pld.profiles.atomic import AtomicLaw
from privacy_accountant.guarantees.pld.profiles.curves import Curve
from privacy_accountant.guarantees.pld.profiles.infinity import Infinity
from privacy_accountant.guarantees.pld.profiles.profile import TINY, Bounds, Corners, Profile

_NEXT_TO_ONE, _HALVINGS = 1e-3, 60


class AtomicProfile(Profile):
    """Finitely many atoms: exact but for rounding."""

    is_cheap = True

    def __init__(self, infinity: Infinity, top: Fraction | None, law: AtomicLaw) -> None:
        super().__init__(infinity, top)
        self._law = law
        self._corners: Corners | None = None

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        del tolerance
        return Bounds(*self._law.bounds(e))

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        e = self._law.high.losses
        if rest < delta:
            at = np.searchsorted(self._law.high.at(e)[1], rest)
        else:
            at = np.searchsorted(-self._law.high.profile, -delta)
        return float(e[min(int(at), len(e) - 1)]), 0.0

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        _, high, room, _, _ = self._law.bounds(e)
        return high, room

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`: every atom."""
        del first, second, between
        if self._corners is None:
            e, flow, _ = self._law.corners()
            self._corners = Corners(e[::2], flow[::2], flow[1::2], *self.swift(e[::2]))
        return self._corners


class ClosedProfile(Profile):
    """One release in closed form."""

    def __init__(self, infinity: Infinity, top: Fraction | None, curve: Curve) -> None:
        super().__init__(infinity, top)
        self.curve = curve

    def beta(self, alpha: Array) -> Array:
        """Lower bound on f."""
        return self.curve.beta(alpha)

    def bounds(self, e: Array, tolerance: float) -> Bounds:
        """See `Profile.bounds`; the closed form includes the mass at infinity."""
        del tolerance
        high, room = self.curve.delta(e), self.curve.complement(e)
        slack = self.curve.slack(e)
        low = np.maximum(high * (1 - slack), self.infinity.low)
        # Where roundings may be all of it, only what the profile leaves is known of the complement.
        known = np.where(slack < 0.5, np.maximum(room * (1 + slack), TINY), 1.0)
        room_high = np.minimum(known, 1 - low)
        return Bounds(
            np.where(high > TINY, low, 0.0), high, room, np.maximum(room_high, room), np.zeros_like(e)
        )

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        return self.bounds(e, tolerance)

    def epsilon(self, delta: float, tolerance: float) -> tuple[float, float]:
        """See `Profile.epsilon`: the closed inverse above, and below it a point that the lower bound confirms."""
        whole = self.infinity.whole
        if whole is not None and exact(delta) == whole:
            return self.top_low, self.top_high
        high = self._reached(delta, float(self.curve.epsilon(np.array([delta]))[0]))
        if high in (0.0, np.inf):
            return high, high
        step = 1e-13
        while step < 1:
            low = high * (1 - step)
            part = self.bounds(np.array([low]), tolerance)
            if part.delta_low[0] > delta or part.room_high[0] < 1 - delta:
                return low, high
            step *= 8
        return 0.0, high

    def _reached(self, delta: float, high: float) -> float:
        """An epsilon for a delta next to 1, where only the complement tells: its least one that is confirmed, by halving."""
        low, room = 0.0, 1 - delta
        if room > _NEXT_TO_ONE or not 0 < high < np.inf:
            return high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self.curve.complement(np.array([middle]))[0] >= room:
                high = middle
            else:
                low = middle
        return high

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        del rest
        return float(self.curve.epsilon(np.array([delta]))[0]), 0.0

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`; nothing calls for it, as `bounds` is as quick."""
        return self.curve.delta(e), self.curve.complement(e)

    def swift_bounds(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift_bounds`."""
        return self.swift(e)

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`; the closed form of f needs none."""
        del first, second, between
        return Corners(*(np.zeros(0) for _ in range(5)))


class BetweenProfile(Profile):
    """Upper bounds from a law that dominates, lower bounds from one that is dominated."""

    def __init__(self, upper: Profile, lower: Profile) -> None:
        super().__init__(upper.infinity, None)
        self.top_high, self.top_low = upper.top_high, lower.top_low
        self._upper, self._lower = upper, lower

    def bounds(self, e: Array, tolerance: float) -> Bounds:
        """See `Profile.bounds`."""
        high, low = self._upper.bounds(e, tolerance), self._lower.bounds(e, tolerance)
        return Bounds(
            np.minimum(low.delta_low, high.delta_high),
            high.delta_high,
            high.room_low,
            np.maximum(low.room_high, high.room_low),
            high.flow,
        )

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        return self.bounds(e, tolerance)

    def epsilon(self, delta: float, tolerance: float) -> tuple[float, float]:
        """See `Profile.epsilon`."""
        high = self._upper.epsilon(delta, tolerance)[1]
        return min(self._lower.epsilon(delta, tolerance)[0], high), high

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        return self._upper.guess(delta, rest)

    def snap(self, e: Array) -> tuple[Array, ...]:
        """See `Profile.snap`."""
        return self._upper.snap(e)

    def table(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.table`."""
        return self._upper.table(first, second, between=between)

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`."""
        return self._upper.corners(first, second, between=between)

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        return self._upper.swift(e)

    def swift_bounds(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift_bounds`."""
        return self._upper.swift_bounds(e)

    def ceiling(self, e: Array) -> Array:
        """See `Profile.ceiling`."""
        return self._upper.ceiling(e)


class Nothing(Profile):
    """No finite loss at all: perfect privacy but for the mass at infinity."""

    def __init__(self, infinity: Infinity) -> None:
        super().__init__(infinity, Fraction(0))

    def beta(self, alpha: Array) -> Array:
        """f(alpha) = 1 - mass - alpha."""
        mass = self.infinity.high
        if mass == 0:
            return 1 - alpha
        below = np.nextafter(1 - mass - alpha, -1.0)
        return np.where(alpha > 0, np.clip(below, 0.0, 1 - alpha), self.infinity.rest_low)

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        del tolerance
        zero, one = np.zeros_like(e), np.ones_like(e)
        return Bounds(zero, zero, one, one, zero)

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        del delta, rest
        return 0.0, 0.0

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        return np.zeros_like(e), np.ones_like(e)

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`."""
        del first, second, between
        return Corners(*(np.zeros(0) for _ in range(5)))
