"""The conformance suite passes every mechanism that comes with the package, and finds out broken ones."""

import functools
import math
import pickle
from fractions import Fraction

import attrs
import numpy as np
import pytest
import scipy.stats

from privacy_accountant import (
    ADP,
    GDP,
    ZCDP,
    AboveThreshold,
    AdditiveNoise,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Geometric,
    InvalidParameterError,
    Laplace,
    Mechanism,
    Neighbors,
    NoisyThreshold,
    RandomizedResponse,
    ReportNoisyMax,
    Sensitivity,
    register_mechanism,
)
from privacy_accountant.codec import enter, table, tags
from privacy_accountant.guarantees.pld import PLD, LaplacePair
from privacy_accountant.mechanisms import DPSGD, Composed, FixedSizeSampled, Opaque, PoissonSampled
from privacy_accountant.testing import Conformance, LawViolatedError, check_mechanism
from privacy_accountant.testing.conformance import LAWS

check = functools.partial(check_mechanism, false_alarm=1e-7)

THREE = Sensitivity(per_value=1, values=3)


@register_mechanism("tests.testing.Logistic")
class Logistic(AdditiveNoise):
    def distribution(self):
        return scipy.stats.logistic()


NUMBERS = [
    Laplace(2, 1),
    Laplace(2, 1, grid="auto"),
    Laplace(4, THREE),
    Laplace(3, Sensitivity(l1=2, l2=1.5)),
    Gaussian(1.5, 1),
    Gaussian(2, THREE, grid=2**-10),
    DiscreteLaplace(1.5, 1),
    DiscreteGaussian(1, 1),
    DiscreteGaussian(2, THREE),
    Geometric(2, 1),
    Logistic(1, 1),
    Logistic(2, Sensitivity(per_value=1, values=2)),
]
OTHERS = [
    (RandomizedResponse(1.0), [(True, False)]),
    (RandomizedResponse(1.0, ("a", "b", "c")), [("a", "b"), (["a", "b"], ["a", "c"])]),
    (ExponentialMechanism(2, 1), [([0, 0, 0], [1, -1, 0])]),
    (ReportNoisyMax(2, 1), [([0, 0, 0], [1, -1, 0])]),
    (AboveThreshold(4, 1, 3), [([2, 2, 3], [3, 3, 2])]),
    (Composed([Laplace(2, 1), Gaussian(2, 1)]), [([0, 0], [1, 1])]),
    (
        NoisyThreshold(Laplace(2, Sensitivity(per_value=1, values=1)), 3),
        [({"a": 2}, {"a": 3}), ({"a": 1}, {})],
    ),
]


ELSEWHERE = [  # drawn elsewhere, or on a sample that is: their claims are held to the laws
    (Opaque(ADP(1.0, 1e-6), "a survey"), ()),
    (DPSGD(1.1, 0.01, 100), ("composition", "noise", "calibration")),
    (PoissonSampled(Laplace(1.5, 1), 0.1), ("composition",)),
    (FixedSizeSampled(Laplace(1.5, 1, neighbors=Neighbors.REPLACE_ONE), 10, 100), ()),
]


@pytest.mark.parametrize("mechanism", NUMBERS, ids=repr)
def test_mechanisms_that_add_noise_keep_every_law(mechanism):
    found = check(mechanism, draws=6000)
    assert found.mechanism is mechanism
    assert set(found.kept) == set(LAWS)
    assert found.skipped == ()


@pytest.mark.parametrize(("mechanism", "worlds"), OTHERS, ids=lambda item: repr(item)[:60])
def test_other_mechanisms_keep_every_law_that_applies(mechanism, worlds):
    found = check(mechanism, worlds=worlds, draws=4000)
    assert {name for name, _ in found.skipped} <= {"noise", "calibration", "interval", "accounting"}
    assert "attack" in found.kept


@pytest.mark.parametrize(("mechanism", "slow"), ELSEWHERE, ids=lambda item: repr(item)[:60])
def test_what_is_drawn_elsewhere_keeps_the_laws_of_claims(mechanism, slow):
    found = check(mechanism, worlds=(), skip=slow)
    assert {"frozenness", "pickling", "codec", "trade-off", "conversions", "prices"} <= {
        *found.kept,
        "prices",
    }


