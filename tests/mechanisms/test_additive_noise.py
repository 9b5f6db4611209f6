"""Noise of the caller's own: what is drawn against its exact law, what is claimed against sums over that law in many digits."""

import functools
import math
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    Accountant,
    AdditiveNoise,
    InvalidAggregateError,
    InvalidParameterError,
    Risk,
    Sensitivity,
    TradeOff,
)
from privacy_accountant.exact import exact
from privacy_accountant.mechanisms.densities import additive_noise
from privacy_accountant.mechanisms.densities.bars import Bars, Layout, _mended, _weights
from privacy_accountant.mechanisms.densities.curve import trade_off
from privacy_accountant.mechanisms.densities.law import BarLaw, BarOrder
from privacy_accountant.noise.table import Table

EPSILONS = (0.0, 1e-3, 0.03, 0.1, 0.25, 0.5, 0.8, 1.0, 1.7, 3.0, 6.0)


class Shaped(AdditiveNoise):
    """Noise whose law a test names."""

    def distribution(self):
        return LAWS[type(self)]


LAWS = {}


def noise(law, **parameters):
    cls = type("Noise", (Shaped,), {"__module__": __name__})
    LAWS[cls] = law
    return cls(**parameters)


@attrs.frozen(repr=False)
class Staircase(AdditiveNoise):
    share: float = 0.4

    def log_density(self, x):
        epsilon = float(self.per_value) / float(self.scale)
        return -epsilon * np.floor(np.abs(x) / epsilon + 1 - self.share + 1e-9)

    def quantile(self, p):
        return scipy.stats.laplace.ppf(p)


def bars_of(mechanism):
    return additive_noise._bars(mechanism)


