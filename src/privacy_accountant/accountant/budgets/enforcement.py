"""What enforces a budget: a filter under adaptive choices, a plan when everything was fixed in advance."""

from __future__ import annotations

import abc
import math
from fractions import Fraction
from typing import Any

import attrs

from privacy_accountant.accountant.words import above, shown
from privacy_accountant.codec import Json
from privacy_accountant.exact import Real, canonical, exact
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.ledger import Balance
from privacy_accountant.ledger.balance import Vector
from privacy_accountant.mechanisms.base import Mechanism


@attrs.frozen
class Quote:
    """What one release of a mechanism costs in a study's currency.

    Attributes:
        mechanism: The mechanism.
        written: The mechanism as the ledger stores it.
        cost: The cost as the ledger stores it.
        vector: The cost in rationals that add up; empty in a plan.
        shown: The cost as receipts show it: exact numbers, or a privacy loss in a plan.
        partition: The partitions that are charged; None for a release that touches all.
    """

    mechanism: Mechanism
    written: Json = attrs.field(repr=False)
    cost: tuple[Json, ...] = attrs.field(repr=False)
    vector: Vector
    shown: tuple[Any, ...]
    partition: tuple[str, ...] | None = None


@attrs.frozen
class Component:
    """One number of a balance.

    Attributes:
        unit: What is counted, such as `mu^2`.
        spent: How much has been charged.
        limit: The most that may be.
    """

    unit: str
    spent: Real
    limit: Real

    @property
    def left(self) -> Real:
        """What is left of it, never negative."""
        return (
            canonical(max(exact(self.limit) - exact(self.spent), Fraction(0)))
            if self.spent != math.inf
            else 0.0
        )

    def holds(self, spent: Real) -> bool:
        """Whether an amount is at or below the limit, compared exactly."""
        return spent != math.inf and exact(spent) <= exact(self.limit)

    def __str__(self) -> str:
        return f"{above(self.spent)} of {shown(self.limit)} ({self.unit})"


class Enforcer(abc.ABC):
    """Decides whether a release fits. It is fixed when the study is created, and it is stored."""

    __slots__ = ()

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """How many components a cost has that add up."""

    @abc.abstractmethod
    def implies_budget(self) -> bool:
        """Whether what is kept implies the budget; of what was read from a ledger it is not taken for granted."""

    @abc.abstractmethod
    def quote(self, mechanism: Mechanism) -> Quote:
        """What one release costs.

        Raises:
            UnsupportedConversionError: When it has no finite cost in this currency.
        """

    @abc.abstractmethod
    def admits(self, balance: Balance, quote: Quote, count: int = 1) -> bool:
        """Whether `count` more releases keep the budget; exact, or certified on the safe side."""

    @abc.abstractmethod
    def room(self, balance: Balance, quote: Quote) -> int | None:
        """How many more releases fit; None when they are free."""

    @abc.abstractmethod
    def components(self, balance: Balance) -> tuple[Component, ...]:
        """The balance for people."""

    @abc.abstractmethod
    def shortage(self, balance: Balance, quote: Quote) -> str:
        """Why a release that is not admitted does not fit, for people."""

    @abc.abstractmethod
    def claim(self, balance: Balance) -> PrivacyGuarantee:
        """What the study guarantees."""

    @abc.abstractmethod
    def describe(self) -> dict[str, Json] | None:
        """What is stored so that the same limits hold in every later version."""
