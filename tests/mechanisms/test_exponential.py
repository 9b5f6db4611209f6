"""The exponential mechanism: bounded range, attained; scores in every kind; budgets and calibration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    Accountant,
    ExponentialMechanism,
    InvalidAggregateError,
    InvalidParameterError,
    Neighbors,
    NeighborsMismatchError,
    Risk,
)
from privacy_accountant.codec import decode, encode

RNG = np.random.default_rng(5)


def law(scores, scale):
    weights = np.exp((np.array(scores) - max(scores)) / scale)
    return weights / weights.sum()


def hockey_stick(p, q, e):
    return float(np.maximum(p - math.exp(e) * q, 0).sum())


def neighbours(monotonic, trials, candidates=5):
    """Scores, and the same ones after one person moved each by at most 1."""
    for _ in range(trials):
        scores = RNG.normal(0, 4, RNG.integers(2, candidates + 1))
        low = 0 if monotonic else -1
        moved = RNG.choice([low, 1, RNG.uniform(low, 1)], len(scores))
        yield scores, scores + (RNG.choice([-1, 1]) * moved)


# ---------------------------------------------------------------------------------------------- guarantee


@pytest.mark.parametrize("monotonic", [False, True])
def test_no_neighbours_are_told_apart_better_than_it_says(monotonic):
    choose = ExponentialMechanism(scale=1.5, sensitivity=1, monotonic=monotonic)
    claim = choose.guarantee()
    (epsilon, _), (rho, _) = choose.price(ADP), choose.price(ZCDP)
    orders = (1.5, 4.0)
    divergences = [float(x) for x in claim.to(RDP, orders=orders).epsilons]
    thresholds = np.linspace(0, 1.1, 7) * float(epsilon)
    allowed = claim.get_delta(thresholds)
    for one, other in neighbours(monotonic, 400):
        for p, q in itertools.permutations((law(one, 1.5), law(other, 1.5))):
            losses = np.log(p / q)
            assert losses.max() - losses.min() <= float(epsilon) + 1e-9
            for e, most in zip(thresholds, allowed, strict=True):
                assert hockey_stick(p, q, e) <= most + 1e-12
            assert float(p @ losses) <= float(rho) + 1e-12
            for order, most in zip(orders, divergences, strict=True):
                assert math.log(float(p**order @ q ** (1 - order))) / (order - 1) <= most + 1e-12


@pytest.mark.parametrize("monotonic", [False, True])
def test_two_candidates_attain_it(monotonic):
    """At every threshold some gap between two scores reaches the claim; so nothing smaller is true."""
    choose = ExponentialMechanism(scale=2, sensitivity=1, monotonic=monotonic)
    claim, epsilon = choose.guarantee(), float(choose.price(ADP)[0])
    change = np.array([1, 0 if monotonic else -1])
    for e in (0.0, 0.3 * epsilon, 0.8 * epsilon):
        reached = max(
            hockey_stick(law(change + np.array([gap, 0]), 2), law([gap, 0], 2), e)
            for gap in np.linspace(-12, 12, 4001)
        )
        assert reached == pytest.approx(claim.get_delta(e), rel=1e-5)
        assert reached <= claim.get_delta(e) + 1e-12


def test_the_native_forms():
    choose = ExponentialMechanism(scale=2, sensitivity=1)
    assert choose.price(ADP) == (1, 0)
    assert choose.guarantee(ADP, delta=0) == ADP(1.0)
    assert choose.guarantee().advantage == pytest.approx(math.tanh(0.25), rel=1e-12)
    assert ExponentialMechanism(scale=2, sensitivity=1, monotonic=True).price(ADP) == (Fraction(1, 2), 0)
    assert ExponentialMechanism(scale=0.2, sensitivity=0.1).price(ADP) == (1, 0)


def test_another_library_claims_no_less():
    """Its zCDP is the well known eps^2/8; ours is attained, and below that."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    for scale, monotonic in ((2.0, False), (0.5, False), (3.0, True)):
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int, monotonic=monotonic)
        choose = ExponentialMechanism(scale=scale, sensitivity=1, monotonic=monotonic)
        pure = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale).map(1)
        assert float(choose.price(ADP)[0]) == pytest.approx(pure, rel=1e-9)
        rho = dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=scale).map(1)
        assert float(choose.price(ZCDP)[0]) <= rho


# ---------------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize(
    "scores",
    [
        [0, 10**6, 3],
        (0, 10**6),
        np.array([0, 10**6, 0], np.uint64),
        np.array([0.5, 1e6]),
        [Fraction(1, 3), 10**6],
        [0, 2**80, 5],
        [-1e308, 1e308],
        [5e-324, 1e300],
    ],
    ids=repr,
)
def test_a_much_better_candidate_is_chosen(scores):
    choose = ExponentialMechanism(scale=2, sensitivity=1)
    assert choose.check(scores) == (len(scores),)
    assert choose.randomize(scores) == int(np.argmax(np.array(scores, dtype=object)))


