"""Real values on a public grid: snapped exactly, accounted for what snapping adds, noised by the law that is accounted."""

from __future__ import annotations

import itertools
import math
import pickle
import sys
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from privacy_accountant import (
    ADP,
    GDP,
    ZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidAggregateError,
    InvalidParameterError,
    Laplace,
    Sensitivity,
    snap,
)
from privacy_accountant.codec import decode, encode
from privacy_accountant.exact import exact
from privacy_accountant.mechanisms.grids import snapped_l1, snapped_l2_squared
from privacy_accountant.mechanisms.values.cells import floats, snapped

TWO = [Laplace, Gaussian]
BIGGEST = sys.float_info.max
exponents = st.integers(-1074, 960)
reals = st.floats(allow_nan=False, allow_infinity=False)


def make(cls, noise, sensitivity=1, **more):
    return cls(**{cls.noise_parameter: noise, "sensitivity": sensitivity, **more})


def nearest_step(x, grid):
    return math.floor(Fraction(x) / grid + Fraction(1, 2))


# ---------------------------------------------------------------------------------------------- snapping


@given(st.lists(reals, min_size=1, max_size=6), exponents)
def test_snapping_is_exact_for_every_float_and_every_grid(values, power):
    grid = Fraction(2) ** power
    truth = [nearest_step(x, grid) for x in values]
    for cells in (np.array(values), np.array(values, dtype=object), np.array(values, dtype=np.longdouble)):
        units = snapped(cells, grid, "value", str)
        assert units.tolist() == truth
        assert units.dtype == (np.int64 if all(-(2**63) <= k < 2**63 for k in truth) else object)


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=4), st.integers(-80, 80))
def test_integers_snap_exactly_too(values, power):
    grid = Fraction(2) ** power
    units = snapped(np.array(values, dtype=object), grid, "value", str)
    assert units.tolist() == [nearest_step(x, grid) for x in values]
    if all(abs(x) < 2**62 for x in values):
        assert snapped(np.array(values), grid, "value", str).tolist() == units.tolist()


@pytest.mark.parametrize(
    ("x", "k"),
    [
        (0.5, 1),
        (-0.5, 0),
        (1.5, 2),
        (2.5, 3),
        (-1.5, -1),
        (0.49999999999999994, 0),
        (-0.5000000000000001, -1),
    ],
)
def test_halves_go_up_and_what_lies_next_to_them_does_not(x, k):
    assert snapped(np.array([x]), Fraction(1), "value", str).tolist() == [k]


@given(st.integers(-(2**80), 2**80), exponents)
def test_units_come_back_as_the_nearest_float_and_always_as_a_multiple(units, power):
    grid = Fraction(2) ** power
    for cells in (np.array([units], dtype=object), np.array([units]) if abs(units) < 2**63 else None):
        if cells is None:
            continue
        (value,) = floats(cells, grid).tolist()
        assert (Fraction(value) / grid).denominator == 1
        assert math.isfinite(value)
        assert value == (
            math.copysign(BIGGEST, units) if abs(units * grid) > BIGGEST else float(units * grid)
        )
        if abs(units) <= 2**53:
            assert Fraction(value) == units * grid


