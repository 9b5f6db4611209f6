"""Profiles that need no contour: closed forms, and laws whose atoms are written down."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from privacy_accountant.exact import exact
from privacy_accountant.guarantees.pld.atomic import AtomicLaw
from privacy_accountant.guarantees.pld.curves import Curve
from privacy_accountant.guarantees.pld.families import Array
from privacy_accountant.guarantees.pld.profile import TINY, Bounds, Infinity, Profile


class AtomicProfile(Profile):
    """Finitely many atoms: exact but for rounding."""

    def __init__(self, infinity: Infinity, top: Fraction | None, law: AtomicLaw) -> None:
        super().__init__(infinity, top)
        self._law = law

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        del tolerance
        return Bounds(*self._law.bounds(e))

    def guess(self, delta: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        e, profile = self._law.high.losses, self._law.high.profile
        return float(e[min(int(np.searchsorted(-profile, -delta)), len(e) - 1)]), 0.0

    def corners(self) -> tuple[Array, Array, Array]:
        """See `Profile.corners`."""
        return self._law.corners()


class ClosedProfile(Profile):
    """One release in closed form."""

    def __init__(self, infinity: Infinity, top: Fraction | None, curve: Curve) -> None:
        super().__init__(infinity, top)
        self.curve = curve

    def bounds(self, e: Array, tolerance: float) -> Bounds:
        """See `Profile.bounds`; the closed form includes the mass at infinity."""
        del tolerance
        high, room = self.curve.delta(e), self.curve.complement(e)
        slack = self.curve.slack(e)
        low = np.maximum(high * (1 - slack), self.infinity.low)
        room_high = np.minimum(np.maximum(room * (1 + slack), TINY), 1 - low)
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
        high = float(self.curve.epsilon(np.array([delta]))[0])
        if high in (0.0, np.inf):
            return high, high
        step = 1e-13
        while step < 1:
            low = high * (1 - step)
            if float(self.bounds(np.array([low]), tolerance).delta_low[0]) > delta:
                return low, high
            step *= 8
        return 0.0, high

    def guess(self, delta: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        return float(self.curve.epsilon(np.array([delta]))[0]), 0.0

    def corners(self) -> tuple[Array, Array, Array]:
        """See `Profile.corners`; the closed form of f needs none."""
        return np.zeros(0), np.zeros(0), np.zeros(0)


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

    def guess(self, delta: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        del delta
        return 0.0, 0.0

    def corners(self) -> tuple[Array, Array, Array]:
        """See `Profile.corners`."""
        return np.zeros(0), np.zeros(0), np.zeros(0)
