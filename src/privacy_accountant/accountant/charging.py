"""Charging releases to a study: what both ways of publishing share, and spending for noise that is drawn elsewhere."""

from __future__ import annotations

import functools
from typing import Any

from privacy_accountant.accountant.budgets.enforcement import Quote
from privacy_accountant.accountant.budgets.partitioning import Partitions
from privacy_accountant.accountant.records import Receipt
from privacy_accountant.accountant.results.treatment import Treatment
from privacy_accountant.accountant.stewardship import StewardedStudy
from privacy_accountant.accountant.words import line_of_text
from privacy_accountant.ledger import Reserved
from privacy_accountant.mechanisms.base import Mechanism

_PUBLIC = "modulus", "at_most", "signed", "clamp", "round_to", "progress"


class ChargedStudy(StewardedStudy):
    """A study that releases are charged to."""

    def spend(
        self, mechanism: Mechanism, *, label: str, key: str | None = None, partition: Partitions = None
    ) -> Receipt:
        """Charge a release whose noise is drawn elsewhere, before it is drawn.

        Returns:
            The receipt. A repeated key spends nothing and gives the receipt of the entry that has it.

        Raises:
            BudgetExceededError: When it does not fit; nothing is spent.
        """
        label = line_of_text(label, "label")
        quote = self._desk.quote(mechanism, partition)
        reserved = self._reserve(quote, label, key, None)
        if reserved.repeated:
            self._desk.stored(reserved)
        else:
            self._desk.post_without_answer(reserved)
        self._last = receipt = self._receipt(reserved, quote)
        return receipt

    def _prepare(
        self, mechanism: Mechanism, label: str, partition: Partitions, public: tuple[Any, ...]
    ) -> tuple[str, Quote, Treatment]:
        """Read what is public about a release, before anything is charged; `public` in the order of `_PUBLIC`."""
        label = line_of_text(label, "label")
        treatment = Treatment.plan(mechanism, label=label, **dict(zip(_PUBLIC, public, strict=True)))
        return label, self._desk.quote(mechanism, partition), treatment

    def _reserve(
        self, quote: Quote, label: str, key: str | None, shape: Any, treatment: Treatment | None = None
    ) -> Reserved:
        key = None if key is None else line_of_text(key, "key")
        return self._desk.reserve(quote, label=label, key=key, shape=shape, treatment=treatment)

    def _receipt(self, reserved: Reserved, quote: Quote) -> Receipt:
        balance = functools.partial(self._desk.spent_after, reserved)
        entry, told = reserved.entry.sequence, (quote.mechanism, quote.shown, reserved.repeated, balance)
        return Receipt(self.study, entry, reserved.entry.draft.label or "", *told, quote.partition)
