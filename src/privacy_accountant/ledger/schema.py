"""The tables of the SQL ledger, and the statements on them. The SQL is what every database speaks.

`ledger_entries` is the record: the body of each entry as it was hashed, beside the columns by which it is looked up. The other
tables are checkpoints, so that no question scans the record: the head and balance of a study, the count of each distinct
cost, the pending reserves. `scope` is empty for the study as a whole, else it is a partition: one that was never named has no row.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    bindparam,
    delete,
    insert,
    literal_column,
    or_,
    select,
    text,
    update,
)

from privacy_accountant.ledger.transaction import WHOLE

VERSION = 2
"""Version of these tables; a ledger with a later one is refused."""

metadata = MetaData()

schema = Table("ledger_schema", metadata, Column("version", Integer, primary_key=True))

studies = Table(
    "ledger_studies",
    metadata,
    Column("study", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("worst", Text, nullable=False, server_default="[]"),
)

totals = Table(
    "ledger_totals",
    metadata,
    Column("study", Text, ForeignKey(studies.c.study), primary_key=True),
    Column("scope", Text, primary_key=True),
    Column("low", Text, nullable=False),
    Column("high", Text, nullable=False),
    sqlite_with_rowid=False,
)

entries = Table(
    "ledger_entries",
    metadata,
    Column("study", Text, ForeignKey(studies.c.study), primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("key", Text),
    Column("refers_to", BigInteger),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
Index(
    "ledger_entries_key",
    entries.c.study,
    entries.c.key,
    sqlite_where=entries.c.key.is_not(None),
    postgresql_where=entries.c.key.is_not(None),
)
Index(
    "ledger_entries_refers_to",
    entries.c.study,
    entries.c.refers_to,
    sqlite_where=entries.c.refers_to.is_not(None),
    postgresql_where=entries.c.refers_to.is_not(None),
)
_amends = text("kind = 'amend'")
Index(
    "ledger_entries_amendments",
    entries.c.study,
    entries.c.sequence,
    sqlite_where=_amends,
    postgresql_where=_amends,
)

balances = Table(
    "ledger_balances",
    metadata,
    Column("study", Text, ForeignKey(studies.c.study), primary_key=True),
    Column("scope", Text, primary_key=True),
    Column("cost_hash", Text, primary_key=True),
    Column("cost", Text, nullable=False),
    Column("count", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

pending = Table(
    "ledger_pending",
    metadata,
    Column("study", Text, ForeignKey(studies.c.study), primary_key=True),
    Column("sequence", BigInteger, primary_key=True),
    sqlite_with_rowid=False,
)

_study: BindParameter[str] = bindparam("in_study")
_sequence = bindparam("in_sequence", type_=BigInteger)
_row = (
    entries.c.sequence,
    entries.c.kind,
    entries.c.key,
    entries.c.refers_to,
    entries.c.body,
    entries.c.hash,
)
# A sum, so that no database walks through the record in its order instead of looking up the few rows that are sorted.
_found_first = entries.c.sequence + literal_column("0")

GET_VERSION = select(schema.c.version)
GET_VERSION_TO_WRITE = GET_VERSION.with_for_update()
SET_VERSION = insert(schema)
RAISE_VERSION = update(schema)

MIGRATIONS = {
    1: (
        text("ALTER TABLE ledger_studies ADD COLUMN worst TEXT DEFAULT '[]' NOT NULL"),
        text(
            "CREATE INDEX ledger_entries_amendments ON ledger_entries (study, sequence) WHERE kind = 'amend'"
        ),
    )
}
"""From a version to the next one: what is added. Entries are never touched, so their hashes stay."""

LIST_STUDIES = select(studies.c.study).order_by(studies.c.study)
GET_HEAD = (
    select(
        studies.c.sequence, studies.c.hash, studies.c.settings, studies.c.worst, totals.c.low, totals.c.high
    )
    .join(totals, totals.c.study == studies.c.study)
    .where(studies.c.study == _study, totals.c.scope == WHOLE)
)
GET_HEAD_TO_WRITE = GET_HEAD.with_for_update(of=studies)
ADD_STUDY = insert(studies)
ADD_TOTAL = insert(totals)
SET_STUDY = (
    update(studies)
    .where(studies.c.study == _study)
    .values(
        sequence=bindparam("sequence"),
        hash=bindparam("hash"),
        settings=bindparam("settings"),
        worst=bindparam("worst"),
    )
)
_this_total = totals.c.study == _study, totals.c.scope == bindparam("in_scope")
GET_TOTAL = select(totals.c.low, totals.c.high).where(*_this_total)
SET_TOTAL = update(totals).where(*_this_total).values(low=bindparam("low"), high=bindparam("high"))
LIST_TOTALS = select(totals.c.scope, totals.c.low, totals.c.high).where(
    totals.c.study == _study, totals.c.scope != WHOLE
)

ADD_ENTRY = insert(entries)
GET_ENTRY = select(*_row).where(entries.c.study == _study, entries.c.sequence == _sequence)
GET_KEYED = (
    select(*_row)
    .where(entries.c.study == _study, entries.c.key == bindparam("in_key"))
    .order_by(_found_first.desc())
    .limit(1)
)
GET_RESOLUTION = (
    select(*_row)
    .where(
        entries.c.study == _study,
        entries.c.refers_to == _sequence,
        or_(*(entries.c.kind == kind for kind in ("post", "fail", "void"))),
    )
    .order_by(_found_first)
    .limit(1)
)
GET_AMENDMENT = (
    select(*_row).where(entries.c.study == _study, _amends).order_by(entries.c.sequence.desc()).limit(1)
)
LIST_ENTRIES = (
    select(*_row)
    .where(entries.c.study == _study, entries.c.sequence > _sequence)
    .order_by(entries.c.sequence)
)

_this_balance = (
    balances.c.study == _study,
    balances.c.scope == bindparam("in_scope"),
    balances.c.cost_hash == bindparam("in_cost_hash"),
)
ADD_TO_COUNT = update(balances).where(*_this_balance).values(count=balances.c.count + bindparam("times"))
ADD_COUNT = insert(balances)
DROP_COUNT = delete(balances).where(*_this_balance, balances.c.count == 0)
LIST_COUNTS = select(balances.c.cost, balances.c.count).where(
    balances.c.study == _study, balances.c.scope == bindparam("in_scope")
)
LIST_ALL_COUNTS = select(balances.c.scope, balances.c.cost, balances.c.count).where(
    balances.c.study == _study, balances.c.scope != WHOLE
)

ADD_PENDING = insert(pending)
DROP_PENDING = delete(pending).where(pending.c.study == _study, pending.c.sequence == _sequence)
LIST_PENDING = select(pending.c.sequence).where(pending.c.study == _study).order_by(pending.c.sequence)
