"""Releases that are not made here: a study records what they promise."""

from __future__ import annotations

from typing import Any, NoReturn

import attrs

from privacy_accountant.codec import tagged
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.mechanisms.additive import read_optional_neighbors
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors


class Elsewhere(Mechanism):
    """What is released by other means: it has a cost and draws nothing, so no value can pass through it without noise."""

    __slots__ = ()

    _instead: str = "recorded with Accountant.spend: this mechanism draws no noise"

    def check(self, value: Any) -> tuple[int, ...]:
        """Refuses every value, before anything is spent on it.

        Raises:
            InvalidAggregateError: Always; it says what to do instead.
        """
        self._refuse(value)

    def randomize(self, value: Any) -> Any:
        """Refuses every value; see `check`."""
        self._refuse(value)

    def _refuse(self, value: Any) -> NoReturn:
        del value
        raise InvalidAggregateError("value", self._instead, "a value")


def _guarantee(_: object, field: attrs.Attribute[PrivacyGuarantee], value: object) -> None:
    if not isinstance(value, PrivacyGuarantee):
        raise InvalidParameterError(field.name, "a guarantee such as ADP(epsilon=1, delta=1e-6)", value)


def _note(_: object, field: attrs.Attribute[str], value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InvalidParameterError(field.name, "a text that says where the guarantee comes from", value)


@tagged("Opaque")
@attrs.frozen(repr=False)
class Opaque(Elsewhere):
    """Something that was computed elsewhere, known only by its guarantee: an earlier publication, another system's answer.

    A study records it with `Accountant.spend`, and its budget then covers both. The guarantee is believed: nothing here can check it.
    `randomize` refuses, because what would come out is the value as it went in.

    Attributes:
        guarantee_of_release: What the release guarantees, in any form.
        note: Where that is stated, for whoever reads the ledger.
        neighbors: The relation under which it is stated; None for the study's.

    Raises:
        InvalidParameterError: When there is no guarantee or no note.

    Example:
        >>> from privacy_accountant import ADP, GDP, Opaque
        >>> earlier = Opaque(ADP(epsilon=1, delta=1e-6), note="city open data portal, 2024, table 3")
        >>> earlier.guarantee()
        ADP(epsilon=1.0, delta=1e-06)
    """

    guarantee_of_release: PrivacyGuarantee = attrs.field(validator=_guarantee)
    note: str = attrs.field(validator=_note)
    neighbors: Neighbors | None = attrs.field(default=None, kw_only=True, converter=read_optional_neighbors)

    def _native(self) -> PrivacyGuarantee:
        return self.guarantee_of_release
