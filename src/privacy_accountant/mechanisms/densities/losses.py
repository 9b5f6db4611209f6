r"""The losses of one entry on a lattice, for entries that move together and for plans: never more private, and quick to compose.

The sides of the curve are outcomes with irregular losses. Each is split between the two lattice points around its loss so that both
its masses are kept. As functions of :math:`e^\varepsilon` the two profiles agree at the lattice points, and between them the new one
is the chord, which is above. So the error is of second order in the step at any number of compositions.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privacy_accountant.conversions.corners import FiniteLosses
from privacy_accountant.exact import Real, canonical, exact
from privacy_accountant.guarantees.pld import PLD, LatticePair
from privacy_accountant.guarantees.tradeoff import TradeOff

_STEP = 0.01
_LEAST, _MOST = 256, 1024
"""Steps of about this size, but no fewer and no more of them to the largest loss."""
_UNIT = 2.0**-53


def on_lattice(curve: TradeOff) -> PLD:
    """A pair that dominates a curve, on a lattice; the pair of its sides where no loss is finite and positive."""
    outcomes = FiniteLosses.of(curve)
    reach = float(np.max(np.abs(outcomes.losses), initial=0.0))
    if reach == 0:
        return curve.to(PLD)
    # The outermost losses are on the lattice, up to their rounding, and so is 0.
    step = reach * (1 + 64 * _UNIT) / min(max(math.ceil(reach / _STEP), _LEAST), _MOST)
    masses: dict[int, Fraction] = {}
    for mass, loss in zip(outcomes.p, outcomes.losses.tolist(), strict=True):
        index, share = _split(loss, step)
        upper = mass * Fraction(share)
        masses[index + 1] = masses.get(index + 1, Fraction(0)) + upper
        masses[index] = masses.get(index, Fraction(0)) + mass - upper
    first, kept = _shortened(masses)
    return PLD.of(LatticePair(canonical(exact(step)), first, kept, canonical(1 - exact(curve.betas[0]))))


def _split(loss: float, step: float) -> tuple[int, float]:
    """The lattice point below a loss and the share of its mass that moves to the one above, rounded up."""
    index = math.floor(loss / step)
    below = max(loss - index * step, 0.0) + 16 * _UNIT * (step + abs(loss))
    return index, min(1.0, math.expm1(-below) / math.expm1(-step) * (1 + 8 * _UNIT))


def _shortened(masses: dict[int, Fraction]) -> tuple[int, tuple[Real, ...]]:
    """First index, and masses as short numbers with the same sum: what is cut off goes to the next point above."""
    first, last = min(masses), max(masses)
    kept: list[Real] = []
    carried = Fraction(0)
    for index in range(first, last + 1):
        carried += masses.get(index, Fraction(0))
        short = exact(float(carried * Fraction(1 - 2.0**-50))) if index < last else carried
        short = short if short <= carried else Fraction(0)
        kept.append(canonical(short))
        carried -= short
    return first, tuple(kept)
