import hashlib
import json
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.errors import LedgerCorruptedError
from privacy_accountant.ledger import Draft, Kind, Written, entries
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


TEXTS = st.text(max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**200), 10**200)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=12) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=25,
)


def plain(value):
    """What the standard library writes: the canonical text by definition."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@given(VALUES)
def test_the_canonical_text_is_the_one_of_the_standard_library(value):
    assert canonical(value) == plain(value)
    assert canonical([value]) == canonical((value,)) == plain([value])
    assert (
        canonical({"a": value, "B": 1})
        == canonical(Written({"a": value, "B": 1}))
        == plain({"a": value, "B": 1})
    )


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_what_is_no_number_has_no_text(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical(value)


@given(st.data())
def test_an_entrys_body_is_canonical_whichever_fields_it_has(data):
    """No field is forgotten, and their order is that of canonical JSON."""
    names = [field.name for field in attrs.fields(Draft) if field.name != "kind"]
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True))
    values = {name: data.draw(VALUES.filter(lambda value: value is not None)) for name in chosen}
    kind, study = data.draw(st.sampled_from(Kind)), data.draw(TEXTS)
    balance = data.draw(st.none() | st.just("ab"))
    entry = seal(Draft(kind, **values), study=study, sequence=7, previous=GENESIS, balance=balance)
    fields = values | ({} if balance is None else {"balance": balance})
    fields |= {"format": 1, "study": study, "sequence": 7, "previous": GENESIS, "kind": kind.value}
    assert entry.body == plain(fields | {"time": entry.time})
    assert entry.hash == hashlib.sha256(entry.body.encode()).hexdigest()
    assert entry.balance == balance


@given(st.integers(0, 4 * 10**18))
def test_times_are_iso_8601(nanoseconds):
    """Written from a text of the second that is remembered; compared with what datetime writes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entries, "clock", SimpleNamespace(time_ns=lambda: nanoseconds))
        entry = seal(Draft(Kind.NOTE), study="a", sequence=2, previous=GENESIS)
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=nanoseconds // 1000)
    assert entry.time == moment.isoformat(timespec="microseconds")


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
