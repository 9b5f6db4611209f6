"""What only a shared database can do: conflicts that run again, passwords that stay hidden."""

import contextlib
import threading

import pytest
from sqlalchemy import text

from privacy_accountant.errors import InvalidParameterError, LedgerCorruptedError, LedgerError
from privacy_accountant.ledger import Draft, Kind, verify
from privacy_accountant.ledger.locations import open_recorder

CHARGE = Draft(Kind.RESERVE, mechanism={}, cost=("1/10",), label="secret label", key="k", shape=[])


def write(url):
    recorder = open_recorder(url, create=True)
    recorder.create("a", {"budget": "1"}, 1)
    entry = recorder.reserve("a", CHARGE, lambda balance: None).entry.sequence
    recorder.resolve("a", Draft(Kind.POST, refers_to=entry, answer=7))
    return recorder


def edit(recorder, statement):
    with recorder.transaction(write=True) as work:
        work._connection.execute(text(statement))


def test_what_was_written_is_there_after_reopening(postgres_url):
    write(postgres_url).close()
    with contextlib.closing(open_recorder(postgres_url, create=False)) as recorder:
        assert verify(recorder, "a").entries == 3


def test_every_commit_is_serialisable_and_reaches_the_disk(postgres_url):
    with contextlib.closing(open_recorder(postgres_url, create=True)) as recorder:
        with recorder.transaction(write=True) as work:
            ask = work._connection.exec_driver_sql
            assert ask("SHOW transaction_isolation").scalar() == "serializable"
            assert ask("SHOW synchronous_commit").scalar() == "on"
            assert ask("SHOW fsync").scalar() == "on"
        with recorder.transaction(write=False) as work:
            assert work._connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"


def conflict(recorder, state="40001"):
    """What the database says when another writer came first."""
    recorder._connection.exec_driver_sql(f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$")


def test_a_conflict_runs_the_whole_step_again(postgres_url):
    recorder = write(postgres_url)
    seen = []

    def check(balance):
        seen.append(balance.low)
        if len(seen) < 4:
            conflict(recorder, "40P01" if len(seen) == 2 else "40001")

    recorder.reserve("a", Draft(Kind.RESERVE, mechanism={}, cost=("1/10",), label="x", shape=[]), check)
    assert len(seen) == 4
    assert len(set(seen)) == 1
    assert verify(recorder, "a").entries == 4
    recorder.close()


def test_a_conflict_that_does_not_end_is_reported(postgres_url):
    recorder = write(postgres_url)
    recorder._patience = 0.05
    with pytest.raises(LedgerError):
        recorder.reserve("a", Draft(Kind.RESERVE, cost=("1/10",), label="x"), lambda _: conflict(recorder))
    assert verify(recorder, "a").entries == 3
    recorder.close()


def test_other_errors_are_not_retried(postgres_url):
    recorder, seen = write(postgres_url), []

    def check(balance):
        seen.append(balance)
        conflict(recorder, "53100")  # the disk is full

    with pytest.raises(LedgerError):
        recorder.reserve("a", Draft(Kind.RESERVE, cost=("1/10",), label="x"), check)
    assert len(seen) == 1
    assert verify(recorder, "a").entries == 3
    recorder.close()


def test_recorders_that_compete_all_get_their_turn(postgres_url):
    write(postgres_url).close()
    checks = []

    def work():
        recorder = open_recorder(postgres_url, create=False)
        for _ in range(5):
            draft = Draft(Kind.RESERVE, mechanism={}, cost=("1/10",), label="x", shape=[])
            entry = recorder.reserve("a", draft, lambda balance: checks.append(1)).entry.sequence
            recorder.resolve("a", Draft(Kind.POST, refers_to=entry, answer=1))
        recorder.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with contextlib.closing(open_recorder(postgres_url, create=False)) as recorder:
        assert verify(recorder, "a").entries == 3 + 40
    assert len(checks) >= 20


def test_many_may_create_the_tables_at_once(postgres_url):
    errors = []

    def work():
        try:
            recorder = open_recorder(postgres_url, create=True)
            recorder.create("a", {}, 1)
            recorder.close()
        except LedgerError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with contextlib.closing(open_recorder(postgres_url, create=False)) as recorder:
        assert verify(recorder, "a").entries == 1


def test_a_ledger_that_is_to_continue_must_be_there(postgres_url):
    with pytest.raises(LedgerError, match="no ledger is here"):
        open_recorder(postgres_url, create=False)


def test_other_tables_in_the_database_are_nobodys_concern(postgres_url):
    import psycopg

    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE TABLE other (x int)")
    write(postgres_url).close()


def test_changes_are_found_and_named(postgres_url):
    recorder = write(postgres_url)
    edit(recorder, "UPDATE ledger_entries SET body = replace(body, '1/10', '1/90') WHERE sequence = 2")
    with pytest.raises(LedgerCorruptedError) as caught:
        verify(recorder, "a")
    assert caught.value.entry == 2
    recorder.close()


def test_a_server_that_went_away_and_came_back_is_found_again(postgres_url):
    recorder = write(postgres_url)
    with contextlib.closing(open_recorder(postgres_url, create=False)) as other:
        edit(
            other,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
        )
    with pytest.raises(LedgerError):
        recorder.find("a")
    assert verify(recorder, "a").entries == 3
    with recorder.transaction(write=True) as work:
        assert work._connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    recorder.close()


def test_a_later_schema_is_refused(postgres_url):
    recorder = write(postgres_url)
    edit(recorder, "UPDATE ledger_schema SET version = 99")
    recorder.close()
    with pytest.raises(LedgerError, match="schema version 99"):
        open_recorder(postgres_url, create=False)


def test_errors_of_the_database_do_not_quote_what_was_written(postgres_url):
    recorder = write(postgres_url)
    edit(recorder, "DROP TABLE ledger_pending")
    with pytest.raises(LedgerError) as caught:
        recorder.reserve(
            "a", Draft(Kind.RESERVE, cost=("1",), label="secret label", key="z"), lambda balance: None
        )
    assert "secret label" not in str(caught.value)
    assert caught.value.__cause__ is None
    recorder.close()


def test_passwords_are_not_shown():
    url = "postgresql+psycopg://user:swordfish@localhost:1/none"
    with pytest.raises(LedgerError) as caught:
        open_recorder(url, create=True)
    assert "swordfish" not in str(caught.value)
    for wrong in ("mysql://user:swordfish@host/db", "postgresql+psycopg://user:swordfish@host:port/db"):
        with pytest.raises(InvalidParameterError, match="url_or_path") as refused:
            open_recorder(wrong, create=True)
        assert "swordfish" not in str(refused.value)
