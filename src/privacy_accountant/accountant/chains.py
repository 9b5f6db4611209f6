"""Charging a study and the accounts around it: all of them or none in one ledger, the outermost first across ledgers.

Two databases have no common commit. So the order is such that whatever a crash leaves is charged on the outside: an account is
charged before what lies in it, and given back after it. What a crash leaves there is pending, and counts as spent.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger import Balance, Charge, Draft, Entry, Kind, Recorder, Reserved

T = TypeVar("T")

Resolution = tuple[str, Draft]
"""A study, and what resolves a reserve of it."""

_UNDONE = "refused by what lies within, before any data was touched"


class NotAdmittedError(Exception):
    """Carries out of the transaction that found it in which account a release does not fit, and the balance there."""

    def __init__(self, where: Any, balance: Balance) -> None:
        super().__init__()
        self.where = where
        self.balance = balance.kept()


def charge_all(steps: Sequence[tuple[Recorder, Charge]]) -> tuple[Reserved, ...]:
    """Charge the outermost account first, the study last.

    A refusal further in, or a key that was there already, gives back what was charged in another ledger. Nothing else does: after
    any other error it is not known what was committed.

    Returns:
        A reserve for each; or only the earlier one of the study, when it has the key already.

    Raises:
        NotAdmittedError: When one of them does not admit it; nothing stays charged.
    """
    made: list[tuple[Recorder, list[Resolution]]] = []
    found: list[Reserved] = []
    for recorder, charges in _by_recorder(steps):
        try:
            here = recorder.charge(charges, found[-1].entry.sequence if found else None)
        except NotAdmittedError:
            _give_back(made)
            raise
        if here[-1].repeated:
            _give_back(made)
            return here
        found += here
        undone = [
            (charge.study, Draft(Kind.VOID, refers_to=one.entry.sequence, reason=_UNDONE))
            for charge, one in zip(charges, here, strict=True)
        ]
        made.append((recorder, undone[::-1]))
    return tuple(found)


def resolve_all(
    steps: Iterable[tuple[Recorder, Resolution]], check: Callable[[Entry | None], None] | None = None
) -> None:
    """Resolve reserves ledger by ledger, in the order that is given; the first that is refused ends it."""
    for recorder, resolutions in _by_recorder(steps):
        recorder.resolve_all(resolutions, check)


def fail_all(steps: Iterable[tuple[Recorder, Resolution]]) -> bool:
    """Mark reserves as failed, in every ledger that can be written; whether the last one could."""
    recorded = False
    for recorder, resolutions in _by_recorder(steps):
        recorded = False
        with contextlib.suppress(LedgerError):
            recorder.resolve_all(resolutions)
            recorded = True
    return recorded


def charged_for(recorder: Recorder, study: str, outer: int) -> tuple[Entry, Entry | None] | None:
    """The reserve of a study that an entry of the account around it was charged for, with what resolved it; None for none."""
    with recorder.snapshot() as work:
        for entry in work.entries(study, 0):
            if entry.kind is Kind.RESERVE and entry.draft.within == outer:
                return entry, work.resolution(study, entry.sequence)
    return None


def _give_back(made: list[tuple[Recorder, list[Resolution]]]) -> None:
    """Give back the innermost first; what cannot be given back stays charged."""
    with contextlib.suppress(LedgerError):
        for recorder, undone in reversed(made):
            recorder.resolve_all(undone)


def _by_recorder(steps: Iterable[tuple[Recorder, T]]) -> Iterator[tuple[Recorder, list[T]]]:
    for _, group in itertools.groupby(steps, key=lambda step: id(step[0])):
        together = list(group)
        yield together[0][0], [what for _, what in together]
