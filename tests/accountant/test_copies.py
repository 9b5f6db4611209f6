"""A copy or a pickle is another handle on the same ledger; what an accountant hands out is free of it."""

import copy
import pickle
import threading

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import LedgerError, PrivacyAccountantError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Laplace

TENTH = Laplace(10, 1)
WAYS = {
    "pickle": lambda one: pickle.loads(pickle.dumps(one)),  # noqa: S301 - our own bytes
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}
GIVEN = {
    "last": lambda study: study.last,
    "history": lambda study: study.history(),
    "spent": lambda study: study.spent(),
    "preview": lambda study: study.preview([TENTH]),
    "verify": lambda study: study.verify(),
    "guarantee": lambda study: study.guarantee(),
    "budget": lambda study: study.budget,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("given", GIVEN)
def test_what_was_handed_out_can_be_copied(open_study, way, given):
    study = open_study(budget=ADP(1.0))
    study.release(5, TENTH, label="x", key="k")
    one = GIVEN[given](study)
    other = WAYS[way](one)
    assert other == one
    assert repr(other) == repr(one)


@pytest.mark.parametrize("way", WAYS)
def test_a_receipt_keeps_the_balance_of_its_moment(open_study, way):
    study = open_study(budget=ADP(1.0))
    study.release(5, TENTH, label="x")
    receipt = study.last
    kept = WAYS[way](receipt)
    study.release(5, TENTH, label="x")
    study.close()
    assert kept.balance == receipt.balance
    assert kept.balance.amounts == (0.1, 0.0)
    assert kept.interval == receipt.interval


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_another_handle_wherever_it_lies(tmp_path, way):
    with Accountant.open(tmp_path / "ledger.db", study="a", budget=ADP(0.3)) as study:
        study.release(5, TENTH, label="x")
        (other,) = [WAYS[way](study)] if way == "copy" else WAYS[way]({"study": study}).values()
        other.release(5, TENTH, label="x")
        assert study.remaining(TENTH) == other.remaining(TENTH) == 1
        other.close()
        study.release(5, TENTH, label="the copy was closed, this one was not")


@pytest.mark.parametrize("way", WAYS)
def test_one_in_memory_refuses_wherever_it_lies(way):
    study = Accountant(budget=ADP(0.3))
    with pytest.raises(LedgerError, match="would spend the budget again"):
        WAYS[way](study if way == "copy" else [study])


def test_closing_waits_for_what_other_threads_are_doing(open_study):
    """Whoever comes later is told that the ledger is closed; nothing else is ever raised."""
    study = open_study(budget=ADP(1000.0))
    started, told = threading.Barrier(5), []

    def work():
        started.wait()
        try:
            while True:
                study.release(5, TENTH, label="x")
        except PrivacyAccountantError as error:
            told.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    study.close()
    for thread in threads:
        thread.join()
    assert len(told) == 4
    assert all("closed" in text or "could not record" in text for text in told)
