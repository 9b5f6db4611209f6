"""What a release costs: durable against a bare sqlite3 loop, in memory against other accountants, long against short ledgers."""

import atexit
import importlib.util
import itertools
import json
import sqlite3
import sys
import tempfile
import types
from pathlib import Path

import opendp.prelude as dp
from harness import Comparison
from opendp.combinators import make_fully_adaptive_composition

from privacy_accountant import ADP, Accountant, Laplace
from privacy_accountant.ledger import Draft, Kind
from privacy_accountant.ledger.entries import seal

FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)
NAMES = itertools.count()
COST = Laplace(scale=1000, sensitivity=1)
BUDGET = ADP(epsilon=1_000_000.0)


def path():
    return Path(FOLDER.name) / f"{next(NAMES)}.db"


# ------------------------------------------------------------------------------------------ durable


def durable_study():
    study = Accountant.open(path(), study="bench", budget=BUDGET)
    connection = study._recorder._connect()
    assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    connection.rollback()
    return study


def bare_ledger():
    """The same tables, filled by nothing but sqlite3: the two commits and the reads of a release, without a check or a hash."""
    study = durable_study()
    release(study, 1)
    file = study._recorder.location
    rows = [(entry.body, entry.hash) for entry in study._recorder.entries("bench")]
    study.close()
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous=FULL")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    cost_hash = connection.execute("SELECT cost_hash FROM ledger_balances").fetchone()[0]
    (_, _), reserve, post = rows
    return connection, cost_hash, reserve, post


HEAD = (
    "SELECT s.sequence, s.hash, s.settings, s.worst, t.low, t.high FROM ledger_studies s"
    " JOIN ledger_totals t ON t.study = s.study WHERE s.study = 'bench' AND t.scope = ''"
)
ADD = "INSERT INTO ledger_entries VALUES ('bench', ?, ?, NULL, ?, ?, ?)"
STUDY = "UPDATE ledger_studies SET sequence = ?, hash = ? WHERE study = 'bench'"


def bare_releases(bare, count):
    connection, cost_hash, reserve, post = bare
    run = connection.execute
    for _ in range(count):
        run("BEGIN IMMEDIATE")
        sequence, _, _, _, low, high = run(HEAD).fetchone()
        number = sequence + 1
        run(ADD, (number, "reserve", None, *reserve))
        run(
            "UPDATE ledger_balances SET count = count + 1 WHERE study='bench' AND cost_hash = ?", (cost_hash,)
        )
        run("INSERT INTO ledger_pending VALUES ('bench', ?)", (number,))
        run(STUDY, (number, reserve[1]))
        run("UPDATE ledger_totals SET low = ?, high = ? WHERE study = 'bench'", (low, high))
        run("COMMIT")
        run("BEGIN IMMEDIATE")
        run(HEAD).fetchone()
        run("DELETE FROM ledger_pending WHERE study = 'bench' AND sequence = ?", (number,))
        run(ADD, (number + 1, "post", number, *post))
        run(STUDY, (number + 1, post[1]))
        run("COMMIT")


# ----------------------------------------------------------------------------------------- in memory


def release(study, count):
    for _ in range(count):
        study.release(842, COST, label="bench")


def memory_study(releases):
    study = Accountant(budget=BUDGET)
    release(study, releases)
    return study


def odometer():
    dp.enable_features("contrib", "honest-but-curious")
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    query = make_fully_adaptive_composition(*space, dp.max_divergence())(842)
    return query, dp.m.make_laplace(*space, scale=1000.0)


def query_odometer(held, count):
    query, measurement = held
    for _ in range(count):
        query(measurement)


def diffprivlib_accountant(spends):
    """Only its accountant is loaded: the rest of the package needs an older scikit-learn than is current."""
    found = importlib.util.find_spec("diffprivlib")
    package = types.ModuleType("diffprivlib")
    package.__path__ = list(found.submodule_search_locations)
    sys.modules.setdefault("diffprivlib", package)
    accountant = importlib.import_module("diffprivlib.accountant").BudgetAccountant(epsilon=1e9, delta=0.5)
    accountant.slack = 0.0
    accountant._BudgetAccountant__spent_budget.extend([(0.001, 0)] * spends)
    return accountant


def diffprivlib_spends(accountant, count):
    """Spends at the same length of history: each one is taken back."""
    for _ in range(count):
        accountant.spend(0.001, 0)
        accountant._BudgetAccountant__spent_budget.pop()