@functools.cache
def masses(bars, beyond=0):
    """The exact probabilities of the bars, and of so many beyond either end of the chart."""
    ends = [
        [block[at % bars.period] * ratio ** (at // bars.period + 1) for at in range(beyond)]
        for block, ratio in ((bars.left_block, bars.left), (bars.right_block, bars.right))
    ]
    weights = [*ends[0][::-1], *map(Fraction, bars.weights), *ends[1]]
    return [weight / bars.total for weight in weights]


def profile(bars, moved, epsilons, beyond=300):
    """delta of a move by whole bars in the worse direction: sums of non-negative terms, right to a few units in the last place."""
    p, q = np.array(masses(bars, beyond)[moved:], float), np.array(masses(bars, beyond)[:-moved], float)
    return [
        max(math.fsum(np.maximum(one - math.exp(e) * other, 0)) for one, other in ((p, q), (q, p)))
        for e in epsilons
    ]


def profile_in_many_digits(bars, moved, epsilons, beyond=300):
    """The same with 50 digits."""
    with mpmath.workdps(50):
        every = [mpmath.mpf(mass.numerator) / mass.denominator for mass in masses(bars, beyond)]
        pairs = list(zip(every[moved:], every[:-moved], strict=True))
        sides = pairs, [pair[::-1] for pair in pairs]
        powers = [mpmath.e ** mpmath.mpf(e) for e in epsilons]
        return [max(mpmath.fsum(max(p - e * q, 0) for p, q in side) for side in sides) for e in powers]


CHARTS = [
    noise(scipy.stats.logistic(), scale=2, sensitivity=1),
    noise(scipy.stats.norm(), scale=3, sensitivity=2),
    noise(scipy.stats.laplace(), scale=2, sensitivity=5),
    noise(scipy.stats.t(4), scale=0.7, sensitivity=3),
    noise(scipy.stats.gumbel_r(), scale=2, sensitivity=2),
    noise(scipy.stats.expon(), scale=3, sensitivity=2),
    noise(scipy.stats.uniform(-2, 4), scale=4, sensitivity=3),
    noise(scipy.stats.norm(7.3), scale=1, sensitivity=1),
    noise(scipy.stats.beta(0.8 + 1, 3), scale=30, sensitivity=2),
    noise(scipy.stats.logistic(), scale=0.5, sensitivity=1, grid=2**-3),
    Staircase(scale=5, sensitivity=4),
    Staircase(scale=0.25, sensitivity=1, grid=2**-6, share=0.12),
]
charts = pytest.mark.parametrize("mechanism", CHARTS, ids=[f"chart{i}" for i in range(len(CHARTS))])


@charts
def test_the_curve_is_that_of_the_chart_from_above(mechanism):
    bars = bars_of(mechanism)
    each = [profile(bars, moved, EPSILONS) for moved in range(1, bars.layout.moved + 1)]
    worst = np.max(each, axis=0)
    found = mechanism.guarantee(TradeOff).get_delta(np.array(EPSILONS))
    assert (worst <= found + 1e-15).all()
    assert (found <= worst * (1 + 1e-3) + 1e-8).all()


@pytest.mark.parametrize(
    "mechanism", [CHARTS[0], CHARTS[4], CHARTS[10]], ids=["logistic", "gumbel", "stairs"]
)
def test_the_curve_in_many_digits(mechanism):
    bars = bars_of(mechanism)
    each = [profile_in_many_digits(bars, moved, EPSILONS) for moved in range(1, bars.layout.moved + 1)]
    found = mechanism.guarantee(TradeOff).get_delta(np.array(EPSILONS))
    for worst, claimed in zip(map(max, zip(*each, strict=True)), found, strict=True):
        assert worst <= claimed <= worst * (1 + 1e-3) + 1e-8


@charts
def test_every_form_is_no_less_risk_than_the_best_test(mechanism):
    bars = bars_of(mechanism)
    alphas = np.linspace(0.001, 0.999, 40)
    truth = best_tests(bars, bars.layout.moved, alphas) + 1e-12
    for form, parameters in ((TradeOff, {}), (PLD, {}), (ADP, {"delta": 0.01})):
        assert (mechanism.guarantee(form, **parameters).beta(alphas) <= truth).all()
    if mechanism.guarantee().beta(0) == 1:
        assert (mechanism.guarantee(GDP).beta(alphas) <= truth).all()
        assert (mechanism.guarantee(ZCDP).beta(alphas) <= truth).all()
    if bars.is_symmetric and bars.log_concave:
        near = mechanism.guarantee(TradeOff).beta(alphas)
        assert near == pytest.approx(truth, abs=1e-4)


def best_tests(bars, moved, alphas):
    """The least false negative rates of tests of one move, by sorting its outcomes (Neyman and Pearson)."""
    p, q = np.array(masses(bars, 300)[moved:], float), np.array(masses(bars, 300)[:-moved], float)
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(p > 0, p / q, -1.0), kind="stable")
    alpha, beta = np.append(0.0, np.cumsum(q[order])), np.append(1.0, 1 - np.cumsum(p[order]))
    return np.maximum(np.interp(alphas, alpha, beta), 0.0)


@pytest.mark.parametrize(
    "mechanism", [CHARTS[0], CHARTS[1], CHARTS[7]], ids=["logistic", "normal", "elsewhere"]
)
def test_divergences_against_sums_in_many_digits(mechanism):
    bars = bars_of(mechanism)
    with mpmath.workdps(40):
        every = [mpmath.mpf(mass.numerator) / mass.denominator for mass in masses(bars, 100)]
        pairs = list(zip(every[bars.layout.moved :], every[: -bars.layout.moved], strict=True))
        for order in (1.5, 2, 16):
            moment = mpmath.fsum(p * (p / q) ** (order - 1) for p, q in pairs)
            truth = mpmath.log(moment) / (order - 1)
            found = mechanism.guarantee(RDP, orders=order).epsilons[0]
            assert truth <= found <= truth * 1.001
            assert truth <= mechanism.guarantee(ZCDP).rho * order


@pytest.mark.parametrize("moved", range(1, 12))
def test_a_move_that_is_no_whole_number_of_bars(moved):
    """Bars of five units: the law on units is written down, and no move of up to ten units beats a claim for two bars."""
    bars = bars_of(Staircase(scale=3, sensitivity=2))
    assert not bars.log_concave
    wide = attrs.evolve(bars, layout=attrs.evolve(bars.layout, units=5))
    claim = trade_off(wide)
    units = np.repeat(np.array(masses(wide, 60), float) / 5, 5)
    for epsilon in EPSILONS:
        pairs = units[moved:], units[:-moved]
        truth = max(np.maximum(p - math.exp(epsilon) * q, 0).sum() for p, q in (pairs, pairs[::-1]))
        if moved <= 10:
            assert truth <= claim.get_delta(epsilon) + 1e-12
        elif epsilon == 0:
            assert truth > claim.advantage


def test_a_sensitivity_that_is_narrower_than_a_bar():
    """A public coin decides whether the bar moves: the profile is its share of that of one bar."""
    wide = noise(scipy.stats.laplace(), scale=100_000, sensitivity=1)
    bars = bars_of(wide)
    assert (bars.layout.moved, bars.layout.share) == (1, Fraction(1, bars.layout.units))
    step = Fraction(bars.weights[len(bars.weights) // 2 + 1], bars.weights[len(bars.weights) // 2])
    bar = -math.log(step)
    assert bar == pytest.approx(bars.layout.units / 100_000, rel=1e-9)
    truth = math.tanh(bar / 2) * float(bars.layout.share)
    assert truth <= wide.guarantee().advantage <= truth * (1 + 1e-6)
    assert wide.guarantee(ADP, delta=0).epsilon == pytest.approx(bar, rel=1e-6)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4000), min_size=7, max_size=15), st.data())
