"""The relation between neighbouring data sets, and how far one person moves an aggregate under it."""

from __future__ import annotations

import enum
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, canonical, exact, integer, positive, root_up


class Neighbors(enum.Enum):
    """What it means for two data sets to differ in one person.

    The member names are those of dp-accounting's `NeighboringRelation`, so that a study's relation survives an exchange.
    """

    ADD_OR_REMOVE_ONE = "add or remove one"
    """One data set has one record more; the claim is about taking part at all."""
    REPLACE_ONE = "replace one"
    """One record is exchanged for another; the size of the data is public."""
    REPLACE_SPECIAL = "replace special"
    """One record is exchanged for a fixed empty one (zeroed out)."""


def read_neighbors(value: object, field: str = "neighbors") -> Neighbors:
    """Check that a value is a `Neighbors` member."""
    if not isinstance(value, Neighbors):
        raise InvalidParameterError(field, "a Neighbors member such as Neighbors.ADD_OR_REMOVE_ONE", value)
    return value


@attrs.frozen(init=False, repr=False)
class Sensitivity:
    r"""How far one person can move a vector of aggregates.

    Either from counting, `Sensitivity(per_value=c, values=k)`: at most `k` entries change, each by at most `c`, so that
    :math:`\Delta_1 = kc` and :math:`\Delta_2 = c\sqrt k`; or as norms, `Sensitivity(l1=, l2=)`. `values` counts the
    entries that change under the study's relation: one person in a histogram changes one cell when added or removed and
    two when replaced. Laplace noise takes the L1 norm and Gaussian noise the L2 norm.

    Attributes:
        l1: The L1 norm, exact, or None when it was not given.
        l2_squared: The square of the L2 norm, exact, or None when it was not given.
        per_value: The largest change of one entry, or None when norms were given.
        values: How many entries change, or None when norms were given.

    Raises:
        InvalidParameterError: When a number is not positive and finite, `values` is not an integer of at least 1,
            the two ways of saying it are mixed, or l2 > l1 (no vector has that).

    Example:
        >>> cells = Sensitivity(per_value=1, values=4)
        >>> cells.l1, cells.l2_squared
        (Fraction(4, 1), Fraction(4, 1))
    """

    l1: Fraction | None
    l2_squared: Fraction | None
    per_value: Real | None
    values: int | None

    def __init__(self, *, per_value: Any = None, values: Any = None, l1: Any = None, l2: Any = None) -> None:
        counted, normed = per_value is not None or values is not None, l1 is not None or l2 is not None
        if counted == normed:
            raise InvalidParameterError(
                "sensitivity",
                "given either as per_value and values or as l1 and l2",
                _given(per_value, values, l1, l2),
            )
        if counted:
            self.__attrs_init__(*_from_counts(per_value, values))
        else:
            self.__attrs_init__(*_from_norms(l1, l2), None, None)

    @property
    def is_integer(self) -> bool:
        """Whether every change it describes is a whole number."""
        if self.per_value is not None:
            return exact(self.per_value).denominator == 1
        return all(norm is None or norm.denominator == 1 for norm in (self.l1, self.l2_squared))

    def __repr__(self) -> str:
        if self.per_value is not None:
            return f"Sensitivity(per_value={self.per_value}, values={self.values})"
        norms = {"l1": self.l1, "l2": None if self.l2_squared is None else root_up(self.l2_squared)}
        return f"Sensitivity({', '.join(f'{name}={_short(norm)}' for name, norm in norms.items() if norm is not None)})"


def _from_counts(per_value: Any, values: Any) -> tuple[Fraction, Fraction, Real, int]:
    each = positive(per_value, "per_value")
    count = integer(1 if values is None else values, "values", "an integer >= 1", least=1)
    return exact(each) * count, exact(each) ** 2 * count, each, count


def _from_norms(l1: Any, l2: Any) -> tuple[Fraction | None, Fraction | None]:
    one = None if l1 is None else exact(positive(l1, "l1"))
    two = None if l2 is None else exact(positive(l2, "l2")) ** 2
    if one is not None and two is not None and two > one * one:
        raise InvalidParameterError("l2", "at most l1", l2)
    # The L2 norm never exceeds the L1 norm; the L1 norm has no bound by the L2 norm without the dimension.
    return one, two if two is not None or one is None else one * one


def _given(*values: Any) -> dict[str, Any]:
    return {
        name: value
        for name, value in zip(("per_value", "values", "l1", "l2"), values, strict=True)
        if value is not None
    }


def _short(norm: Real) -> Real:
    return canonical(exact(norm))


def norm_l1(sensitivity: Real | Sensitivity, mechanism: str) -> Fraction:
    """The L1 norm: of a `Sensitivity`, or a bare number read as that norm of the whole vector."""
    if not isinstance(sensitivity, Sensitivity):
        return exact(sensitivity)
    if sensitivity.l1 is None:
        raise InvalidParameterError(
            "sensitivity", f"given with l1 (or per_value and values) for {mechanism}", sensitivity
        )
    return sensitivity.l1


def norm_l2_squared(sensitivity: Real | Sensitivity, mechanism: str) -> Fraction:
    """The squared L2 norm: of a `Sensitivity`, or a bare number read as that norm of the whole vector."""
    if not isinstance(sensitivity, Sensitivity):
        return exact(sensitivity) ** 2
    if sensitivity.l2_squared is None:
        raise InvalidParameterError(
            "sensitivity", f"given with l2 (or per_value and values) for {mechanism}", sensitivity
        )
    return sensitivity.l2_squared


def read_sensitivity(value: object, field: str = "sensitivity") -> Real | Sensitivity:
    """A `Sensitivity`, or a positive number that a mechanism reads as its own norm of the whole vector."""
    return value if isinstance(value, Sensitivity) else positive(value, field)
