"""Curves given by their corners: validated, symmetric, and exact against linear programming on the corners."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, PLD, InvalidParameterError, TradeOff
from privacy_accountant.codec import decode, encode
from privacy_accountant.exact import exact
from privacy_accountant.numerics import polyline

SHARE = st.fractions(0, 1, max_denominator=10**6)


@st.composite
def curves(draw):
    inner = [(a, b * (1 - a)) for a, b in draw(st.lists(st.tuples(SHARE, SHARE), max_size=6))]
    hull = polyline.lower_hull([(Fraction(0), draw(SHARE)), *inner, (Fraction(1), Fraction(0))])
    return TradeOff(*zip(*hull, strict=True))


@pytest.mark.parametrize(
    ("alphas", "betas", "message"),
    [
        ((0.1, 1), (0.5, 0), "alphas must be at least two, the first of them 0"),
        ((0,), (1,), "alphas must be at least two"),
        ((0, 0.5), (1, 0.5), "alphas must be given up to alpha = 1, where beta is 0; got 0.5"),
        ((0, 0.5, 0.5, 1), (1, 0.4, 0.3, 0), "alphas must be increasing .point 2 is not.; got 0.5"),
        ((0, 0.2, 0.4, 1), (1, 0.3, 0.35, 0), r"betas must be non-increasing \(point 2, at alpha = 0.4"),
        ((0, 0.5, 1), (1, 0.6, 0), r"betas must be at most 1 - alpha \(point 1, at alpha = 0.5"),
        ((0, 1), (1, 0.1), r"betas must be at most 1 - alpha \(point 1"),
        ((0, 0.2, 0.4, 0.6, 1), (0.9, 0.5, 0.4, 0.1, 0), r"betas must be convex.*\(point 2, at alpha = 0.4"),
        ((0, 1), (1,), "betas must be as many as the alphas"),
        ((0, 2), (1, 0), "alphas must be a number in"),
        ("01", (1, 0), "alphas must be a sequence of numbers"),
        ((0, math.nan, 1), (1, 0.1, 0), "alphas must be"),
    ],
)
def test_the_first_bad_point_is_named(alphas, betas, message):
    with pytest.raises(InvalidParameterError, match=message) as caught:
        TradeOff(alphas, betas)
    assert "\n" not in str(caught.value)


def test_straight_corners_are_left_out_and_equal_curves_are_equal():
    assert TradeOff((0, 0.25, 0.5, 1), (1, 0.75, 0.5, 0)) == TradeOff((0, 1), (1, 0))
    assert hash(TradeOff([0, 0.25, 1], [1, 0.25, 0])) == hash(TradeOff((0.0, 0.25, 1.0), (1.0, 0.25, 0.0)))


def test_a_curve_of_one_direction_covers_both():
    one = TradeOff((0, 0.5, 1), (0.75, 0, 0))
    assert one == TradeOff((0, 0.75, 1), (0.5, 0, 0))
    assert one.beta(0) == 0.5
    # Asymmetric randomized response: delta in one direction only.
    alphas = np.linspace(0, 1, 101)
    for first, second in [((0, 0.1, 1), (1, 0.5, 0)), ((0, 0.5, 1), (1, 0.1, 0))]:
        assert (TradeOff(first, second).beta(alphas) <= np.interp(alphas, first, second) + 1e-15).all()


@example(TradeOff((0, 0.008, 1), (0.008, 0, 0)), [0.0])
@given(curves(), st.lists(st.floats(0, 1), min_size=1, max_size=5))
@settings(max_examples=60)
def test_beta_is_the_chord_from_below(curve, alphas):
    corners = curve.corners
    for alpha in alphas:
        truth = min(1 - Fraction(alpha), interpolate(corners, Fraction(alpha)))
        # A corner's own beta comes back as the float that means its decimal.
        have = min(Fraction(curve.beta(alpha)), exact(curve.beta(alpha)))
        assert have <= truth
        assert have >= truth - Fraction(1, 10**14)


def interpolate(corners, at):
    for (low, top), (high, bottom) in itertools.pairwise(corners):
        if low <= at <= high:
            return top + (at - low) / (high - low) * (bottom - top)
    raise AssertionError(at)


@given(curves(), st.floats(0, 20))
@settings(max_examples=60)
def test_the_profile_is_the_best_corner_from_above(curve, epsilon):
    with np.errstate(over="ignore"):
        steep = Fraction(math.exp(epsilon))
    truth = max(Fraction(0), *(1 - beta - steep * alpha for alpha, beta in curve.corners))
    have = Fraction(curve.get_delta(epsilon))
    slack = Fraction(1, 10**13)
    assert truth * (1 - slack) <= have + slack
    assert have <= truth + slack
    room = min(beta + steep * alpha for alpha, beta in curve.corners)
    assert room * (1 - slack) - slack <= Fraction(curve.get_complement(epsilon)) <= room * (1 + slack)
    assert curve.advantage == pytest.approx(float(max(1 - b - a for a, b in curve.corners)), rel=1e-14)


@given(curves(), st.floats(0, 1))
@settings(max_examples=60)
def test_epsilon_inverts_the_profile(curve, delta):
    epsilon = curve.get_epsilon(delta)
    if epsilon == math.inf:
        assert exact(curve.betas[0]) < 1 - Fraction(delta)
    else:
        # From above, up to the round-off of the exponential itself.
        assert curve.get_delta(epsilon * (1 + 1e-13) + 1e-15) <= delta * (1 + 1e-9) + 1e-13
    if 0 < epsilon < math.inf:
        assert curve.get_delta(epsilon * (1 - 1e-9)) >= delta * (1 - 1e-9)


def test_digits_of_a_small_complement_are_kept():
    minute = Fraction(1, 10**40)
    curve = TradeOff((0, Fraction(1, 2), 1), (1 - minute, Fraction(1, 2) - minute, 0))
    assert curve.get_delta(5.0) == 1e-40
    assert curve.get_epsilon(1e-41) == math.inf
    assert curve.get_delta(math.inf) == 1e-40
    risky = TradeOff((0, minute, 1), (1, minute, 0))
    assert risky.get_complement(0.0) == pytest.approx(2e-40, rel=1e-12)
    assert risky.beta(0.5) == pytest.approx(5e-41, rel=1e-12)


def test_samples_give_a_curve_from_below():
    grid = np.concatenate([[0.0], np.geomspace(1e-6, 0.5, 60), np.linspace(0.5, 1, 60)[1:]])
    sampled = TradeOff.from_samples(grid, GDP(1).beta(grid))
    fine = np.linspace(0, 1, 2001)
    loss = GDP(1).beta(fine) - sampled.beta(fine)
    assert loss.min() >= -1e-12
    assert loss.max() < 0.01
    # The chords themselves would be above.
    assert (np.interp(fine, grid, GDP(1).beta(grid)) > GDP(1).beta(fine) + 1e-6).any()


def test_samples_of_a_polygon_lose_little():
    curve = ADP(1).to(TradeOff)
    grid = np.linspace(0, 1, 257)
    assert abs(TradeOff.from_samples(grid, curve.beta(grid)).advantage - curve.advantage) < 0.01


def test_tangents():
    e = math.e
    delta = ADP(1, 0.01).get_delta(0.0)
    lines = TradeOff.from_tangents(slopes=(e, 1, 1 / e), intercepts=(0.01, delta, 1 - (1 - 0.01) / e))
    grid = np.linspace(0, 1, 99)
    assert lines.beta(grid) == pytest.approx(ADP(1, 0.01).beta(grid), abs=1e-12)
    assert TradeOff.from_tangents(1 * [1], [0.25]) == TradeOff((0, 0.75, 1), (0.75, 0, 0))
    with pytest.raises(InvalidParameterError, match=r"slopes must be such that .* \(line 1 is not\)"):
        TradeOff.from_tangents((3, 0.25), (0, 0.5))
    with pytest.raises(InvalidParameterError, match="intercepts must be as many"):
        TradeOff.from_tangents((), ())


@given(curves())
@settings(max_examples=25)
def test_json_holds_a_curve_exactly(curve):
    assert decode(encode(curve)) == curve
    image = curve.to(PLD)
    assert decode(encode(image)) == image