# --------------------------------------------------------------------------------------- long ledgers


def long_ledger(releases):
    """A file that holds this many releases, built in bulk, and a study that is open on it; its budget was raised at the start."""
    study = durable_study()
    study.amend(budget=ADP(epsilon=2_000_000.0), reason="bench")
    release(study, 1)
    recorder = study._recorder
    reserve, post = (entry.draft for entry in recorder.entries("bench")[2:])
    with recorder.transaction(write=True) as work:
        head = work.head("bench")
        add_in_bulk(work, head, reserve, post, releases - 1)
    assert study.remaining(COST) == 2_000_000_000 - releases
    return study


def add_in_bulk(work, head, reserve, post, count):
    sequence, previous, rows = head.sequence, head.hash, []
    for number in range(1, count + 1):
        for draft in (reserve, Draft(Kind.POST, refers_to=sequence + 1, answer=post.answer)):
            entry = seal(draft, study="bench", sequence=sequence + 1, previous=previous)
            rows.append(
                ("bench", entry.sequence, entry.kind.value, None, draft.refers_to, entry.body, entry.hash)
            )
            sequence, previous = entry.sequence, entry.hash
        if len(rows) >= 10_000 or number == count:
            work._connection.exec_driver_sql("INSERT INTO ledger_entries VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            rows = []
    run = work._connection.exec_driver_sql
    run("UPDATE ledger_studies SET sequence = ?, hash = ?", (sequence, previous))
    run("UPDATE ledger_balances SET count = count + ?", (count,))
    totals = (json.dumps([hex(end * (count + 1)) for end in ends]) for ends in (head.low, head.high))
    run("UPDATE ledger_totals SET low = ?, high = ?", tuple(totals))


def open_ask_release(study):
    with Accountant.open(study._recorder.location, study="bench") as opened:
        assert opened.can_afford(COST)
        opened.release(842, COST, label="bench", key=f"key {next(NAMES)}")


class Once:
    """Built when it is first needed, outside the measurement."""

    def __init__(self, build):
        self.build = build
        self.built = None

    def get(self):
        if self.built is None:
            self.built = self.build()
        return self.built


DURABLE, BARE = Once(durable_study), Once(bare_ledger)
SHORT_MEMORY, LONG_MEMORY = Once(lambda: memory_study(10)), Once(lambda: memory_study(50_000))
ODOMETER, DIFFPRIVLIB = Once(odometer), Once(lambda: diffprivlib_accountant(1000))
SHORT_FILE, LONG_FILE = Once(lambda: long_ledger(5)), Once(lambda: long_ledger(500_000))
AFTER_THOUSAND = Once(lambda: memory_study(1000))

COMPARISONS = [
    Comparison(
        task="20 durable releases on SQLite, full sync",
        peer_name="bare sqlite3 loop, the same commits and reads",
        ours=lambda: release(DURABLE.get(), 20),
        peer=lambda: bare_releases(BARE.get(), 20),
        goal=2.5,
    ),
    Comparison(
        task="100 releases of an integer in memory",
        peer_name="100 OpenDP odometer queries",
        ours=lambda: release(AFTER_THOUSAND.get(), 100),
        peer=lambda: query_odometer(ODOMETER.get(), 100),
        goal=1.0,
        note="ours keeps the hash-chained history as well; the odometer keeps the sum",
    ),
    Comparison(
        task="10 releases in memory after 1,000 others",
        peer_name="10 diffprivlib spends after 1,000 others",
        ours=lambda: release(AFTER_THOUSAND.get(), 10),
        peer=lambda: diffprivlib_spends(DIFFPRIVLIB.get(), 10),
        goal=0.2,
        note="ours draws the noise too",
    ),
    Comparison(
        task="100 releases in memory at 100,000 entries",
        peer_name="the same at 20 entries",
        ours=lambda: release(LONG_MEMORY.get(), 100),
        peer=lambda: release(SHORT_MEMORY.get(), 100),
        goal=1.25,
    ),
    Comparison(
        task="open, can_afford and a release with a key at 1,000,000 entries on SQLite",
        peer_name="the same at 10 entries",
        ours=lambda: open_ask_release(LONG_FILE.get()),
        peer=lambda: open_ask_release(SHORT_FILE.get()),
        goal=1.25,
    ),
]
