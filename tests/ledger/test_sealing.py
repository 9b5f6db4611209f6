import contextlib
import hashlib
import hmac
import json
import sqlite3

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.ledger import Sealer, verify_export
from privacy_accountant.ledger.sealing import VARIABLE
from privacy_accountant.mechanisms import Laplace

TENTH = Laplace(10, 1)
SECRET = "correct horse battery staple"  # noqa: S105 - a test needs one


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


@pytest.fixture
def sealed(path, monkeypatch):
    """A study that was written under a key, and closed."""
    monkeypatch.setenv(VARIABLE, SECRET)
    with Accountant.open(path, study="a", budget=ADP(1.0)) as study:
        study.release(5, TENTH, label="x")
    return path


def bodies(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT body, hash FROM ledger_entries ORDER BY sequence").fetchall()


def rewrite(path, change):
    """What someone does who can write the file and knows the format, but not the key."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        previous = "0" * 64
        rows = connection.execute("SELECT sequence, body FROM ledger_entries ORDER BY sequence").fetchall()
        for sequence, body in rows:
            fields = json.loads(body) | {"previous": previous}
            change(fields)
            text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
            previous = hashlib.sha256(text.encode()).hexdigest()
            connection.execute(
                "UPDATE ledger_entries SET body = ?, hash = ? WHERE sequence = ?", (text, previous, sequence)
            )
        settings = connection.execute("SELECT settings FROM ledger_studies").fetchone()[0]
        settings = json.loads(settings)
        settings["digest"] = "sha256"
        text = json.dumps(settings, sort_keys=True, separators=(",", ":"))
        connection.execute("UPDATE ledger_studies SET hash = ?, settings = ?", (previous, text))


def relabel(fields):
    if fields["kind"] == "reserve":
        fields["label"] = "something else"
    if "settings" in fields:
        fields["settings"]["digest"] = "sha256"


def test_hashes_are_the_standards(sealed):
    for body, found in bodies(sealed):
        assert found == hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()


def test_the_same_key_continues_the_study(sealed):
    with Accountant.open(sealed, study="a") as study:
        study.release(5, TENTH, label="y")
        assert study.verify().entries == 5


def test_another_key_is_detected(sealed, monkeypatch):
    monkeypatch.setenv(VARIABLE, SECRET + "!")
    with pytest.raises(LedgerCorruptedError, match="not sealed with this key"):
        Accountant.open(sealed, study="a")


def test_no_key_is_told_which_one_is_missing(sealed, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(LedgerError, match=f"sealed with a key; set {VARIABLE}"):
        Accountant.open(sealed, study="a")


def test_an_unsealed_study_is_refused_while_a_key_is_set(path, monkeypatch):
    Accountant.open(path, study="a", budget=ADP(1.0)).close()
    monkeypatch.setenv(VARIABLE, SECRET)
    with pytest.raises(LedgerError, match="not sealed with a key"):
        Accountant.open(path, study="a")


def test_rewriting_the_whole_chain_passes_without_a_key(path):
    """Why there is a key: plain hashes can be computed by anybody."""
    with Accountant.open(path, study="a", budget=ADP(1.0)) as study:
        study.release(5, TENTH, label="x")
    rewrite(path, relabel)
    with Accountant.open(path, study="a") as study:
        assert study.verify().ok


def test_rewriting_the_whole_chain_is_detected_with_a_key(sealed):
    rewrite(sealed, relabel)
    with pytest.raises(LedgerError, match="not sealed with a key"):
        Accountant.open(sealed, study="a")


def test_a_forged_entry_is_named(sealed):
    with Accountant.open(sealed, study="a") as study:
        with contextlib.closing(sqlite3.connect(sealed)) as connection, connection:
            connection.execute(
                "UPDATE ledger_entries SET body = replace(body, '1/10', '1/99') WHERE sequence = 2"
            )
        with pytest.raises(LedgerCorruptedError) as caught:
            study.verify()
        assert caught.value.entry == 2


def test_an_export_is_checked_with_the_key_and_only_with_it(sealed, tmp_path, monkeypatch):
    file = tmp_path / "audit.jsonl"
    with Accountant.open(sealed, study="a") as study:
        head = study.export(file)
    lines = file.read_text().splitlines()
    assert verify_export(lines) == head
    assert verify_export(lines, sealer=Sealer(SECRET.encode())) == head
    with pytest.raises(LedgerCorruptedError):
        verify_export(lines, sealer=Sealer(b"another key of some length"))
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(LedgerError, match="sealed with a key"):
        verify_export(lines)


def test_a_short_key_is_refused_and_not_quoted(path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "hunter2")
    with pytest.raises(InvalidParameterError, match=VARIABLE) as caught:
        Accountant.open(path, study="a", budget=ADP(1.0))
    assert "hunter2" not in str(caught.value) + repr(caught.value)


def test_the_key_is_nowhere_to_be_seen(sealed):
    with Accountant.open(sealed, study="a") as study:
        assert SECRET not in repr(study._recorder.sealer) + repr(study) + str(study.report())
    assert SECRET.encode() not in sealed.read_bytes()
