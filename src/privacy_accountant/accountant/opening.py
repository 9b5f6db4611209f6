"""Beginning a study, or continuing the one that the ledger holds."""

from __future__ import annotations

from typing import Any

import attrs

from privacy_accountant.accountant.budgets.settings import Settings, Terms, Within, read_settings
from privacy_accountant.accountant.desk import Desk
from privacy_accountant.errors import (
    InvalidParameterError,
    LedgerCorruptedError,
    LedgerError,
    NeighborsMismatchError,
    PrivacyAccountantError,
)
from privacy_accountant.ledger import Recorder, open_recorder


def begin(recorder: Recorder, study: str, terms: Terms, location: str | None = None) -> Desk:
    """Create a study under the terms that are stated, or continue it when they are what the ledger holds.

    Args:
        recorder: The ledger.
        study: Name of the study.
        terms: What is stated.
        location: Where the account is in which the study is stated to lie; None when that is not stated.

    Raises:
        BudgetMismatchError: When a stated term differs from what the ledger holds.
        InvalidParameterError: When the study is new and no budget is stated.
        LedgerCorruptedError: When the ledger does not hold what its hashed entries say.
    """
    if terms.within is not None and terms.within.ledger == recorder.address:
        terms = attrs.evolve(terms, within=attrs.evolve(terms.within, ledger=None))
    outer = None if terms.within is None else _reach(terms.within, recorder, location)
    try:
        settings = _settle(recorder, study, terms, outer)
    except BaseException:
        if outer is not None and outer.recorder is not recorder:
            outer.recorder.close()
        raise
    if settings.within is None:
        return Desk(recorder, study, settings)
    desk = Desk(recorder, study, settings, _opened(recorder, study), outer)
    if outer is not None:
        return desk
    try:
        return attrs.evolve(desk, outer=_reach(settings.within, recorder))
    except PrivacyAccountantError as error:
        # Questions about the study itself have answers without the account; nothing is charged without it.
        return attrs.evolve(desk, missing=str(error))


def _settle(recorder: Recorder, study: str, terms: Terms, outer: Desk | None) -> Settings:
    """The terms of a study, which is created when it is not there."""
    head = recorder.find(study)
    if head is None:
        if terms.budget is None:
            held = ", ".join(map(repr, recorder.studies())) or "none"
            raise InvalidParameterError(
                "study", f"one that the ledger holds ({held}), or new with a budget", study
            )
        settings = terms.settle()
        if outer is not None:
            _require_compatible(settings, outer)
        # Another process may have created it in the meantime: what comes back is what the ledger holds.
        head = recorder.create(study, settings.write(recorder.sealer.name), settings.enforcer.size)
    settings = read_settings(head.settings)
    settings.require(study, terms)
    if not settings.enforcer.implies_budget():
        raise LedgerCorruptedError(f"{study}: the limits that the ledger holds do not imply its budget")
    return settings


def _reach(within: Within, recorder: Recorder, location: str | None = None) -> Desk:
    """Find the account in which a study lies, over the same connection when it is in the same ledger.

    Args:
        within: The account.
        recorder: The study's own ledger.
        location: Where the account's ledger is; by default where it was when the study was created.

    Raises:
        LedgerError: When it is not there.
    """
    if within.ledger is None:
        return _account(within, recorder)
    other = open_recorder(location or within.ledger, create=False)
    try:
        return _account(within, other)
    except BaseException:
        other.close()
        raise


def account_of(study: object) -> Within:
    """What an open study is called by the studies within it.

    Raises:
        InvalidParameterError: When it is none, or is kept in memory.
    """
    desk = getattr(study, "_desk", None)
    if not isinstance(desk, Desk) or desk.recorder.location is None:
        rule = "a study that Accountant.open opened; one in memory ends before the studies within it"
        raise InvalidParameterError("within", rule, study)
    return Within(desk.study, _opened(desk.recorder, desk.study), desk.recorder.address)


def _opened(recorder: Recorder, study: str) -> str:
    """The hash of a study's first entry."""
    with recorder.snapshot() as work:
        first = work.entry(study, 1)
    return "" if first is None else first.hash


def _account(within: Within, recorder: Recorder) -> Desk:
    head = recorder.find(within.study)
    if head is None or _opened(recorder, within.study) != within.opened:
        raise LedgerError(f"{recorder.name}: this ledger does not hold the account {within.study!r}")
    desk = Desk(recorder, within.study, read_settings(head.settings), within.opened)
    further = desk.settings.within
    return desk if further is None else attrs.evolve(desk, outer=_reach(further, recorder))


def _require_compatible(settings: Settings, outer: Desk) -> None:
    """Check that what a study spends can be counted in the account around it."""
    if not outer.settings.adaptive:
        raise InvalidParameterError(
            "within", "a study whose releases may be chosen as results come in", outer.study
        )
    if outer.settings.neighbors is not settings.neighbors:
        raise NeighborsMismatchError(settings.neighbors, outer.settings.neighbors)


def reopened(cls: Any, *places: tuple[str, str]) -> Any:
    """Another handle on a study, given where it is and where the accounts around it are, the innermost first."""
    (location, study), *around = places
    if not around:
        return cls.open(location, study=study)
    with reopened(cls, *around) as account:
        return cls.open(location, study=study, within=account)
