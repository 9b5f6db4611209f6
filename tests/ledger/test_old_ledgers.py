"""A ledger that was written by the first released schema opens in every later version."""

import shutil
from pathlib import Path

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.tradeoff import TradeOff
from privacy_accountant.mechanisms import Gaussian, Laplace

FILES = sorted((Path(__file__).parent / "fixtures").glob("ledger-v*.db"))
STATUSES = ["posted", "posted", "posted", "posted", "failed", "voided", "pending"]
HEADS = {
    "ledger-v1.db": "44d14c4293cdd10fa6eaad39e2b5294e62cafecba7797d5dfdbe5e45e4668899",
    "ledger-v2.db": "1db98d1c353476cd9c2c6a196224fca0ebdcfb1454d0cc0f138b68f5d61c2069",
}


@pytest.fixture(params=FILES, ids=lambda file: file.name)
def old(request, tmp_path):
    """A copy of an old ledger, and the head that was written down when it was made."""
    copy = tmp_path / "old.db"
    shutil.copyfile(request.param, copy)
    return copy, HEADS[request.param.name]


def test_there_is_an_old_ledger():
    assert [file.name for file in FILES] == sorted(HEADS)


def test_it_verifies_against_the_head_of_its_day(old):
    path, head = old
    with Accountant.open(path, study="ward-7") as study:
        assert study.verify(against=head).head == head


def test_it_says_what_it_said(old):
    with Accountant.open(old[0], study="ward-7") as study:
        assert study.budget == GDP(1.5)
        assert [line.status for line in study.history()] == STATUSES
        assert [line.label for line in study.pending()] == ["left by a crash"]
        assert [type(line.answer) for line in study.history()] == [int, list, int, *[type(None)] * 4]
        assert study.history()[2].residues.modulus == 65537
        assert study.report().study.budget == "GDP(mu=1.0) amended to GDP(mu=1.5)"
        assert study.report().study.failures == 1


def test_it_goes_on(old):
    with Accountant.open(old[0], study="ward-7") as study:
        march = study.history()[0].answer
        assert study.release(0, Gaussian(4, 1), label="admissions, March", key="march") == march
        before = study.remaining(Gaussian(4, 1))
        study.release(5, Gaussian(4, 1), label="admissions, April")
        assert study.remaining(Gaussian(4, 1)) == before - 1
        assert study.verify().ok


def test_a_plan_goes_on(old):
    with Accountant.open(old[0], study="fixed", budget=ADP(1.0, 1e-6), adaptive=False) as study:
        assert study.guarantee() == compose(*[Laplace(10, 1).guarantee(PLD)] * 2)
        assert [line.label for line in study.planned()] == ["later"]
        study.release(5, Laplace(10, 1), label="later")
        assert study.planned() == ()
        assert study.verify().entries == 7


@pytest.fixture
def second(tmp_path):
    """A copy of a ledger of version 2, the first that holds partitions and accounts around studies."""
    copy = tmp_path / "elsewhere.db"
    shutil.copyfile(FILES[1], copy)
    return copy


def test_partitions_go_on(second):
    tenth = Laplace(10, 1)
    with Accountant.open(second, study="ward-9") as study:
        assert [line.partition for line in study.history()] == [
            ("north",),
            ("north", "south"),
            None,
            ("south",),
        ]
        assert [study.remaining(tenth, partition=name) for name in ("north", "south", "west")] == [7, 7, 9]
        assert study.release(5, tenth, label="beds", partition="north", key="north") == 17
        study.release(5, tenth, label="beds", partition="south")
        assert study.remaining(tenth) == 6
        study.void(study.pending()[0].entry, reason="it never ran")
        assert study.verify().ok


def test_an_account_around_a_study_goes_on(second):
    with (
        Accountant.open(second, study="hospital") as account,
        Accountant.open(second, study="ward-9") as study,
    ):
        assert study.within == "hospital"
        before = account.remaining(Laplace(10, 1))
        study.release(5, Laplace(10, 1), label="beds, all")
        assert account.remaining(Laplace(10, 1)) == before - 1
        assert [line.label for line in account.pending()] == ["ward-9: left by a crash"]
        assert account.verify().ok


def test_partitions_of_a_plan_go_on(second):
    with Accountant.open(second, study="crossing") as study:
        assert study.partitions() == ("a", "b")
        assert isinstance(study.guarantee(), TradeOff)
        study.release(10, Laplace(20, 1), label="x", partition="b")
        assert study.guarantee() == compose(Gaussian(20, 1).guarantee(PLD), Laplace(20, 1).guarantee(PLD))
        assert study.verify().ok
