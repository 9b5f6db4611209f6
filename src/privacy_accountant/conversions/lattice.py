"""A pair with finitely many irregular losses, put on a lattice without ever becoming more private.

Each loss is split between the two lattice points around it so that both its masses are kept; as functions of e^eps the two
profiles agree at the lattice points, and between them the new one is the chord, which is above. So the error is of second
order in the step, in both directions, at any number of compositions.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privacy_accountant.conversions.corners import FiniteLosses
from privacy_accountant.exact import Real, canonical, exact
from privacy_accountant.guarantees.pld import LatticePair, RandomizedResponsePair
from privacy_accountant.guarantees.pld.pairs import DominatingPair
from privacy_accountant.guarantees.tradeoff import TradeOff

_UNIT = 2.0**-53


def pair_on_lattice(curve: TradeOff, points: int) -> DominatingPair | None:
    """A pair that dominates the curve, on about `points` lattice points; None when the curve is 1 - alpha."""
    outcomes = FiniteLosses.of(curve)
    infinity = 1 - exact(curve.betas[0])
    if infinity == 1:
        return RandomizedResponsePair(math.inf)
    reach = float(np.max(np.abs(outcomes.losses)))
    if reach == 0:
        return RandomizedResponsePair(0.0, canonical(infinity)) if infinity > 0 else None
    # The outermost losses are on the lattice, up to their rounding, and so is 0.
    step = reach * (1 + 64 * _UNIT) / (points // 2)
    masses: dict[int, Fraction] = {}
    for mass, loss in zip(outcomes.p, outcomes.losses.tolist(), strict=True):
        index, share = _split(loss, step)
        upper = mass * Fraction(share)
        masses[index + 1] = masses.get(index + 1, Fraction(0)) + upper
        masses[index] = masses.get(index, Fraction(0)) + mass - upper
    return LatticePair(canonical(exact(step)), *_rounded(masses, infinity))


def _split(loss: float, step: float) -> tuple[int, float]:
    """The lattice point below a loss and the share of its mass that moves to the one above, rounded up."""
    index = math.floor(loss / step)
    below = max(loss - index * step, 0.0) + 16 * _UNIT * (step + abs(loss))
    return index, min(1.0, math.expm1(-below) / math.expm1(-step) * (1 + 8 * _UNIT))


def _rounded(masses: dict[int, Fraction], infinity: Fraction) -> tuple[int, tuple[Real, ...], Real]:
    """First index and masses as short numbers that add up to 1: what is cut off goes to the next point above."""
    first, last = min(masses), max(masses)
    kept: list[Real] = []
    carried = Fraction(0)
    for index in range(first, last + 1):
        carried += masses.get(index, Fraction(0))
        short = exact(float(carried * Fraction(1 - 2.0**-50))) if index < last else carried
        short = short if short <= carried else Fraction(0)
        kept.append(canonical(short))
        carried -= short
    return first, tuple(kept), canonical(infinity)
