"""Parallel composition: each partition has a balance of its own under the study's cap, and the claim is the worst one."""

import contextlib
import itertools
import os
import random
import signal
from fractions import Fraction

import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import (
    BudgetExceededError,
    InvalidParameterError,
    LedgerError,
    ReleaseFailedError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.composing import compose
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.ledger import verify_export
from privacy_accountant.ledger.prepared import PreparedTransaction
from privacy_accountant.ledger.recorder import Recorder
from privacy_accountant.ledger.sql import SqlTransaction
from privacy_accountant.mechanisms import Gaussian, Laplace
from privacy_accountant.neighbors import Neighbors

TENTH = Laplace(10, 1)
BUDGETS = [ADP(1.0), ADP(1.0, 1e-6), GDP(1.0), ZCDP(0.5), RDP((2, 8, 32), (1, 4, 16)), Risk(advantage=0.3)]


def test_every_partition_has_the_whole_budget(open_study):
    study = open_study(budget=ADP(1.0))
    for name in ("north", "south"):
        for _ in range(10):
            study.release(5, TENTH, label="beds", partition=name)
        with pytest.raises(BudgetExceededError, match=f"needs 0.1, 0 of 1 left in '{name}' .epsilon."):
            study.release(5, TENTH, label="beds", partition=name)
    assert study.remaining(TENTH, partition="west") == 10
    assert study.remaining(TENTH, partition=("north", "west")) == 0
    assert study.remaining(TENTH) == 0
    assert study.spent().amounts == (1.0, 0.0)
    assert study.spent(partition="west").amounts == (0.0, 0.0)
    assert study.guarantee() == ADP(1.0)
    assert study.partitions() == ("north", "south")
    assert study.verify().entries == 41


def test_a_release_without_a_partition_touches_all(open_study):
    study = open_study(budget=ADP(1.0))
    study.release(5, TENTH, label="all")
    for _ in range(3):
        study.release(5, TENTH, label="beds", partition="north")
    assert study.remaining(TENTH) == 6
    assert [study.remaining(TENTH, partition=name) for name in ("north", "south")] == [6, 9]
    assert study.spent(partition="south").amounts == (0.1, 0.0)
    assert not study.can_afford(TENTH, 7)
    assert study.can_afford(TENTH, 9, partition="south")
    for _ in range(6):
        study.release(5, TENTH, label="all")
    with pytest.raises(BudgetExceededError) as refused:
        study.release(5, TENTH, label="all")
    assert refused.value.spent == (1.0, 0.0)
    study.release(5, TENTH, label="beds", partition="south")


def test_a_release_of_several_is_charged_to_each(open_study):
    study = open_study(budget=ADP(1.0))
    study.release(5, TENTH, label="x", partition=["south", "north", "south"])
    assert study.history()[0].partition == ("north", "south")
    assert study.last.partition == ("north", "south")
    study.release(5, Laplace(2, 1), label="x", partition="south")
    assert study.last.balance.amounts == (0.6, 0.0)
    study.release(5, TENTH, label="x", partition="north")
    assert study.last.balance.amounts == (0.2, 0.0)
    assert study.spent(partition=("north", "south")).amounts == (0.6, 0.0)
    with pytest.raises(BudgetExceededError, match="in 'south'"):
        study.release(5, Laplace(2, 1), label="x", partition=("north", "south"))


def test_what_a_refusal_suggests_goes_through(open_study):
    study = open_study(budget=GDP(1.0))
    study.release(5, Gaussian(1.2, 1), label="x", partition="north")
    with pytest.raises(BudgetExceededError, match=r"fits: Gaussian\(sigma >= 1\.81\)"):
        study.release(5, Gaussian(1.2, 1), label="x", partition=("south", "north"))
    study.release(5, Gaussian(1.81, 1), label="x", partition=("south", "north"))


@pytest.mark.parametrize("budget", BUDGETS, ids=repr)
@pytest.mark.parametrize("adaptive", [True, False], ids=["adaptive", "fixed"])
def test_every_form_of_budget_keeps_partitions_apart(budget, adaptive):
    study = Accountant(budget=budget, adaptive=adaptive)
    noise = Laplace(8, 1) if budget == ADP(1.0) else Gaussian(20, 1)
    alone = study.remaining(noise)
    for name in ("a", "b", "c"):
        for _ in range(3):
            study.release(5, noise, label="x", partition=name)
        assert study.remaining(noise, partition=name) == alone - 3
    study.release(5, noise, label="all")
    assert study.remaining(noise) == alone - 4
    assert study.remaining(noise, partition="d") == alone - 1
    assert study.spent().amounts == study.spent(partition="a").amounts
    assert study.verify().ok


@pytest.mark.parametrize("relation", [Neighbors.REPLACE_ONE, Neighbors.REPLACE_SPECIAL])
def test_other_relations_refuse_partitions_in_one_line(open_study, relation):
    study = open_study(budget=ADP(1.0), neighbors=relation)
    for ask in (
        lambda: study.release(5, TENTH, label="x", partition="north"),
        lambda: study.publishes(TENTH, label="x", partition="north"),
        lambda: study.spend(TENTH, label="x", partition="north"),
        lambda: study.remaining(TENTH, partition="north"),
        lambda: study.can_afford(TENTH, partition="north"),
        lambda: study.spent(partition="north"),
        lambda: study.preview([TENTH], partition="north"),
    ):
        with pytest.raises(InvalidParameterError, match="a study under ADD_OR_REMOVE_ONE takes partitions"):
            ask()
    assert study.history() == ()


@pytest.mark.parametrize(
    "partition", ["", " ", (), [], 5, b"north", ("north", 5), ("north", ""), "a\nb", {"a": 1}, True]
)
def test_what_is_no_name_is_refused_and_costs_nothing(open_study, partition):
    study = open_study(budget=ADP(1.0))
    with pytest.raises(InvalidParameterError, match="partition must be"):
        study.release(5, TENTH, label="x", partition=partition)
    assert study.history() == ()
    assert study.partitions() == ()


def test_names_may_be_anything_that_is_one_line(open_study):
    study = open_study(budget=ADP(1.0))
    names = ["'; DROP TABLE ledger_totals; --", "Südöst", "0", "None", "a" * 3000, "\N{SNOWMAN}"]
    for name in names:
        study.release(5, TENTH, label="x", partition=name)
        assert study.remaining(TENTH, partition=name) == 9
    assert study.partitions() == tuple(sorted(names))
    assert study.verify().ok


def test_a_key_stands_for_its_partition_too(open_study):
    study = open_study(budget=ADP(1.0))
    answer = study.release(5, TENTH, label="x", key="k", partition=("north", "south"))
    assert study.release(9, TENTH, label="x", key="k", partition=["south", "north"]) == answer
    assert study.last.repeated
    for other in ("north", None, ("north", "south", "west")):
        with pytest.raises(InvalidParameterError, match="partition of entry 2, which has it"):
            study.release(5, TENTH, label="x", key="k", partition=other)
    assert study.remaining(TENTH) == 9


def test_a_failure_stays_spent_in_its_partition(open_study):
    study = open_study(budget=ADP(1.0))
    with pytest.raises(ReleaseFailedError):
        study.publishes(TENTH, label="x", partition="north")(lambda: 1 / 0)()
    assert study.spent(partition="north").amounts == (0.1, 0.0)
    assert study.spent(partition="south").amounts == (0.0, 0.0)
    assert [(line.status, line.partition) for line in study.history()] == [("failed", ("north",))]


def test_publishes_and_spend_take_partitions(open_study):
    study = open_study(budget=ADP(1.0))
    count = study.publishes(TENTH, label="x", partition="north")(len)
    for _ in range(4):
        count([1, 2])
    assert study.spend(TENTH, label="x", partition="south").partition == ("south",)
    assert (study.remaining(TENTH, partition="north"), study.remaining(TENTH, partition="south")) == (6, 9)


def test_a_void_gives_back_to_the_right_partitions(open_study):
    study = open_study(budget=ADP(1.0))
    study.release(5, TENTH, label="x", partition="south")
    quote = study._desk.quote(TENTH, ("north", "south"))
    entry = study._reserve(quote, "left", None, []).entry.sequence
    (left,) = study.pending()
    assert left.partition == ("north", "south")
    assert study.spent().amounts == (0.2, 0.0)
    study.void(entry, reason="the power failed")
    assert study.spent(partition="north").amounts == (0.0, 0.0)
    assert study.spent(partition="south").amounts == (0.1, 0.0)
    assert study.remaining(TENTH) == 9
    assert study.verify().ok


def test_raising_the_budget_raises_it_in_every_partition(open_study):
    study = open_study(budget=ADP(1.0))
    for _ in range(10):
        study.release(5, TENTH, label="x", partition="north")
    study.amend(budget=ADP(1.5), reason="the board said so")
    assert study.remaining(TENTH, partition="north") == 5
    assert study.remaining(TENTH) == 5
    assert study.remaining(TENTH, partition="south") == 15


def test_previews_ask_about_a_partition(open_study):
    study = open_study(budget=ADP(1.0))
    for _ in range(8):
        study.release(5, TENTH, label="x", partition="north")
    wanted = [(TENTH, 3)]
    assert not study.preview(wanted).fits
    assert not study.preview(wanted, partition=("north", "south")).fits
    assert study.preview(wanted, partition="south").fits
    assert study.history()[-1].entry == 16


def test_the_report_says_what_the_claim_rests_on(open_study):
    study = open_study(budget=ADP(1.0))
    assert "partition" not in study.report().study.claim
    study.release(5, TENTH, label="beds", partition="north")
    study.release(5, TENTH, label="beds", partition=tuple("abcdefg"))
    facts = study.report().study
    assert "a fixed public function of a person's own record" in facts.claim
    assert [label for label, _ in facts.mechanisms] == ["beds (north)", "beds (a, b, c, d, e and 2 more)"]
    assert [share for _, share in facts.spending] == pytest.approx([0.1, 0.1])
    study.release(5, TENTH, label="all")
    assert study.report().study.spending[-1][1] == pytest.approx(0.2)
    assert (facts.spent, facts.remaining) == ("0.1, 0", "0.9, 0")


def test_an_export_carries_the_partitions(open_study, tmp_path):
    study = open_study(budget=ADP(1.0))
    study.release(5, TENTH, label="x", partition="north")
    study.release(5, TENTH, label="x", partition=("east", "south"))
    found = study.export(tmp_path / "audit.jsonl")
    text = (tmp_path / "audit.jsonl").read_text()
    assert '"partition":["east","south"]' in text
    assert verify_export(text.splitlines()) == found
    with pytest.raises(LedgerError):
        verify_export(text.replace('["north"]', '["south"]').splitlines())


def test_the_study_is_the_same_when_it_is_opened_again(tmp_path, postgres_url):
    for place in (tmp_path / "a.db", postgres_url):
        with Accountant.open(place, study="a", budget=ADP(1.0)) as study:
            for _ in range(4):
                study.release(5, TENTH, label="x", partition="north")
            study.release(5, TENTH, label="x", partition="south")
            study.release(5, TENTH, label="x")
        with Accountant.open(place, study="a") as study:
            assert study.remaining(TENTH) == 5
            assert study.remaining(TENTH, partition="south") == 8
            assert study.partitions() == ("north", "south")
            assert study.verify().ok


# ------------------------------------------------------------------------------- fixed in advance


def test_plans_touch_the_whole_study(open_study):
    study = open_study(budget=ADP(1.0, 1e-6), adaptive=False)
    noise = Gaussian(20, 1)
    study.release(5, noise, label="x", partition="north")
    study.plan([(noise, "March")])
    study.release(5, noise, label="March", partition="north")
    assert [release.label for release in study.planned()] == ["March"]
    study.release(5, noise, label="March")
    assert study.planned() == ()
    assert study.guarantee() == compose(*[noise.guarantee(PLD)] * 3)
    with pytest.raises(InvalidParameterError, match="list of .mechanism, label. pairs"):
        study.plan([(noise, "April", "north")])


def test_the_claim_of_partitions_that_cross_is_just_below_both():
    study = Accountant(budget=ADP(1.0, 1e-6), adaptive=False)
    study.release(5, Gaussian(20, 1), label="x", partition="a")
    study.release(5, Laplace(18, 1), label="x", partition="b")
    one, other = Gaussian(20, 1).guarantee(PLD), Laplace(18, 1).guarantee(PLD)
    claim = study.guarantee()
    for step in range(40):
        epsilon = step / 100
        worst = max(one.get_delta(epsilon), other.get_delta(epsilon))
        assert worst * (1 - 1e-9) <= claim.get_delta(epsilon) <= worst + 2e-5
    for alpha in (1e-6, 0.001, 0.01, 0.1, 0.5, 0.9):
        least = min(one.beta(alpha), other.beta(alpha))
        assert least - 2e-5 <= claim.beta(alpha) <= least + 1e-12
    assert claim.advantage >= max(one.advantage, other.advantage)


def test_a_partition_that_includes_all_others_is_the_claim():
    study = Accountant(budget=ADP(1.0, 1e-6), adaptive=False)
    for name, times in (("a", 2), ("b", 3), ("c", 1)):
        for _ in range(times):
            study.release(5, Gaussian(20, 1), label="x", partition=name)
    assert study.guarantee() == compose(*[Gaussian(20, 1).guarantee(PLD)] * 3)


# ----------------------------------------------------------------------------------- the theorem


def worst_ratio(budget, seed, lies_in):
    """The largest log-ratio of the chances of any transcript, with a person and without, of an adversary who adapts.

    Every release is randomized response of a bit that the person flips, of epsilon 1/scale. What is asked next, of which
    partition, and when to stop depends on all bits so far.
    """
    largest = 0.0
    for bits in itertools.product((0, 1), repeat=6):
        study = Accountant(budget=budget)
        loss = Fraction(0)
        for depth, bit in enumerate(bits):
            dice = random.Random(f"{seed} {bits[:depth]}")  # noqa: S311 - an adversary's strategy
            mechanism = Laplace(dice.choice((2, 3, 4, 6)), 1)
            partition = dice.choice((None, "north", "south", "north"))
            try:
                study.spend(mechanism, label="bit", partition=partition)
            except BudgetExceededError:
                break
            if partition is None or partition in lies_in:
                loss += Fraction(1 if bit else -1, int(mechanism.scale))
        largest = max(largest, abs(loss))
    return largest


@pytest.mark.parametrize("person", ["north", "south", "west"])
def test_no_transcript_of_an_adaptive_adversary_tells_more_than_the_budget(person):
    budget = ADP(1.0)
    ratios = [worst_ratio(budget, seed, {person}) for seed in range(6)]
    assert max(ratios) <= 1
    assert person == "west" or max(ratios) > 0.7


def test_a_person_who_lies_in_two_partitions_is_not_covered():
    assert max(worst_ratio(ADP(1.0), seed, {"north", "south"}) for seed in range(6)) > 1


# -------------------------------------------------------------------------------- many partitions


def test_a_release_makes_as_many_statements_beside_many_partitions_as_beside_few(tmp_path, monkeypatch):
    made = []
    run = PreparedTransaction._run

    def counted(work, statement, **values):
        made.append(statement)
        return run(work, statement, **values)

    monkeypatch.setattr(PreparedTransaction, "_run", counted)
    counts = []
    for many in (3, 80):
        with Accountant.open(tmp_path / f"{many}.db", study="a", budget=ADP(1.0)) as study:
            for number in range(many):
                study.spend(TENTH, label="x", partition=f"person {number}")
            made.clear()
            study.release(5, TENTH, label="x")
            study.release(5, TENTH, label="x", partition="person 1")
            study.release(5, TENTH, label="x", partition="new")
            study.remaining(TENTH)
            counts.append(len(made))
    assert counts[0] == counts[1]


# ------------------------------------------------------------------------------- races and crashes


@pytest.fixture(params=["sqlite", "postgres"])
def ledger(request, tmp_path):
    """Where a ledger can be opened by any process."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    return request.getfixturevalue("postgres_url")


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


def race(ledger, processes, units, unit):
    """Processes take what they can get, of two partitions and of all, until nothing fits; then every partition is full."""
    Accountant.open(ledger, study="race", budget=ADP(1.0)).close()

    def work(number):
        dice = random.Random(number)  # noqa: S311 - an order of releases
        with Accountant.open(ledger, study="race") as study:
            open_ = [("north",), ("south",), ("north", "south"), None]
            while open_:
                partition = dice.choice(open_)
                try:
                    study.release(5, unit, label="unit", partition=partition)
                except BudgetExceededError:
                    open_.remove(partition)
        return 0

    children = [start(lambda number=number: work(number)) for number in range(processes)]
    assert [finish(child) for child in children] == [0] * processes
    with Accountant.open(ledger, study="race") as study:
        assert study.verify().ok
        assert study.spent(partition="north").amounts == (1.0, 0.0)
        assert study.spent(partition="south").amounts == (1.0, 0.0)
        taken = [line.partition for line in study.history()]
        for name in ("north", "south"):
            assert sum(partition is None or name in partition for partition in taken) == units
        assert study.remaining(unit, partition="west") == sum(
            partition is not None for partition in taken
        ) - (len(taken) - units)


forks = [
    pytest.mark.processes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),
]


def marked(test):
    for mark in forks:
        test = mark(test)
    return test


@marked
def test_processes_never_overdraw_a_partition(ledger):
    race(ledger, processes=2, units=10, unit=TENTH)


@marked
@pytest.mark.ledger
@pytest.mark.parametrize("turn", range(5))
def test_eight_processes_never_overdraw_a_partition(ledger, turn):
    del turn
    race(ledger, processes=8, units=50, unit=Laplace(50, 1))


def die(*arguments, **named):
    os.kill(os.getpid(), signal.SIGKILL)


def in_the_balance(patch):
    patch.setattr(SqlTransaction, "set_total", die)


def after_the_balance(patch):
    set_total = SqlTransaction.set_total
    patch.setattr(SqlTransaction, "set_total", lambda *given, **named: (set_total(*given, **named), die()))


def before_the_checkpoint(patch):
    patch.setattr(SqlTransaction, "set_head", die)


def between_draw_and_post(patch):
    patch.setattr(Recorder, "resolve", die)


LEFT = {in_the_balance: 0, after_the_balance: 0, before_the_checkpoint: 0, between_draw_and_post: 1}


@marked
@pytest.mark.parametrize("point", LEFT, ids=lambda point: point.__name__)
def test_a_kill_leaves_a_partition_charged_and_pending_or_not_at_all(ledger, point):
    with Accountant.open(ledger, study="kill", budget=ADP(1.0)) as study:
        study.release(5, TENTH, label="x", partition="north")

    def work():
        with pytest.MonkeyPatch.context() as patch, Accountant.open(ledger, study="kill") as study:
            point(patch)
            study.release(5, TENTH, label="x", partition=("north", "south"))
        return 0

    assert finish(start(work)) == -signal.SIGKILL
    with Accountant.open(ledger, study="kill") as study:
        assert study.verify().ok
        assert [line.partition for line in study.pending()] == [("north", "south")] * LEFT[point]
        assert study.remaining(TENTH, partition="south") == 10 - LEFT[point]
        assert study.remaining(TENTH, partition="north") == 9 - LEFT[point]
        with contextlib.suppress(IndexError):
            study.void(study.pending()[0].entry, reason="killed on purpose")
        assert study.remaining(TENTH, partition="south") == 10
