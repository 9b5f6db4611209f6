"""The profile next to the largest loss, as a short series.

Put L = top - S. Near the top every discrete part stands at its largest loss and every Laplace part either there, with probability 1/2, or
below it with density e^{-s/2} / 4. Of N Laplace parts let k be below: then S has density s^{k-1} e^{-s/2} / 4^k (k-1)!, and since
1 - e^-u = 2 e^{-u/2} sinh(u/2) lies between u e^{-u/2} and that times e^{u^2/24},

    delta(top - x) = W e^{-x/2} sum_k C(N, k) 2^-k x^{k+1} / (k+1)!     up to a factor between 1 and e^{x^2/24},

W the probability of the top, for x up to the least gap below a part's largest loss.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import attrs
import numpy as np

from privacy_accountant.exact import float_down, float_up
from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.pairs.closed_pairs import DominatingPair, LaplacePair, as_float

_MOST_SPREAD, _MOST_TERMS = 2e4, 400
_LEAST_TERM = 1e-18


@attrs.frozen(eq=False)
class Summit:
    """Bounds of the finite profile next to the top.

    Attributes:
        laplaces: How many Laplace parts there are.
        log_weight: log of the probability of the largest loss.
        slack: Bound on its error and on that of the series, relative to the profile.
        gap: How far down the series holds.
        top_low: The largest loss, rounded down.
        top_high: The same rounded up.
    """

    laplaces: int
    log_weight: float
    slack: float
    gap: float
    top_low: float
    top_high: float

    @classmethod
    def of(cls, parts: Sequence[tuple[DominatingPair, int]], top: Fraction | None) -> Summit | None:
        """The series for these parts; None where one of them has no top or does not say what lies below it."""
        if top is None:
            return None
        laplaces, logs, slack, gap = 0, [0.0], 1e-13, math.inf
        for pair, count in parts:
            if isinstance(pair, LaplacePair):
                laplaces += count
                logs.append(-count * math.log(2))
                gap = min(gap, 2 * as_float(pair.epsilon))
            elif pair.count_atoms(1) < math.inf:
                losses, masses, lost = pair.law(1)
                order = np.argsort(losses)
                most = float(masses[order[-1]])
                logs.append(count * most)
                slack += count * (16 * UNIT * (2 + abs(most)) + lost * math.exp(min(-most, 700.0)))
                if len(order) > 1:
                    gap = min(gap, float(losses[order[-1]] - losses[order[-2]]))
            else:
                return None
        slack += 8 * UNIT * math.fsum(abs(log) for log in logs)
        gap = min(gap * (1 - 1e-9), _MOST_SPREAD / max(laplaces, 1))
        return cls(laplaces, math.fsum(logs), slack, gap, float_down(top), float_up(top))

    def reach(self, tolerance: float) -> float:
        """How far down the bounds are as close as that, relatively."""
        return min(self.gap, math.sqrt(12 * tolerance)) if self.slack < tolerance / 4 else 0.0

    def bounds(self, e: Array) -> tuple[Array, Array, Array]:
        """Lower and upper bounds of the profile and an estimate of its slope, at thresholds within `reach` of the top."""
        rounding = 4 * UNIT * self.top_high
        near, far = (
            np.maximum(self.top_low - e - rounding, 0.0),
            np.maximum(self.top_high - e + rounding, 0.0),
        )
        with np.errstate(under="ignore"):
            low = near * self._series(near, 1) * np.exp(self.log_weight - self.slack - near / 2)
            high = (
                far * self._series(far, 1) * np.exp(self.log_weight + self.slack - far / 2 + far * far / 24)
            )
            flow = self._series(far, 0) * np.exp(self.log_weight - far / 2)
        return low, np.maximum(high, 5e-324), flow

    def _series(self, x: Array, shift: int) -> Array:
        """Sum of C(N, k) 2^-k x^k / (k + shift)!."""
        term, total = np.ones_like(x), np.ones_like(x)
        for k in range(min(self.laplaces, _MOST_TERMS)):
            term = term * (x * ((self.laplaces - k) / (2.0 * (k + 1) * (k + 1 + shift))))
            total = total + term
            if np.all(term <= _LEAST_TERM * total):
                break
        return total
