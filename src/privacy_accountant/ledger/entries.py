"""Entries of the ledger: frozen, each holding the hash of the one before it.

What is hashed is the entry's canonical JSON, byte for byte as it is stored. Fields that are absent are left out of it, so an
entry that grows a field later leaves the hashes of older entries as they are.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timezone

import attrs

from privacy_accountant.codec import Json
from privacy_accountant.errors import LedgerCorruptedError

FORMAT = 1
"""Version of the meaning of an entry's fields; a reader refuses a later one."""

GENESIS = "0" * 64
"""The hash before a study's first entry."""


class Kind(enum.Enum):
    """What an entry records."""

    OPEN = "open"
    """The study begins: its budget, relation, currency and adaptivity, fixed."""
    RESERVE = "reserve"
    """A release is charged, before its data is touched."""
    POST = "post"
    """A reserved release is complete; its answer, if this accountant drew it, is the noised value."""
    FAIL = "fail"
    """A reserved release raised after it touched the data: charged, nothing published."""
    VOID = "void"
    """A reserved release was given back, for the reason that stands in the entry."""
    PLAN = "plan"
    """A release that is declared and charged in advance; a reserve that refers to it draws it, and is not charged again."""
    AMEND = "amend"
    """The budget was raised, for the reason that stands in the entry; the settings are the new ones."""
    NOTE = "note"
    """A remark, in the reason; it changes nothing."""


RESOLUTIONS = (Kind.POST, Kind.FAIL, Kind.VOID)


@attrs.frozen
class Draft:
    """What the accountant wants recorded; the ledger adds the order, the time and the hash.

    Attributes:
        kind: What is recorded.
        mechanism: The mechanism, as the codec writes it.
        cost: What it costs in the study's currency: rationals as `p/q` text, one per component.
        label: What the release is, in the steward's words.
        key: The key under which the answer can be asked for again.
        shape: The kind and shape of the value, never the value; None for a spend whose noise is drawn elsewhere.
        refers_to: The reserve that this entry resolves.
        answer: The noised value.
        reason: Why a reserve was voided or the budget amended; the text of a note.
        settings: The study's settings, in its first entry and where they are amended.
        reading: How residues modulo a plaintext modulus were read, with the public bound.
        finish: How the noised value was rounded and clamped.
        stored: Where a result lies that was written to a store, and the hash of what lies there.
        balance: The hash of the study's balance after the entry; the ledger fills it in.
    """

    kind: Kind
    mechanism: Json = None
    cost: tuple[Json, ...] | None = None
    label: str | None = None
    key: str | None = None
    shape: Json = None
    refers_to: int | None = None
    answer: Json = None
    reason: str | None = None
    settings: Json = None
    reading: Json = None
    finish: Json = None
    stored: Json = None
    balance: str | None = None


@attrs.frozen(eq=False)
class Entry:
    """One line of a study's ledger. Two entries are equal when their hashes are.

    Attributes:
        study: Name of the study.
        sequence: Place in the study's ledger, from 1; the entry's name.
        time: When it was written, UTC, ISO 8601.
        previous: Hash of the entry before.
        draft: What is recorded.
        body: The canonical JSON that is hashed.
        hash: SHA-256 of the body, or its HMAC when the ledger is sealed with a key, hexadecimal.
    """

    study: str
    sequence: int
    time: str
    previous: str
    draft: Draft
    body: str = attrs.field(repr=False)
    hash: str

    @property
    def kind(self) -> Kind:
        """What the entry records."""
        return self.draft.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


def digest(body: str) -> str:
    """The SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(body.encode()).hexdigest()


def seal(
    draft: Draft, *, study: str, sequence: int, previous: str, hashed: Callable[[str], str] = digest
) -> Entry:
    """Give a draft its place, time and hash."""
    time = datetime.now(timezone.utc).isoformat(timespec="microseconds")
    fields: dict[str, Json] = {name: value for name in _FIELDS if (value := getattr(draft, name)) is not None}
    fields["kind"] = draft.kind.value
    fields |= {"format": FORMAT, "study": study, "sequence": sequence, "time": time, "previous": previous}
    body = canonical(fields)
    return Entry(study, sequence, time, previous, draft, body, hashed(body))


def read(body: str, hash: str, sequence: int) -> Entry:  # noqa: A002 - the field's name
    """Read a stored entry; its hash is not recomputed here.

    Raises:
        LedgerCorruptedError: When the body is no entry of a format that this version knows.
    """
    try:
        fields = json.loads(body)
        known = fields.pop("format")
        study, number, time, previous = (
            fields.pop(name) for name in ("study", "sequence", "time", "previous")
        )
        kind = Kind(fields.pop("kind"))
        cost = fields.pop("cost", None)
        draft = Draft(kind, cost=None if cost is None else tuple(cost), **fields)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise LedgerCorruptedError(f"entry {sequence} cannot be read", entry=sequence) from None
    if known != FORMAT or number != sequence:
        raise LedgerCorruptedError(
            f"entry {sequence} is out of place or of an unknown format", entry=sequence
        )
    return Entry(study, number, time, previous, draft, body, hash)


def canonical(value: Json) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII, no floats that are no numbers."""
    return _ENCODER.encode(value)


_FIELDS = tuple(field.name for field in attrs.fields(Draft))
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
