"""A study inside an organisation's account: a spend debits both or neither; what a crash leaves is charged on the outside."""

import contextlib
import copy
import os
import pickle
import shutil
import signal
from pathlib import Path

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import (
    BudgetExceededError,
    BudgetMismatchError,
    InvalidParameterError,
    LedgerCorruptedError,
    LedgerError,
    NeighborsMismatchError,
    ReleaseFailedError,
    UnsupportedConversionError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.ledger import Draft, Kind
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sql import SqlTransaction
from privacy_accountant.mechanisms import Gaussian, Laplace
from privacy_accountant.neighbors import Neighbors

TENTH = Laplace(10, 1)
ONE, TEN = ADP(1.0), ADP(10.0)
PLACES = ["same file", "other file", "same server", "other ledger"]


@pytest.fixture(params=PLACES)
def places(request, tmp_path):
    """Where the account is, and where the study."""
    if request.param == "same file":
        return str(tmp_path / "both.db"), str(tmp_path / "both.db")
    if request.param == "other file":
        return str(tmp_path / "hospital.db"), str(tmp_path / "ward.db")
    url = request.getfixturevalue("postgres_url")
    return (url, url) if request.param == "same server" else (url, str(tmp_path / "ward.db"))


@pytest.fixture(params=PLACES[:2])
def files(request, tmp_path):
    """The same on files alone, for what does not depend on the database."""
    ward = "both.db" if request.param == "same file" else "ward.db"
    return str(tmp_path / "both.db"), str(tmp_path / ward)


@contextlib.contextmanager
def begin(places, budget=ONE, outer=TEN, study="ward-7"):
    """The account and the study, created or opened again."""
    with (
        Accountant.open(places[0], study="hospital", budget=outer) as account,
        Accountant.open(places[1], study=study, budget=budget, within=account) as opened,
    ):
        yield account, opened


def statuses(study):
    return [line.status for line in study.history()]


# ----------------------------------------------------------------------------------- both or neither


def test_a_release_is_charged_to_both(places):
    with begin(places) as (account, study):
        answer = study.release(5, TENTH, label="beds", key="k")
        assert study.release(5, TENTH, label="beds", key="k") == answer
        study.spend(TENTH, label="elsewhere")
        study.publishes(TENTH, label="wrapped")(lambda: 3)()
        assert study.spent().amounts == account.spent().amounts == (0.3, 0.0)
        assert statuses(study) == statuses(account) == ["posted"] * 3
        assert [line.label for line in account.history()] == [
            "ward-7: beds",
            "ward-7: elsewhere",
            "ward-7: wrapped",
        ]
        assert {line.behalf for line in account.history()} == {"ward-7"}
        assert [line.within for line in study.history()] == [line.entry for line in account.history()]
        assert account.history()[0].answer is None
        assert study.within == "hospital"
        assert account.within is None
        assert study.verify().ok
        assert account.verify().ok


def test_the_smaller_of_both_rooms_counts(places):
    with begin(places, outer=ADP(0.5)) as (account, study):
        assert study.remaining(TENTH) == 5
        assert account.remaining(TENTH) == 5
        assert study.can_afford(TENTH, 5)
        assert not study.can_afford(TENTH, 6)
        assert study.preview([(TENTH, 5)]).fits
        assert not study.preview([(TENTH, 6)]).fits
        account.release(5, Laplace(5, 1), label="the hospital's own")
        assert study.remaining(TENTH) == 3
        study.release(5, TENTH, label="x")
        assert (study.remaining(TENTH), account.remaining(TENTH)) == (2, 2)


def test_a_refusal_of_either_charges_neither(places):
    with begin(places, budget=ADP(0.2), outer=ADP(0.3)) as (account, study):
        with pytest.raises(BudgetExceededError, match="ward-7: needs 0.25"):
            study.release(5, Laplace(4, 1), label="x")
        account.release(5, Laplace(5, 1), label="own")
        with pytest.raises(BudgetExceededError) as refused:
            study.release(5, Laplace(5, 1), label="x")
        assert "hospital (around ward-7): needs 0.2, 0.1 of 0.3 left" in str(refused.value)
        assert refused.value.study == "hospital"
        assert refused.value.fits == "Laplace(scale >= 10)"
        assert statuses(study) == []
        assert statuses(account) == ["posted"]
        study.release(5, Laplace(10, 1), label="what was said to fit")
        assert study.verify().ok


def test_what_a_refusal_suggests_fits_both(files):
    with begin(files, budget=ADP(0.4), outer=ADP(0.5)) as (account, study):
        account.release(5, Laplace(5, 1), label="own")
        with pytest.raises(BudgetExceededError) as refused:
            study.release(5, Laplace(1, 1), label="x")
        assert refused.value.fits == "Laplace(scale >= 3.34)"
        study.release(5, Laplace(3.34, 1), label="x")


def test_a_failure_stays_spent_in_both(places):
    with begin(places) as (account, study):
        with pytest.raises(ReleaseFailedError):
            study.publishes(TENTH, label="x")(lambda: 1 / 0)()
        assert statuses(study) == statuses(account) == ["failed"]
        assert study.spent().amounts == account.spent().amounts == (0.1, 0.0)
        assert study.verify().ok


def test_a_void_gives_back_in_both_and_only_through_the_study(places):
    with begin(places) as (account, study):
        entry = study._reserve(study._desk.quote(TENTH), "left", None, []).entry.sequence
        (outside,) = account.pending()
        assert (outside.label, outside.behalf) == ("ward-7: left", "ward-7")
        with pytest.raises(LedgerError, match="void it there"):
            account.void(outside.entry, reason="I would like it back")
        study.void(entry, reason="the power failed")
        assert statuses(study) == statuses(account) == ["voided"]
        assert study.spent().amounts == account.spent().amounts == (0.0, 0.0)
        assert account.history()[0].reason == "the power failed"
        with pytest.raises(LedgerError, match="not pending"):
            study.void(entry, reason="again")
        assert study.verify().ok


def test_studies_share_what_the_account_has(places):
    with (
        begin(places, outer=ADP(0.5)) as (account, first),
        Accountant.open(places[1], study="ward-9", budget=ADP(1.0), within=account) as second,
    ):
        for study in (first, second, first):
            study.release(5, TENTH, label="x")
        assert (first.remaining(TENTH), second.remaining(TENTH)) == (2, 2)
        assert [line.behalf for line in account.history()] == ["ward-7", "ward-9", "ward-7"]
        for study in (first, second, account):
            assert study.verify().ok


# ------------------------------------------------------------------------------------ its own terms


def test_each_counts_in_its_own_currency(files):
    with begin(files, outer=GDP(1.0)) as (account, study):
        study.release(5, TENTH, label="x")
        assert study.history()[0].cost == (0.1, 0.0)
        (cost,) = account.history()[0].cost
        assert (cost,) == tuple(TENTH.price(GDP))
        with pytest.raises(BudgetExceededError, match="hospital"):
            Accountant.open(files[1], study="b", budget=ADP(9.0), within=account).release(
                5, Laplace(0.2, 1), label="x"
            )


def test_what_has_no_price_outside_is_refused(files):
    with begin(files, budget=GDP(1.0), outer=ADP(1.0)) as (account, study):
        with pytest.raises(UnsupportedConversionError):
            study.release(5, Gaussian(4, 1), label="x")
        with pytest.raises(UnsupportedConversionError):
            study.remaining(Gaussian(4, 1))
        assert statuses(study) == statuses(account) == []
        study.release(5, TENTH, label="x")


def test_partitions_of_the_study_are_charged_outside_in_full(files):
    with begin(files) as (account, study):
        for name in ("north", "south"):
            study.release(5, TENTH, label="x", partition=name)
        assert study.spent().amounts == (0.1, 0.0)
        assert account.spent().amounts == (0.2, 0.0)
        assert [line.partition for line in account.history()] == [None, None]
        assert study.verify().ok


def test_the_account_may_be_raised_and_the_study_too(files):
    with begin(files, budget=ADP(0.1), outer=ADP(0.1)) as (account, study):
        study.release(5, TENTH, label="x")
        account.amend(budget=ADP(0.3), reason="more")
        assert study.remaining(TENTH) == 0
        study.amend(budget=ADP(0.2), reason="more")
        assert study.remaining(TENTH) == 1
        study.release(5, TENTH, label="x")
        assert study.within == "hospital"


def test_reports_of_both_mention_each_other(files):
    with begin(files, outer=GDP(1.0)) as (account, study):
        study.release(5, TENTH, label="x")
        assert "charged to hospital as well" in study.report().study.claim
        assert "what the studies within it release: ward-7" in account.report().study.claim
        assert account.report().study.mechanisms[0][0] == "ward-7: x"


def test_terms_that_cannot_be_kept_are_refused_in_one_line(files, tmp_path):
    with Accountant.open(files[0], study="hospital", budget=ADP(1.0)) as account:

        def nested(study="a", **terms):
            return Accountant.open(files[1], study=study, within=account, budget=ADP(1.0, 1e-6), **terms)

        with pytest.raises(NeighborsMismatchError):
            nested(neighbors=Neighbors.REPLACE_ONE)
        with pytest.raises(InvalidParameterError, match="adaptive must be True"):
            nested(adaptive=False)
        for other in ("hospital.db", 5, Accountant(budget=ADP(1.0))):
            with pytest.raises(
                InvalidParameterError, match="within must be a study that Accountant.open opened"
            ):
                Accountant.open(files[1], study="a", budget=ADP(1.0), within=other)
    with (
        Accountant.open(tmp_path / "fixed.db", study="f", budget=ADP(1.0, 1e-6), adaptive=False) as fixed,
        pytest.raises(InvalidParameterError, match="within must be"),
    ):
        Accountant.open(files[1], study="a", budget=ADP(1.0), within=fixed)
    with Accountant.open(files[0], study="hospital") as account:
        assert account.history() == ()
        assert account._recorder.studies() == ("hospital",)


# ---------------------------------------------------------------------------------- opening it again


def test_it_stays_within_when_it_is_opened_again(places):
    with begin(places) as (_, study):
        study.release(5, TENTH, label="x")
    with Accountant.open(places[1], study="ward-7") as study:
        assert study.within == "hospital"
        study.release(5, TENTH, label="x")
    with Accountant.open(places[0], study="hospital") as account:
        assert account.spent().amounts == (0.2, 0.0)


def test_another_account_than_the_one_of_its_day_is_refused(files, tmp_path):
    with begin(files), Accountant.open(tmp_path / "o.db", study="hospital", budget=ADP(9.0)) as other:
        with pytest.raises(BudgetMismatchError, match="within"):
            Accountant.open(files[1], study="ward-7", within=other)
        with Accountant.open(files[1], study="free", budget=ADP(1.0)) as free:
            with pytest.raises(BudgetMismatchError, match="within"):
                Accountant.open(files[1], study="free", within=other)
            assert free.within is None


def test_without_its_account_a_study_answers_and_charges_nothing(tmp_path):
    places = str(tmp_path / "hospital.db"), str(tmp_path / "ward.db")
    with begin(places) as (_, study):
        study.release(5, TENTH, label="x", key="k")
    Path(places[0]).rename(tmp_path / "moved.db")
    with Accountant.open(places[1], study="ward-7") as study:
        assert study.spent().amounts == (0.1, 0.0)
        assert statuses(study) == ["posted"]
        assert study.verify().ok
        for ask in (
            lambda: study.release(5, TENTH, label="y"),
            lambda: study.remaining(TENTH),
            study.publishes(TENTH, label="y")(lambda: 1 / 0),
        ):
            with pytest.raises(LedgerError, match="lies within 'hospital', which cannot be reached"):
                ask()
        assert statuses(study) == ["posted"]
    with Accountant.open(tmp_path / "moved.db", study="hospital") as account:
        with Accountant.open(places[1], study="ward-7", within=account) as study:
            study.release(5, TENTH, label="y")
        assert account.spent().amounts == (0.2, 0.0)


def test_a_ledger_that_holds_both_may_be_moved_and_copied(tmp_path):
    place = str(tmp_path / "both.db")
    with begin((place, place)) as (_, study):
        study.release(5, TENTH, label="x")
    shutil.copyfile(place, tmp_path / "copy.db")
    with Accountant.open(tmp_path / "copy.db", study="ward-7") as study:
        study.release(5, TENTH, label="y")
        entry = study._reserve(study._desk.quote(TENTH), "left", None, []).entry.sequence
        study.void(entry, reason="never ran")
    for file, posted in (("copy.db", 2), ("both.db", 1)):
        with Accountant.open(tmp_path / file, study="hospital") as account:
            assert statuses(account).count("posted") == posted
            assert account.pending() == ()


def test_a_ledger_that_took_the_place_of_the_account_is_not_taken_for_it(tmp_path):
    places = str(tmp_path / "hospital.db"), str(tmp_path / "ward.db")
    with begin(places):
        pass
    Path(places[0]).unlink()
    Accountant.open(places[0], study="hospital", budget=ADP(99.0)).close()
    with (
        Accountant.open(places[1], study="ward-7") as study,
        pytest.raises(LedgerError, match="does not hold the account"),
    ):
        study.release(5, TENTH, label="x")


def test_copies_are_handles_on_both_ledgers(places):
    with begin(places) as (account, study):
        for duplicate in (copy.copy(study), copy.deepcopy(study), pickle.loads(pickle.dumps(study))):  # noqa: S301
            with duplicate:
                duplicate.release(5, TENTH, label="x")
        assert study.spent().amounts == account.spent().amounts == (0.3, 0.0)
        account.close()
        study.release(5, TENTH, label="the account's own handle is not needed")


def test_accounts_may_lie_in_accounts(tmp_path):
    files = [str(tmp_path / f"{name}.db") for name in ("region", "hospital", "region")]
    with (
        Accountant.open(files[0], study="region", budget=ADP(0.4)) as region,
        Accountant.open(files[1], study="hospital", budget=GDP(1.0), within=region) as hospital,
        Accountant.open(files[2], study="ward", budget=ZCDP(1.0), within=hospital) as ward,
    ):
        assert ward.remaining(TENTH) == 4
        for _ in range(3):
            ward.release(5, TENTH, label="x")
        hospital.release(5, TENTH, label="own")
        with pytest.raises(BudgetExceededError, match=r"region \(around ward\)"):
            ward.release(5, TENTH, label="x")
        assert [line.label for line in region.history()][2:] == ["hospital: ward: x", "hospital: own"]
        studies = region, hospital, ward
        assert [statuses(study) for study in studies] == [["posted"] * times for times in (4, 4, 3)]
        assert all(study.verify().ok for study in studies)
        with pickle.loads(pickle.dumps(ward)) as again:  # noqa: S301
            assert again.remaining(TENTH) == 0


def test_a_release_that_the_outermost_account_has_posted_is_not_given_back(tmp_path):
    """A crash between the posts of two ledgers: the data was read."""
    files = [str(tmp_path / f"{name}.db") for name in ("region", "hospital", "ward")]
    with (
        Accountant.open(files[0], study="region", budget=ONE) as region,
        Accountant.open(files[1], study="hospital", budget=ONE, within=region) as hospital,
        Accountant.open(files[2], study="ward", budget=ONE, within=hospital) as ward,
    ):
        entry = ward._reserve(ward._desk.quote(TENTH), "x", None, []).entry.sequence
        region._recorder.resolve("region", Draft(Kind.POST, refers_to=2))
        with pytest.raises(LedgerError, match="entry 2 of region, which charges it there, is resolved"):
            ward.void(entry, reason="I believe that it never ran")
        assert [len(study.pending()) for study in (region, hospital, ward)] == [0, 1, 1]
        assert ward.verify().ok


# ------------------------------------------------------------------------------------------- auditing


def test_the_check_finds_a_charge_that_the_account_does_not_have(tmp_path):
    places = str(tmp_path / "hospital.db"), str(tmp_path / "ward.db")
    with begin(places) as (_, study):
        study.release(5, TENTH, label="x")
        saved = [(file, file.read_bytes()) for file in map(Path, (places[0], places[0] + "-wal"))]
        study.release(5, TENTH, label="y")
        assert study.verify().ok
    for file, content in saved:
        file.write_bytes(content)
    with Accountant.open(places[1], study="ward-7") as study:
        with pytest.raises(LedgerCorruptedError, match="entry 4 is not charged to hospital") as found:
            study.verify()
        assert found.value.entry == 4


# ------------------------------------------------------------------------------ refused halfway, killed


def test_a_race_lost_further_in_gives_back_outside(tmp_path, monkeypatch):
    """The study is full by the time that the account has been charged: between two ledgers that is two steps."""
    places = str(tmp_path / "hospital.db"), str(tmp_path / "ward.db")
    with begin(places, budget=ADP(0.1)) as (account, study):
        charge = Recorder.charge

        def raced(recorder, charges, within=None):
            made = charge(recorder, charges, within)
            if charges[0].study == "hospital":
                monkeypatch.undo()
                with Accountant.open(places[1], study="ward-7") as rival:
                    rival.release(5, TENTH, label="the last of it")
            return made

        monkeypatch.setattr(Recorder, "charge", raced)
        with pytest.raises(BudgetExceededError, match="ward-7"):
            study.release(5, TENTH, label="x")
        assert statuses(study) == ["posted"]
        assert statuses(account) == ["voided", "posted"]
        assert account.spent().amounts == (0.1, 0.0)
        assert study.verify().ok


def start(work):
    child = os.fork()
    if child == 0:
        status = 255
        try:
            status = work()
        finally:
            os._exit(status)
    return child


def finish(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def forking(test):
    for mark in (
        pytest.mark.processes,
        pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
        pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
    ):
        test = mark(test)
    return test


def die_at(moment, patch):
    """Kill this process at a moment of a release: before and after each commit, and after each entry is written."""
    moments = iter(range(10**6))

    def pass_by():
        if next(moments) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(recorder, script, write):
        pass_by()
        result = write(recorder, script)
        pass_by()
        return result

    append = SqlTransaction.append
    patch.setattr(SqlTransaction, "append", lambda work, entry: (append(work, entry), pass_by()))
    for kind in (Recorder, *Recorder.__subclasses__(), *Recorder.__subclasses__()[-1].__subclasses__()):
        if "write" in vars(kind):
            patch.setattr(
                kind, "write", lambda recorder, script, write=kind.write: around(recorder, script, write)
            )


def kill_at(places, moment, key):
    """Kill a release at a moment; what it had handed out, None when nothing. False when it ended before that moment."""
    reading, writing = os.pipe()

    def work():
        with pytest.MonkeyPatch.context() as patch, Accountant.open(places[1], study="ward-7") as study:
            die_at(moment, patch)
            answer = study.publishes(TENTH, label=key)(lambda: 5)()
            os.write(writing, f"{study.last.entry} {answer}\n".encode())
        return 0

    status = finish(start(work))
    os.close(writing)
    with os.fdopen(reading) as lines:
        published = lines.read().split()
    return (tuple(map(int, published)) or None) if status == -signal.SIGKILL else False


def check(places, published, same):
    with (
        Accountant.open(places[0], study="hospital") as account,
        Accountant.open(places[1], study="ward-7") as study,
    ):
        assert study.verify().ok
        assert account.verify().ok
        inside, outside = study.history(), account.history()
        assert len(outside) >= len(inside)
        by_entry = {line.entry: line.status for line in outside}
        charged = [by_entry[line.within] for line in inside]
        if same:
            assert charged == [line.status for line in inside]
            assert len(outside) == len(inside)
        for line, status in zip(inside, charged, strict=True):
            assert line.status != "posted" or status == "posted"
        paid = {line.entry: line.answer for line in inside if line.status == "posted"}
        assert dict(published).items() <= paid.items()


def kill_everywhere(places, turns, *, check_each=False):
    """Kill at every moment of a release in turn, and take stock."""
    with begin(places, budget=ADP(100.0), outer=ADP(100.0)):
        pass
    published, kills = [], 0
    for _ in range(turns):
        for moment in range(100):
            found = kill_at(places, moment, f"{kills}")
            if found is False:
                break
            kills += 1
            published += [found] if found else []
            if check_each:
                check(places, published, places[0] == places[1])
    check(places, published, places[0] == places[1])
    with (
        Accountant.open(places[1], study="ward-7") as study,
        Accountant.open(places[0], study="hospital") as account,
    ):
        # Orphans of the account can be given back by hand, and nothing else of it can.
        known = {line.within for line in study.history()}
        for line in account.pending():
            if line.entry in known:
                with pytest.raises(LedgerError, match="was charged for 'ward-7'"):
                    account.void(line.entry, reason="killed")
            else:
                account.void(line.entry, reason="killed before the study was charged")
        for line in study.pending():
            with contextlib.suppress(LedgerError):
                study.void(line.entry, reason="killed before it read anything")
        assert study.verify().ok
        assert account.verify().ok
        assert account.spent().amounts == study.spent().amounts
    return kills


@forking
def test_a_kill_at_any_moment_charges_both_or_the_outside_alone(files):
    assert kill_everywhere(files, turns=1, check_each=True) >= 8


@forking
def test_a_kill_at_any_moment_on_a_server_charges_both(postgres_url):
    assert kill_everywhere((postgres_url, postgres_url), turns=1) >= 8


@forking
@pytest.mark.ledger
def test_two_hundred_kills_never_charge_the_inside_alone(places):
    kills = 0
    while kills < 200:
        kills += kill_everywhere(places, turns=10)


def race(places, processes, units):
    """Processes release in two studies of one account until it is used up: exactly its budget is charged."""
    for number in range(2):
        with begin(places, budget=ADP(1.0), outer=ADP(units / 100), study=f"ward-{number}"):
            pass
    unit = Laplace(100, 1)

    def work(number):
        with Accountant.open(places[1], study=f"ward-{number % 2}") as study:
            taken = 0
            with contextlib.suppress(BudgetExceededError):
                while True:
                    study.release(5, unit, label="unit")
                    taken += 1
            return taken

    children = [start(lambda number=number: work(number)) for number in range(processes)]
    taken = [finish(child) for child in children]
    assert sum(taken) == units
    with Accountant.open(places[0], study="hospital") as account:
        assert account.remaining(unit) == 0
        assert statuses(account).count("posted") == units
        assert account.verify().ok
    for number in range(2):
        with Accountant.open(places[1], study=f"ward-{number}") as study:
            assert study.verify().ok


@forking
def test_studies_that_race_use_up_the_account_and_no_more(places):
    race(places, processes=2, units=10)


@forking
@pytest.mark.ledger
@pytest.mark.parametrize("turn", range(5))
def test_eight_processes_use_up_the_account_and_no_more(places, turn):
    del turn
    race(places, processes=8, units=50)


def test_what_was_given_back_outside_while_it_was_drawn_is_not_published(tmp_path):
    """A steward was wrong about an orphan: the account is not charged, so nothing comes out."""
    places = str(tmp_path / "hospital.db"), str(tmp_path / "ward.db")
    with begin(places) as (account, study):

        def draws():
            with account._recorder.transaction(write=True) as work:
                work.clear_pending("hospital", 2)
            return 5

        with pytest.raises(ReleaseFailedError):
            study.publishes(TENTH, label="x")(draws)()
        assert statuses(study) == ["failed"]