def test_the_largest_move_of_a_log_concave_chart_is_the_worst(slopes, data):
    """With exact rationals, against every smaller move and at any threshold."""
    logs = -np.cumsum(np.sort(np.array(slopes)) / 1000.0)
    weights = _mended(_weights(np.concatenate((logs[::-1], [0.0], logs))))
    assert weights is not None
    assert all(b * b >= a * c for a, b, c in zip(weights, weights[1:], weights[2:], strict=False))
    ratio = min(Fraction(weights[-1], weights[-2]), Fraction(1, 2))
    layout = Layout(Fraction(1), 1, 3, Fraction(1), Fraction(0), 0, len(slopes))
    bars = Bars(layout, tuple(weights), 1, ratio, ratio, True)
    e = Fraction(data.draw(st.integers(1000, 9000)), 1000)
    every, left_out = masses(bars, 40), bars.right_block[0] * ratio**38 / bars.total
    one, two, three = (
        sum(max(p - e * q, 0) for p, q in zip(every[moved:], every[:-moved], strict=True))
        for moved in (1, 2, 3)
    )
    assert one <= two + left_out * 40
    assert two <= three + left_out * 40


@settings(max_examples=40)
@given(
    st.lists(st.floats(-40, 0) | st.just(-math.inf), min_size=9, max_size=9).filter(
        lambda logs: max(logs) > -math.inf
    )
)
def test_weights_are_the_density_to_the_last_digits_and_never_0_where_it_is_not(logs):
    weights = _weights(np.array(logs))
    top = max(weights)
    for log, weight in zip(logs, weights, strict=True):
        assert (weight == 0) == (log == -math.inf)
        if weight:
            assert weight / top == pytest.approx(math.exp(log - max(logs)), rel=1e-13)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_density_that_is_garbage_is_accounted_as_it_is(seed, sensitivity):
    """Nothing is asked of the density: random numbers, zeros among them, give a law and a true claim for it."""
    logs = np.random.default_rng(seed).normal(0, 3, 2_000)
    logs[np.random.default_rng(seed + 1).random(2_000) < 0.05] = -math.inf

    class Garbage(AdditiveNoise):
        def log_density(self, x):
            return logs[: len(x)]

        def quantile(self, p):
            return scipy.stats.uniform(-8, 16).ppf(p)

    mechanism = Garbage(scale=1, sensitivity=sensitivity)
    bars = bars_of(mechanism)
    assert not bars.log_concave
    claimed = mechanism.guarantee().get_delta(np.array([0.0, 0.5, 2.0, 6.0]))
    for moved in range(1, sensitivity + 1):
        truth = profile(bars, moved, (0.0, 0.5, 2.0, 6.0), beyond=80)
        assert (np.array(truth) <= claimed + 1e-14).all()


