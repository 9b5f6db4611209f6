"""Checking that what a study released was charged to the account around it as well."""

from __future__ import annotations

from privacy_accountant.accountant.desk import Desk
from privacy_accountant.errors import LedgerCorruptedError
from privacy_accountant.ledger import Entry, Kind, Recorder

_ALLOWED: dict[Kind | None, tuple[Kind | None, ...]] = {
    None: (None, Kind.POST, Kind.FAIL),
    Kind.POST: (Kind.POST,),
    Kind.FAIL: (None, Kind.POST, Kind.FAIL),
    Kind.VOID: (None, Kind.VOID),
}
"""What may have become of the outer entry, given what became of the inner one; None for pending."""


def require_charged_around(desk: Desk) -> None:
    """Check every release of a study against the account around it, when that can be reached.

    A release that was published is posted there too; one that counts as spent here was not given back there. After a crash between
    two ledgers more may be charged on the outside, never less.

    Raises:
        LedgerCorruptedError: Names the first entry of the study that is not charged there.
    """
    if desk.outer is None:
        return
    outer = desk.outer
    inside, inner_ends = _charges(desk.recorder, desk.study)
    # Read later, so that it knows of all that the study knows of.
    outside, outer_ends = _charges(outer.recorder, outer.study)
    for sequence, entry in inside.items():
        above = outside.get(entry.draft.within or 0)
        behalf = None if above is None else above.draft.behalf
        ours = behalf is not None and behalf["opened"] == desk.opened and behalf["study"] == desk.study
        if above is None or not ours or above.draft.mechanism != entry.draft.mechanism:
            raise _missing(desk, outer, sequence)
        ended = outer_ends.get(above.sequence)
        if ended not in _ALLOWED[inner_ends.get(sequence)] and ended not in _ALLOWED[_now(desk, sequence)]:
            raise _missing(desk, outer, sequence)


def _charges(recorder: Recorder, study: str) -> tuple[dict[int, Entry], dict[int, Kind]]:
    """The reserves of a study, and what became of them."""
    reserves: dict[int, Entry] = {}
    ends: dict[int, Kind] = {}
    for entry in recorder.entries(study):
        if entry.kind is Kind.RESERVE:
            reserves[entry.sequence] = entry
        elif entry.kind in (Kind.POST, Kind.FAIL, Kind.VOID) and entry.draft.refers_to is not None:
            ends[entry.draft.refers_to] = entry.kind
    return reserves, ends


def _now(desk: Desk, sequence: int) -> Kind | None:
    """What became of a reserve in the meantime."""
    with desk.recorder.snapshot() as work:
        end = work.resolution(desk.study, sequence)
    return None if end is None else end.kind


def _missing(desk: Desk, outer: Desk, sequence: int) -> LedgerCorruptedError:
    return LedgerCorruptedError(
        f"{desk.study}: entry {sequence} is not charged to {outer.study}, the account around it",
        entry=sequence,
    )
