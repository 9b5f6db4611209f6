"""One suite for every recorder."""

import contextlib
import copy
import itertools
import os
import pickle
import threading
from fractions import Fraction

import pytest

from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.ledger import Draft, Kind, verify
from privacy_accountant.ledger.balance import amounts

SETTINGS = {"budget": "1"}


class RefusedError(Exception):
    pass


def begin(recorder, study="ward-7", size=1):
    return recorder.create(study, SETTINGS, size)


def reserve(recorder, cost="1/10", *, limit=1, key=None, study="ward-7"):
    def check(balance):
        if not balance.within((Fraction(limit),), (Fraction(cost),)):
            raise RefusedError

    draft = Draft(Kind.RESERVE, mechanism={"type": "Any"}, cost=(cost,), label="a", key=key, shape=[])
    return recorder.reserve(study, draft, check)


def resolve(recorder, entry, kind=Kind.POST, **fields):
    return recorder.resolve("ward-7", Draft(kind, refers_to=entry, **fields))


def spent(recorder, study="ward-7"):
    return recorder.ask(study, lambda balance: amounts(balance.low, balance.high))


def test_a_new_study_begins_with_its_settings(recorder):
    assert recorder.find("ward-7") is None
    head = begin(recorder)
    assert head.sequence == 1
    assert recorder.find("ward-7") == head
    (first,) = recorder.entries("ward-7")
    assert first.kind is Kind.OPEN
    assert first.draft.settings == SETTINGS
    assert first.hash == head.hash


def test_creating_twice_gives_the_first_one_back(recorder):
    head = begin(recorder)
    assert recorder.create("ward-7", {"budget": "2"}, 3) == head
    assert len(recorder.entries("ward-7")) == 1


def test_studies_are_kept_apart(recorder):
    begin(recorder, "b")
    begin(recorder, "a")
    reserve(recorder, study="a")
    assert recorder.studies() == ("a", "b")
    assert spent(recorder, "a") == (Fraction(1, 10),)
    assert spent(recorder, "b") == (0,)
    assert verify(recorder, "a").entries == 2
    assert verify(recorder, "b").entries == 1


def test_entries_are_chained_in_order(recorder):
    begin(recorder)
    for _ in range(3):
        resolve(recorder, reserve(recorder).entry.sequence, answer=5)
    entries = recorder.entries("ward-7")
    assert [entry.sequence for entry in entries] == [1, 2, 3, 4, 5, 6, 7]
    assert all(after.previous == before.hash for before, after in itertools.pairwise(entries))
    assert all(entry.time.endswith("+00:00") for entry in entries)
    assert entries[2].draft.answer == 5
    found = verify(recorder, "ward-7")
    assert found.ok
    assert found.entries == 7
    assert found.head == entries[-1].hash


def test_ten_tenths_fit_one_and_the_eleventh_does_not(recorder):
    begin(recorder)
    for _ in range(10):
        reserve(recorder)
    with pytest.raises(RefusedError):
        reserve(recorder)
    with pytest.raises(RefusedError):
        reserve(recorder, "1/" + "9" * 400)
    assert spent(recorder) == (1,)
    assert len(recorder.entries("ward-7")) == 11
    assert verify(recorder, "ward-7").ok


def test_a_refusal_writes_nothing_and_smaller_ones_still_go_through(recorder):
    begin(recorder)
    reserve(recorder, "3/4")
    before = recorder.find("ward-7")
    with pytest.raises(RefusedError):
        reserve(recorder, "1/2", key="k")
    assert recorder.find("ward-7") == before
    assert not reserve(recorder, "1/4", key="k").repeated
    assert spent(recorder) == (1,)


def test_a_reserve_is_pending_until_it_is_resolved_once(recorder):
    begin(recorder)
    first, second = (reserve(recorder).entry.sequence for _ in range(2))
    assert [entry.sequence for entry in recorder.pending("ward-7")] == [first, second]
    resolve(recorder, first)
    assert [entry.sequence for entry in recorder.pending("ward-7")] == [second]
    for kind in (Kind.POST, Kind.FAIL, Kind.VOID):
        with pytest.raises(LedgerError, match="entry 2 is not pending"):
            resolve(recorder, first, kind)
    assert verify(recorder, "ward-7").ok


def test_a_failure_stays_spent_and_a_void_is_given_back(recorder):
    begin(recorder)
    kept, back = reserve(recorder, "1/3").entry.sequence, reserve(recorder, "1/7").entry.sequence
    resolve(recorder, kept, Kind.FAIL)
    resolve(recorder, back, Kind.VOID, reason="the power went before the data was read")
    assert spent(recorder) == (Fraction(1, 3),)
    assert recorder.ask("ward-7", lambda balance: dict(balance.counts())) == {'["1/3"]': 1}
    assert recorder.entries("ward-7")[-1].draft.reason == "the power went before the data was read"
    assert verify(recorder, "ward-7").ok


def test_a_key_finds_its_reserve_and_what_became_of_it(recorder):
    begin(recorder)
    first = reserve(recorder, key="march")
    assert not first.repeated
    again = reserve(recorder, key="march", limit=0)
    assert again.repeated
    assert again.entry == first.entry
    assert again.resolution is None
    resolve(recorder, first.entry.sequence, answer=12)
    assert reserve(recorder, key="march").resolution.draft.answer == 12
    assert spent(recorder) == (Fraction(1, 10),)


def test_only_reserves_can_be_resolved_and_only_by_resolutions(recorder):
    begin(recorder)
    with pytest.raises(LedgerError, match="entry 1 is not pending"):
        resolve(recorder, 1)
    with pytest.raises(LedgerError, match="entry 99 is not pending"):
        resolve(recorder, 99)
    with pytest.raises(InvalidParameterError, match="draft"):
        resolve(recorder, 1, Kind.OPEN)


def test_an_unknown_study_is_named(recorder):
    begin(recorder, "a")
    for question in (
        recorder.entries,
        recorder.pending,
        lambda name: verify(recorder, name),
        lambda name: spent(recorder, name),
    ):
        with pytest.raises(LedgerError, match="holds no study 'zz'"):
            question("zz")


def test_threads_never_spend_more_than_there_is(recorder):
    begin(recorder)
    taken = []

    def work():
        for _ in range(5):
            with contextlib.suppress(RefusedError):
                taken.append(resolve(recorder, reserve(recorder).entry.sequence))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 10
    assert spent(recorder) == (1,)
    assert verify(recorder, "ward-7").entries == 21


def test_a_closed_recorder_refuses(recorder):
    begin(recorder)
    recorder.close()
    recorder.close()
    with pytest.raises(LedgerError, match="closed"):
        recorder.find("ward-7")


def test_a_recorder_cannot_be_copied(recorder):
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(LedgerError):
            duplicate(recorder)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_never_shares_the_balance(recorder):
    begin(recorder)
    reserve(recorder, "1/2")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            reserve(recorder, "1/4")
            status = 10
        except LedgerError:
            status = 20
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    shared = recorder.location is not None
    assert status == (10 if shared else 20)
    assert spent(recorder) == (Fraction(3, 4) if shared else Fraction(1, 2),)
    reserve(recorder, "1/4")
    assert verify(recorder, "ward-7").ok
