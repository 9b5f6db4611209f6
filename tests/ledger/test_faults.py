"""Disks that fill up, files that change under the ledger or are locked, clocks that run backwards.

A wrong key is in test_sealing, a copy restored from a backup in test_export, kills and races in accountant/test_races.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import LedgerError, PrivacyAccountantError, ReleaseFailedError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.ledger import entries
from privacy_accountant.mechanisms import Laplace

UNIT = Laplace(1000, 1)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
forks = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


def begin(path):
    return Accountant.open(path, study="a", budget=ADP(1.0))


def in_child(work):
    """Run work in a child process; what it returns is its exit status."""
    child = os.fork()
    if child == 0:
        status = 255
        try:
            status = work()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@needs_fork
@forks
@pytest.mark.processes
def test_a_full_disk_publishes_nothing_that_is_not_in_the_ledger(path, tmp_path):
    resource = pytest.importorskip("resource")
    begin(path).close()
    told = tmp_path / "published"

    def work():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        published = os.open(told, os.O_WRONLY | os.O_CREAT)
        with begin(path) as study:
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
            try:
                for _ in range(500):
                    answer = study.release(5, UNIT, label="x" * 200)
                    os.write(published, f"{answer}\n".encode())
            except PrivacyAccountantError:
                return 10
        return 20

    assert in_child(work) == 10
    published = list(map(int, told.read_text().split()))
    with begin(path) as study:
        posted = [line.answer for line in study.history() if line.status == "posted"]
        assert len(published) > 3
        assert posted[: len(published)] == published
        assert study.remaining(UNIT) == 1000 - len(study.history())
        study.release(5, UNIT, label="there is room again")
        assert study.verify().ok


@needs_fork
@forks
@pytest.mark.processes
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else"
)
def test_a_file_that_may_only_be_read_says_so():
    folder = Path(tempfile.mkdtemp())
    try:
        file = folder / "ledger.db"
        with begin(file) as study:
            study.release(5, UNIT, label="x")
        folder.chmod(0o755)
        file.chmod(0o644)

        def work():
            os.setuid(65534)
            try:
                begin(file)
            except LedgerError:
                return 10
            return 20

        assert in_child(work) == 10
        with begin(file) as study:
            assert study.verify().entries == 3
    finally:
        shutil.rmtree(folder)


def test_no_flipped_byte_changes_what_is_read(path):
    """A byte that carries something is missed by nobody; one that carries nothing changes nothing."""
    with begin(path) as study:
        for number in range(8):
            study.release(number, UNIT, label=f"release {number}")
        bodies = [entry.body for entry in study._recorder.entries("a")]
    whole = path.read_bytes()
    dice = random.Random(3)  # noqa: S311 - places to damage
    missed = 0
    for _ in range(150):
        place, bit = dice.randrange(len(whole)), 1 << dice.randrange(8)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        for companion in path.parent.glob("ledger.db-*"):
            companion.unlink()
        try:
            with Accountant.open(path, study="a") as study:
                study.verify()
                assert [entry.body for entry in study._recorder.entries("a")] == bodies
                missed += 1
        except PrivacyAccountantError:
            pass
    assert missed < 150


@pytest.mark.parametrize("kept", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_never_taken_for_a_shorter_ledger(path, kept):
    with begin(path) as study:
        for number in range(8):
            study.release(number, UNIT, label="x" * 500)
        head = study.verify().head
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(PrivacyAccountantError), Accountant.open(path, study="a") as study:
        study.verify(against=head)


def test_a_flipped_byte_in_the_write_ahead_log_never_passes_for_what_was_committed(path, tmp_path):
    """What SQLite cannot read in its log it leaves out: at worst an older ledger, which a head that was kept tells."""
    copy = tmp_path / "copy" / "ledger.db"
    copy.parent.mkdir()
    with begin(path) as study:
        for number in range(8):
            study.release(number, UNIT, label=f"release {number}")
        bodies = [entry.body for entry in study._recorder.entries("a")]
        head = study.verify().head
        whole, log = path.read_bytes(), path.with_name("ledger.db-wal").read_bytes()
    dice = random.Random(4)  # noqa: S311 - places to damage
    found = 0
    for _ in range(60):
        place, bit = dice.randrange(len(log)), 1 << dice.randrange(8)
        copy.write_bytes(whole)
        copy.with_name("ledger.db-wal").write_bytes(
            log[:place] + bytes([log[place] ^ bit]) + log[place + 1 :]
        )
        copy.with_name("ledger.db-shm").unlink(missing_ok=True)
        try:
            with Accountant.open(copy, study="a") as study:
                held = [entry.body for entry in study._recorder.entries("a")]
                assert held == bodies[: len(held)]
                study.verify(against=head)
                assert held == bodies
        except PrivacyAccountantError:
            found += 1
    assert found > 30


@contextlib.contextmanager
def locked(path):
    """Somebody else has the file's write lock and does not give it back."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def begin_impatient(path):
    study = begin(path)
    connection = study._recorder._connect()
    connection.exec_driver_sql("PRAGMA busy_timeout = 50")
    connection.rollback()
    return study


def test_a_locked_file_refuses_before_any_data_is_touched(path):
    touched = []
    with begin_impatient(path) as study:
        cells = study.publishes(UNIT, label="x")(lambda: touched.append(True) or 5)
        with locked(path):
            with pytest.raises(LedgerError, match="locked"):
                cells()
            with pytest.raises(LedgerError, match="locked"):
                study.release(5, UNIT, label="x")
            assert study.remaining(UNIT) == 1000  # reading needs no lock
        assert touched == []
        assert study.history() == ()
        cells()
        assert study.verify().entries == 3


def test_a_file_that_is_locked_after_the_data_was_touched_publishes_nothing(path):
    with begin_impatient(path) as study, contextlib.ExitStack() as stack:

        def cells():
            stack.enter_context(locked(path))
            return 5

        with pytest.raises(ReleaseFailedError, match="must not be voided"):
            study.publishes(UNIT, label="x")(cells)()
        stack.close()
        assert [line.status for line in study.history()] == ["pending"]
        assert study.remaining(UNIT) == 999
        with pytest.raises(LedgerError, match="in flight"):
            study.void(study.pending()[0].entry, reason="it was locked")
        study.verify()


def test_a_clock_that_runs_backwards_changes_no_order(path, monkeypatch):
    hours = iter(range(1000))
    ticks = (int(datetime(2030, 1, 1, tzinfo=timezone.utc).timestamp()) - 3600 * hour for hour in hours)
    monkeypatch.setattr(entries, "clock", SimpleNamespace(time_ns=lambda: next(ticks) * 10**9))
    with begin(path) as study:
        for number in range(4):
            study.release(number, UNIT, label=f"{number}", key=f"{number}")
        times = [line.time for line in study.history()]
        assert times[0] == "2029-12-31T23:00:00.000000+00:00"
        assert times == sorted(times, reverse=True)
        assert [line.label for line in study.history()] == ["0", "1", "2", "3"]
        assert study.verify().entries == 9
        assert study.remaining(UNIT) == 996
