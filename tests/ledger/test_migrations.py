"""Ledgers of an older schema are brought to this one when they are opened, and their entries stay as they are."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import LedgerError
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.ledger import schema
from privacy_accountant.mechanisms import Gaussian

FIRST = Path(__file__).parent / "fixtures" / "ledger-v1.db"


@pytest.fixture
def path(tmp_path):
    shutil.copyfile(FIRST, tmp_path / "old.db")
    return tmp_path / "old.db"


def rows(path, statement, *values):
    connection = sqlite3.connect(path)
    found = connection.execute(statement, values).fetchall()
    connection.close()
    return found


def test_opening_brings_an_old_file_to_this_version_and_leaves_its_entries(path):
    before = rows(path, "SELECT * FROM ledger_entries")
    assert rows(path, "SELECT version FROM ledger_schema") == [(1,)]
    for _ in range(2):
        Accountant.open(path, study="ward-7").close()
        assert rows(path, "SELECT version FROM ledger_schema") == [(schema.VERSION,)]
        assert rows(path, "SELECT * FROM ledger_entries") == before


def test_a_migrated_ledger_has_the_tables_of_a_new_one(path, tmp_path):
    Accountant.open(path, study="ward-7").close()
    Accountant.open(tmp_path / "new.db", study="a", budget=GDP(1.0)).close()
    for table in ("ledger_studies", "ledger_totals", "ledger_entries", "ledger_balances", "ledger_pending"):
        columns = "SELECT name, type, [notnull], pk FROM pragma_table_info(?)"
        assert rows(path, columns, table) == rows(tmp_path / "new.db", columns, table)


def test_a_migrated_study_takes_partitions(path):
    with Accountant.open(path, study="ward-7") as study:
        study.release(5, Gaussian(4, 1), label="x", partition="north")
        assert study.partitions() == ("north",)
        assert study.verify().ok
    with Accountant.open(path, study="ward-7") as study:
        assert study.verify().ok


def test_a_later_schema_is_refused_and_not_touched(path):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE ledger_schema SET version = ?", (schema.VERSION + 1,))
    connection.close()
    with pytest.raises(LedgerError, match=f"this version reads up to {schema.VERSION}"):
        Accountant.open(path, study="ward-7")
    assert rows(path, "SELECT version FROM ledger_schema") == [(schema.VERSION + 1,)]


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_that_open_an_old_file_at_once_migrate_it_once(path):
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with Accountant.open(path, study="ward-7") as study:
                    study.release(5, Gaussian(20, 1), label="x", partition="north")
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 6
    with Accountant.open(path, study="ward-7") as study:
        assert study.verify().ok


def test_a_database_server_is_migrated_in_the_same_way(postgres_url):
    import psycopg

    with Accountant.open(postgres_url, study="a", budget=GDP(1.0)) as study:
        study.release(5, Gaussian(4, 1), label="x")
    with psycopg.connect(postgres_url.replace("+psycopg", "", 1), autocommit=True) as connection:
        connection.execute("ALTER TABLE ledger_studies DROP COLUMN worst")
        connection.execute("DROP INDEX ledger_entries_amendments")
        connection.execute("UPDATE ledger_schema SET version = 1")
    with Accountant.open(postgres_url, study="a") as study:
        study.release(5, Gaussian(4, 1), label="x", partition="north")
        assert study.verify().entries == 5
