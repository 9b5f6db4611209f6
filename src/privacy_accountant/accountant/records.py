"""What an accountant hands out about releases: frozen, printable, and free of raw values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import attrs

from privacy_accountant.accountant.budgets.enforcement import Component
from privacy_accountant.accountant.results.stores import Stored
from privacy_accountant.codec import Json
from privacy_accountant.codec.answers import decode_answer
from privacy_accountant.errors import MissingExtraError, UnsupportedConversionError
from privacy_accountant.exact import Real
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.finish import Finish
from privacy_accountant.mechanisms.values.residues import Residues


@attrs.frozen
class Spent:
    """What a study has charged so far: **bookkeeping, not a claim**. What the study promises is `Accountant.guarantee()`.

    When parameters are chosen as results come in, a smaller number spent is not a smaller risk: stopping on results would
    make such a claim false. Pending and failed releases are included.

    Attributes:
        components: The numbers of the currency, such as one `Component` in `mu^2`.
    """

    components: tuple[Component, ...]

    @property
    def amounts(self) -> tuple[Real, ...]:
        """What is spent of each component, exact."""
        return tuple(component.spent for component in self.components)

    @property
    def limits(self) -> tuple[Real, ...]:
        """The most of each component."""
        return tuple(component.limit for component in self.components)

    @property
    def left(self) -> tuple[Real, ...]:
        """What is left of each component."""
        return tuple(component.left for component in self.components)

    def __str__(self) -> str:
        counted = [component for component in self.components if component.limit != 0 or component.spent != 0]
        return (
            f"{', '.join(map(str, counted or self.components))} spent; bookkeeping, the claim is guarantee()"
        )


@attrs.frozen
class Receipt:
    """What one release cost.

    Attributes:
        study: Name of the study.
        entry: The ledger entry that charges it.
        label: What was released.
        mechanism: How.
        cost: What it cost in the study's currency: exact numbers, or a privacy loss when everything was fixed in advance.
        repeated: Whether its key was there already, so that the stored answer came back and nothing was charged.
        partition: The partitions that it touches; None for all.
    """

    study: str
    entry: int
    label: str
    mechanism: Mechanism
    cost: tuple[Any, ...]
    repeated: bool
    _balance: Callable[[], Spent] = attrs.field(repr=False, eq=False)
    partition: tuple[str, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy holds the balance itself, and nothing of the ledger that it was read from."""
        fields = attrs.asdict(self, recurse=False) | {"_balance": functools.partial(_same, self.balance)}
        return type(self), tuple(fields.values())

    @property
    def balance(self) -> Spent:
        """What had been spent after it, of its partitions where it names some, else of the worst one; bookkeeping."""
        return self._balance()

    @property
    def interval(self) -> int | float | None:
        """Half the width of the interval that holds the noise of one value with probability 0.95.

        None for a mechanism that does not add noise to numbers.
        """
        try:
            return self.mechanism.noise_interval(0.95)
        except UnsupportedConversionError:
            return None


def _same(spent: Spent) -> Spent:
    return spent


@attrs.frozen
class Release:
    """One line of a study's history.

    Attributes:
        entry: The ledger entry that charges it.
        time: When it was charged, UTC, ISO 8601.
        label: What was released.
        mechanism: How; None when this program has not registered its tag.
        cost: What it cost: exact numbers, or a privacy loss.
        status: `posted`, `pending` (in flight, or left by a crash; it counts as spent), `failed` (after it touched the data; it
            stays spent) or `voided`.
        key: The key under which its answer can be asked for again.
        reason: Why it was voided.
        residues: How the residues of a decrypted aggregate were read; None when it was none.
        finish: How the noised value was rounded and clamped; None when it was not.
        stored: Where the noised value lies, and its hash, when it is in a store or over a megabyte.
        partition: The partitions that it touches; None for all.
        behalf: The study within this one that made it; None when this study did.
        within: The entry that charges it to the account in which the study lies; None for none.
        tag: The name under which the ledger keeps the mechanism's class.
    """

    entry: int
    time: str
    label: str
    mechanism: Mechanism | None
    cost: tuple[Any, ...]
    status: str
    key: str | None
    reason: str | None
    residues: Residues | None = None
    finish: Finish | None = None
    stored: Stored | None = None
    partition: tuple[str, ...] | None = None
    behalf: str | None = None
    within: int | None = None
    tag: str = ""
    _written: Json = attrs.field(default=None, repr=False)

    @property
    def how(self) -> str:
        """The mechanism as it is written in Python, or its tag where that is unknown to this program."""
        return f"{self.tag} (unknown to this program)" if self.mechanism is None else repr(self.mechanism)

    @property
    def answer(self) -> Any:
        """The noised value; None for a spend, for what was not posted, and for what is over a megabyte.

        It is read at each access; as the JSON of the ledger when the package of its kind is not installed here.
        """
        try:
            return decode_answer(self._written)
        except MissingExtraError:
            return self._written
