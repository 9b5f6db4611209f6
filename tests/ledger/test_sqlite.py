import os
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest

from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.ledger import Draft, Kind, verify
from privacy_accountant.ledger.locations import open_recorder, sqlite_path
from privacy_accountant.ledger.sqlite import SqliteRecorder


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


def write(path, releases=3):
    recorder = SqliteRecorder(path)
    recorder.create("a", {"budget": "1"}, 1)
    for i in range(releases):
        draft = Draft(Kind.RESERVE, mechanism={}, cost=("1/10",), label="x", key=f"k{i}", shape=[])
        entry = recorder.reserve("a", draft, lambda balance: None).entry.sequence
        recorder.resolve("a", Draft(Kind.POST, refers_to=entry, answer=i))
    recorder.close()


def edit(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def check(path):
    recorder = SqliteRecorder(path)
    try:
        return verify(recorder, "a")
    finally:
        recorder.close()


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
def test_the_files_are_its_owners_alone_whatever_the_umask(path):
    before = os.umask(0)
    try:
        recorder = SqliteRecorder(path)
        recorder.create("a", {}, 1)
        modes = {item.name: stat.S_IMODE(item.stat().st_mode) for item in path.parent.iterdir()}
        recorder.close()
    finally:
        os.umask(before)
    assert modes
    assert set(modes.values()) == {0o600}


def test_every_commit_reaches_the_disk(path):
    recorder = SqliteRecorder(path)
    with recorder.transaction(write=True) as work:
        pragma = work._connection.exec_driver_sql
        assert pragma("PRAGMA synchronous").scalar() == 2
        assert pragma("PRAGMA journal_mode").scalar() == "wal"
        assert pragma("PRAGMA foreign_keys").scalar() == 1
    recorder.close()


def test_what_was_written_is_there_after_reopening(path):
    write(path)
    assert check(path).entries == 7


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ("UPDATE ledger_entries SET body = replace(body, '1/10', '1/90') WHERE sequence = 2", 2),
        (
            'UPDATE ledger_entries SET body = replace(body, \'"label":"x"\', \'"label":"y"\') WHERE sequence = 4',
            4,
        ),
        ("UPDATE ledger_entries SET body = body || ' ' WHERE sequence = 5", 5),
        ("UPDATE ledger_entries SET hash = '00' WHERE sequence = 3", 3),
        ("UPDATE ledger_entries SET key = 'other' WHERE sequence = 4", 4),
        ("UPDATE ledger_entries SET kind = 'void' WHERE sequence = 3", 3),
        ("UPDATE ledger_entries SET body = '{' WHERE sequence = 6", 6),
        ("DELETE FROM ledger_entries WHERE sequence = 4", 4),
        ("DELETE FROM ledger_entries WHERE sequence >= 6", 6),
        ("UPDATE ledger_studies SET hash = 'ff'", None),
        ("UPDATE ledger_studies SET settings = '{}'", None),
        ("UPDATE ledger_totals SET low = '[0]', high = '[0]'", None),
        ("UPDATE ledger_totals SET low = 'x'", None),
        ("UPDATE ledger_balances SET count = 1", None),
        ("DELETE FROM ledger_balances", None),
        ("INSERT INTO ledger_pending VALUES ('a', 2)", None),
    ],
)
def test_any_change_is_found_and_named(path, statement, entry):
    write(path)
    edit(path, statement)
    with pytest.raises(LedgerCorruptedError) as caught:
        check(path)
    assert caught.value.entry == entry


def test_opening_looks_at_the_end_of_the_chain(path):
    write(path)
    edit(path, "DELETE FROM ledger_entries WHERE sequence = 7")
    recorder = SqliteRecorder(path)
    with pytest.raises(LedgerCorruptedError, match="last entry"):
        recorder.find("a")
    recorder.close()


def test_flipped_bytes_never_pass_unnoticed(path):
    write(path)
    whole = path.read_bytes()
    found = whole.find(b'"1/10"')
    assert found > 0
    path.write_bytes(whole[: found + 2] + b"." + whole[found + 3 :])
    with pytest.raises(LedgerError):
        check(path)