@given(
    st.lists(
        st.tuples(reals, st.one_of(st.floats(-1, 1), st.sampled_from([0.0, 0.25, 0.5]))),
        min_size=1,
        max_size=5,
    ),
    st.integers(-40, 3),
)
def test_snapping_adds_no_more_than_the_account_says(pairs, power):
    """Of exact values at any distance; cells that do not move count for nothing."""
    grid = Fraction(2) ** power
    moved = [(Fraction(x), Fraction(x) + Fraction(move)) for x, move in pairs if move] or [
        (Fraction(0), grid)
    ]
    true = [abs(a - b) for a, b in moved]
    after = [abs(nearest_step(a, grid) - nearest_step(b, grid)) * grid for a, b in moved]
    cells, l1, l2_squared = len(moved), sum(true), sum(d * d for d in true)
    for each in (None, max(true)):
        assert sum(after) <= snapped_l1(l1, grid, cells, each)
        assert sum(d * d for d in after) <= snapped_l2_squared(l2_squared, grid, cells, each)
    assert snapped_l1(l1, grid, cells) < l1 + cells * grid
    with mpmath.workdps(120):
        root = mpmath.sqrt(mpmath.mpf(l2_squared.numerator) / l2_squared.denominator)
        most = snapped_l2_squared(l2_squared, grid, cells)
        assert (
            mpmath.mpf(most.numerator) / most.denominator
            <= (root + mpmath.sqrt(cells) * mpmath.mpf(2) ** power) ** 2
        )


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=1000), st.integers(-8, 3), st.integers(1, 5))
def test_what_the_account_says_is_attained(most, power, cells):
    grid = Fraction(2) ** power

    def steps(change):
        """The most that a change of so much can become: from just below the middle of two steps."""
        rest = change / grid - (math.ceil(change / grid) - 1)
        start = grid * (Fraction(1, 2) - rest)
        return nearest_step(start + change, grid) - nearest_step(start, grid)

    assert cells * steps(most) * grid == snapped_l1(cells * most, grid, cells, most)
    assert cells * (steps(most) * grid) ** 2 == snapped_l2_squared(cells * most**2, grid, cells, most)
    assert (steps(most) * grid) ** 2 == snapped_l2_squared(most**2, grid, 1)
    little = Fraction(1, 10**30)
    changes = [most - (cells - 1) * little, *[little] * (cells - 1)]
    assert sum(map(steps, changes)) * grid == snapped_l1(most, grid, cells)


def test_the_bound_on_the_l2_norm_is_near_the_most_that_whole_steps_reach():
    """By enumeration: changes just above k steps become k + 1 of them, for every k in a ball."""
    for cells, square in itertools.product((2, 3), (Fraction(1, 9), 1, 2, 7, Fraction(151, 10), 30)):
        reached = [
            sum((k + 1) ** 2 for k in each)
            for each in itertools.product(range(6), repeat=cells)
            if sum(k * k for k in each) < square
        ]
        bound = snapped_l2_squared(Fraction(square), Fraction(1), cells)
        assert max(reached) <= bound <= 1.25 * max(reached)


def test_snap_is_for_contributions_of_any_kind():
    assert snap(0.3, 2**-2) == 0.25
    assert snap([1, (0.1, 0.9)][1], 0.5) == (0.0, 1.0)
    assert snap(np.array([0.1, 0.2], dtype=np.float32), 2**-3).tolist() == [0.125, 0.25]
    grid = Gaussian(4, 1, grid="auto").grid
    assert snap(0.1, grid) == math.floor(0.1 / grid + 0.5) * float(grid)
    for bad in (0.3, 0, -1, None, "auto", math.nan, True, 2.0**-1074 * 3):
        with pytest.raises(InvalidParameterError, match="^grid must be"):
            snap(0.5, bad)
    with pytest.raises(InvalidAggregateError, match=r"^values must be .* got NaN at \[1\]$"):
        snap([0.5, math.nan], 0.5)


def test_snapped_contributions_add_up_without_rounding_in_any_order():
    rng = np.random.default_rng(7)
    people = snap(rng.uniform(-1, 1, 2**16), 2**-24)
    total = float(sum(Fraction(x) for x in people))
    assert people.sum() == people[::-1].sum() == rng.permutation(people).cumsum()[-1] == total
    raw = rng.uniform(-1, 1, 2**16).astype(np.float32)
    assert float(raw.cumsum()[-1]) != float(sum(Fraction(float(x)) for x in raw))


# ---------------------------------------------------------------------------------------------- the account


@pytest.mark.parametrize(
    ("sensitivity", "length", "cells"),
    [
        (0.3, None, 1),
        (0.3, 50, 50),
        (Sensitivity(per_value=0.1, values=3), None, 3),
        (Sensitivity(per_value=0.1, values=3), 2, 2),
        (Sensitivity(per_value=0.1, values=3), 100, 3),
        (Sensitivity(l1=0.3, l2=0.2), 7, 7),
    ],
)
def test_the_price_covers_what_snapping_adds_exactly(sensitivity, length, cells):
    grid = Fraction(1, 64)
    counted = isinstance(sensitivity, Sensitivity)
    each = Fraction(1, 10) if counted and sensitivity.values else None
    laplace = Laplace(0.7, sensitivity, grid=2**-6, length=length)
    l1 = sensitivity.l1 if counted else Fraction(3, 10)
    assert laplace.price(ADP) == (snapped_l1(l1, grid, cells, each) / Fraction(7, 10), 0)
    gaussian = Gaussian(0.7, sensitivity, grid=2**-6, length=length)
    l2_squared = sensitivity.l2_squared if counted else Fraction(9, 100)
    (mu_squared,) = gaussian.price(GDP)
    assert mu_squared == snapped_l2_squared(l2_squared, grid, cells, each) / Fraction(49, 100)
    assert gaussian.price(ZCDP) == (mu_squared / 2, 0)
    assert Fraction(gaussian.guarantee().mu) ** 2 >= mu_squared


