"""When a checkpoint is trusted: its settings and balance must be those of hashed entries, so that opening needs no scan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.entries import Entry, canonical, digest
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Head, Transaction


def tally(low: tuple[int, ...], high: tuple[int, ...], counts: Callable[[], Mapping[str, int]]) -> str:
    """The hash of a balance, which every entry holds: of its bounds, or of the counts where costs do not add up."""
    return digest(canonical([list(low), list(high)] if low else dict(counts())))


def trusted(work: Transaction, study: str, sealer: Sealer) -> Head | None:
    """A study's checkpoint, None when there is no such study.

    Raises:
        LedgerCorruptedError: When the last entry is not the one that the checkpoint names, or not what was hashed, or when
            settings or balance are not those of the entries that hold them.
        LedgerError: When it is sealed with a key and there is none, or the other way round.
    """
    head = work.head(study)
    if head is None:
        return None
    last = work.entry(study, head.sequence)
    if last is None or last.hash != head.hash:
        raise LedgerCorruptedError(
            f"{study}: the last entry is not the one the checkpoint names", entry=head.sequence
        )
    if (objection := sealer.objection(head.settings)) is not None:
        raise LedgerError(f"{study}: {objection}")
    if not sealer.holds(last.body, last.hash):
        told = "not what was hashed" if sealer.key is None else "not sealed with this key"
        raise LedgerCorruptedError(f"{study}: the last entry is {told}", entry=head.sequence)
    if last.draft.balance not in (None, tally(head.low, head.high, lambda: work.counts(study))):
        raise LedgerCorruptedError(
            f"{study}: the checkpoint's balance is not the one that the last entry holds"
        )
    _require_settings(work, study, head, sealer)
    return head


def _require_settings(work: Transaction, study: str, head: Head, sealer: Sealer) -> None:
    first = work.entry(study, 1)
    held = first if _holds(first, head) else work.amendment(study)
    if held is None or not _holds(held, head) or not sealer.holds(held.body, held.hash):
        raise LedgerCorruptedError(f"{study}: the checkpoint's settings are not those that the entries hold")


def _holds(entry: Entry | None, head: Head) -> bool:
    return entry is not None and canonical(entry.draft.settings) == head.settings
