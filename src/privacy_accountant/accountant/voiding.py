"""Giving back what a pending release was charged: only what is certain not to have touched data, and never on one side only."""

from __future__ import annotations

import contextlib
from typing import Any, Protocol

from privacy_accountant.accountant import flights
from privacy_accountant.accountant.chains import charged_for
from privacy_accountant.errors import LedgerError, PrivacyAccountantError
from privacy_accountant.ledger import Entry, Kind, Recorder, open_recorder


class Charged(Protocol):
    """A study in a ledger, with the accounts around it."""

    @property
    def recorder(self) -> Recorder:
        """The ledger."""

    @property
    def study(self) -> str:
        """Its name."""

    def around(self) -> tuple[Charged, ...]:
        """The accounts in which it lies, the outermost first."""


def require_grounded(study: str, reserve: Entry | None) -> None:
    """Refuse a release that this process is drawing; keep any other from starting here.

    Raises:
        LedgerError: When it is in flight, or failed in this process.
    """
    if reserve is not None and not flights.ground(reserve.hash):
        raise LedgerError(
            f"{study}: entry {reserve.sequence} is in flight in this process, or failed in it: its data was touched"
        )


def require_voidable(desk: Charged, sequence: int) -> tuple[int, ...]:
    """The entries that charge the accounts around a study for an entry of it, after checking that all can be given back.

    Raises:
        LedgerError: When it is not pending, when an account around has resolved its entry already, or when the entry was charged
            for a study within, which has not given it back.
    """
    entry = _entry(desk.recorder, desk.study, sequence)
    if entry is None:
        return ()
    if entry.draft.behalf is not None:
        _require_given_back(desk, entry)
    if entry.draft.within is None:
        return ()
    if entry not in desk.recorder.pending(desk.study):
        raise LedgerError(f"{desk.study}: entry {sequence} is not pending")
    around = _around(desk, entry)
    for account, above in zip(desk.around(), around, strict=True):
        if above not in account.recorder.pending(account.study):
            raise LedgerError(
                f"{desk.study}: entry {sequence} is not given back, because entry {above.sequence} of {account.study}, which"
                " charges it there, is resolved: its data was touched"
            )
    return tuple(above.sequence for above in around)


def _around(desk: Charged, entry: Entry) -> tuple[Entry, ...]:
    """The entries that charge the accounts around, the outermost first."""
    if entry.draft.within is None:
        return ()
    outer = desk.around()[-1]
    above = _entry(outer.recorder, outer.study, entry.draft.within)
    if above is None:
        raise LedgerError(
            f"{outer.study}: there is no entry {entry.draft.within}, which charges {desk.study}"
        )
    return (*_around(outer, above), above)


def _require_given_back(desk: Charged, entry: Entry) -> None:
    """Check that the study within, for which an account was charged, has no charge of its own that stands.

    It has none where a crash came between the two ledgers: after the account was charged, or before it got its money back.
    """
    behalf: Any = entry.draft.behalf
    name, told = behalf["study"], f"{desk.study}: entry {entry.sequence} was charged for {behalf['study']!r}"
    if behalf["ledger"] is None:
        raise LedgerError(f"{told}; void it there, and both are given back")
    try:
        with contextlib.closing(open_recorder(str(behalf["ledger"]), create=False)) as inner:
            first = _entry(inner, name, 1)
            if first is None or first.hash != behalf["opened"]:
                raise LedgerError(f"{inner.name} holds another study of that name")
            found = charged_for(inner, name, entry.sequence)
    except PrivacyAccountantError as error:
        raise LedgerError(f"{told}, whose ledger must be at hand: {error}") from None
    if found is None or (found[1] is not None and found[1].kind is Kind.VOID):
        return
    stands = "is pending there: void it there" if found[1] is None else "stands: its data was touched"
    raise LedgerError(f"{told}, where entry {found[0].sequence} {stands}")


def _entry(recorder: Recorder, study: str, sequence: int) -> Entry | None:
    with recorder.snapshot() as work:
        return None if work.head(study) is None else work.entry(study, sequence)
