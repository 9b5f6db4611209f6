"""A composition in which outputs that practically never occur may be told at infinite loss, beside the same as it is.

Moments of unbounded losses grow so fast that contours cannot go far right; without the last 1e-40 of the outputs they can. The truth
lies between what is left and that plus the mass that was taken away.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles.contour_profile import ContourProfile
from privacy_accountant.guarantees.pld.profiles.profile import Bounds, Corners, Profile

REACHES = (6.5, 9.0, 13.4)
"""Where outputs are cropped; what is lost at the last is below 1e-40."""
_SHARE, _SMALL = 0.05, 1e-8
"""What is lost may be this share of what the tolerance allows."""


class CroppedProfile(Profile):
    """The whole composition; where its interval is wider than asked, also those that lose a negligible share of the answer.

    Args:
        whole: The composition.
        crops: How to make those that dominate it and differ by the mass at their infinite loss, in order of reach.
        gridded: How to make the one on lattices, for what contours serve badly.
    """

    def __init__(
        self,
        whole: ContourProfile,
        crops: Sequence[Callable[[], Profile]],
        gridded: Callable[[], Profile],
    ) -> None:
        super().__init__(whole.infinity, None)
        self.top_high, self.top_low = whole.top_high, whole.top_low
        self._whole, self._make, self._grid = whole, crops, gridded
        self._made: dict[int, Profile] = {}

    def _crop(self, i: int) -> tuple[Profile, float]:
        """A cropped composition, and from above how much more it loses than the whole one."""
        if i not in self._made:
            self._made[i] = self._make[i]()
        crop = self._made[i]
        return crop, (crop.infinity.high - self.infinity.low) * (1 + 4 * UNIT)

    @functools.cached_property
    def _gridded(self) -> Profile:
        return self._grid()

    @functools.cached_property
    def _sharp(self) -> bool:
        """Whether the whole answers well where profiles are small; else it takes long and says little."""
        if not self._whole.is_exact_near(_SMALL):
            return False
        e = np.array([max(self._whole.guess(_SMALL, 1.0)[0], 0.0)])
        part = self._whole.bounds(e, _SHARE)
        return bool(part.delta_high[0] - part.delta_low[0] <= 2 * _SHARE * part.delta_high[0])

    @property
    def _for_curves(self) -> Profile:
        """What answers many questions at once."""
        return self._whole if self._sharp else self._gridded

    def bounds(self, e: Array, tolerance: float) -> Bounds:
        """See `Profile.bounds`."""
        if not self._sharp:
            return self._gridded.bounds(e, tolerance)
        out = self._whole.bounds(e, tolerance)
        for i in range(len(self._make)):
            wide = _wide(out, tolerance)
            if not wide.any():
                break
            crop, mass = self._crop(i)
            part = crop.bounds(e[wide], tolerance)
            part.delta_low[:] = np.maximum(part.delta_low - mass, 0.0) * (1 - 2 * UNIT)
            part.room_high[:] = np.minimum(part.room_high + mass, 1.0)
            _narrow(out, wide, part)
        wide = _wide(out, tolerance)
        if wide.any():
            _narrow(out, wide, self._gridded.bounds(e[wide], tolerance))
        return out

    def epsilon(self, delta: float, tolerance: float) -> tuple[float, float]:
        """See `Profile.epsilon`."""
        low, high = 0.0, math.inf
        # Bounded losses are within reach of contours even where these have to be smoothed.
        if self._sharp or self.top_high < math.inf:
            low, high = self._whole.epsilon(delta, tolerance)
        for i in range(len(self._make)):
            if low == high or high - low <= 1.01 * tolerance * high:
                break
            crop, mass = self._crop(i)
            if mass <= _SHARE * tolerance * delta and (self._sharp or _is_exact(crop, delta)):
                low = max(low, crop.epsilon(min(delta + 2 * mass, 1.0), tolerance)[0])
                high = min(high, crop.epsilon(delta, tolerance)[1])
        if high == math.inf:
            return self._gridded.epsilon(delta, tolerance)
        if high - low > 1.01 * tolerance * high:
            more = self._gridded.epsilon(delta, tolerance)
            low, high = max(low, more[0]), min(high, more[1])
        return min(low, high), high

    def _finite(self, e: Array, tolerance: float) -> Bounds:
        return self.bounds(e, tolerance)

    def guess(self, delta: float, rest: float) -> tuple[float, float]:
        """See `Profile.guess`."""
        return self._for_curves.guess(delta, rest)

    def snap(self, e: Array) -> tuple[Array, ...]:
        """See `Profile.snap`."""
        return self._for_curves.snap(e)

    def table(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.table`."""
        return self._for_curves.table(first, second, between=between)

    def corners(self, first: Array, second: Array, *, between: bool) -> Corners:
        """See `Profile.corners`."""
        return self._for_curves.corners(first, second, between=between)

    def swift(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift`."""
        return self._for_curves.swift(e)

    def swift_bounds(self, e: Array) -> tuple[Array, Array]:
        """See `Profile.swift_bounds`."""
        return self._for_curves.swift_bounds(e)

    def ceiling(self, e: Array) -> Array:
        """See `Profile.ceiling`."""
        return self._for_curves.ceiling(e)


def _is_exact(crop: Profile, delta: float) -> bool:
    return isinstance(crop, ContourProfile) and crop.is_exact_near(delta)


def _wide(part: Bounds, tolerance: float) -> NDArray[np.bool_]:
    size = np.minimum(part.delta_high, np.maximum(part.room_low, 0.01))
    return np.asarray(part.delta_high - part.delta_low > tolerance * size)


def _narrow(out: Bounds, where: NDArray[np.bool_], more: Bounds) -> None:
    """Take the better of two bounds where there is another."""
    out.delta_low[where] = np.maximum(out.delta_low[where], more.delta_low)
    out.delta_high[where] = np.minimum(out.delta_high[where], more.delta_high)
    out.room_low[where] = np.maximum(out.room_low[where], more.room_low)
    out.room_high[where] = np.minimum(out.room_high[where], more.room_high)
    out.flow[where] = more.flow
