"""What pairs that are given by their probabilities have in common."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, exact, probability
from privacy_accountant.guarantees.pld.pairs.dominating import DominatingPair

_MOST_MISSING = 1e-9
_SUM_RULE = "probabilities that add up, with `infinity`, to 1 within 1e-9"


class TablePair(DominatingPair):
    """Finite losses with the probabilities `masses` under P, an infinite one with probability `infinity`.

    A pair whose directions differ brings both: `back` is the loss of (Q, P), under Q. What the masses miss of 1 is counted as error.
    """

    __slots__ = ()

    masses: tuple[Real, ...]
    infinity: Real
    back: Any

    def check_sum(self) -> None:
        """Refuse probabilities that do not add up."""
        if self.missing > _MOST_MISSING:
            raise InvalidParameterError("masses", _SUM_RULE, float(sum(exact(m) for m in self.masses)))

    @property
    def missing(self) -> float:
        """How far the probabilities are from adding up to 1."""
        return abs(float(sum(exact(m) for m in self.masses) + exact(self.infinity) - 1))

    @property
    def is_symmetric(self) -> bool:
        """See `DominatingPair.is_symmetric`."""
        return self.back is None

    def reversed(self) -> DominatingPair:
        """See `DominatingPair.reversed`."""
        if self.back is None:
            return self
        turned: DominatingPair = attrs.evolve(self.back, back=attrs.evolve(self, back=None))  # type: ignore[misc]
        return turned

    @property
    def infinity_mass(self) -> Fraction:
        """See `DominatingPair.infinity_mass`."""
        return exact(self.infinity)


def read_infinity(value: object) -> Real:
    """The field `infinity`."""
    return probability(value, "infinity")


def read_masses(value: object) -> tuple[Real, ...]:
    """The field `masses`."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InvalidParameterError("masses", "a sequence of probabilities", value)
    return tuple(probability(mass, "masses") for mass in value)


def one_direction(pair: TablePair, _: object, back: Any) -> None:
    """The field `back`: nothing, or a pair of the same class without one."""
    kind = type(pair)
    if back is not None and (not isinstance(back, kind) or back.back is not None):
        raise InvalidParameterError("back", f"a {kind.__name__} that has no back itself", back)