def test_a_change_that_is_a_multiple_of_the_grid_costs_no_more_for_it():
    cells = Sensitivity(per_value=1, values=3)
    assert Gaussian(2, cells, grid=0.25).price(GDP) == Gaussian(2, cells).price(GDP) == (Fraction(3, 4),)
    assert Laplace(2, 1, grid=2**-30).guarantee() == Laplace(2, 1).guarantee()
    assert Laplace(2, cells, grid=2).price(ADP)[0] == 3
    assert Gaussian(2, 1, grid=0.25, length=9).price(GDP) == (Fraction(15 + 9 + 2 * 11, 16 * 4),)


@pytest.mark.parametrize("cls", TWO)
def test_without_a_grid_nothing_changes(cls):
    plain = make(cls, 3)
    assert plain.grid is None
    assert "grid" not in repr(plain)
    assert set(encode(plain)) == {"type", cls.noise_parameter, "sensitivity"}


@pytest.mark.parametrize("cls", TWO)
@pytest.mark.parametrize("noise", [Fraction(1, 10**400), 1e-300, 1e-3, 1, 0.7, 3, 1e6, 2**62, 10**400])
@pytest.mark.parametrize("sensitivity", [1e-9, 1, 1000.0, Sensitivity(per_value=0.01, values=1000)])
def test_the_automatic_grid_is_far_below_scale_and_sensitivity(cls, noise, sensitivity):
    mechanism = make(cls, noise, sensitivity, grid="auto")
    grid, cells = mechanism.grid, mechanism.moving
    exact_noise = Fraction(str(noise)) if isinstance(noise, float) else Fraction(noise)
    form, power = (ADP, 1) if cls is Laplace else (GDP, 2)
    without, within = make(cls, noise, sensitivity).price(form)[0], mechanism.price(form)[0]
    if Fraction(2) ** -1074 < grid < Fraction(2) ** 960:
        assert grid <= exact_noise / 2**10
        assert within <= without * (1 + Fraction(1, 2**20)) ** power
        each = exact(sensitivity) if cells == 1 else exact(sensitivity.per_value)
        assert 2 * grid > exact_noise / 2**10 or 2 * grid > each / 2**20
    assert within >= without
    assert cells == (sensitivity.values if isinstance(sensitivity, Sensitivity) else 1)


@pytest.mark.parametrize("cls", TWO)
def test_the_grid_is_seen_stored_and_kept(cls):
    mechanism = make(cls, 3, 1, grid="auto", length=4)
    assert (
        repr(mechanism)
        == f"{cls.__name__}({cls.noise_parameter}=3.0, sensitivity=1.0, grid={_shown(mechanism)}, length=4)"
    )
    assert eval(_shown(mechanism)) == mechanism.grid  # noqa: S307 - our own repr
    assert decode(encode(mechanism)) == mechanism
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism  # noqa: S301 - our own bytes
    assert attrs.evolve(mechanism, **{cls.noise_parameter: 100}).grid == mechanism.grid
    assert make(cls, 3, 1, grid=mechanism.grid, length=4) == mechanism
    assert hash(make(cls, 3, 1, grid=float(mechanism.grid), length=4)) == hash(mechanism)
    assert make(cls, 3, 1, grid="auto", length=5) != mechanism


def _shown(mechanism):
    return f"2**{mechanism.grid.numerator.bit_length() - mechanism.grid.denominator.bit_length()}"


