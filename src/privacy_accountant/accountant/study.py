"""What can be asked of a study, without changing it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import attrs

from privacy_accountant.accountant.desk import Desk
from privacy_accountant.accountant.enforcement import Enforcer
from privacy_accountant.accountant.history import release, releases
from privacy_accountant.accountant.limits import Budget
from privacy_accountant.accountant.previews import Preview, preview, read_list
from privacy_accountant.accountant.records import Receipt, Release, Spent
from privacy_accountant.accountant.reporting import study_facts
from privacy_accountant.accountant.settings import Settings, current
from privacy_accountant.exact import integer
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.ledger import Balance, Kind, Recorder, Verification, verify
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.neighbors import Neighbors
from privacy_accountant.risk import RiskReport

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class Study:
    """One study in a ledger: its terms, its balance, its history. `Accountant` adds what changes it."""

    _recorder: Recorder
    _desk: Desk
    _last: Receipt | None

    def remaining(self, mechanism: Mechanism) -> int | float:
        """How many more releases of a mechanism fit; infinity when they cost nothing."""
        quote = self._desk.quote(mechanism)
        room = self._ask(lambda enforcer, balance: enforcer.room(balance, quote))
        return float("inf") if room is None else room

    def can_afford(self, mechanism: Mechanism, count: int = 1) -> bool:
        """Whether `count` more releases of a mechanism fit."""
        quote = self._desk.quote(mechanism)
        times = integer(count, "count", "an integer >= 1", least=1)
        return self._ask(lambda enforcer, balance: enforcer.admits(balance, quote, times))

    def preview(self, releases: Iterable[Mechanism | tuple[Mechanism, int]]) -> Preview:
        """What a list of releases would cost in every currency, and whether it fits what is left. Nothing is spent.

        Few releases are often cheapest as sums of epsilon, many as rho or mu squared; the currency of a study is fixed when it
        is created, so ask a study in memory first.

        Args:
            releases: Mechanisms, or pairs of a mechanism and how often.

        Example:
            >>> from privacy_accountant import ADP, Accountant, Laplace
            >>> print(Accountant(budget=ADP(1.0)).preview([(Laplace(scale=4, sensitivity=1), 3)]).lines[0])
            ADP: 0.75 of 1 (epsilon); fits
        """
        listed = read_list(releases)
        for mechanism in listed:
            self._desk.quote(mechanism)
        return self._ask(lambda _, balance: preview(current(balance), balance, listed))

    def guarantee(self) -> PrivacyGuarantee:
        """What the study promises.

        With `adaptive=True` it is the budget, whatever part of it is spent; for a `Risk` budget, the guarantee in the study's
        currency that implies it. With `adaptive=False` it is the composition of what was planned and what was released, pending
        and failed releases included, and rests on the statement that the releases *and their number* were fixed before the first result. A study
        that was stopped because of a result promises its budget and nothing smaller.
        """
        return self._ask(lambda enforcer, balance: enforcer.claim(balance))

    def spent(self) -> Spent:
        """What has been charged so far: bookkeeping, not a claim; see `Spent`."""
        return Spent(self._ask(lambda enforcer, balance: enforcer.components(balance)))

    def report(self) -> RiskReport:
        """The study's guarantee read in terms of attacks, with the facts of the study, amended budgets included."""
        guarantee, spent = self.guarantee(), self.spent()
        entries = self._recorder.entries(self.study)
        return RiskReport(guarantee, study=study_facts(self._desk.settings, self.study, entries, spent))

    def history(self) -> tuple[Release, ...]:
        """Every release in order, with its cost and what became of it."""
        return releases(self._recorder.entries(self.study))

    def pending(self) -> tuple[Release, ...]:
        """Releases that were charged and never resolved: in flight, or left by a crash. They count as spent."""
        left = self._recorder.pending(self.study)
        return tuple(release(entry, None) for entry in left if entry.kind is not Kind.PLAN)

    def planned(self) -> tuple[Release, ...]:
        """Releases that were declared with `Accountant.plan` and not made yet. They are part of the claim."""
        left = self._recorder.pending(self.study)
        return tuple(release(entry, None) for entry in left if entry.kind is Kind.PLAN)

    def verify(self, *, against: str | None = None) -> Verification:
        """Recompute the ledger's chain of hashes and every balance of this study.

        Args:
            against: The head that an earlier check or export returned, kept elsewhere. A ledger that does not contain that
                entry was replaced, or restored from a copy that is older than it.

        Raises:
            LedgerCorruptedError: Names the first entry that does not agree.
        """
        return verify(self._recorder, self.study, against=against)

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

    def __repr__(self) -> str:
        return f"{type(self).__name__}(study={self.study!r}, budget={self.budget!r}, ledger={self._recorder.name!r})"

    def _ask(self, question: Callable[[Enforcer, Balance], T]) -> T:
        """Put a question to the balance under the terms as they are now; another process may have amended them."""

        def answer(balance: Balance) -> tuple[Settings, T]:
            settings = current(balance)
            return settings, question(settings.enforcer, balance)

        settings, answered = self._recorder.ask(self.study, answer)
        if settings is not self._desk.settings:
            self._desk = attrs.evolve(self._desk, settings=settings)
        return answered