@charts
@pytest.mark.parametrize("bits", [10, 64, 128])
def test_what_draws_encloses_the_exact_law(mechanism, bits):
    bars = bars_of(mechanism)
    low, high = BarOrder(bars).enclose(bits)
    beyond = max((len(low) + 1) // 2 - len(bars.weights) // 2, 0)
    every, total = masses(bars, min(beyond, 200)), Fraction(0)
    middle = len(every) // 2
    for place in range(min(len(low), len(every))):
        total += every[middle + ((place + 1) >> 1) * (2 * (place & 1) - 1)]
        exact = min(math.floor(total * 2**bits), 2**bits - 1)
        assert low[place] <= exact <= high[place] <= low[place] + 1
    assert 2**bits - low[-1] <= 2


SAMPLED = [CHARTS[0], CHARTS[4], CHARTS[6], CHARTS[9], CHARTS[11]]


@pytest.mark.parametrize("mechanism", SAMPLED, ids=[f"law{i}" for i in range(len(SAMPLED))])
@pytest.mark.parametrize("how", ["array", "one", "slow"])
def test_draws_follow_the_exact_law(mechanism, how):
    bars = bars_of(mechanism)
    law, units = BarLaw(bars), bars.layout.units
    count = 4000 if how == "one" else 40_000
    if how == "slow":  # a table of 3 bits sends nearly every draw down the slow path
        law.table = Table(BarOrder(bars), short=3, word=7)
        count = 800
    drawn = np.array([law.draw_one() for _ in range(count)]) if how == "one" else law.draw((count,))
    places, inside = (drawn - law.first) // units, (drawn - law.first) % units
    expected = np.array(masses(bars, 40), float) * count
    reach = len(expected) // 2
    observed = np.bincount(np.clip(places + reach, 0, 2 * reach).astype(int), minlength=2 * reach + 1)
    assert chi_square(observed, expected, count) > 1e-7
    if units > 1:
        assert chi_square(np.bincount(inside, minlength=units), np.full(units, count / units), count) > 1e-7


def chi_square(observed, expected, count):
    """The p-value, cells of few expected draws put together."""
    order = np.argsort(expected)[::-1]
    many = order[expected[order] >= 8]
    seen = np.append(observed[many], count - observed[many].sum())
    meant = np.append(expected[many], count - expected[many].sum())
    kept = meant > 1
    statistic = ((seen[kept] - meant[kept]) ** 2 / meant[kept]).sum()
    return float(scipy.stats.chi2.sf(statistic, max(kept.sum() - 1, 1)))


@charts
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999])
def test_the_interval_holds_the_noise_and_ends_with_a_bar(mechanism, level):
    bars = bars_of(mechanism)
    law, units = BarLaw(bars), bars.layout.units
    width = law.half_width(level)

    every = np.array(masses(bars, 100), float)
    starts = (np.arange(len(every)) - len(every) // 2) * units + law.first

    def within(distance):
        cells = np.minimum(starts + units - 1, distance) - np.maximum(starts, -distance) + 1
        return float(every @ np.clip(cells, 0, None)) / units

    assert within(width) >= level - 1e-12
    assert width == 0 or within(width - units) < level + 1e-9


def test_entries_that_move_together_compose():
    """Of two entries the joint law is written down."""
    one = noise(scipy.stats.logistic(), scale=1.5, sensitivity=1)
    two = type(one)(scale=1.5, sensitivity=Sensitivity(per_value=1, values=2))
    every = np.array(masses(bars_of(one), 40), float)
    p, q = every[1:], every[:-1]
    joint_p, joint_q = np.multiply.outer(p, p), np.multiply.outer(q, q)
    for epsilon in EPSILONS:
        truth = np.maximum(joint_p - math.exp(epsilon) * joint_q, 0).sum()
        assert truth - 1e-12 <= two.guarantee().get_delta(epsilon) <= truth * 1.002 + 1e-9
    assert two.price(ADP) == tuple(2 * cost for cost in one.price(ADP))
    assert two.price(GDP) == tuple(2 * cost for cost in one.price(GDP))
    assert exact(two.guarantee(ZCDP).rho) == 2 * exact(one.guarantee(ZCDP).rho)
    assert exact_root(two) == pytest.approx(exact_root(one) * math.sqrt(2))
    assert two.randomize([5, 6, 7, 8]) != [5, 6, 7, 8]


def exact_root(mechanism):
    return float(mechanism.guarantee(GDP).mu)


def test_a_uniform_law_is_all_or_nothing():
    mechanism = noise(scipy.stats.uniform(-10, 20), scale=1, sensitivity=1)
    count = sum(weight > 0 for weight in bars_of(mechanism).weights)
    for epsilon in EPSILONS:
        assert mechanism.guarantee().get_delta(epsilon) == pytest.approx(1 / count, rel=1e-9)
    assert mechanism.guarantee().get_epsilon(1 / count * (1 - 1e-6)) == math.inf
    epsilon, delta = mechanism.price(ADP)
    assert (float(epsilon), float(delta)) == pytest.approx((0, 1 / count), abs=1e-11)
    assert delta >= Fraction(1, count)
    study = Accountant(budget=ADP(1.0, 0.2), currency=ADP)
    study.release(5, mechanism, label="one")
    assert study.remaining(mechanism) == 0.2 * count // 1 - 1


def test_more_noise_and_less_sensitivity_are_never_more_risk():
    made = type(CHARTS[0])
    scales = [0.05, 0.3, 1.0, 5.0, 3000.0]
    risks = [made(scale=scale, sensitivity=1, grid=2**-8).guarantee().advantage for scale in scales]
    assert risks == sorted(risks, reverse=True)
    moves = [0.01, 0.1, 0.5, 1.0, 3.0]
    risks = [made(scale=1, sensitivity=move, grid=2**-12).guarantee().advantage for move in moves]
    assert risks == sorted(risks)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, Fraction(10) ** 320])