def test_every_mechanism_that_a_ledger_can_name_is_held_to_the_laws():
    tags()
    named = {codec.cls for codec in table._by_tag.values() if issubclass(codec.cls, Mechanism)}
    ours = {cls for cls in named if cls.__module__.startswith("privacy_accountant.mechanisms.")}
    held = {*map(type, NUMBERS), *(type(mechanism) for mechanism, _ in (*OTHERS, *ELSEWHERE))}
    assert ours - held == set(), "add one of each to NUMBERS, or to OTHERS with neighbouring inputs"


@attrs.frozen(repr=False)
class Base(Mechanism):
    """Laplace noise that is right in everything; what is broken is broken below."""

    noise_parameter = "scale"

    scale: float = attrs.field(default=2.0, converter=float)
    sensitivity: object = 1
    neighbors: object = None

    def _native(self):
        return PLD.of(LaplacePair(Fraction(self.sensitivity) / Fraction(self.scale)))

    def randomize(self, value):
        return Laplace(self.scale, 1).randomize(value)

    def noise_interval(self, level=0.95):
        return Laplace(self.scale, 1).noise_interval(level)


WORLDS = [(0, 1)]


def broken(cls, tag=True):
    """Declare a broken mechanism as its author would."""
    made = attrs.frozen(repr=False)(cls)
    return register_mechanism(f"tests.testing.{cls.__name__}")(made) if tag else made


Right = broken(type("Right", (Base,), {"__module__": __name__}))


def test_the_base_of_the_broken_ones_is_right():
    assert set(check(Right(), worlds=WORLDS, draws=6000).kept) == set(LAWS) - {"interval"}


@broken
class Understated(Base):
    def randomize(self, value):
        return Laplace(self.scale / 2, 1).randomize(value)


@broken
class Floats(Base):
    """What most programs do."""

    def randomize(self, value):
        return value + np.random.default_rng().laplace(scale=self.scale)


@broken
class Forgetful(Base):
    """Leaves the noise out now and then."""

    def randomize(self, value):
        return value if np.random.default_rng().random() < 0.5 else Laplace(self.scale, 1).randomize(value)


@broken
class OneOfTwo(Base):
    """Accounts for one entry where two move."""


class Looks(Base):
    __slots__ = ()

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


Settable = register_mechanism("tests.testing.Settable")(Looks)


@attrs.define
class Unhashed(Mechanism):
    scale: float = 2.0
    _native, randomize = Base._native, Base.randomize


@broken
class Optimist(Base):
    def _in_form(self, form, parameters):
        return ZCDP(0.01) if form is ZCDP else super()._in_form(form, parameters)


@broken
class Bargain(Base):
    def price(self, form, orders=None):
        price = super().price(form, orders)
        return tuple(cost * Fraction(9, 10) for cost in price)


@broken
class Loan(Base):
    def price(self, form, orders=None):
        return (Fraction(-1), Fraction(0)) if form is ADP else super().price(form, orders)


@broken
class Rounded(Base):
    def price(self, form, orders=None):
        return tuple(map(float, super().price(form, orders)))


@broken
class Backwards(Base):
    """Names the wrong field: a larger one is more risk."""

    noise_parameter = "sensitivity"


@broken
class Jumping(Base):
    """Is not monotone: above 3 the risk is back."""

    def _native(self):
        return PLD.of(LaplacePair(Fraction(1, 2) if self.scale < 3 else Fraction(2)))


@broken
class Stingy(Base):
    @classmethod
    def calibrate(cls, target, **options):
        return attrs.evolve(super().calibrate(target, **options), scale=1.0)


@broken
class Lavish(Base):
    @classmethod
    def calibrate(cls, target, **options):
        return attrs.evolve(super().calibrate(target, **options), scale=1000.0)


@broken
class Welcoming(Base):
    def check(self, value):
        return ()


@broken
class Shapeless(Base):
    def check(self, value):
        return [1, 2]


@broken
class Unkept(Base):
    def randomize(self, value):
        return Fraction(super().randomize(value))


