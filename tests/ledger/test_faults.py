"""Disks that fill up, files that change under the ledger, clocks that run backwards."""

import os
import random
import shutil
import signal
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import LedgerError, PrivacyAccountantError
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


def test_a_clock_that_runs_backwards_changes_no_order(path, monkeypatch):
    ticks = iter(range(1000))

    class Backwards(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2030, 1, 1, tzinfo=timezone.utc) - timedelta(hours=next(ticks))

    monkeypatch.setattr(entries, "datetime", Backwards)
    with begin(path) as study:
        for number in range(4):
            study.release(number, UNIT, label=f"{number}", key=f"{number}")
        times = [line.time for line in study.history()]
        assert times == sorted(times, reverse=True)
        assert [line.label for line in study.history()] == ["0", "1", "2", "3"]
        assert study.verify().entries == 9
        assert study.remaining(UNIT) == 996
