"""The accountant of one study: the only mutable class."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec

from privacy_accountant.accountant.desk import Desk
from privacy_accountant.accountant.enforcement import Enforcer, Quote
from privacy_accountant.accountant.history import release, releases
from privacy_accountant.accountant.limits import Budget
from privacy_accountant.accountant.opening import begin
from privacy_accountant.accountant.publishing import wrap
from privacy_accountant.accountant.records import Receipt, Release, Spent
from privacy_accountant.accountant.reporting import study_facts
from privacy_accountant.accountant.settings import Terms
from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.ledger import MemoryRecorder, Recorder, Reserved, Verification, open_recorder, verify
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.risk import RiskReport

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")

_IN_MEMORY = "study in memory"


class Accountant:
    """Keeps one study within its privacy budget.

    Every number that is published passes through it: the release is charged durably before its data is touched, the noise is
    drawn, the noised value is posted, and only then does the caller see it. A release that does not fit raises
    `BudgetExceededError`; nothing is drawn, nothing is spent, and smaller releases still go through. Amounts are exact: ten
    releases of epsilon 0.1 fit a budget of 1 and the eleventh does not.

    `Accountant(budget=...)` keeps its ledger in memory and ends with the process: for simulations and tests. A study that is
    real is opened with `Accountant.open`, on a file that any number of threads and processes may share.

    Args:
        budget: What the study promises: an `ADP`, `GDP`, `ZCDP`, `RDP`, `Risk`, or with `adaptive=False` a `PLD`.
        neighbors: What it means for two data sets to differ in one person.
        adaptive: True enforces with a filter that stays valid when parameters are chosen after seeing results; the claim is
            the budget. False states that the mechanisms, and how many there are, were fixed before the first result; then
            certified privacy losses compose, the tightest there is.
        currency: The class of the form that is added up: `ADP`, `GDP`, `ZCDP` or `RDP`. By default it follows the budget:
            sums of epsilon for `ADP(epsilon)`, of mu squared for `GDP`, of rho for `ZCDP`, every order for `RDP`, and for
            `ADP(epsilon, delta > 0)` and `Risk` the largest rho whose zCDP implies them (half of delta pays for that).

    Raises:
        InvalidParameterError: When an argument is not of its kind, or the budget promises nothing.
        UnsupportedConversionError: When no amount of the currency implies the budget.

    Example:
        >>> from privacy_accountant import Accountant, GDP, Gaussian
        >>> study = Accountant(budget=GDP(mu=1.0))
        >>> noised = study.release(842, Gaussian(sigma=3, sensitivity=1), label="admissions, March")
        >>> study.remaining(Gaussian(sigma=3, sensitivity=1))
        8
        >>> print(study.spent())
        0.1112 of 1 (mu^2) spent; bookkeeping, the claim is guarantee()
        >>> study.guarantee()
        GDP(mu=1.0)
    """

    def __init__(
        self,
        *,
        budget: Budget,
        neighbors: Neighbors = Neighbors.ADD_OR_REMOVE_ONE,
        adaptive: bool = True,
        currency: type | None = None,
    ) -> None:
        recorder = MemoryRecorder()
        self._start(recorder, begin(recorder, _IN_MEMORY, Terms(budget, neighbors, adaptive, currency)))

    @classmethod
    def open(
        cls,
        url_or_path: str | os.PathLike[str],
        *,
        study: str,
        budget: Budget | None = None,
        neighbors: Neighbors | None = None,
        adaptive: bool | None = None,
        currency: type | None = None,
    ) -> Self:
        """Open a study in a durable ledger, or create it there.

        Args:
            url_or_path: A SQLite file, by path or `sqlite:///` URL. It is created with mode 0600; one file holds many studies.
            study: Name of the study.
            budget: Needed to create a study. Without it the study continues as the ledger holds it.
            neighbors: As for `Accountant`; absent, what the ledger holds, or `ADD_OR_REMOVE_ONE` for a new study.
            adaptive: As for `Accountant`; absent, what the ledger holds, or True for a new study.
            currency: As for `Accountant`; absent, what the ledger holds, or what follows the budget's form.

        Raises:
            BudgetMismatchError: When something given differs from what the ledger holds.
            InvalidParameterError: When an argument is not of its kind, or a new study is given no budget.
            LedgerError: When the ledger cannot be opened.

        Example:
            >>> import tempfile, pathlib
            >>> from privacy_accountant import Accountant, ADP, Laplace
            >>> ledger = pathlib.Path(tempfile.mkdtemp()) / "ward-7.db"
            >>> with Accountant.open(ledger, study="ward-7", budget=ADP(1.0)) as study:
            ...     noised = study.release([12, 7], Laplace(scale=4, sensitivity=1), label="beds")
            >>> with Accountant.open(ledger, study="ward-7") as study:
            ...     study.remaining(Laplace(scale=4, sensitivity=1))
            3
        """
        _text(study, "study")
        terms = Terms(budget, neighbors, adaptive, currency)
        recorder = open_recorder(url_or_path, create=budget is not None)
        try:
            desk = begin(recorder, study, terms)
        except BaseException:
            recorder.close()
            raise
        accountant = cls.__new__(cls)
        accountant._start(recorder, desk)
        return accountant

    def _start(self, recorder: Recorder, desk: Desk) -> None:
        self._recorder, self._desk = recorder, desk
        self._last: Receipt | None = None

    def release(self, value: Any, mechanism: Mechanism, *, label: str, key: str | None = None) -> Any:
        """Publish one aggregate: charge it, add noise, post the noised value, return it.

        Args:
            value: The aggregate, in a kind that the mechanism takes.
            mechanism: How it is noised.
            label: What it is; the ledger and reports show it.
            key: A name under which the answer can be asked for again: the same key with the same mechanism, label and shape
                returns the stored answer and spends nothing. Fresh noise on a retry is how budgets leak.

        Returns:
            The noised value, in the caller's kind.

        Raises:
            BudgetExceededError: When it does not fit; nothing is spent.
            InvalidParameterError: For a value, mechanism, label or key that is refused before anything is spent.
            ReleaseFailedError: When something raised after the data was touched; the cost stays spent.
            LedgerError: When the ledger cannot be written, or the key's release is pending.
        """
        quote = self._quote(mechanism, label)
        shape = list(mechanism.check(value))
        reserved = self._reserve(quote, label, key, shape)
        answer = (
            self._desk.stored(reserved)
            if reserved.repeated
            else self._desk.publish(reserved, mechanism, lambda: value)
        )
        self._last = self._receipt(reserved, quote)
        return answer

    def publishes(
        self, mechanism: Mechanism, *, label: str
    ) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
        """Decorate a function so that only its noised result leaves it; the release is charged before the function runs.

        Whatever the function raises, the cost stays spent and the caller sees a `ReleaseFailedError` that withholds the cause.

        Example:
            >>> from privacy_accountant import Accountant, GDP, Gaussian
            >>> study = Accountant(budget=GDP(mu=1.0))
            >>> @study.publishes(Gaussian(sigma=6, sensitivity=1), label="positives")
            ... def positives(ciphertext):
            ...     return sum(ciphertext)
            >>> isinstance(positives([1, 0, 1]), int)
            True
        """
        quote = self._quote(mechanism, label)

        def publish(read: Callable[[], Any]) -> Any:
            reserved = self._reserve(quote, label, None, None)
            answer = self._desk.publish(reserved, mechanism, read)
            self._last = self._receipt(reserved, quote)
            return answer

        return lambda function: wrap(function, publish)

    def spend(self, mechanism: Mechanism, *, label: str, key: str | None = None) -> Receipt:
        """Charge a release whose noise is drawn elsewhere, before it is drawn.

        Returns:
            The receipt. A repeated key spends nothing and gives the receipt of the entry that has it.

        Raises:
            BudgetExceededError: When it does not fit; nothing is spent.
        """
        quote = self._quote(mechanism, label)
        reserved = self._reserve(quote, label, key, None)
        if reserved.repeated:
            self._desk.stored(reserved)
        else:
            self._desk.post_without_answer(reserved)
        self._last = receipt = self._receipt(reserved, quote)
        return receipt

    def remaining(self, mechanism: Mechanism) -> int | float:
        """How many more releases of a mechanism fit; infinity when they cost nothing."""
        quote = self._desk.quote(mechanism)
        room = self._recorder.ask(self.study, lambda balance: self._enforcer.room(balance, quote))
        return float("inf") if room is None else room

    def can_afford(self, mechanism: Mechanism, count: int = 1) -> bool:
        """Whether `count` more releases of a mechanism fit."""
        quote = self._desk.quote(mechanism)
        times = integer(count, "count", "an integer >= 1", least=1)
        return self._recorder.ask(self.study, lambda balance: self._enforcer.admits(balance, quote, times))

    def guarantee(self) -> PrivacyGuarantee:
        """What the study promises.

        With `adaptive=True` it is the budget, whatever part of it is spent; for a `Risk` budget, the guarantee in the study's
        currency that implies it. With `adaptive=False` it is the composition of what was released, pending and failed releases
        included, and rests on the statement that all of it was fixed in advance.
        """
        return self._recorder.ask(self.study, self._enforcer.claim)

    def spent(self) -> Spent:
        """What has been charged so far: bookkeeping, not a claim; see `Spent`."""
        return Spent(self._recorder.ask(self.study, self._enforcer.components))

    def report(self) -> RiskReport:
        """The study's guarantee read in terms of attacks, with the facts of the study."""
        entries = self._recorder.entries(self.study)
        return RiskReport(
            self.guarantee(), study=study_facts(self._desk.settings, self.study, entries, self.spent())
        )

    def history(self) -> tuple[Release, ...]:
        """Every release in order, with its cost and what became of it."""
        return releases(self._recorder.entries(self.study))

    def pending(self) -> tuple[Release, ...]:
        """Releases that were charged and never resolved: in flight, or left by a crash. They count as spent."""
        return tuple(release(entry, None) for entry in self._recorder.pending(self.study))

    def void(self, entry: int, *, reason: str) -> None:
        """Give the cost of a pending release back, because it is certain that its data was never touched.

        Args:
            entry: The pending entry.
            reason: Why, in writing; the ledger keeps it and the history shows it.

        Raises:
            LedgerError: When the entry is not pending.
        """
        self._desk.void(integer(entry, "entry", "an integer >= 1", least=1), _text(reason, "reason"))

    def verify(self) -> Verification:
        """Recompute the ledger's chain of hashes and every balance of this study.

        Raises:
            LedgerCorruptedError: Names the first entry that does not agree.
        """
        return verify(self._recorder, self.study)

    @property
    def study(self) -> str:
        """The study's name."""
        return self._desk.study

    @property
    def budget(self) -> Budget:
        """What the study may spend."""
        return self._desk.settings.budget

    @property
    def neighbors(self) -> Neighbors:
        """The study's relation."""
        return self._desk.settings.neighbors

    @property
    def adaptive(self) -> bool:
        """Whether releases may be chosen after seeing earlier results."""
        return self._desk.settings.adaptive

    @property
    def last(self) -> Receipt | None:
        """The receipt of the last release that came through this object; None before the first."""
        return self._last

    def close(self) -> None:
        """Close the ledger; a closed accountant refuses everything. A study in memory is gone."""
        self._recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or pickle is another handle on the same ledger, never a copy of the balance; one in memory refuses."""
        if self._recorder.location is None:
            raise LedgerError(
                "a study in memory cannot be copied: the copy would spend the budget again; use Accountant.open"
            )
        return functools.partial(type(self).open, self._recorder.location, study=self.study), ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(study={self.study!r}, budget={self.budget!r}, ledger={self._recorder.name!r})"

    @property
    def _enforcer(self) -> Enforcer:
        return self._desk.settings.enforcer

    def _quote(self, mechanism: object, label: object) -> Quote:
        _text(label, "label")
        return self._desk.quote(mechanism)

    def _reserve(self, quote: Quote, label: str, key: str | None, shape: Any) -> Reserved:
        if key is not None:
            _text(key, "key")
        return self._desk.reserve(quote, label=label, key=key, shape=shape)

    def _receipt(self, reserved: Reserved, quote: Quote) -> Receipt:
        balance = functools.partial(self._desk.spent_after, reserved)
        entry, label = reserved.entry.sequence, reserved.entry.draft.label or ""
        return Receipt(self.study, entry, label, quote.mechanism, quote.shown, reserved.repeated, balance)


def _text(value: object, field: str) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise InvalidParameterError(field, "a non-empty line of text", value)
    return value
