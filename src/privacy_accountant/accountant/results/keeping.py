"""What the ledger keeps of an answer: the answer itself up to a megabyte, a hash and a location beyond."""

from __future__ import annotations

import math
from typing import Any

import attrs

from privacy_accountant.accountant.results.stores import Store, Stored, hash_of
from privacy_accountant.codec import Json
from privacy_accountant.codec.answers import encode_answer

MOST = 125_000
"""Answers of more cells than this, of eight bytes each, are over a megabyte."""


@attrs.frozen
class Kept:
    """An answer and what of it the ledger keeps.

    Attributes:
        answer: What the caller gets.
        written: The answer as the ledger holds it; None when it is too large.
        stored: Where it lies, for one in a store or too large for the ledger.
    """

    answer: Any
    written: Json = None
    stored: Stored | None = None

    def fields(self) -> dict[str, Json]:
        """The fields of a ledger entry that hold it."""
        return {"answer": self.written, "stored": None if self.stored is None else self.stored.write()}


def keep(answer: Any, store: Store | None = None, *, keyed: bool = False) -> Kept:
    """Write an answer to a store, if there is one, and for the ledger: what has a key must be found again."""
    small = cells_of(answer) <= MOST or (keyed and store is None)
    written = encode_answer(answer) if small else None
    if store is not None:
        return Kept(answer, written, store.seal(encode_answer(answer, store.add)))
    return Kept(answer, written, None if written is not None else Stored(hash_of(answer)))


def cells_of(answer: Any) -> int:
    """How many cells an answer of any kind has."""
    if isinstance(answer, (list, tuple)):
        return sum(map(cells_of, answer))
    shape = getattr(answer, "shape", ())
    return math.prod(shape) if isinstance(shape, tuple) else 1
