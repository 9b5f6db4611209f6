"""What is fixed when a study is created, and stored with it."""

from __future__ import annotations

import functools
import json

import attrs

from privacy_accountant.accountant.budgets.filters import Filter
from privacy_accountant.accountant.budgets.limits import Budget, read_budget, read_form
from privacy_accountant.accountant.budgets.plans import Plan
from privacy_accountant.codec import Json, decode, encode
from privacy_accountant.errors import BudgetMismatchError, InvalidParameterError, LedgerError
from privacy_accountant.ledger import Balance
from privacy_accountant.neighbors import Neighbors, read_neighbors

_DIGESTS = ("sha256", "hmac-sha256")


@attrs.frozen
class Within:
    """The account in which a study lies: every release of the study is charged there too.

    Attributes:
        study: Its name.
        opened: The hash of its first entry, which no other account has.
        ledger: Where it was when the study was created, without what is secret in a URL; None for the study's own ledger,
            wherever that is.
    """

    study: str
    opened: str
    ledger: str | None = attrs.field(eq=False)

    def write(self) -> Json:
        """It as ledger entries hold it."""
        return attrs.asdict(self)


@attrs.frozen
class Settings:
    """A study's terms.

    Attributes:
        budget: What the study promises.
        neighbors: What it means for two data sets to differ in one person.
        adaptive: Whether releases may be chosen after seeing earlier results.
        enforcer: What keeps the budget.
        within: The account in which the study lies; None for none.
    """

    budget: Budget
    neighbors: Neighbors
    adaptive: bool
    enforcer: Filter | Plan
    within: Within | None = None

    def write(self, digest: str) -> Json:
        """The terms as the ledger's first entry holds them, with the name of the hash that seals its entries."""
        written: dict[str, Json] = {
            "budget": encode(self.budget),
            "neighbors": self.neighbors.name,
            "adaptive": self.adaptive,
            "currency": self.enforcer.describe(),
            "digest": digest,
        }
        return written if self.within is None else {**written, "within": self.within.write()}

    def require(self, study: str, asked: Terms) -> None:
        """Check that what a caller states about a study is what the ledger holds.

        Raises:
            BudgetMismatchError: When it is not.
        """
        held: dict[str, object] = {
            "budget": self.budget,
            "neighbors": self.neighbors,
            "adaptive": self.adaptive,
            "within": self.within,
        }
        if isinstance(self.enforcer, Filter):
            held["currency"] = self.enforcer.form
        for field, given in attrs.asdict(asked, recurse=False).items():
            if given is not None and given != held.get(field):
                raise BudgetMismatchError(study, field, _shown(held.get(field)), _shown(given))


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidParameterError("adaptive", "True or False", value)
    return value


@attrs.frozen
class Terms:
    """What a caller states about a study; None where nothing is stated."""

    budget: Budget | None = attrs.field(default=None, converter=attrs.converters.optional(read_budget))
    neighbors: Neighbors | None = attrs.field(
        default=None, converter=attrs.converters.optional(read_neighbors)
    )
    adaptive: bool | None = attrs.field(default=None, converter=attrs.converters.optional(_flag))
    currency: type | None = attrs.field(default=None, converter=attrs.converters.optional(read_form))
    within: Within | None = None

    def settle(self) -> Settings:
        """The terms of a new study, defaults filled in.

        Raises:
            InvalidParameterError: When there is no budget, or the budget cannot be kept in this way.
            UnsupportedConversionError: When the currency does not imply the budget.
        """
        if self.budget is None:
            raise InvalidParameterError("budget", "given when a study is created", None)
        adaptive = self.adaptive is not False
        if not adaptive and self.currency is not None:
            raise InvalidParameterError(
                "currency", "absent with adaptive=False, which composes privacy losses", self.currency
            )
        if not adaptive and self.within is not None:
            raise InvalidParameterError("adaptive", "True for a study within an account", False)
        enforcer = Filter.create(self.budget, self.currency) if adaptive else Plan(self.budget)
        relation = self.neighbors or Neighbors.ADD_OR_REMOVE_ONE
        return Settings(self.budget, relation, adaptive, enforcer, self.within)


@functools.lru_cache(maxsize=256)
def read_settings(text: str) -> Settings:
    """Read the terms that a ledger holds.

    Raises:
        LedgerError: When they are of a kind that this version does not know.
    """
    try:
        stored = json.loads(text)
        fields = {"budget", "neighbors", "adaptive", "currency", "digest"}
        known = stored["digest"] in _DIGESTS and set(stored) - {"within"} == fields
        within = Within(**stored["within"]) if "within" in stored else None
        budget, neighbors = read_budget(decode(stored["budget"])), Neighbors[stored["neighbors"]]
        adaptive = stored["adaptive"]
        enforcer = Filter.read(budget, stored["currency"]) if adaptive else Plan(budget)
    except (KeyError, TypeError, ValueError):
        known = False
    if not known:
        raise LedgerError("the study was created under terms that this version does not know")
    return Settings(budget, neighbors, adaptive, enforcer, within)


def current(balance: Balance) -> Settings:
    """The terms under which a balance stands now; another process may have amended them."""
    return read_settings(balance.settings)


def _shown(value: object) -> object:
    if isinstance(value, Within):
        return value.study
    if isinstance(value, Neighbors):
        return _Name(f"Neighbors.{value.name}")
    return _Name(value.__name__) if isinstance(value, type) else value


class _Name(str):
    """A name that an error quotes without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
