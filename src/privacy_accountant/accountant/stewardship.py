"""What the steward of a study does besides publishing: amend the budget, void, note, export."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import attrs

from privacy_accountant.accountant.budgets.amending import amended
from privacy_accountant.accountant.budgets.limits import Budget
from privacy_accountant.accountant.budgets.plans import Plan
from privacy_accountant.accountant.budgets.previews import fits, plan_refusal, read_list, read_pairs
from privacy_accountant.accountant.budgets.settings import Settings, current, read_settings
from privacy_accountant.accountant.study import Study
from privacy_accountant.accountant.words import line_of_text
from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.exact import integer
from privacy_accountant.ledger import Balance, Draft, Kind, Verification, export_lines
from privacy_accountant.mechanisms.base import Mechanism


class StewardedStudy(Study):
    """A study that its steward may amend, annotate and export."""

    def void(self, entry: int, *, reason: str) -> None:
        """Give the cost of a pending release back, because it is certain that its data was never touched.

        A release that this process is drawing, or that failed in it, is refused. What another process does cannot be seen from
        here: make sure that it has ended, and that it ended before it read anything.

        Its partitions get it back, and so does the account around the study. On such an account, what was charged for a study
        within is voided through that study, unless a crash came between the two: then nothing of it stands there, which is checked.

        Args:
            entry: The pending entry.
            reason: Why, in writing; the ledger keeps it, and history and report show it.

        Raises:
            LedgerError: When the entry is not pending, or is in flight in this process.
        """
        self._desk.void(integer(entry, "entry", "an integer >= 1", least=1), line_of_text(reason, "reason"))

    def amend(self, *, budget: Budget, reason: str) -> None:
        """Raise the budget, with a written reason; reports show both budgets from then on.

        The claim is then the new budget. It rests on the amendment not having been chosen because of what was published; a
        budget that grows whenever it is used up promises nothing, and reports say when it grew and why. Relation, currency and
        adaptivity stay as they are, and a budget is never lowered: a smaller claim, chosen after results, would depend on them.

        Args:
            budget: The new budget, of the same form, larger.
            reason: Why, in writing.

        Raises:
            InvalidParameterError: When the budget is not a larger one of the same form.

        Example:
            >>> from privacy_accountant import Accountant, GDP
            >>> study = Accountant(budget=GDP(mu=1.0))
            >>> study.amend(budget=GDP(mu=1.5), reason="the board extended the study to June")
            >>> study.budget
            GDP(mu=1.5)
        """
        line = line_of_text(reason, "reason")
        seen = self._ask(lambda _, balance: balance.settings)
        settings = amended(read_settings(seen), budget)

        def check(balance: Balance) -> None:
            if current(balance) != read_settings(seen):
                raise LedgerError(
                    f"{self.study}: the budget was amended in the meantime, to {current(balance).budget!r}"
                )

        draft = Draft(Kind.AMEND, settings=self._written(settings), reason=line)
        self._recorder.remark(self.study, draft, check)
        self._desk = attrs.evolve(self._desk, settings=settings)

    def plan(self, releases: Iterable[tuple[Mechanism, str]]) -> None:
        """Declare releases before the first result, with `adaptive=False`: they are charged as a whole, or not at all.

        Each is then made by `release` or `publishes` with the same mechanism and label, in any order, and is not charged again. From
        now on `guarantee` covers the whole declared plan, made or not: a study that stops early, because of what its first
        results say, has used them. A release outside the plan is charged on top. A planned release touches all partitions.

        Args:
            releases: Pairs of a mechanism and a label; a pair may occur more than once.

        Raises:
            BudgetExceededError: When the plan as a whole does not fit; nothing is charged.
            InvalidParameterError: When the study is adaptive, or what is given is no such list.

        Example:
            >>> from privacy_accountant import Accountant, ADP, Gaussian
            >>> study = Accountant(budget=ADP(1.0, 1e-6), adaptive=False)
            >>> monthly = Gaussian(sigma=20, sensitivity=1)
            >>> study.plan([(monthly, "March"), (monthly, "April")])
            >>> april = study.release(842, monthly, label="April")
            >>> [release.label for release in study.planned()]
            ['March']
        """
        if not isinstance(self._desk.settings.enforcer, Plan):
            raise InvalidParameterError("adaptive", "False for a study that plans its releases", True)
        items = [(mechanism, line_of_text(label, "label")) for mechanism, label in read_pairs(releases)]
        quotes = [(self._desk.quote(mechanism), label) for mechanism, label in items]
        listed = read_list([mechanism for mechanism, _ in items])

        def check(balance: Balance) -> None:
            settings = current(balance)
            if not fits(settings.enforcer, balance, listed):
                raise plan_refusal(self.study, settings, balance, listed)

        drafts = [
            Draft(Kind.PLAN, mechanism=quote.written, cost=quote.cost, label=label) for quote, label in quotes
        ]
        self._recorder.plan(self.study, drafts, check)

    def note(self, text: str) -> None:
        """Put a remark into the ledger; it changes nothing, and an auditor finds it in its place."""
        draft = Draft(Kind.NOTE, reason=line_of_text(text, "text"))
        self._recorder.remark(self.study, draft, lambda _: None)

    def export(self, path: str | os.PathLike[str]) -> Verification:
        """Write the ledger of this study as JSON lines, after checking it; `verify_export` checks the file anywhere.

        Each line holds one entry, byte for byte as it was hashed, and its hash. The file has mode 0600: it holds the noised
        answers, and everything else an auditor needs. Keep the head that comes back in another place than the ledger: `verify`
        can tell later whether the ledger still contains it.

        Args:
            path: A file that does not exist yet.

        Returns:
            What the check found; its `head` is the hash of the last entry.

        Raises:
            LedgerCorruptedError: When the ledger does not add up; nothing is written.
            LedgerError: When the file exists or cannot be written.
        """
        found, lines = export_lines(self._recorder, self.study)
        target = Path(path)
        try:
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise LedgerError(f"{target}: {error.strerror}") from None
        except ValueError:
            raise LedgerError(f"{str(target)!a}: not a path that a file can have") from None
        return found

    def _written(self, settings: Settings) -> object:
        return settings.write(self._recorder.sealer.name)
