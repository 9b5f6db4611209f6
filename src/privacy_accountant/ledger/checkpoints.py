"""When a checkpoint is trusted: its settings and balance must be those of hashed entries, so that opening needs no scan."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from privacy_accountant.codec import Json
from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.balance import Balance
from privacy_accountant.ledger.entries import Entry, canonical, digest
from privacy_accountant.ledger.sealing import Sealer
from privacy_accountant.ledger.transaction import Head, Transaction


def tally(
    head: Head,
    counts: Callable[[], Mapping[str, int]],
    partition: tuple[str, ...] | None,
    alone: Callable[[str], Balance],
) -> str:
    """The hash of a balance, which every entry holds: of its bounds, or of the counts where costs do not add up.

    In a study that has partitions, those of the worst ones and of the ones that the entry names are hashed with it.

    Args:
        head: The checkpoint after the entry.
        counts: How often each distinct cost was charged to the whole study.
        partition: The partitions that the entry names.
        alone: What was charged to a partition alone.
    """
    if not head.worst:
        return _tally_of_bounds(head.low, head.high) if head.low else digest(canonical(dict(counts())))
    names = sorted({*head.worst, *(partition or ())})
    parts: dict[str, Json] = {name: _sums(alone(name), bool(head.low)) for name in names}
    whole: Json = [list(head.low), list(head.high)] if head.low else dict(counts())
    return digest(canonical([whole, list(head.worst), parts]))


def _sums(balance: Balance, additive: bool) -> Json:
    return [list(balance.low), list(balance.high)] if additive else dict(balance.counts())


@functools.lru_cache(maxsize=64)
def _tally_of_bounds(low: tuple[int, ...], high: tuple[int, ...]) -> str:
    """A post has the balance of its reserve."""
    return digest(f"[[{','.join(map(repr, low))}],[{','.join(map(repr, high))}]]")


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

    def alone(name: str) -> Balance:
        low, high = work.total(study, name) or ((), ())
        return Balance(low, high, lambda: work.counts(study, name))

    if last.balance not in (None, tally(head, lambda: work.counts(study), last.draft.partition, alone)):
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
