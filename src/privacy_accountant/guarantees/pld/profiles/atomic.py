"""Losses with few atoms, summed exactly: profiles that are piecewise linear in e^epsilon."""

from __future__ import annotations

import itertools

import attrs
import numpy as np

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array

MOST_ATOMS = 1 << 16
"""Laws with more atoms than this go through a contour."""
MOST_CONVOLVED = 1 << 10
"""Powers of lattice laws with more atoms than this are not written down."""


@attrs.frozen(eq=False)
class Staircase:
    """Running sums over atoms; positive terms only, so nothing cancels.

    Attributes:
        losses: Atoms in ascending order.
        head: P(L <= l_j).
        flow: e^{l_j} Q(L >= l_j), at most P(L >= l_j).
        profile: delta(l_j).
    """

    losses: Array
    head: Array
    flow: Array
    profile: Array

    @classmethod
    def of(cls, losses: Array, masses: Array) -> Staircase:
        """Sum up atoms in ascending order."""
        with np.errstate(under="ignore"):
            decay = np.exp(losses[:-1] - losses[1:])
            steps = zip(masses[::-1].tolist(), [0.0, *decay[::-1].tolist()], strict=True)
            flow = np.array(
                list(itertools.accumulate(steps, lambda total, s: s[0] + s[1] * total, initial=0.0))[1:]
            )[::-1]
            gains = np.append(flow[1:] * -np.expm1(losses[:-1] - losses[1:]), 0.0)
        return cls(losses, np.cumsum(masses), flow, np.cumsum(gains[::-1])[::-1])

    def at(self, e: Array) -> tuple[Array, Array, Array]:
        """delta(e), 1 - delta(e) and -delta'(e) (from the right), up to round-off; finite parts only."""
        j = np.searchsorted(self.losses, e, side="right")
        inside = j < len(self.losses)
        next_one = np.minimum(j, len(self.losses) - 1)
        gap = np.where(inside, e - self.losses[next_one], 0.0)
        with np.errstate(under="ignore"):
            delta = np.where(inside, self.profile[next_one] - self.flow[next_one] * np.expm1(gap), 0.0)
            flow = np.where(inside, self.flow[next_one] * np.exp(gap), 0.0)
        below = np.where(j > 0, self.head[np.maximum(j, 1) - 1], 0.0)
        return delta, below + flow, flow


@attrs.frozen(eq=False)
class AtomicLaw:
    """A law with atoms, known within bounds.

    Attributes:
        low: Sums over masses rounded down.
        high: Sums over masses rounded up.
        shift: Bound on the error of a loss and of a threshold.
        relative: Bound on the relative error of a running sum.
        lost: Bound on the mass that was left out.
    """

    low: Staircase
    high: Staircase
    shift: float
    relative: float
    lost: float

    @classmethod
    def of(
        cls, losses: Array, logs: Array, *, factors: int = 1, terms: int = 1, lost: float = 0.0
    ) -> AtomicLaw:
        """Build from atoms in any order.

        Log masses are right within a few ulp of factors + |log mass|, losses within a few ulp of the largest one for each of the
        `terms` that they were added from.
        """
        order = np.argsort(losses, kind="stable")
        losses, logs = losses[order], logs[order]
        keep = logs > -745.0
        dropped = float(np.count_nonzero(~keep)) * 5e-324
        if not keep.any():
            keep[int(np.argmax(logs))] = True
        losses, logs = losses[keep], logs[keep]
        with np.errstate(under="ignore"):
            masses = np.exp(logs)
        slack = 16 * UNIT * (factors + np.abs(logs))
        scale = float(np.max(np.abs(losses)))
        return cls(
            Staircase.of(losses, masses * (1 - slack)),
            Staircase.of(losses, masses * (1 + slack)),
            8 * UNIT * scale * (terms + 1) + 1e-320,
            UNIT * (64 + 6 * len(losses)),
            lost + dropped,
        )

    def bounds(self, e: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Lower and upper bounds of the profile and of its complement, and -delta'(e)."""
        shift = self.shift + 8 * UNIT * np.abs(e)
        delta_low, _, _ = self.low.at(e + shift)
        _, room_low, _ = self.low.at(e - shift)
        delta_high, _, _ = self.high.at(e - shift)
        _, room_high, flow = self.high.at(e + shift)
        r = self.relative
        return (
            delta_low * (1 - r),
            delta_high * (1 + r) + self.lost,
            room_low * (1 - r),
            room_high * (1 + r) + self.lost,
            flow,
        )

    def corners(self) -> tuple[Array, Array, Array]:
        """Every atom at e >= 0 twice, with e^e Q(L > e) and e^e Q(L >= e), and P(L > e) and P(L >= e)."""
        h = self.high
        at = h.losses >= 0
        with np.errstate(under="ignore"):
            right = np.append(h.flow[1:] * np.exp(h.losses[:-1] - h.losses[1:]), 0.0)
            e = np.repeat(h.losses[at], 2)
            flow = np.ravel(np.column_stack((h.flow[at], right[at])))
            tail = np.ravel(np.column_stack(((h.profile + h.flow)[at], (h.profile + right)[at])))
        return e, flow, tail
