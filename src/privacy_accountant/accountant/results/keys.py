"""What a repeated key stands for: one release, and the answer it got."""

from __future__ import annotations

from typing import Any

from privacy_accountant.accountant.budgets.enforcement import Quote
from privacy_accountant.accountant.history import read_mechanism
from privacy_accountant.accountant.results.lazy import reopen
from privacy_accountant.accountant.results.stores import manifest, read_location
from privacy_accountant.codec.answers import decode_answer
from privacy_accountant.errors import InvalidParameterError, LedgerError, ReleaseFailedError
from privacy_accountant.ledger import Draft, Kind, Reserved

_STANDS_FOR = ("label", "shape", "reading", "finish", "partition")
"""What a key stands for besides the mechanism: never the value."""


def require_same(reserved: Reserved, quote: Quote, draft: Draft) -> None:
    """Check that a key is used for what it stands for; the value is never compared.

    Raises:
        InvalidParameterError: When it was used for something else.
    """
    held = reserved.entry.draft
    same_mechanism = held.mechanism == quote.written or read_mechanism(held.mechanism) == quote.mechanism
    same_rest = all(getattr(held, name) == getattr(draft, name) for name in _STANDS_FOR)
    if not (same_mechanism and same_rest):
        told = "the mechanism, label, shape and partition"
        rule = f"new, or used with {told} of entry {reserved.entry.sequence}, which has it"
        raise InvalidParameterError("key", rule, draft.key)


def stored_answer(study: str, reserved: Reserved) -> Any:
    """The answer that a repeated key stands for.

    Raises:
        LedgerError: When its release is pending: it is never drawn again.
        ReleaseFailedError: When it failed.
        InvalidParameterError: When it was voided.
    """
    entry, resolution = reserved.entry.sequence, reserved.resolution
    key = reserved.entry.draft.key
    if resolution is None:
        raise LedgerError(
            f"{study}: key {key!r} is pending (entry {entry}): in flight elsewhere, or left by a crash; it stays"
            " spent and is not drawn again"
        )
    if resolution.kind is Kind.FAIL:
        raise ReleaseFailedError(study, entry)
    if resolution.kind is Kind.VOID:
        raise InvalidParameterError("key", f"a new one (entry {entry} under it was voided)", key)
    stored = read_location(resolution.draft.stored)
    if stored is None or stored.location is None:
        return decode_answer(resolution.draft.answer)
    return reopen(stored, manifest(stored))
