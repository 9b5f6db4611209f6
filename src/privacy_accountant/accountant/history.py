"""A study's entries as releases."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from privacy_accountant.accountant.records import Release
from privacy_accountant.accountant.results.stores import read_location
from privacy_accountant.codec import Json, decode
from privacy_accountant.codec.numbers import decode_rational
from privacy_accountant.exact import canonical
from privacy_accountant.ledger import Entry, Kind
from privacy_accountant.ledger.entries import canonical as entry_text
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.grids import read_grid
from privacy_accountant.mechanisms.values.finish import Finish
from privacy_accountant.mechanisms.values.residues import Residues

_STATUS = {Kind.POST: "posted", Kind.FAIL: "failed", Kind.VOID: "voided"}


def releases(entries: Iterable[Entry]) -> tuple[Release, ...]:
    """Every reserve with what became of it, in order."""
    reserves: dict[int, Entry] = {}
    resolved: dict[int, Entry] = {}
    for entry in entries:
        if entry.kind is Kind.RESERVE:
            reserves[entry.sequence] = entry
        elif entry.kind in _STATUS and entry.draft.refers_to is not None:
            resolved[entry.draft.refers_to] = entry
    return tuple(release(entry, resolved.get(sequence)) for sequence, entry in reserves.items())


def release(reserve: Entry, resolution: Entry | None) -> Release:
    """One reserve with what became of it."""
    draft = reserve.draft
    mechanism = read_mechanism(draft.mechanism)
    return Release(
        entry=reserve.sequence,
        time=reserve.time,
        label=draft.label or "",
        mechanism=mechanism,
        cost=read_cost(draft.cost or ()),
        status=_status(reserve, resolution),
        key=draft.key,
        written=None if resolution is None else resolution.draft.answer,
        reason=None if resolution is None else resolution.draft.reason,
        residues=None if draft.reading is None else Residues.restore(draft.reading),
        finish=None if draft.finish is None else Finish.restore(draft.finish, _grid_of(draft.mechanism)),
        stored=None if resolution is None else read_location(resolution.draft.stored),
        partition=draft.partition,
        behalf=None if draft.behalf is None else draft.behalf["study"],
        within=draft.within,
        tag=str(draft.mechanism.get("type", "")) if isinstance(draft.mechanism, dict) else "",
    )


def _grid_of(written: Json) -> Fraction | None:
    """The grid of a mechanism as the ledger holds it, whose class may be unknown here."""
    grid = read_grid(decode(written.get("grid"))) if isinstance(written, dict) else None
    return grid if isinstance(grid, Fraction) else None


def _status(reserve: Entry, resolution: Entry | None) -> str:
    if resolution is not None:
        return _STATUS[resolution.kind]
    return "planned" if reserve.kind is Kind.PLAN else "pending"


def read_mechanism(written: Json) -> Mechanism | None:
    """The mechanism of an entry; None when its class is not in the table of this program."""
    try:
        mechanism = _decoded(entry_text(written))
    except (
        ValueError,
        TypeError,
    ):  # an unknown tag; or a class of the caller's own refuses what it once wrote
        return None
    return mechanism if isinstance(mechanism, Mechanism) else None


def read_cost(cost: tuple[Json, ...]) -> tuple[Any, ...]:
    """The cost of an entry: exact numbers, or a guarantee."""
    return tuple(
        canonical(decode_rational(part)) if isinstance(part, str) else _decoded(entry_text(part))
        for part in cost
    )


@functools.lru_cache(maxsize=1024)
def _decoded(text: str) -> Any:
    """What canonical JSON stands for. Mechanisms and guarantees are frozen, and a study repeats a few of them many times."""
    return decode(json.loads(text))
