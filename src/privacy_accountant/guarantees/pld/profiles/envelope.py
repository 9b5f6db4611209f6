"""The upper envelope of supporting lines: a convex piecewise-linear lower bound of f that answers many questions at once."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.guarantees.pld.moments.families import UNIT, Array
from privacy_accountant.guarantees.pld.profiles.profile import Corners

_SLACK = 16 * UNIT
_STEEPEST = 700.0


@attrs.frozen(eq=False)
class Lines:
    """Lower bounds `constant + on_alpha * alpha + on_rest * (1 - alpha)` of f, lowered by more than their evaluation can err."""

    constant: Array
    on_alpha: Array
    on_rest: Array

    def taken(self, index: NDArray[np.intp]) -> Lines:
        """Some of the lines."""
        return Lines(self.constant[index], self.on_alpha[index], self.on_rest[index])

    def at(self, alpha: Array) -> Array:
        """Line by line, each at its own alpha."""
        with np.errstate(under="ignore"):
            return np.asarray(self.constant + self.on_alpha * alpha + self.on_rest * (1 - alpha))


@attrs.frozen(eq=False)
class Envelope:
    """The best line for every alpha.

    Attributes:
        breaks: Where one line hands over to the next, in ascending order.
        lines: One more than breaks.
    """

    breaks: Array
    lines: Lines

    def at(self, alpha: Array) -> Array:
        """Lower bounds of f."""
        return np.maximum(self.lines.taken(np.searchsorted(self.breaks, alpha)).at(alpha), 0.0)


def envelope(table: Corners) -> Envelope:
    """The envelope of both lines of every corner.

    A line touches f at alpha from Q(L > e) to Q(L >= e), its mirror image at 1 - alpha from P(L > e) to P(L >= e). Any line is
    valid anywhere, so breaks need not be exact; of three neighbours the best is taken.
    """
    first, second = _first(table), _second(table)
    lines = Lines(
        *(
            np.concatenate((getattr(first, f.name)[::-1], getattr(second, f.name)))
            for f in attrs.fields(Lines)
        )
    )
    with np.errstate(under="ignore"):
        shrink = np.exp(-table.e)
        starts = np.concatenate(
            ((table.after * shrink)[::-1], 1 - np.minimum(table.before + table.delta_high, 1.0))
        )
        ends = np.concatenate(
            ((table.before * shrink)[::-1], 1 - np.minimum(table.after + table.delta_high, 1.0))
        )
    ends, starts = np.clip(ends[:-1], 0.0, 1.0), np.clip(starts[1:], 0.0, 1.0)  # the flows are estimates
    breaks = np.maximum.accumulate(_between(ends, starts))
    middles = _between(np.append(0.0, breaks), np.append(breaks, 1.0))
    count = len(middles)
    tries = [np.clip(np.arange(count) + shift, 0, count - 1) for shift in (0, -1, 1)]
    values = np.array([lines.taken(index).at(middles) for index in tries])
    best = np.array(tries)[np.argmax(values, axis=0), np.arange(count)]
    return Envelope(breaks, lines.taken(best))


def _between(a: Array, b: Array) -> Array:
    """Halfway on a scale that is logarithmic at either end."""
    with np.errstate(under="ignore"):
        return np.where(a < 0.5, np.sqrt(a) * np.sqrt(b), 1 - np.sqrt((1 - a) * (1 - b)))


def _first(table: Corners) -> Lines:
    """1 - delta - e^e alpha; nothing where e^e overflows."""
    there = table.e < _STEEPEST
    steep = np.exp(np.where(there, table.e, 0.0)) * (1 + _SLACK + 4 * UNIT * table.e)
    return Lines(
        np.where(there, table.room_low * (1 - _SLACK), 0.0),
        np.where(there, -steep, 0.0),
        np.zeros_like(steep),
    )


def _second(table: Corners) -> Lines:
    """e^-e (1 - delta - alpha), in terms of delta or of its complement, whichever is small."""
    with np.errstate(under="ignore"):
        low = np.exp(-table.e) * (1 - _SLACK - 4 * UNIT * table.e)
        high = np.exp(-table.e) * (1 + _SLACK + 4 * UNIT * table.e)
        small = table.delta_high < 0.5
        return Lines(
            np.where(small, -high * table.delta_high, low * table.room_low),
            np.where(small, 0.0, -high),
            np.where(small, low, 0.0),
        )