@broken
class Scripted(Base):
    """Draws from a generator that starts over wherever it is unpickled."""

    def randomize(self, value):
        return value + GENERATORS.setdefault(id(self), np.random.default_rng(5)).integers(-40, 40)


GENERATORS = {}


@register_mechanism("tests.testing.Narrow")
class Narrow(Logistic):
    def noise_interval(self, level=0.95):
        return 2


class Bent(GDP):
    """Is not convex at 0.3."""

    def _beta(self, alpha):
        return super()._beta(alpha) + np.where(alpha == 0.3, 0.04, 0.0)


class Rising(GDP):
    def _delta(self, epsilon):
        return np.minimum(super()._delta(epsilon) + epsilon / 1000, 1.0)


class Vague(GDP):
    """Has a beta far below what its delta says."""

    def _beta(self, alpha):
        return super()._beta(alpha) / 2


class Shrinking(GDP):
    def self_compose(self, count):
        return GDP(self.mu / count)


class NoNumber(GDP):
    def _beta(self, alpha):
        return alpha * math.nan


def guaranteeing(form):
    class Guaranteeing(Base):
        def _native(self):
            return form(0.5)

        def _in_form(self, form, parameters):
            return GDP(0.5).to(form, **parameters)

    Guaranteeing.__name__ = Guaranteeing.__qualname__ = f"Guaranteeing{form.__name__}"
    return broken(Guaranteeing)()


@attrs.frozen(repr=False)
class Nameless(Base):
    pass


@attrs.frozen(repr=False)
class Lossy(Base):
    pass


enter(Lossy, "tests.testing.Lossy", write=lambda value: {"scale": repr(round(value.scale))})


def local():
    @broken
    class Local(Base):
        pass

    return Local()


CLAIMS = ("trade-off", "conversions", "prices", "composition", "noise", "calibration")
CURVES = ("frozenness", "pickling", "codec")
BROKEN = [
    ("frozenness", Settable(), {}, "its field scale can be set; declare the class with @attrs.frozen"),
    ("frozenness", Unhashed(), {}, "can be set"),
    ("pickling", local(), {}, "cannot be pickled"),
    ("codec", Nameless(), {}, r'put @register_mechanism\("my.Nameless"\) above class Nameless'),
    ("codec", Lossy(2.25), {}, "what is read from its JSON is not equal to it"),
    ("trade-off", guaranteeing(Bent), {"skip": CURVES}, "beta is not convex .alpha = "),
    ("trade-off", guaranteeing(Rising), {"skip": CURVES}, "delta rises"),
    ("trade-off", guaranteeing(Vague), {"skip": CURVES}, "beta is below what delta says"),
    ("trade-off", guaranteeing(NoNumber), {"skip": CURVES}, "beta leaves its range .*found = nan"),
    ("trade-off", guaranteeing(float), {"skip": CURVES}, "which is no guarantee"),
    (
        "conversions",
        Optimist(),
        {},
        r"guarantee\(ZCDP\) says less risk than it may \(alpha = .*, beta = .*, at_most = ",
    ),
    ("prices", Bargain(), {}, r"price\(ADP\) says less risk"),
    ("prices", Loan(), {}, "gives budget back"),
    ("prices", Rounded(), {}, "must be 2 Fractions"),
    ("composition", guaranteeing(Shrinking), {"skip": CURVES}, r"self_compose\(2\) says less risk"),
    ("noise", Backwards(), {}, r"sensitivity = 0.5, against sensitivity = 1 says less risk"),
    ("noise", Jumping(), {}, "scale = 2, against scale = 4 says less risk"),
    ("calibration", Stingy(), {}, r"calibrated for 1 release\(s\), it misses its target"),
    ("calibration", Lavish(), {}, "it has more scale than it had .found = 1000, had = 2"),
    ("values", Welcoming(), {}, "check lets None pass"),
    ("values", Shapeless(), {}, "where a shape is a tuple of integers"),
    ("answers", Unkept(), {}, "the ledger cannot keep an answer"),
    (
        "attack",
        Understated(),
        {},
        "an attack that tells .* does better than the guarantee allows, at a chance of",
    ),
    ("attack", Floats(1.0), {"worlds": [(0.0, 1.0)], "draws": 40_000}, "an attack that tells"),
    ("attack", Forgetful(1.0), {}, "an attack that tells"),
    ("attack", OneOfTwo(1.0), {"worlds": [([0, 0], [1, 1])], "draws": 6000}, "an attack that tells"),
    ("repetition", Scripted(), {"skip": ("attack",)}, "two copies gave the same 200 draws"),
    ("interval", Narrow(2, 1), {"worlds": None, "skip": CLAIMS}, "fewer draws are within .*share_at_most"),
]


