"""Balances of partitions: what a release of some of them, or of all, has to fit beside; on every recorder."""

import random
import sqlite3
from collections import Counter
from fractions import Fraction

import pytest

from privacy_accountant.errors import LedgerCorruptedError
from privacy_accountant.ledger import Draft, Kind, MemoryRecorder, verify
from privacy_accountant.ledger.balance import amounts
from privacy_accountant.ledger.sqlite import SqliteRecorder

LIMITS = (Fraction(1), Fraction(1, 2))
COSTS = (("1/10", "1/30"), ("1/30", "1/10"), ("1/7", "0"), ("0", "1/9"))
NAMES = ("north", "south", "east", "west")


class RefusedError(Exception):
    pass


def begin(recorder, size=2):
    return recorder.create("a", {"budget": "1"}, size)


def charge(recorder, cost, partition=None, limits=LIMITS):
    vector = tuple(map(Fraction, cost))

    def check(balance):
        if not balance.within(limits, vector):
            raise RefusedError

    draft = Draft(Kind.RESERVE, mechanism={}, cost=cost, label="x", shape=[], partition=partition)
    return recorder.reserve("a", draft, check).entry.sequence


def spent(recorder, partition=None):
    return recorder.ask("a", lambda balance: amounts(balance.low, balance.high), partition)


class Oracle:
    """Sums of fractions, partition by partition."""

    def __init__(self):
        self.whole = (Fraction(0),) * 2
        self.parts = {}

    def add(self, cost, partition, sign=1):
        vector = [sign * Fraction(part) for part in cost]
        if partition is None:
            self.whole = tuple(map(sum, zip(self.whole, vector, strict=True)))
        for name in partition or ():
            before = self.parts.get(name, (Fraction(0),) * 2)
            self.parts[name] = tuple(map(sum, zip(before, vector, strict=True)))

    def balance(self, partition=None):
        names = self.parts if partition is None else partition
        ends = [self.parts.get(name, (0, 0)) for name in names] or [(0, 0)]
        return tuple(max(end[i] for end in ends) + self.whole[i] for i in range(2))

    def worst(self):
        return tuple(
            min(name for name in self.parts if self.parts[name][i] == max(p[i] for p in self.parts.values()))
            for i in range(2)
            if self.parts
        )


@pytest.mark.parametrize("seed", range(3))
def test_every_decision_is_that_of_exact_sums(recorder, seed):
    begin(recorder)
    dice, oracle, pending = random.Random(seed), Oracle(), {}  # noqa: S311 - an order of events
    for _ in range(80):
        cost = dice.choice(COSTS)
        partition = (
            None if dice.random() < 0.15 else tuple(sorted(dice.sample(NAMES, dice.choice((1, 1, 1, 2)))))
        )
        if pending and dice.random() < 0.25:
            sequence = dice.choice(sorted(pending))
            kind = dice.choice((Kind.VOID, Kind.VOID, Kind.POST, Kind.FAIL))
            recorder.resolve("a", Draft(kind, refers_to=sequence))
            was = pending.pop(sequence)
            if kind is Kind.VOID:
                oracle.add(*was, sign=-1)
        fits = all(
            held + Fraction(part) <= limit
            for held, part, limit in zip(oracle.balance(partition), cost, LIMITS, strict=True)
        )
        try:
            pending[charge(recorder, cost, partition)] = cost, partition
            oracle.add(cost, partition)
            charged = True
        except RefusedError:
            charged = False
        assert charged == fits
        assert recorder.find("a").worst == oracle.worst()
    for partition in (None, *((name,) for name in NAMES), ("north", "west")):
        assert spent(recorder, partition) == oracle.balance(partition)
    assert verify(recorder, "a").ok


def test_ten_tenths_fit_in_each_partition_and_then_nothing_fits_in_all(recorder):
    begin(recorder)
    tenth = ("1/10", "0")
    for name in ("north", "south"):
        for _ in range(10):
            charge(recorder, tenth, (name,))
        with pytest.raises(RefusedError):
            charge(recorder, tenth, (name,))
        with pytest.raises(RefusedError):
            charge(recorder, ("1/" + "9" * 400, "0"), (name,))
    with pytest.raises(RefusedError):
        charge(recorder, ("1/" + "9" * 400, "0"))
    charge(recorder, tenth, ("west",))
    assert verify(recorder, "a").ok