def test_any_scale_constructs_draws_and_is_accounted(scale):
    mechanism = noise(scipy.stats.logistic(), scale=scale, sensitivity=1)
    advantage = mechanism.guarantee().advantage
    assert (advantage == 1) if scale < 1 else (0 < advantage < 1e-9)
    assert isinstance(mechanism.randomize(3), int)
    assert mechanism.noise_interval() >= 0
    assert len(mechanism.randomize(np.zeros((1,), dtype=int))) == 1


def test_real_values_on_an_automatic_grid():
    mechanism = noise(scipy.stats.logistic(), scale=2.5, sensitivity=0.3, grid="auto")
    assert mechanism.grid == 2**-22
    noised = mechanism.randomize(17.25)
    assert (noised / 2**-22).is_integer()
    layout = bars_of(mechanism).layout
    assert layout.moved * layout.units * mechanism.grid >= Fraction(3, 10)
    assert layout.moved * layout.units * mechanism.grid <= Fraction(3, 10) * (1 + Fraction(1, 2**11))
    truth = scipy.stats.logistic(scale=2.5)
    assert mechanism.guarantee().advantage == pytest.approx(2 * truth.cdf(0.15) - 1, rel=2e-3)


def test_it_calibrates():
    for target in (ADP(1.0), ADP(1.0, 1e-6), GDP(1.0), ZCDP(0.1), Risk(advantage=0.1)):
        found = type(CHARTS[0]).calibrate(target, sensitivity=1)
        less = attrs.evolve(found, scale=float(found.scale) * 0.98)
        assert holds(found, target)
        assert not holds(less, target)


