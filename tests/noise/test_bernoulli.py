"""Coins and uniform numbers: every word of bits decides as the exact probability says, and no other way."""

from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
from scipy import stats

from privacy_accountant.noise.bernoulli import (
    coin,
    coins,
    exponential_coin,
    one_of_odds,
    uniform,
    uniforms,
)
from privacy_accountant.noise.enclosures import exp_minus
from privacy_accountant.noise.entropy import operating_system

FALSE_ALARM = 1e-8
EXPONENTS = [Fraction(0), Fraction(1, 10**9), Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(5000)]


def mp(value):
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("x", EXPONENTS, ids=str)
def test_every_first_word_decides_an_exponential_coin_as_its_probability_says(x, fed):
    with mpmath.workdps(60):
        truth = mpmath.exp(-mp(x))
        for word in range(256):
            said = fed(lambda read: exponential_coin(x, read, word=8), (word, 8))
            if said is not None:
                assert (word + 1 <= 256 * truth) if said else (word >= 256 * truth), word
        undecided = [fed(lambda read: exponential_coin(x, read, word=8), (w, 8)) for w in range(256)].count(
            None
        )
    assert undecided <= 4


@pytest.mark.parametrize("others", [1, 2, 99, 10**6])
@pytest.mark.parametrize("x", EXPONENTS, ids=str)
def test_the_odds_are_enclosed(x, others):
    with mpmath.workdps(60):
        truth = 1 / (1 + others * mpmath.exp(-mp(x)))
        for bits in (4, 20, 64, 100):
            low, high = one_of_odds(x, others)(bits)
            assert 0 <= low <= truth * 2**bits <= high <= 2**bits
            assert high - low <= 6


def test_many_coins_are_single_ones(fed):
    threshold = one_of_odds(Fraction(1), 2)
    for word in range(128):
        one = fed(lambda read: coin(threshold, read, word=7), (word, 7))
        many = fed(lambda read: coins(threshold, 1, read, word=7), (word, 7))
        assert (None if many is None else bool(many[0])) == one


@pytest.mark.parametrize("word", [2, 64])
def test_coins_come_up_as_often_as_they_should(word):
    """With a first word of two bits nearly every coin reads on."""
    for x in (Fraction(1, 100), Fraction(1), Fraction(3)):
        heads = int(coins(partial(exp_minus, x), 20_000, operating_system, word=word).sum())
        assert stats.binomtest(heads, 20_000, float(mpmath.exp(-mp(x)))).pvalue > FALSE_ALARM


def test_certain_coins():
    assert coins(partial(exp_minus, Fraction(0)), 1000, operating_system).all()
    assert not coins(partial(exp_minus, Fraction(10**9)), 1000, operating_system).any()
    assert coins(lambda bits: (0, 0), 5, operating_system).tolist() == [False] * 5


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 200])
def test_each_number_has_as_many_words_as_any_other(n, fed):
    bits = max((n - 1).bit_length(), 1)
    first = [fed(lambda read, w=w: uniform(n, read), *([(w, bits)] if n > 1 else [])) for w in range(2**bits)]
    counted = [first.count(value) for value in range(n)]
    assert len(set(counted)) == 1
    if n > 1:
        assert first.count(None) == 2**bits - n


def test_uniform_numbers_are_uniform():
    drawn = uniforms(5, 50_000, operating_system)
    assert stats.chisquare(np.bincount(drawn, minlength=5)).pvalue > FALSE_ALARM
    assert not uniforms(1, 10, operating_system).any()
    assert uniforms(2**60 + 1, 4, operating_system).min() >= 0