@pytest.mark.parametrize("cls", TWO)
@pytest.mark.parametrize(
    "bad", [0, -1, 3, 0.1, 2**-3 * 3, math.nan, math.inf, True, "AUTO", "1", 2**961, Fraction(1, 2**1075), 1j]
)
def test_a_grid_is_a_power_of_two(cls, bad):
    with pytest.raises(InvalidParameterError, match="^grid must be") as caught:
        make(cls, 1, grid=bad)
    assert "\n" not in str(caught.value)


def test_every_power_of_two_that_is_a_float_is_read_as_itself():
    for power in (-1074, -1022, -40, 0, 13, 960):
        assert Laplace(1, 1, grid=2.0**power).grid == Fraction(2) ** power


@pytest.mark.parametrize("cls", TWO)
def test_the_length_is_public_and_said_before(cls):
    for bad in (0, -1, 2.0, True, "3"):
        with pytest.raises(InvalidParameterError, match="^length must be"):
            make(cls, 1, grid="auto", length=bad)
    with pytest.raises(InvalidParameterError, match="^length must be absent without a grid"):
        make(cls, 1, length=3)
    with pytest.raises(InvalidAggregateError, match="length="):
        make(cls, 1, grid="auto").randomize([0.5, 1.5])
    assert len(make(cls, 1, grid="auto").randomize([0.5])) == 1
    assert len(make(cls, 1, grid="auto", length=2).randomize([0.5, 1.5])) == 2
    assert len(make(cls, 1, Sensitivity(per_value=1, values=1), grid="auto").randomize([0.5, 1.5])) == 2
    with pytest.raises(InvalidAggregateError, match="length=3; got 2 cells"):
        make(cls, 1, grid="auto", length=3).randomize([0.5, 1.5])


@pytest.mark.parametrize("cls", [DiscreteLaplace, DiscreteGaussian])
def test_laws_of_the_integers_have_no_grid(cls):
    with pytest.raises(TypeError, match="grid"):
        make(cls, 1, grid=0.5)
    with pytest.raises(InvalidAggregateError, match="Laplace or Gaussian with grid"):
        make(cls, 1).randomize(0.5)


@pytest.mark.parametrize("grid", ["auto", 2**-3])
def test_calibration_counts_the_grid(grid):
    plain = Gaussian.calibrate(GDP(0.5), sensitivity=1.1, releases=4)
    noise = Gaussian.calibrate(GDP(0.5), sensitivity=1.1, releases=4, grid=grid)
    assert noise.grid is not None
    assert noise.sigma > plain.sigma
    assert 4 * noise.price(GDP)[0] <= Fraction(1, 4)
    assert 4 * attrs.evolve(noise, sigma=noise.sigma * (1 - 1e-6)).price(GDP)[0] > Fraction(1, 4)
    pure = Laplace.calibrate(ADP(1.0), sensitivity=1, grid=grid, length=10)
    assert pure.length == 10
    assert pure.price(ADP)[0] <= 1
    assert pure.guarantee().get_delta(1.0) == 0


# ---------------------------------------------------------------------------------------------- draws


@pytest.mark.parametrize("value", [0.0, 1.0, 2.0**-30, 1e15, -1e300])
@pytest.mark.parametrize("cls", TWO)
def test_b70_every_output_is_a_multiple_of_the_public_grid(cls, value):
    mechanism = make(cls, 1, Sensitivity(per_value=1, values=1), grid="auto")
    noisy = mechanism.randomize(np.full(2000, value))
    grid = float(mechanism.grid)
    assert noisy.dtype == np.float64
    assert np.array_equal(np.floor(noisy / grid) * grid, noisy)
    assert not np.signbit(noisy[noisy == 0]).any()


@pytest.mark.parametrize("grid", [0.5, 2.0, 2**-8])
@pytest.mark.parametrize("cls", TWO)
def test_the_noise_on_the_grid_has_the_law_that_is_accounted(cls, grid):
    draws = 100_000
    mechanism = make(cls, 3, Sensitivity(per_value=1, values=1), grid=grid)
    steps = mechanism.randomize(np.full(draws, 0.3)) / grid - nearest_step(0.3, Fraction(grid))
    law = stats.laplace(scale=3) if cls is Laplace else stats.norm(scale=3)
    edges = (np.unique(np.round(law.ppf(np.linspace(0.02, 0.98, 25)) / grid)) + 0.5) * grid
    expected = np.diff([0, *law.cdf(edges), 1]) * draws
    observed = np.histogram(steps * grid, [-np.inf, *edges, np.inf])[0]
    assert stats.chisquare(observed, expected).pvalue > 1e-6