def holds(mechanism, target):
    if isinstance(target, Risk):
        return target.is_met_by(mechanism.guarantee())
    if isinstance(target, ADP):
        return mechanism.guarantee().get_delta(target.epsilon) <= target.delta
    return mechanism.price(type(target))[0] <= (target.mu**2 if isinstance(target, GDP) else target.rho)


@pytest.mark.parametrize(
    ("sensitivity", "options", "message"),
    [
        (1.5, {}, "sensitivity must be a whole number for noise on integers; got 1.5"),
        (Sensitivity(l1=2), {}, "sensitivity must be given with per_value and values for Noise"),
        (Sensitivity(l1=2, l2=1), {"grid": 1}, "sensitivity must be given with per_value and values"),
        (0, {}, "sensitivity must be"),
        (1, {"grid": 3}, "grid must be"),
    ],
)
def test_sensitivities_that_say_too_little(sensitivity, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        type(CHARTS[0])(scale=1, sensitivity=sensitivity, **options)


@pytest.mark.parametrize("value", [[1, 2], np.zeros(3, dtype=int), [[1]] * 2])
def test_vectors_need_a_count(value):
    with pytest.raises(
        InvalidAggregateError, match=r"value must be one number, or released with a Sensitivity"
    ):
        CHARTS[0].check(value)
    assert CHARTS[0].check([[5]]) == (1, 1)


class Odd(AdditiveNoise):
    logs: object = staticmethod(lambda x: -np.abs(x))
    at: object = staticmethod(scipy.stats.laplace.ppf)

    def log_density(self, x):
        return type(self).logs(x)

    def quantile(self, p):
        return type(self).at(p)


@pytest.mark.parametrize(
    ("logs", "at", "message"),
    [
        (lambda x: x * math.nan, None, "log_density must be a number below infinity"),
        (
            lambda x: -np.log(np.abs(x)),
            None,
            r"log_density must be a number below infinity \(it is not at .*0.0",
        ),
        (lambda x: x * 0 - math.inf, None, "log_density must be above minus infinity"),
        (lambda x: 0.0, None, "log_density must be an array of shape"),
        (
            lambda x: np.random.default_rng().random(len(x)),
            None,
            "log_density must be the same whenever it is asked",
        ),
        (None, lambda p: math.nan, "quantile must be a finite number at"),
        (None, lambda p: math.inf if p > 0.9 else p, "quantile must be a finite number at"),
        (None, lambda p: [p, p], "quantile must be a finite number at"),
        (None, lambda p: 1.0, "quantile must be larger at 0.75 than at 0.25"),
    ],
)
def test_densities_that_are_none_are_refused(monkeypatch, logs, at, message):
    if logs is not None:
        monkeypatch.setattr(Odd, "logs", staticmethod(logs))
    if at is not None:
        monkeypatch.setattr(Odd, "at", staticmethod(at))
    mechanism = Odd(scale=1, sensitivity=1)
    additive_noise._bars.cache_clear()
    with pytest.raises(InvalidParameterError, match=message):
        mechanism.guarantee()


def test_a_subclass_must_say_what_its_law_is():
    with pytest.raises(
        NotImplementedError, match=r"AdditiveNoise must define distribution\(\), or log_density"
    ):
        AdditiveNoise(scale=1, sensitivity=1).guarantee()