def test_a_release_of_all_fits_to_the_last_bit_beside_the_worst(recorder):
    begin(recorder)
    for name in ("north", "south"):
        for _ in range(7):
            charge(recorder, ("1/10", "0"), (name,))
    with pytest.raises(RefusedError):
        charge(recorder, (str(Fraction(3, 10) + Fraction(1, 10**90)), "0"))
    charge(recorder, ("3/10", "0"))
    with pytest.raises(RefusedError):
        charge(recorder, ("1/" + "9" * 90, "0"), ("north",))
    charge(recorder, ("7/10", "0"), ("west",))


def test_components_may_have_their_worst_in_different_partitions(recorder):
    begin(recorder)
    charge(recorder, ("9/10", "0"), ("north",))
    charge(recorder, ("0", "2/5"), ("south",))
    assert spent(recorder) == (Fraction(9, 10), Fraction(2, 5))
    charge(recorder, ("1/10", "1/10"))
    for cost in (("1/1000", "0"), ("0", "1/1000")):
        with pytest.raises(RefusedError):
            charge(recorder, cost)
    charge(recorder, ("0", "2/5"), ("north",))


def test_what_is_given_back_goes_to_its_partitions(recorder):
    begin(recorder)
    kept = charge(recorder, ("1/2", "0"), ("north",))
    back = charge(recorder, ("1/4", "0"), ("north", "south"))
    assert spent(recorder) == (Fraction(3, 4), 0)
    recorder.resolve("a", Draft(Kind.POST, refers_to=kept))
    recorder.resolve("a", Draft(Kind.VOID, refers_to=back, reason="the power went"))
    assert spent(recorder) == (Fraction(1, 2), 0)
    assert spent(recorder, ("south",)) == (0, 0)
    assert spent(recorder, ("north",)) == (Fraction(1, 2), 0)
    assert recorder.find("a").worst == ("north", "north")
    assert verify(recorder, "a").ok


def test_of_equal_partitions_the_first_by_name_is_held_whatever_the_order(recorder):
    begin(recorder)
    for name in ("south", "north", "east"):
        charge(recorder, ("1/3", "1/9"), (name,))
    assert recorder.find("a").worst == ("east", "east")
    recorder.resolve("a", Draft(Kind.VOID, refers_to=4))
    assert recorder.find("a").worst == ("north", "north")


def test_costs_that_compose_keep_the_partitions_that_no_other_includes(recorder):
    begin(recorder, size=0)
    first, second = ([{"loss": name}] for name in "xy")

    def add(cost, *partition):
        draft = Draft(Kind.RESERVE, mechanism={}, cost=tuple(cost), label="x", partition=partition or None)
        return recorder.reserve("a", draft, lambda balance: None).entry.sequence

    def states(partition=None):
        return recorder.ask("a", lambda balance: [dict(one.counts()) for one in balance.each()], partition)

    add(first, "north")
    add(first, "south")
    assert recorder.find("a").worst == ("north",)
    back = add(second, "south")
    assert recorder.find("a").worst == ("south",)
    add(first, "north")
    assert recorder.find("a").worst == ("north", "south")
    add(first)
    x, y = '[{"loss":"x"}]', '[{"loss":"y"}]'
    assert states() == [{x: 3}, {x: 2, y: 1}]
    assert states(("west",)) == [{x: 1}]
    assert verify(recorder, "a").ok
    recorder.resolve("a", Draft(Kind.VOID, refers_to=back))
    assert recorder.find("a").worst == ("north",)
    assert verify(recorder, "a").ok


