import hashlib
import json

import pytest

from privacy_accountant.errors import LedgerCorruptedError
from privacy_accountant.ledger import Draft, Kind
from privacy_accountant.ledger.entries import GENESIS, canonical, read, seal

DRAFT = Draft(
    Kind.RESERVE,
    mechanism={"type": "X", "scale": "0.1"},
    cost=("1/10",),
    label="Fälle",
    key="k",
    shape=[2, 3],
)


def test_an_entry_is_what_its_hash_says():
    entry = seal(DRAFT, study="ward-7", sequence=2, previous=GENESIS)
    assert entry.hash == hashlib.sha256(entry.body.encode()).hexdigest()
    assert entry.body.isascii()
    assert json.loads(entry.body) == {
        "format": 1,
        "study": "ward-7",
        "sequence": 2,
        "time": entry.time,
        "previous": GENESIS,
        "kind": "reserve",
        "mechanism": {"type": "X", "scale": "0.1"},
        "cost": ["1/10"],
        "label": "Fälle",
        "key": "k",
        "shape": [2, 3],
    }


def test_an_entry_reads_back_as_it_was_written():
    entry = seal(DRAFT, study="ward-7", sequence=2, previous=GENESIS)
    again = read(entry.body, entry.hash, 2)
    assert again == entry
    assert again.draft == DRAFT
    assert hash(again) == hash(entry)
    assert entry != "entry"


def test_absent_fields_are_left_out_so_that_new_ones_keep_old_hashes():
    body = json.loads(seal(Draft(Kind.POST, refers_to=2), study="a", sequence=3, previous=GENESIS).body)
    assert set(body) == {"format", "study", "sequence", "time", "previous", "kind", "refers_to"}


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"sequence": 5},
        {"kind": "grant"},
        {"unheard_of": 1},
        {"previous": None, "study": None, "kind": None},
    ],
)
def test_what_is_not_understood_is_refused(change):
    fields = json.loads(seal(DRAFT, study="a", sequence=2, previous=GENESIS).body) | change
    with pytest.raises(LedgerCorruptedError) as caught:
        read(canonical(fields), "", 2)
    assert caught.value.entry == 2


@pytest.mark.parametrize("body", ["", "nonsense", "[]", "null", "{}", "1", '{"format": 1}', "[" * 100_000])
def test_a_broken_body_is_refused(body):
    with pytest.raises(LedgerCorruptedError):
        read(body, "", 7)
