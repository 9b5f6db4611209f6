"""Stores: directories that hold a noised result once and for all, beside a ledger that holds their hash.

A store is claimed by creating its directory, filled with arrays in numpy's plain format, and sealed with a manifest,
`answer.json`, that names every file with its SHA-256. The hash of the manifest stands in the ledger, so whatever is read back is
what was published, or an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from privacy_accountant.codec import Json
from privacy_accountant.codec.answers import decode_answer, encode_answer
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError

_MANIFEST = "answer.json"
_RULE = "a path at which nothing exists, in a directory that does"


@attrs.frozen
class Stored:
    """Where a result lies.

    Attributes:
        sha256: The hash of its manifest; without a location, of the result as the ledger would write it.
        location: The directory; None when only the caller has it.
    """

    sha256: str
    location: str | None = None

    def write(self) -> Json:
        """As the ledger holds it."""
        return {name: value for name, value in attrs.asdict(self).items() if value is not None}


@attrs.frozen
class Store:
    """A directory that is being filled.

    Attributes:
        path: The directory.
    """

    path: Path
    _numbers: Iterator[int] = attrs.field(factory=itertools.count, init=False, repr=False, eq=False)

    @classmethod
    def claim(cls, out: Any) -> Store:
        """Create the directory; of two who claim the same one, one is refused.

        Raises:
            InvalidParameterError: When there is something, or it cannot be created.
        """
        if not isinstance(out, (str, os.PathLike)) or not os.fspath(out):
            raise InvalidParameterError("out", _RULE, out)
        path = Path(out).absolute()
        try:
            path.mkdir(mode=0o700)
        except (OSError, ValueError):
            raise InvalidParameterError("out", _RULE, out) from None
        return cls(path)

    def add(self, array: NDArray[Any]) -> Json:
        """Write an array durably; what comes back names it. Python integers stand in the manifest itself."""
        if array.dtype == object:
            return encode_answer(array)
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        return self._file(f"{next(self._numbers):06d}.npy", buffer.getvalue())

    def seal(self, answer: Json) -> Stored:
        """Write the manifest and say where the result lies."""
        written = self._file(_MANIFEST, json.dumps(answer, sort_keys=True, separators=(",", ":")).encode())
        _flush_names(self.path)
        return Stored(written["sha256"], str(self.path))

    def discard(self) -> None:
        """Remove what was begun."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _file(self, name: str, content: bytes) -> dict[str, Json]:
        with (self.path / name).open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        return {"file": name, "sha256": hashlib.sha256(content).hexdigest()}


def claimed(out: Any) -> AbstractContextManager[Store | None]:
    """A store at a path, removed again when the block raises; None for no path."""
    return contextlib.nullcontext() if out is None else _claimed(out)


@contextlib.contextmanager
def _claimed(out: Any) -> Iterator[Store | None]:
    store = Store.claim(out)
    try:
        yield store
    except BaseException:
        store.discard()
        raise


def manifest(stored: Stored) -> Json:
    """The manifest of a sealed store.

    Raises:
        LedgerError: When it is not there.
        LedgerCorruptedError: When it is not the one that the ledger names.
    """
    return json.loads(_content(Path(stored.location or "") / _MANIFEST, stored.sha256))


def read_location(data: Json) -> Stored | None:
    """Where a ledger entry says that its result lies."""
    return None if data is None else Stored(**data)


def read_stored(stored: Stored, data: Json) -> Any:
    """The answer that a manifest describes, read from its files."""
    return decode_answer(data, lambda named: load_array(str(stored.location), named))


def load_array(location: str, named: Json) -> NDArray[Any]:
    """An array of a store, exactly as it was published.

    Raises:
        LedgerError: When the file is not there.
        LedgerCorruptedError: When it does not hold what was published.
    """
    if "file" not in named:
        return np.asarray(decode_answer(named))
    content = _content(Path(location) / str(named["file"]), named["sha256"])
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))


def hash_of(answer: object) -> str:
    """The hash of an answer, as the ledger would write it with arrays hashed on their own."""

    def digest(array: NDArray[Any]) -> Json:
        if array.dtype == object:
            return encode_answer(array)
        content = hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
        return {"dtype": array.dtype.str, "shape": list(array.shape), "sha256": content}

    text = json.dumps(encode_answer(answer, digest), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _flush_names(path: Path) -> None:
    """Make the names of the files as durable as what is in them, where the system lets a directory be opened."""
    with contextlib.suppress(OSError):
        directory = os.open(path, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)


def _content(path: Path, sha256: str) -> bytes:
    content = None
    with contextlib.suppress(OSError):
        content = path.read_bytes()
    if content is None:
        raise LedgerError(f"the published result is not at {path} any more, and is not drawn again")
    if hashlib.sha256(content).hexdigest() != sha256:
        raise LedgerCorruptedError(f"{path} does not hold what was published")
    return content