def test_a_truncated_file_is_refused(path):
    write(path)
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(LedgerError):
        check(path)


def test_a_later_schema_is_refused(path):
    write(path)
    edit(path, "UPDATE ledger_schema SET version = 3")
    with pytest.raises(LedgerError, match="schema version 3; this version reads up to 2"):
        SqliteRecorder(path)


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to have a header ......" * 20])
def test_a_file_that_is_something_else_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(LedgerError):
        SqliteRecorder(path)
    assert path.read_bytes() == content


def test_another_database_is_refused_and_left_alone(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="not a ledger"):
        SqliteRecorder(path)
    assert sqlite3.connect(path).execute("SELECT name FROM sqlite_master").fetchall() == [("other",)]


def test_a_ledger_that_is_to_continue_must_be_there(path):
    with pytest.raises(LedgerError, match="no ledger is here"):
        SqliteRecorder(path, create=False)
    assert not path.exists()
    with pytest.raises(LedgerError, match="No such file or directory"):
        SqliteRecorder(path / "deeper" / "ledger.db")
    with pytest.raises(LedgerError):
        SqliteRecorder(path.parent)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_file_says_so(path):
    write(path)
    path.chmod(0o400)
    with pytest.raises(LedgerError, match="Permission denied"):
        SqliteRecorder(path)


def test_a_writer_that_does_not_let_go_is_reported(path):
    write(path)
    recorder = SqliteRecorder(path, patience=0.05)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="locked"):
        recorder.create("b", {}, 1)
    holder.execute("ROLLBACK")
    holder.close()
    recorder.create("b", {}, 1)
    recorder.close()


def test_errors_of_the_database_do_not_quote_what_was_written(path):
    recorder = SqliteRecorder(path)
    recorder.create("a", {}, 1)
    edit(path, "DROP TABLE ledger_pending")
    with pytest.raises(LedgerError) as caught:
        recorder.reserve("a", Draft(Kind.RESERVE, cost=("1",), label="secret label"), lambda balance: None)
    assert "secret label" not in str(caught.value)
    assert caught.value.__cause__ is None
    recorder.close()


def test_many_threads_may_open_a_new_file_at_once(path):
    errors = []

    def work():
        try:
            recorder = SqliteRecorder(path)
            recorder.create("a", {}, 1)
            recorder.close()
        except LedgerError as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert check(path).entries == 1


FORKING = """
import os, sys
from privacy_accountant.ledger import Draft, Kind, verify
from privacy_accountant.ledger.sqlite import SqliteRecorder

def charge(recorder):
    recorder.reserve("a", Draft(Kind.RESERVE, cost=("1",), label="x"), lambda balance: None)

recorder = SqliteRecorder(sys.argv[1])
recorder.create("a", {}, 1)
for _ in range(5):
    charge(recorder)
    child = os.fork()
    if child == 0:
        charge(recorder)
        sys.exit(0)  # an ordinary exit, which tears the interpreter down
    charge(recorder)
    assert os.waitpid(child, 0)[1] == 0
    charge(recorder)
assert verify(recorder, "a").entries == 21
"""


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_children_that_exit_leave_the_parents_connection_whole(path):
    subprocess.run([sys.executable, "-c", FORKING, str(path)], check=True, timeout=60)
    assert check(path).entries == 21


@pytest.mark.parametrize(
    "location",
    [3, None, b"x", "", ":memory:", "sqlite://", "sqlite:///", "mysql://host/db", "sqlite:///:memory:"],
)
def test_only_files_are_locations(location):
    with pytest.raises(InvalidParameterError, match="url_or_path must be the path of a file"):
        open_recorder(location, create=True)


def test_paths_and_urls_name_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        sqlite_path("x.db")
        == sqlite_path("sqlite:///x.db")
        == sqlite_path(f"sqlite:///{tmp_path}/x.db")
        == tmp_path / "x.db"
    )
