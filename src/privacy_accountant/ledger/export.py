"""A study's ledger as JSON lines, and the check of such a file where there is no ledger."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from privacy_accountant.errors import LedgerCorruptedError, LedgerError
from privacy_accountant.ledger.entries import Entry, Kind, canonical, read
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sealing import Sealer, sealer_of_environment
from privacy_accountant.ledger.verification import Replay, Verification, verify

_LINE = re.compile(r'\{"entry":(\{.*\}),"hash":"([0-9a-f]{64})"\}')


def export_lines(recorder: Recorder, study: str) -> tuple[Verification, tuple[str, ...]]:
    """One line for each entry of a study, which is checked first.

    Raises:
        LedgerCorruptedError: When the ledger does not add up.
    """
    entries = recorder.entries(study)
    # What was written after this reading is in the check and not in the file: the file ends where it ends.
    found = verify(recorder, study, against=entries[-1].hash)
    lines = tuple(f'{{"entry":{entry.body},"hash":"{entry.hash}"}}' for entry in entries)
    return Verification(ok=found.ok, entries=len(entries), head=entries[-1].hash), lines


def verify_export(
    lines: Iterable[str], *, against: str | None = None, sealer: Sealer | None = None
) -> Verification:
    """Check an exported ledger: its chain of hashes, and that the entries fit together.

    Args:
        lines: The lines of the file; an open text file will do.
        against: The hash of an entry that it must contain, such as the head of an earlier export.
        sealer: How entries were hashed; by default as the environment says.

    Raises:
        LedgerCorruptedError: Names the first entry that does not agree.
        LedgerError: When the file is no export, or is sealed with a key that is not there.

    Example:
        >>> import tempfile, pathlib
        >>> from privacy_accountant import Accountant, GDP, Gaussian
        >>> from privacy_accountant.ledger import verify_export
        >>> study = Accountant(budget=GDP(mu=1.0))
        >>> noised = study.release(842, Gaussian(sigma=3, sensitivity=1), label="admissions")
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "audit.jsonl"
        >>> exported = study.export(file)
        >>> with file.open() as lines:
        ...     verify_export(lines) == exported
        True
    """
    entries = _entries(lines)
    first = next(entries, None)
    if first is None or first.kind is not Kind.OPEN:
        raise LedgerError("an exported ledger begins with the entry that opens a study")
    held = sealer or sealer_of_environment()
    if (objection := held.objection(canonical(first.draft.settings))) is not None:
        raise LedgerError(f"{first.study}: {objection}")
    replay = Replay(first.study, held)
    replay.take(first)
    for entry in entries:
        replay.take(entry)
    return replay.found(against)


def _entries(lines: Iterable[str]) -> Iterator[Entry]:
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line.rstrip("\r\n"))
        if match is None:
            raise LedgerCorruptedError(f"line {number} is not an exported entry", entry=number)
        yield read(match[1], match[2], number)
