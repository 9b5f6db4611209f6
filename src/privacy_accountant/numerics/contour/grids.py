"""From a continuous pair to probabilities on a lattice of losses that provably dominate it, or that it provably dominates.

Both keep to second order: put x = e^-loss, so that the profile at e is E(1 - e^e x)+, an expectation of a convex function of x under
P, and E x = Q(L < inf). Spreading x with its mean kept can only raise the profile, contracting it can only lower it.
"""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_MOST_TAKEN = 0.25


@attrs.frozen(eq=False)
class HalfCells:
    """Probabilities of half cells of a lattice of losses.

    Attributes:
        step: Distance of lattice points.
        first: Index of the first lattice point; half cell k reaches from (first + k/2) step to half a step further.
        p: Their probabilities under P; an even number.
        q: Their probabilities under Q.
        error: Bound on the relative error of the ratios q / p that matters for choosing where mass goes.
        below: Probability under P of losses below the lattice.
        above: The same above it.
    """

    step: float
    first: int
    p: Array
    q: Array
    error: Array
    below: float
    above: float

    @property
    def points(self) -> Array:
        """The lattice points."""
        return self.step * (self.first + np.arange(len(self.p) // 2 + 1.0))


def connect_the_dots(cells: HalfCells) -> tuple[Array, float]:
    """Masses on the points, and at infinity, that dominate: every cell's mass goes to its ends, its E x kept or lowered."""
    p, q = (half.reshape(-1, 2).sum(axis=1) for half in (cells.p, cells.q))
    error = cells.error.reshape(-1, 2).max(axis=1)
    lower = cells.points[:-1]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = np.where(
            p > 0, np.log(q / np.where(p > 0, p, 1.0)) + lower, 0.0
        )  # log of the cell's mean x, from its lower end
    mean = np.where(np.isfinite(mean), mean, -cells.step) - error
    share = np.clip(np.expm1(mean) / np.expm1(-cells.step), 0.0, 1.0)
    masses = np.zeros(len(p) + 1)
    masses[1:] += p * share
    masses[:-1] += p * (1 - share)
    masses[0] += cells.below
    return masses, cells.above


def contract(cells: HalfCells) -> Array:
    """Masses on the points that are dominated: the zone half a step around each point goes to the point.

    A zone whose mean of x lies above the point's hands part of its lower half down; one that lies below takes up to a quarter of
    the next zone's upper half, and what is still surplus is lost, the loss rounded down. The lower tail is left out.
    """
    x = np.exp(cells.points)
    lower_p, lower_q = np.append(0.0, cells.p[1::2]), np.append(0.0, cells.q[1::2] * (1 + cells.error[1::2]))
    upper_p, upper_q = np.append(cells.p[::2], 0.0), np.append(cells.q[::2] * (1 + cells.error[::2]), 0.0)
    with np.errstate(under="ignore"):
        short, long = upper_p - upper_q * x, lower_q * x - lower_p
        ahead = np.append(0.0, (upper_q[:-1] * x[1:] - upper_p[:-1])[: len(x) - 1])
        ratio = np.append(0.0, np.exp(cells.points[:-1] - cells.points[1:]))
    masses = [0.0] * len(x)
    kept, carried, moment = 1.0, 0.0, 0.0
    rows = list(
        zip(*(v.tolist() for v in (upper_p, lower_p, lower_q * x, short, long, ahead, ratio)), strict=True)
    )
    below = [row[0] for row in rows[:1]] + [row[0] for row in rows[:-1]]
    for j in range(len(rows) - 1, -1, -1):
        up, low, low_x, less, more, next_more, shrink = rows[j]
        total = kept * up + low + carried
        excess = more - kept * less + (moment - carried)
        kept, carried, moment = 1.0, 0.0, 0.0
        if excess > 0 and more > 0:
            part = min(1.0, excess / more * (1 + 1e-9))
            carried, moment = part * low, part * low_x * shrink
            total -= carried
        elif excess < 0 < j:
            part = min(_MOST_TAKEN, -excess / next_more * (1 - 1e-9)) if next_more > 0 else 0.0
            total += part * below[j]
            kept = 1 - part
        masses[j] = total
    result = np.array(masses)
    result[-1] += cells.above
    return np.asarray(np.maximum(result, 0.0))