@pytest.mark.parametrize("seed", range(4))
def test_which_partitions_are_held_depends_on_the_charges_and_not_on_their_order(seed):
    recorder, dice = MemoryRecorder(), random.Random(seed)  # noqa: S311 - an order of events
    begin(recorder, size=0)
    parts, pending = {}, []
    for _ in range(60):
        if pending and dice.random() < 0.3:
            sequence, name, cost = pending.pop(dice.randrange(len(pending)))
            recorder.resolve("a", Draft(Kind.VOID, refers_to=sequence))
            parts[name][cost] -= 1
        name, cost = dice.choice(NAMES), dice.choice("xyz")
        draft = Draft(Kind.RESERVE, mechanism={}, cost=({"loss": cost},), label="x", partition=(name,))
        pending.append((recorder.reserve("a", draft, lambda balance: None).entry.sequence, name, cost))
        parts.setdefault(name, Counter())[cost] += 1
        held = tuple(
            name
            for name, mine in sorted(parts.items())
            if not any((mine < other) or (mine == other and first < name) for first, other in parts.items())
        )
        assert recorder.find("a").worst == held
    assert verify(recorder, "a").ok


def test_a_million_partitions_need_rows_for_those_that_were_named():
    recorder = MemoryRecorder()
    begin(recorder)
    charge(recorder, ("1/10", "0"))
    charge(recorder, ("1/10", "0"), ("person 999999",))
    with recorder.snapshot() as work:
        assert len(list(work.totals("a"))) == 1


def rewrite(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.db"
    recorder = SqliteRecorder(path)
    begin(recorder)
    for name, times in (("north", 3), ("south", 2), ("west", 1)):
        for _ in range(times):
            charge(recorder, ("1/10", "0"), (name,))
    charge(recorder, ("1/10", "0"))
    assert verify(recorder, "a").ok
    recorder.close()
    return path


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_totals SET low = '[0,0]', high = '[0,0]' WHERE scope = 'south'",
        "DELETE FROM ledger_totals WHERE scope = 'south'",
        "INSERT INTO ledger_totals SELECT study, 'extra', low, high FROM ledger_totals WHERE scope = 'south'",
        "UPDATE ledger_balances SET count = 1 WHERE scope = 'south'",
        "DELETE FROM ledger_balances WHERE scope = 'south'",
        "UPDATE ledger_totals SET scope = 'sooth' WHERE scope = 'south'",
    ],
)
def test_the_check_finds_a_partition_that_was_changed(path, statement):
    rewrite(path, statement)
    recorder = SqliteRecorder(path)
    with pytest.raises(LedgerCorruptedError, match="partition"):
        verify(recorder, "a")
    recorder.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger_totals SET low = '[0,0]', high = '[0,0]' WHERE scope = 'north'",
        "DELETE FROM ledger_totals WHERE scope = 'north'",
        "UPDATE ledger_studies SET worst = '[]'",
        'UPDATE ledger_studies SET worst = \'["west","west"]\'',
        "UPDATE ledger_studies SET worst = 'north'",
        "UPDATE ledger_studies SET worst = '[1]'",
        "UPDATE ledger_totals SET low = 'x' WHERE scope = 'north'",
    ],
)
def test_opening_finds_a_worst_partition_that_was_changed(path, statement):
    rewrite(path, statement)
    recorder = SqliteRecorder(path)
    with pytest.raises(LedgerCorruptedError):
        recorder.find("a")
    with pytest.raises(LedgerCorruptedError):
        verify(recorder, "a")
    recorder.close()


def test_counts_and_bounds_that_disagree_are_noticed_when_they_matter(path):
    rewrite(path, "UPDATE ledger_balances SET count = 1 WHERE scope = 'south'")
    recorder = SqliteRecorder(path)
    with pytest.raises(LedgerCorruptedError, match="not those that the balance bounds"):
        charge(recorder, ("7/10", "0"), ("south",))
    recorder.close()


def test_entries_of_a_study_without_partitions_say_nothing_about_them():
    recorder = MemoryRecorder()
    begin(recorder)
    charge(recorder, ("1/10", "0"))
    bodies = [entry.body for entry in recorder.entries("a")]
    assert not any("partition" in body or "worst" in body or "within" in body for body in bodies)
    assert Counter(entry.kind for entry in recorder.entries("a")) == {Kind.OPEN: 1, Kind.RESERVE: 1}