@pytest.mark.parametrize(
    ("law", "mechanism", "options", "finding"),
    BROKEN,
    ids=[f"{law}-{type(one).__name__}" for law, one, *_ in BROKEN],
)
def test_broken_mechanisms_are_found_out_and_the_law_is_named(law, mechanism, options, finding):
    options = {"worlds": WORLDS, "draws": 6000} | options
    with pytest.raises(LawViolatedError, match=f"breaks the law of {law}: .*{finding}") as caught:
        check(mechanism, **options)
    error = caught.value
    assert (error.law, error.mechanism) == (law, mechanism)
    assert isinstance(error, AssertionError)
    assert len(str(error).splitlines()) == 1
    assert all(isinstance(value, float) for value in error.numbers.values())


def test_the_error_carries_its_numbers_and_travels():
    with pytest.raises(LawViolatedError) as caught:
        check(Understated(), worlds=WORLDS, draws=6000)
    numbers = caught.value.numbers
    assert set(numbers) == {
        "false_positive_rate_at_most",
        "true_positive_rate_at_least",
        "claimed_at_most",
    }
    assert numbers["true_positive_rate_at_least"] > numbers["claimed_at_most"]
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - written on the same line
    assert (str(again), again.numbers) == (str(caught.value), numbers)


@pytest.mark.parametrize(
    ("mechanism", "options", "message"),
    [
        (Laplace, {}, "mechanism must be a Mechanism, with its parameters"),
        (Right(), {}, "worlds must be a list of pairs of neighbouring inputs"),
        (Right(), {"worlds": [0, 1]}, "worlds must be a list of pairs"),
        (Right(), {"worlds": WORLDS, "draws": 10}, "draws must be an integer >= 100"),
        (Right(), {"worlds": WORLDS, "false_alarm": 2}, "false_alarm must be"),
        (Right(), {"worlds": WORLDS, "skip": ["atack"]}, "skip must be names of laws"),
    ],
)
def test_bad_questions_are_refused(mechanism, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        check_mechanism(mechanism, **options)


def test_what_was_not_asked_is_said():
    found = check(Right(), worlds=(), skip=["codec"])
    assert isinstance(found, Conformance)
    assert "not asked: codec (left out by the caller)" in str(found)
    assert "not asked: attack (no worlds were given)" in str(found)


def test_bounds_on_probabilities_are_clopper_and_pearsons():
    from privacy_accountant.testing import attacks

    for hits, trials, level in [(0, 50, 0.01), (3, 50, 1e-6), (50, 50, 0.2), (20, 1000, 1e-9)]:
        interval = scipy.stats.binomtest(hits, trials).proportion_ci(1 - 2 * level, method="exact")
        assert attacks._below(hits, trials, level) == pytest.approx(interval.low, rel=1e-6)
        assert attacks._above(hits, trials, level) == pytest.approx(interval.high, rel=1e-6)


def accused(mechanism):
    """Whether a tiny attack with a false-alarm rate of one half accuses it."""
    try:
        check_mechanism(mechanism, worlds=WORLDS, draws=400, false_alarm=0.5, skip=set(LAWS) - {"attack"})
    except LawViolatedError:
        return True
    return False


def test_right_mechanisms_are_accused_no_oftener_than_stated():
    """Accused with probability 1/2 each (less, as the bounds are conservative), 40 are accused 38 times with P < 1e-9."""
    assert sum(accused(Right(1.0)) for _ in range(40)) < 38
