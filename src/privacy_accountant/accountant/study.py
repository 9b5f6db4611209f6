"""What can be asked of a study, without changing it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

import attrs

from privacy_accountant.accountant.auditing import require_charged_around
from privacy_accountant.accountant.budgets.enforcement import Enforcer
from privacy_accountant.accountant.budgets.limits import Budget
from privacy_accountant.accountant.budgets.partitioning import Partitions, read_partition
from privacy_accountant.accountant.budgets.previews import Preview, fits, preview, read_list
from privacy_accountant.accountant.budgets.settings import Settings, current
from privacy_accountant.accountant.desk import Desk
from privacy_accountant.accountant.history import release, releases
from privacy_accountant.accountant.records import Receipt, Release, Spent
from privacy_accountant.accountant.reporting import study_facts
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

    def remaining(self, mechanism: Mechanism, *, partition: Partitions = None) -> int | float:
        """How many more releases of a mechanism fit, in these partitions or in all; infinity when they cost nothing."""
        quote = self._desk.quote(mechanism, partition)
        rooms = [self._ask(lambda enforcer, balance: enforcer.room(balance, quote), quote.partition)]
        rooms += [account.room(mechanism) for account in self._desk.around()]
        return min((room for room in rooms if room is not None), default=float("inf"))

    def can_afford(self, mechanism: Mechanism, count: int = 1, *, partition: Partitions = None) -> bool:
        """Whether `count` more releases of a mechanism fit, in these partitions or in all."""
        quote = self._desk.quote(mechanism, partition)
        times = integer(count, "count", "an integer >= 1", least=1)
        here = self._ask(lambda enforcer, balance: enforcer.admits(balance, quote, times), quote.partition)
        return here and all(account.affords(mechanism, times) for account in self._desk.around())

    def preview(
        self, releases: Iterable[Mechanism | tuple[Mechanism, int]], *, partition: Partitions = None
    ) -> Preview:
        """What a list of releases would cost in every currency, and whether it fits what is left. Nothing is spent.

        Few releases are often cheapest as sums of epsilon, many as rho or mu squared; the currency of a study is fixed when it
        is created, so ask a study in memory first.

        Args:
            releases: Mechanisms, or pairs of a mechanism and how often.
            partition: The partitions that all of them touch; None for all partitions.

        Example:
            >>> from privacy_accountant import ADP, Accountant, Laplace
            >>> print(Accountant(budget=ADP(1.0)).preview([(Laplace(scale=4, sensitivity=1), 3)]).lines[0])
            ADP: 0.75 of 1 (epsilon); fits
        """
        listed = read_list(releases)
        for mechanism in listed:
            named = self._desk.quote(mechanism, partition).partition
        room = self._ask(lambda _, balance: fits(current(balance).enforcer, balance, listed), named)
        found = preview(self._desk.settings, listed, room)
        around = self._desk.around() if found.fits else ()
        return attrs.evolve(found, fits=found.fits and all(account.fits(listed) for account in around))

    def guarantee(self) -> PrivacyGuarantee:
        """What the study promises.

        With `adaptive=True` it is the budget, whatever part of it is spent; for a `Risk` budget, the guarantee in the study's
        currency that implies it. With `adaptive=False` it is the composition of what was planned and what was released, pending
        and failed releases included, and rests on the statement that the releases *and their number* were fixed before the first result. A study
        that was stopped because of a result promises its budget and nothing smaller.
        """
        return self._ask(lambda enforcer, balance: enforcer.claim(balance))

    def spent(self, *, partition: Partitions = None) -> Spent:
        """What has been charged so far: bookkeeping, not a claim; see `Spent`.

        Args:
            partition: Whose charges, those that touch all included; None for the most of each component in any partition.
        """
        named = None if partition is None else read_partition(partition, self._desk.settings)
        return Spent(self._ask(lambda enforcer, balance: enforcer.components(balance), named))

    def partitions(self) -> tuple[str, ...]:
        """The partitions that releases have named, in alphabetical order."""
        with self._recorder.snapshot() as work:
            return tuple(sorted(name for name, _ in work.totals(self.study)))

    def report(self, *, for_group: Sequence[int] = (), unit: str | None = None) -> RiskReport:
        """The study's guarantee read in terms of attacks, with the facts of the study, amended budgets included.

        Args:
            for_group: Sizes of groups whose records change together, such as `(2, 5)` for households; the report then says
                what each risks as a whole.
            unit: The unit of privacy in words: whose data one record is, such as `"one patient's stays in 2026"`.

        Raises:
            InvalidParameterError: When a size is not an integer of at least 2, or unit is not text.

        Example:
            >>> from privacy_accountant import GDP, Accountant
            >>> report = Accountant(budget=GDP(0.5)).report(for_group=(2,), unit="one patient's stays")
            >>> report.study.unit, report.for_group
            ("one patient's stays", (2,))
        """
        balance, entries = self._recorder.overview(self.study)
        settings = current(balance)
        spent = Spent(settings.enforcer.components(balance))
        facts = study_facts(settings, self.study, entries, spent, unit)
        return RiskReport(settings.enforcer.claim(balance), study=facts, for_group=tuple(for_group))

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

        In a study that lies within an account, also whether everything it released is charged there, when that can be reached.

        Args:
            against: The head that an earlier check or export returned, kept elsewhere. A ledger that does not contain that
                entry was replaced, or restored from a copy that is older than it.

        Raises:
            LedgerCorruptedError: Names the first entry that does not agree.
        """
        found = verify(self._recorder, self.study, against=against)
        require_charged_around(self._desk)
        return found

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
    def within(self) -> str | None:
        """The account in which the study lies, to which every release is charged as well; None for none."""
        held = self._desk.settings.within
        return None if held is None else held.study

    @property
    def last(self) -> Receipt | None:
        """The receipt of the last release that came through this object; None before the first."""
        return self._last

    def close(self) -> None:
        """Close the ledger; a closed accountant refuses everything. A study in memory is gone."""
        self._recorder.close()
        if self._desk.outer is not None:
            for account in self._desk.around():
                account.recorder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(study={self.study!r}, budget={self.budget!r}, ledger={self._recorder.name!r})"

    def _ask(self, question: Callable[[Enforcer, Balance], T], partition: tuple[str, ...] | None = None) -> T:
        """Put a question to the balance under the terms as they are now; another process may have amended them."""

        def read(balance: Balance) -> tuple[Settings, Callable[[], T]]:
            settings = current(balance)
            if not balance.low:
                # Losses that compose may take long, and nobody should have to wait for the ledger meanwhile.
                return settings, functools.partial(question, settings.enforcer, balance.kept())
            answered = question(settings.enforcer, balance)
            return settings, lambda: answered

        settings, answer = self._recorder.ask(self.study, read, partition)
        if settings is not self._desk.settings:
            self._desk = attrs.evolve(self._desk, settings=settings)
        return answer()
