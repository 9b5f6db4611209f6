"""An interrupt may strike anywhere in a release, as in a notebook: the study stays whole, and goes on."""

import sys

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import LedgerError, PrivacyAccountantError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import Laplace

UNIT = Laplace(1000, 1)
ROOMS = ("accountant", "ledger")


def interrupted(at, work):
    """Run work and raise KeyboardInterrupt before its at-th line in these rooms; False when it had fewer."""
    lines = iter(range(10**9))

    def trace(frame, event, argument):
        if event == "line" and next(lines) == at:
            raise KeyboardInterrupt
        return trace

    def calls(frame, event, argument):
        return (
            trace
            if any(f"privacy_accountant/{room}/" in frame.f_code.co_filename for room in ROOMS)
            else None
        )

    before = sys.gettrace()
    sys.settrace(calls)
    try:
        work()
    except (KeyboardInterrupt, PrivacyAccountantError):
        return True
    finally:
        sys.settrace(before)
    return False


def check_interrupts(place, places):
    """Interrupt one release after the other, each further on, until one is through."""
    with Accountant.open(place, study="a", budget=ADP(1.0)) as study:
        for at in places:
            made = len(study.history())
            hit = interrupted(at, lambda at=at: study.release(5, UNIT, label="x", key=str(at)))
            with Accountant.open(place, study="a") as other:
                other.note("nothing is locked")
                history = other.history()
                assert len(history) - made in (0, 1)
                assert other.remaining(UNIT) == 1000 - len(history)
                assert other.verify().ok
            study.note("the handle goes on")
            if not hit:
                assert history[-1].status == "posted"
                assert at > 200
                return
    raise AssertionError


@pytest.mark.parametrize("first", range(4))
def test_an_interrupt_anywhere_leaves_a_ledger_on_a_file_whole(tmp_path, first):
    check_interrupts(tmp_path / "ledger.db", range(9 * first, 2000, 37))


def test_an_interrupt_anywhere_leaves_a_ledger_on_a_server_whole(postgres_url):
    check_interrupts(postgres_url, range(0, 2000, 43))


@pytest.mark.parametrize("next_", ["a question", "a release", "a refusal"])
def test_what_an_interrupt_left_of_a_transaction_goes_first(tmp_path, next_):
    with Accountant.open(tmp_path / "ledger.db", study="a", budget=ADP(1.0)) as study:
        driver = study._recorder._connect().connection.driver_connection
        driver.execute("BEGIN IMMEDIATE")
        driver.execute("DELETE FROM ledger_entries")
        if next_ == "a question":
            assert study.verify().entries == 1
        elif next_ == "a release":
            study.release(5, UNIT, label="x")
            assert study.verify().entries == 3
        else:
            with pytest.raises(LedgerError):
                study.void(2, reason="x")
            assert study.verify().entries == 1