@pytest.mark.parametrize("cls", TWO)
def test_what_comes_back_follows_from_the_mechanism_and_not_from_the_data(cls):
    """A sum that starts at the int 0 must not look different from one that became a float."""
    mechanism = make(cls, 3, Sensitivity(per_value=1, values=1), grid=2**-8)
    assert type(mechanism.randomize(0)) is type(mechanism.randomize(0.5)) is float
    assert type(mechanism.randomize(np.int64(3))) is type(mechanism.randomize(np.float32(3))) is np.float64
    for value in ([1, 2.5], (3, 4), [[1.0], [2]]):
        noisy = mechanism.randomize(value)
        assert type(noisy) is type(value)
        assert all(type(leaf) is float for leaf in np.array(noisy).ravel().tolist())
    for dtype in (np.int8, np.uint64, np.float16, np.float32, np.float64, np.longdouble, ">f8", object):
        noisy = mechanism.randomize(np.ones((2, 3), dtype=dtype))
        assert (noisy.dtype, noisy.shape) == (np.dtype(np.float64), (2, 3))


def test_the_ends_of_the_float_range_neither_overflow_nor_warn():
    cells = Sensitivity(per_value=1, values=1)
    noisy = Gaussian(10**400, cells, grid=2**960).randomize([BIGGEST, -BIGGEST, 0.0])
    assert all(abs(x) == BIGGEST for x in noisy)
    assert Gaussian(1, 1, grid=2**-40).randomize(BIGGEST) == BIGGEST
    tiny = Laplace(1e-320, cells, grid=2.0**-1074).randomize(np.array([5e-324, -1e-310]))
    assert np.isfinite(tiny).all()
    assert Laplace(1e-300, 1, grid="auto").randomize(0.1) == 0.1


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (math.nan, "NaN"),
        (-math.inf, "an infinity"),
        (True, "bool"),
        ("1", "str"),
        ([0.5, math.nan], r"NaN at \[1\]"),
        ([[1, 2], [3, math.inf]], r"an infinity at \[1\]\[1\]"),
        ([1, None], r"NoneType at \[1\]"),
        ([1.5, True], r"bool at \[1\]"),
        ((1, "2"), r"str at \[1\]"),
        (np.array([[0, 1], [np.nan, 2]]), r"NaN at \[1, 0\]"),
        (np.array([0, np.inf], dtype=np.float16), r"an infinity at \[1\]"),
        (np.array([0, np.nan], dtype=np.longdouble), r"NaN at \[1\]"),
        (np.array([True, False]), r"bool, from \[0\] on"),
        (np.array([1j]), r"complex128, from \[0\] on"),
        (np.ma.masked_array([1.5, 9.25], mask=[False, True]), "a masked array"),
        (Fraction(1, 3), "Fraction"),
        (1j, "complex"),
        (b"1", "bytes"),
        (None, "NoneType"),
    ],
)
def test_what_is_no_finite_number_is_refused_with_its_position(value, kind):
    with pytest.raises(InvalidAggregateError, match=rf"^value must be .*; got .*{kind}$") as caught:
        Gaussian(3, Sensitivity(per_value=1, values=1), grid="auto").randomize(value)
    assert "9.25" not in str(caught.value)


@pytest.mark.parametrize("cls", TWO)
def test_the_noise_interval_is_in_the_units_of_the_aggregate(cls):
    plain, fine = make(cls, 7), make(cls, 7, grid=2**-10)
    assert isinstance(fine.noise_interval(), float)
    assert abs(fine.noise_interval() - plain.noise_interval()) <= 1
    assert (fine.noise_interval() * 2**10).is_integer()


@pytest.mark.parametrize("cls", TWO)
def test_an_interval_of_more_steps_than_a_float_counts_is_rounded_up(cls):
    for power in (-58, -60, -75):
        mechanism = make(cls, 1, grid=2.0**power)
        width, steps = Fraction(mechanism.noise_interval()), mechanism._steps_within(0.95)
        assert steps > 2**53
        assert 0 <= width - steps * mechanism.grid < Fraction(1, 2**50)
