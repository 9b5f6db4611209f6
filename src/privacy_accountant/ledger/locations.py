"""From the name of a place to the recorder that keeps a ledger there."""

from __future__ import annotations

import os
from pathlib import Path

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sealing import Sealer, sealer_of_environment

_RULE = "the path of a file, or a sqlite:///file or postgresql+psycopg://host/name URL"
_POSTGRES = ("postgresql", "postgresql+psycopg")


def open_recorder(location: str | os.PathLike[str], *, create: bool) -> Recorder:
    """Open the ledger at a path or URL, sealed with the environment's key if there is one.

    Args:
        location: A path, a `sqlite:///` URL, or a `postgresql+psycopg://` URL.
        create: Whether to create one where there is none.

    Raises:
        InvalidParameterError: For another kind of URL, or a database in memory.
        LedgerError: When the ledger cannot be opened.
        MissingExtraError: For PostgreSQL without the `postgres` extra.
    """
    # A study in memory needs no database, so SQLAlchemy is loaded only here.
    sealer = sealer_of_environment()
    if isinstance(location, str) and location.partition("://")[0] in _POSTGRES:
        return _open_postgres(location, create, sealer)
    path = sqlite_path(location)
    from privacy_accountant.ledger.sqlite import SqliteRecorder  # noqa: PLC0415

    return SqliteRecorder(path, create=create, sealer=sealer)


def sqlite_path(location: object) -> Path:
    """The file that a path or a `sqlite:///` URL names, absolute."""
    if not isinstance(location, (str, os.PathLike)) or isinstance(text := os.fspath(location), bytes):
        raise InvalidParameterError("url_or_path", _RULE, location)
    if "://" in text:
        scheme, _, text = text.partition(":///")
        if scheme != "sqlite":
            raise InvalidParameterError("url_or_path", _RULE, _Scheme(scheme.partition("://")[0]))
        if "?" in text:
            raise InvalidParameterError(
                "url_or_path", f"{_RULE}; a sqlite:/// URL takes no options", location
            )
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidParameterError("url_or_path", f"{_RULE}, in characters that a file can have", location)
    if not text or text == ":memory:":
        raise InvalidParameterError(
            "url_or_path", f"{_RULE}; a study in memory is Accountant(budget=...)", location
        )
    return Path(text).absolute()


def _open_postgres(location: str, create: bool, sealer: Sealer) -> Recorder:
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    from privacy_accountant.ledger.postgres import PostgresRecorder  # noqa: PLC0415

    try:
        url = make_url(location)
    except (ArgumentError, ValueError):
        # What was given may hold a password.
        raise InvalidParameterError("url_or_path", _RULE, _Scheme(location.partition("://")[0])) from None
    return PostgresRecorder(url, create=create, sealer=sealer)


class _Scheme(str):
    """What an error quotes of a URL, which may hold a password."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{self!s}://..."