def test_candidates_may_have_names():
    pandas = pytest.importorskip("pandas")
    choose = ExponentialMechanism(scale=2, sensitivity=1)
    assert choose.randomize({"north": 1, "south": 10**6}) == "south"
    assert choose.randomize(pandas.Series([1, 10**6], index=["north", "south"])) == 1
    assert choose.randomize([7]) == 0


@pytest.mark.parametrize(
    "bad",
    [
        [],
        {},
        3,
        None,
        "ab",
        [1, "2"],
        [1, True],
        [1.0, math.nan],
        [1, math.inf],
        [[1], [2]],
        [1, None],
        [-math.inf, 0],
    ],
    ids=repr,
)
def test_what_is_no_vector_of_scores_is_refused(bad):
    choose = ExponentialMechanism(scale=2, sensitivity=1)
    for ask in (choose.check, choose.randomize):
        with pytest.raises(InvalidAggregateError, match="^value must be"):
            ask(bad)


@pytest.mark.parametrize("field", ["scale", "sensitivity"])
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, "1", None])
def test_numbers_are_positive_and_finite(field, bad):
    with pytest.raises(InvalidParameterError, match=f"^{field} must be a positive finite number"):
        ExponentialMechanism(**{"scale": 1, "sensitivity": 1, field: bad})


@pytest.mark.parametrize("bad", [1, None, "yes"])
def test_monotonic_is_a_flag(bad):
    with pytest.raises(InvalidParameterError, match="^monotonic must be True or False"):
        ExponentialMechanism(scale=1, sensitivity=1, monotonic=bad)


# ---------------------------------------------------------------------------------------------- relation, budgets


def test_monotonic_scores_are_about_adding_and_removing():
    """Replacing a record raises some counts and lowers others: with half the range, which would be claimed, this pair is told apart."""
    monotonic = ExponentialMechanism(scale=1, sensitivity=1, monotonic=True)
    assert monotonic.neighbors is Neighbors.ADD_OR_REMOVE_ONE
    losses = np.log(law([4, 3], 1) / law([3, 4], 1))
    assert losses.max() - losses.min() > float(monotonic.price(ADP)[0])
    with pytest.raises(InvalidParameterError, match="^neighbors must be ADD_OR_REMOVE_ONE"):
        ExponentialMechanism(scale=1, sensitivity=1, monotonic=True, neighbors=Neighbors.REPLACE_ONE)
    with pytest.raises(NeighborsMismatchError):
        Accountant(budget=ADP(9), neighbors=Neighbors.REPLACE_ONE).release([1, 2], monotonic, label="x")


def test_a_release_is_charged_kept_and_repeated(tmp_path):
    choose = ExponentialMechanism(scale=20, sensitivity=1)
    assert decode(encode(choose)) == choose
    with Accountant.open(tmp_path / "x.db", study="s", budget=ZCDP(0.01)) as study:
        first = study.release({"a": 3, "b": 4}, choose, label="best", key="k")
        assert first in ("a", "b")
        assert study.remaining(choose) == 7
        assert study.last.interval is None
    with Accountant.open(tmp_path / "x.db", study="s") as study:
        assert study.release({"a": 3, "b": 4}, choose, label="best", key="k") == first
        assert study.history()[0].mechanism == choose


@pytest.mark.parametrize(
    ("target", "epsilon"),
    [
        (ADP(1.0), 1.0),
        (GDP(0.5), None),
        (ZCDP(0.1), None),
        (Risk(advantage=0.1), 4 * math.atanh(0.1)),
        (ADP(0.5, 1e-6), None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_calibration(target, epsilon):
    found = ExponentialMechanism.calibrate(target, sensitivity=1)
    have = float(found.price(ADP)[0])
    if epsilon is not None:
        assert have == pytest.approx(epsilon, rel=1e-12)
    more = ExponentialMechanism(scale=float(found.scale) * 0.999, sensitivity=1)
    if isinstance(target, (GDP, ZCDP)):
        limit = Fraction(1, 4) if isinstance(target, GDP) else Fraction(1, 10)
        assert found.price(type(target))[0] <= limit < more.price(type(target))[0]
    if isinstance(target, ADP) and target.delta:
        assert found.guarantee().get_delta(0.5) <= 1e-6 < more.guarantee().get_delta(0.5)
    assert ExponentialMechanism.calibrate(target, sensitivity=3).scale == pytest.approx(
        3 * float(found.scale)
    )
