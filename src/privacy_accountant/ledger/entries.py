"""Entries of the ledger: frozen, each holding the hash of the one before it.

What is hashed is the entry's canonical JSON, byte for byte as it is stored. Fields that are absent are left out of it, so an
entry that grows a field later leaves the hashes of older entries as they are.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import json
import time as clock
from collections.abc import Callable
from datetime import datetime, timezone
from json.encoder import encode_basestring_ascii

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
        partition: The partitions that a release touches, sorted; None for one that touches all.
        within: The entry that charges a release to the account in which its study lies.
        behalf: In such an account, the study that a release is made in.
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
    partition: tuple[str, ...] | None = None
    within: int | None = None
    behalf: Json = None


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
        balance: The hash of the study's balance after the entry; None in what is older than this field.
    """

    study: str
    sequence: int
    time: str
    previous: str
    draft: Draft
    body: str = attrs.field(repr=False)
    hash: str
    balance: str | None = None

    @property
    def kind(self) -> Kind:
        """What the entry records."""
        return self.draft.kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


class Written(dict[str, Json]):
    """A JSON object that nobody changes any more, with its canonical text: for what many entries repeat, such as a mechanism."""

    __slots__ = ("text",)

    def __init__(self, value: dict[str, Json]) -> None:
        super().__init__(value)
        self.text = _ENCODER.encode(value)


def digest(body: str) -> str:
    """The SHA-256 of a text, hexadecimal."""
    return hashlib.sha256(body.encode()).hexdigest()


def seal(
    draft: Draft,
    *,
    study: str,
    sequence: int,
    previous: str,
    balance: str | None = None,
    hashed: Callable[[str], str] = digest,
) -> Entry:
    """Give a draft its place, time, balance and hash."""
    time = _now()
    # In the order of canonical JSON, which leaves out what is absent. A test sees to it that no field is forgotten.
    members = (
        f'"answer":{canonical(draft.answer)},' if draft.answer is not None else "",
        f'"balance":"{balance}",' if balance is not None else "",
        f'"behalf":{canonical(draft.behalf)},' if draft.behalf is not None else "",
        f'"cost":{canonical(draft.cost)},' if draft.cost is not None else "",
        f'"finish":{canonical(draft.finish)},' if draft.finish is not None else "",
        f'"format":{FORMAT},',
        f'"key":{canonical(draft.key)},' if draft.key is not None else "",
        f'"kind":"{draft.kind.value}",',
        f'"label":{canonical(draft.label)},' if draft.label is not None else "",
        f'"mechanism":{canonical(draft.mechanism)},' if draft.mechanism is not None else "",
        f'"partition":{canonical(draft.partition)},' if draft.partition is not None else "",
        f'"previous":"{previous}",',
        f'"reading":{canonical(draft.reading)},' if draft.reading is not None else "",
        f'"reason":{canonical(draft.reason)},' if draft.reason is not None else "",
        f'"refers_to":{canonical(draft.refers_to)},' if draft.refers_to is not None else "",
        f'"sequence":{sequence},',
        f'"settings":{canonical(draft.settings)},' if draft.settings is not None else "",
        f'"shape":{canonical(draft.shape)},' if draft.shape is not None else "",
        f'"stored":{canonical(draft.stored)},' if draft.stored is not None else "",
        f'"study":{canonical(study)},',
        f'"time":"{time}",',
        f'"within":{canonical(draft.within)},' if draft.within is not None else "",
    )
    body = f"{{{''.join(members)[:-1]}}}"
    return Entry(study, sequence, time, previous, draft, body, hashed(body), balance)


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
        balance = fields.pop("balance", None)
        lists: Json = {name: tuple(fields.pop(name)) for name in ("cost", "partition") if name in fields}
        draft = Draft(kind, **lists, **fields)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise LedgerCorruptedError(f"entry {sequence} cannot be read", entry=sequence) from None
    if known != FORMAT or number != sequence:
        raise LedgerCorruptedError(
            f"entry {sequence} is out of place or of an unknown format", entry=sequence
        )
    return Entry(study, number, time, previous, draft, body, hash, balance)


def canonical(value: Json) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII, no floats that are no numbers."""
    kind = type(value)
    if kind is str:
        return encode_basestring_ascii(value)
    if kind is int:
        return repr(value)
    if kind is Written:
        text: str = value.text
        return text
    if kind in (list, tuple) and len(value) <= _SHORT:
        # Most values are a few short texts: a general encoder takes longer to begin than to write them.
        return f"[{','.join(map(canonical, value))}]"
    return _ENCODER.encode(value)


def _now() -> str:
    """The time, UTC, ISO 8601 to the microsecond; two entries of one second share most of it."""
    seconds, micro = divmod(clock.time_ns() // 1000, 1_000_000)
    return f"{_second(seconds)}.{micro:06d}+00:00"


@functools.lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).replace(tzinfo=None).isoformat()


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_SHORT = 8
