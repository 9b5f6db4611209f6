import math
import time
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.ledger.balance import Balance, add, amounts, empty, increments, simplest
from privacy_accountant.ledger.entries import canonical

fractions = st.fractions(min_value=0, max_value=10, max_denominator=10**6)


def balance_of(costs):
    state, counts = empty(1), Counter()
    low, high = state.low, state.high
    for cost in costs:
        text = canonical([str(cost)])
        counts[text] += 1
        low, high = (add(bound, step, 1) for bound, step in zip((low, high), increments(text), strict=True))
    return Balance(low, high, lambda: counts)


@given(st.lists(fractions, max_size=12), fractions, st.integers(1, 5))
def test_comparisons_are_those_of_exact_sums(costs, more, times):
    balance, total = balance_of(costs), sum(costs, Fraction(0))
    for limit in (
        total + more * times,
        total + more * times + Fraction(1, 10**90),
        total + more * times - Fraction(1, 10**90),
    ):
        assert balance.within((limit,), (more,), times) == (total + more * times <= limit)


@given(st.lists(fractions, max_size=12), fractions, st.integers(0, 1000))
def test_room_is_the_exact_quotient(costs, cost, count):
    balance, total = balance_of(costs), sum(costs, Fraction(0))
    limit = total + cost * count
    if cost == 0:
        assert balance.room((limit,), (cost,)) is None
    else:
        assert balance.room((limit,), (cost,)) == count
        assert balance.room((limit - Fraction(1, 10**90),), (cost,)) == max(0, count - 1)


@given(st.lists(st.decimals(min_value=0, max_value=10, places=9).map(Fraction), max_size=12))
def test_amounts_are_the_exact_sums_of_decimals(costs):
    balance = balance_of(costs)
    assert amounts(balance.low, balance.high) == (sum(costs, Fraction(0)),)


@given(st.lists(fractions, max_size=12))
def test_amounts_are_within_the_bounds_of_any_sum(costs):
    balance = balance_of(costs)
    (found,) = amounts(balance.low, balance.high)
    assert abs(found - sum(costs, Fraction(0))) < Fraction(1, 2**190)


@given(fractions, fractions)
def test_the_simplest_fraction_lies_between_and_is_simplest(a, b):
    low, high = min(a, b), max(a, b)
    found = simplest(low, high)
    assert low <= found <= high
    if high - low > Fraction(1, 40):
        least = next(q for q in range(1, 100) if math.floor(high * q) >= low * q)
        assert found.denominator == least


def test_a_charge_that_is_taken_back_leaves_no_trace():
    low, high = increments('["1/3"]')
    start = empty(1)
    assert add(add(start.low, low, 1), low, -1) == start.low
    assert add(add(start.high, high, 1), high, -1) == start.high


def test_ties_among_ten_thousand_distinct_scales_are_decided_exactly_and_fast():
    costs = [Fraction(1, 10**4 + i) ** 2 for i in range(10_000)]
    balance = balance_of(costs)
    started = time.perf_counter()
    assert balance.within((sum_of(costs),), (Fraction(0),))
    assert not balance.within((sum_of(costs),), (Fraction(1, 10**300),))
    assert time.perf_counter() - started < 20


def test_bounds_alone_settle_what_is_not_a_tie():
    def unread():
        pytest.fail("the counts were read")

    balance = Balance((1 << 199,), ((1 << 199) + 5,), unread)
    assert balance.within((Fraction(1),), (Fraction(1, 3),))
    assert not balance.within((Fraction(1),), (Fraction(2, 3),))
    assert balance.room((Fraction(1),), (Fraction(1, 7),)) == 3


def test_a_charge_without_end_never_fits_an_exhausted_budget():
    balance = balance_of([Fraction(1, 10)] * 10)
    assert balance.within((Fraction(1),), (Fraction(0),))
    assert not balance.within((Fraction(1),), (Fraction("5e-324"),))
    assert balance.room((Fraction(1),), (Fraction("5e-324"),)) == 0


def test_costs_that_do_not_add_up_have_no_bounds():
    assert increments('[{"type":"PLD"}]') == ((), ())


def sum_of(values):
    values = list(values)
    while len(values) > 1:
        values = [sum(values[i : i + 2], Fraction(0)) for i in range(0, len(values), 2)]
    return values[0]
