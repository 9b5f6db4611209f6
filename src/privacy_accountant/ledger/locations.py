"""From the name of a place to the recorder that keeps a ledger there."""

from __future__ import annotations

import os
from pathlib import Path

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.ledger.recorder import Recorder

_RULE = "the path of a file or a sqlite:///file URL"


def open_recorder(location: str | os.PathLike[str], *, create: bool) -> Recorder:
    """Open the ledger at a path or URL.

    Args:
        location: A path, or a `sqlite:///` URL.
        create: Whether to create one where there is none.

    Raises:
        InvalidParameterError: For another kind of URL, or a database in memory.
        LedgerError: When the ledger cannot be opened.
    """
    path = sqlite_path(location)
    # A study in memory needs no database, so SQLAlchemy is loaded only here.
    from privacy_accountant.ledger.sqlite import SqliteRecorder  # noqa: PLC0415

    return SqliteRecorder(path, create=create)


def sqlite_path(location: object) -> Path:
    """The file that a path or a `sqlite:///` URL names, absolute."""
    if not isinstance(location, (str, os.PathLike)) or isinstance(text := os.fspath(location), bytes):
        raise InvalidParameterError("url_or_path", _RULE, location)
    if "://" in text:
        scheme, _, text = text.partition(":///")
        if scheme != "sqlite":
            raise InvalidParameterError("url_or_path", _RULE, location)
    if not text or text == ":memory:":
        raise InvalidParameterError(
            "url_or_path", f"{_RULE}; a study in memory is Accountant(budget=...)", location
        )
    return Path(text).absolute()
