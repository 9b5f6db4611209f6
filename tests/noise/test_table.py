"""Every word of a tiny table, and the words around every step of real ones."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from privacy_accountant.noise.entropy import integer, words
from privacy_accountant.noise.table import NARROW, Table


def split(word, short, total):
    return (word >> (total - short), short), (word & ((1 << (total - short)) - 1), total - short)


def first_of(table):
    """The array path of a table, one value at a time."""
    return lambda read: table.draw(1, read).item()


def steps_of(law, mass, count):
    """F(j) and the value of place j, for the first places."""
    total, steps = mpmath.mpf(0), []
    for j in range(count):
        k = (j + 1) // 2
        total += mass(law, k)
        steps.append((total, k if j % 2 else -k))
    return steps


def test_words_have_their_bits_and_narrow_types():
    def ones(size):
        return b"\xff" * size

    for bits, kind in (
        (1, "u1"),
        (8, "u1"),
        (9, "u2"),
        (16, "u2"),
        (17, "u4"),
        (33, "u8"),
        (63, "u8"),
        (64, "u8"),
    ):
        drawn = words(3, bits, ones)
        assert drawn.dtype == kind
        assert drawn.tolist() == [2**bits - 1] * 3
    long = words(3, 65, ones)
    assert long.dtype == object
    assert [type(x) for x in long] == [int] * 3
    assert long.tolist() == [2**65 - 1] * 3
    assert words(0, 70, ones).size == words(0, 16, ones).size == 0
    assert integer(11, ones) == 2**11 - 1


def test_words_are_independent_of_each_other():
    assert words(2, 70, lambda size: bytes(range(size))).tolist() == [
        int.from_bytes(bytes(range(9)), "little") >> 2,
        int.from_bytes(bytes(range(9, 18)), "little") >> 2,
    ]


@pytest.mark.parametrize("scale", ["1e-300", "0.2", "1/3", "1", "3", "9.5"])
def test_every_word_of_a_tiny_table(make, mass, scale, fed):
    """A word settles a value exactly when its whole interval lies between two steps of F."""
    law = make(scale)
    table = law._make_sampler(short=3, word=7)
    with mpmath.workdps(60):
        steps = steps_of(law, mass, 160) if scale != "1e-300" else [(1 - mpmath.mpf(10) ** -50, 0)]
        for word in range(128):
            left, right = mpmath.mpf(word) / 128, mpmath.mpf(word + 1) / 128
            before, expected = mpmath.mpf(0), None
            for step, value in steps:
                if before <= left and right <= step:
                    expected = value
                before = step
            assert fed(table.draw_one, (word, 7)) == expected
            assert fed(first_of(table), *split(word, 3, 7)) == expected


@pytest.mark.parametrize("scale", ["1/3", "1", "4"])
def test_the_last_stride_around_every_step(make, mass, scale, fed):
    law = make(scale)
    table = law._make_sampler(short=3, word=7)
    with mpmath.workdps(60):
        steps = steps_of(law, mass, 40)
        for (step, value), (_, following) in itertools.pairwise(steps):
            if 1 - step < mpmath.mpf(2) ** -40:
                break
            edge = int(mpmath.floor(step * 2**71))
            for word, expected in ((edge - 1, value), (edge, None), (edge + 1, following)):
                more = word & (2**64 - 1), 64
                assert fed(table.draw_one, (word >> 64, 7), more) == expected
                assert fed(first_of(table), *split(word >> 64, 3, 7), more) == expected


@pytest.mark.parametrize("scale", ["1/3", "1", "40"])
def test_the_64_bit_search_around_every_step(make, mass, scale, fed):
    """Words beyond 2**53 and 2**63, next to each other: no uint64 ever becomes a float."""
    law = make(scale)
    table = law._make_sampler()
    with mpmath.workdps(60):
        steps = steps_of(law, mass, 120)
        for (step, value), (_, following) in itertools.pairwise(steps):
            edge = int(mpmath.floor(step * 2**64))
            if edge >= 2**64 - 4:
                break
            for word, expected in ((edge - 1, value), (edge, None), (edge + 1, following)):
                assert fed(table.draw_one, (word, 64)) == expected
                assert fed(first_of(table), *split(word, 16, 64)) == expected


@pytest.mark.parametrize("scale", ["1e-300", "1/3", "1", "10", "60"])
def test_the_look_up_table_agrees_with_the_search(make, scale, scripted):
    table = make(scale)._make_sampler()
    for index in np.flatnonzero(table.lookup != table.unsettled)[::97]:
        first, final = int(index) << 48, (int(index) << 48) + 2**48 - 1
        for word in (first, final):
            found = table._search(np.array([index]), scripted((word & (2**48 - 1), 48)))
            assert found[0] == table.lookup[index]
    assert table.unsettled == NARROW
    assert (table.lookup == table.unsettled).mean() < 0.15


def test_bounds_that_differ_only_send_more_words_on(fed):
    """Where the bounds on a step are apart, the words between are left open, in the look-up table too."""

    class Loose:
        signed = False

        def enclose(self, bits):
            assert bits == 7
            return [30, 90], [40, 127]

    table = Table(Loose(), short=3, word=7)
    settled = [fed(first_of(table), *split(word, 3, 7)) for word in range(128)]
    assert settled == [fed(table.draw_one, (word, 7)) for word in range(128)]
    assert settled == [0] * 30 + [None] * 11 + [1] * 49 + [None] * 38
    assert table.lookup.tolist() == [0, NARROW, NARROW, 1, 1, NARROW, NARROW, NARROW]


def test_tiny_scales_stay_undecided_only_at_the_very_top(make, fed):
    table = make("1e-300")._make_sampler()
    top = 2**64 - 1
    assert fed(table.draw_one, (top - 1, 64)) == 0
    assert fed(table.draw_one, (top, 64)) is None
    assert fed(table.draw_one, (top, 64), (top - 1, 64)) == 0
    assert fed(table.draw_one, (top, 64), (top, 64)) is None
    assert fed(table.draw_one, (top, 64), (top, 64), (0, 64)) == 0


def test_values_beyond_the_table_are_reached(fed):
    """The tail is read on with more bits: it has no end."""
    from privacy_accountant.noise import DiscreteLaplaceLaw

    table = DiscreteLaplaceLaw(Fraction(2))._make_sampler()
    reads = [(2**64 - 1, 64), (2**64 - 1, 64), (2**63, 64)]
    value = fed(table.draw_one, *reads)
    assert value is not None
    assert abs(value) > table.last // 2
    assert abs(value) == pytest.approx(2 * 129 * np.log(2), abs=3)
