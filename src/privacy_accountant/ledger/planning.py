"""Releases that were declared before the first result: charged as a whole, drawn one by one in any order."""

from __future__ import annotations

from privacy_accountant.ledger.entries import Draft, Entry, Kind
from privacy_accountant.ledger.transaction import Transaction


def planned(work: Transaction, study: str) -> tuple[Entry, ...]:
    """The planned releases of a study that were not drawn yet, in order."""
    found = (work.entry(study, sequence) for sequence in work.pending(study))
    return tuple(entry for entry in found if entry is not None and entry.kind is Kind.PLAN)


def plan_for(work: Transaction, study: str, draft: Draft) -> Entry | None:
    """The planned release that a reserve draws: the first of the same mechanism, cost and label. None is planned for partitions."""
    wanted = draft.mechanism, draft.cost, draft.label
    if draft.partition is not None:
        return None
    for entry in planned(work, study):
        if (entry.draft.mechanism, entry.draft.cost, entry.draft.label) == wanted:
            return entry
    return None
