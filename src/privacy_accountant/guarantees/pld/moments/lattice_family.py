"""Losses on a lattice: a finite sum that one FFT works out at every node."""

from __future__ import annotations

import math

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array, Complex
from privacy_accountant.guarantees.pld.moments.point_family import PointFamily

_MOST_FOLDED, _MOST_MULTIPLE = 1 << 22, 64


@attrs.frozen(eq=False)
class LatticeFamily(PointFamily):
    """Losses that differ by whole multiples `index` of `step`."""

    step: float
    index: Array
    _folded: dict[tuple[float, float], Complex] = attrs.field(factory=dict, init=False)

    def summed(self, c: float, weights: Array, index: Array, spacing: float) -> tuple[Complex, Array]:
        """See `PointFamily.summed`; by one FFT when the period is commensurable with the step."""
        period = 2 * math.pi / (spacing * self.step)
        for multiple in range(1, _MOST_MULTIPLE + 1):
            size = round(period * multiple)
            if size > _MOST_FOLDED:
                break
            if size > 0 and abs(period * multiple - size) <= 1e-9:
                key = (c, spacing)
                if key not in self._folded:
                    self._folded.clear()
                    place = (multiple * (self.index - self.index[-1]).astype(np.int64)) % size
                    self._folded[key] = np.conj(np.fft.fft(np.bincount(place, weights, size)))
                norm = float(np.linalg.norm(weights))
                share = 8 * math.log2(size + 1) * math.sqrt(size) * norm + len(weights) / size + 8
                reach = self.step * float(self.index[-1] - self.index[0])
                tilt = abs(c) * self.size
                omega = index * spacing
                slack = UNIT * (share + 64 * tilt * np.minimum(omega * reach, 2.0) + 64 * omega * reach)
                return self._folded[key][index.astype(np.int64) % size], slack
        return super().summed(c, weights, index, spacing)
