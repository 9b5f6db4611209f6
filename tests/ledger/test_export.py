import os
import stat

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.ledger import verify_export
from privacy_accountant.mechanisms import Laplace

TENTH = Laplace(10, 1)


@pytest.fixture
def exported(tmp_path):
    """The lines of a small study's export, and what the check found."""
    study = Accountant(budget=ADP(1.0))
    for label in ("x", "y"):
        study.release(5, TENTH, label=label)
    study.note("the steward went on leave")
    file = tmp_path / "audit.jsonl"
    found = study.export(file)
    return file.read_text().splitlines(), found


def test_an_export_is_checked_elsewhere(exported):
    lines, found = exported
    assert verify_export(lines) == found
    assert found.entries == len(lines) == 6
    assert verify_export(f"{line}\n" for line in lines) == found


@pytest.mark.parametrize(
    ("change", "entry"),
    [
        (lambda lines: [*lines[:2], lines[2].replace("posted", "failed").replace('"post"', '"fail"')], 3),
        (lambda lines: [lines[0], lines[1].replace("1/10", "1/99"), *lines[2:]], 2),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: [*lines[:2], lines[2] + " ", *lines[3:]], 3),
        (lambda lines: [*lines[:2], "", *lines[3:]], 3),
        (lambda lines: [*lines, lines[-1]], 7),
    ],
)
def test_any_change_is_named(exported, change, entry):
    lines, _ = exported
    with pytest.raises(LedgerCorruptedError) as caught:
        verify_export(change(lines))
    assert caught.value.entry == entry


def test_a_shorter_export_is_found_by_a_head_that_was_kept(exported):
    lines, found = exported
    assert verify_export(lines[:-1]).entries == 5
    with pytest.raises(LedgerCorruptedError, match="older copy"):
        verify_export(lines[:-1], against=found.head)
    assert verify_export(lines, against=verify_export(lines[:-1]).head) == found


@pytest.mark.parametrize("lines", [[], ["x"], ["{}"]])
def test_other_files_are_no_exports(lines):
    with pytest.raises(LedgerError):
        verify_export(lines)


def test_an_export_that_does_not_begin_at_the_beginning_is_refused(exported):
    with pytest.raises(LedgerError):
        verify_export(exported[0][1:])


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_file_is_its_owners_alone_and_never_overwritten(tmp_path):
    study = Accountant(budget=ADP(1.0))
    file = tmp_path / "audit.jsonl"
    study.export(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(LedgerError, match="File exists"):
        study.export(file)
    with pytest.raises(LedgerError, match="No such file"):
        study.export(tmp_path / "nowhere" / "audit.jsonl")


def test_a_copy_restored_from_a_backup_is_detected(tmp_path):
    live, backup = tmp_path / "live.db", tmp_path / "backup.db"
    with Accountant.open(live, study="a", budget=ADP(1.0)) as study:
        study.release(5, TENTH, label="x")
    backup.write_bytes(live.read_bytes())
    with Accountant.open(live, study="a") as study:
        study.release(5, TENTH, label="published, then forgotten")
        head = study.verify().head
    live.write_bytes(backup.read_bytes())
    with Accountant.open(live, study="a") as study:
        assert study.verify().ok
        with pytest.raises(LedgerCorruptedError, match="restored from an older copy"):
            study.verify(against=head)
        with pytest.raises(InvalidParameterError, match="against"):
            study.verify(against=7)


def test_a_later_head_contains_the_earlier_one(tmp_path):
    with Accountant.open(tmp_path / "a.db", study="a", budget=ADP(1.0)) as study:
        head = study.verify().head
        study.release(5, TENTH, label="x")
        assert study.verify(against=head).entries == 3
