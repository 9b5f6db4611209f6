"""Randomized response: the law, the account, the kinds of answers it takes, and what it is not for."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    Accountant,
    BudgetExceededError,
    InvalidAggregateError,
    InvalidParameterError,
    Neighbors,
    NeighborsMismatchError,
    RandomizedResponse,
    Risk,
    TradeOff,
)
from privacy_accountant.codec import decode, encode

FALSE_ALARM = 1e-8
COLOURS = ("red", "green", "blue")


# ---------------------------------------------------------------------------------------------- law


@pytest.mark.parametrize(("epsilon", "k"), [(1.0, 2), (0.1, 2), (1.0, 3), (3.0, 5), (20.0, 4)])
def test_every_answer_has_the_probability_that_is_accounted(epsilon, k):
    response = RandomizedResponse(epsilon, categories=list(range(k)))
    q = 1 / (math.exp(epsilon) + k - 1)
    for true in {0, k - 1}:
        drawn = np.bincount(response.randomize(np.full(40_000, true)), minlength=k)
        expected = np.full(k, q)
        expected[true] = math.exp(epsilon) * q
        often = expected * 40_000 >= 5
        assert drawn[~often].sum() < 40
        if often.sum() > 1:
            assert (
                stats.chisquare(
                    drawn[often], expected[often] / expected[often].sum() * drawn[often].sum()
                ).pvalue
                > FALSE_ALARM
            )


def test_answers_are_randomized_one_by_one():
    answers = RandomizedResponse(0.5).randomize(np.zeros(20_000, dtype=bool)).reshape(-1, 2)
    counts = np.bincount(2 * answers[:, 0] + answers[:, 1], minlength=4)
    lie = 1 / (1 + math.exp(0.5))
    expected = np.outer([1 - lie, lie], [1 - lie, lie]).ravel() * len(answers)
    assert stats.chisquare(counts, expected).pvalue > FALSE_ALARM


# ---------------------------------------------------------------------------------------------- guarantee


def test_it_is_epsilon_dp_exactly():
    for response in (RandomizedResponse(0.1), RandomizedResponse(0.1, categories=COLOURS)):
        assert response.price(ADP) == (Fraction(1, 10), 0)
        assert response.guarantee().get_epsilon(0.0) == 0.1
    assert RandomizedResponse(2).guarantee().advantage == pytest.approx(math.tanh(1), rel=1e-12)
    p, q = math.e / (math.e + 2), 1 / (math.e + 2)
    assert RandomizedResponse(1, categories=COLOURS).guarantee().advantage == pytest.approx(p - q, rel=1e-12)
    assert float(RandomizedResponse(1, categories=COLOURS).price(ZCDP)[0]) == pytest.approx(p - q, rel=1e-12)


def test_another_library_has_the_same_epsilon():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    for epsilon, categories in ((0.7, ["a", "b"]), (1.3, ["a", "b", "c", "d"])):
        truth = math.exp(epsilon) / (math.exp(epsilon) + len(categories) - 1)
        theirs = dp.m.make_randomized_response(categories, prob=truth)
        assert theirs.map(1) == pytest.approx(epsilon, rel=1e-9)


# ---------------------------------------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("response", "value", "kind"),
    [
        (RandomizedResponse(1), True, bool),
        (RandomizedResponse(1), np.True_, bool),
        (RandomizedResponse(1), [True, False], list),
        (RandomizedResponse(1), (True, False), tuple),
        (RandomizedResponse(1), [[True], [False]], list),
        (RandomizedResponse(1, categories=COLOURS), "red", str),
        (RandomizedResponse(1, categories=COLOURS), ["red", "blue"], list),
        (RandomizedResponse(1, categories=(3, 1, 2)), 3, int),
        (RandomizedResponse(1, categories=(3, 1, 2)), np.int8(3), int),
    ],
    ids=repr,
)
def test_answers_come_back_in_the_callers_kind(response, value, kind):
    answer = response.randomize(value)
    assert type(answer) is kind
    assert np.shape(answer) == np.shape(value) == response.check(value)
    for item in np.ravel(np.array(answer, dtype=object)):
        assert item in response.categories


def test_arrays_and_frames_keep_their_dtype_and_index():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    assert RandomizedResponse(1).randomize(np.zeros((2, 3), bool)).dtype == bool
    assert RandomizedResponse(1, categories=(0, 1)).randomize(np.zeros(4, np.uint8)).dtype == np.int64
    colours = RandomizedResponse(50, categories=COLOURS)
    assert colours.randomize(np.array(["red", "blue"])).tolist() == ["red", "blue"]
    series = colours.randomize(pandas.Series(["red", "blue"], index=[7, 9], name="colour"))
    assert (series.tolist(), series.index.tolist(), series.name) == (["red", "blue"], [7, 9], "colour")
    assert colours.randomize(pandas.Series(["red"], dtype="category")).tolist() == ["red"]
    assert RandomizedResponse(50).randomize(polars.Series("x", [True, False])).to_list() == [True, False]


@pytest.mark.parametrize(
    "value", ["purple", 1, 0, None, 1.0, [True, "secret"], [], [True, 1], {"a": True}], ids=repr
)
def test_what_is_no_category_is_refused_without_being_quoted(value):
    with pytest.raises(InvalidAggregateError) as refused:
        RandomizedResponse(1).check(value)
    assert "secret" not in str(refused.value)
    assert "purple" not in str(refused.value)


def test_a_category_of_an_array_is_named_by_its_place_alone():
    with pytest.raises(InvalidAggregateError, match=r"another value of type int at \[2\]"):
        RandomizedResponse(1, categories=(0, 1)).check(np.array([0, 1, 77]))
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InvalidAggregateError, match="data frame"):
        RandomizedResponse(1).check(pandas.DataFrame({"a": [True], "b": ["x"]}))


@pytest.mark.parametrize("bad", [(), ("a",), ("a", "a"), "ab", (1, 1.5), (True, True), None, {"a"}], ids=str)
def test_categories_are_a_public_list_of_different_names(bad):
    with pytest.raises(InvalidParameterError, match="^categories must be"):
        RandomizedResponse(1, categories=bad)


def test_true_is_not_one():
    mixed = RandomizedResponse(60, categories=(True, 1, "1"))
    assert [type(mixed.randomize(item)) for item in (True, 1, "1")] == [bool, int, str]


@pytest.mark.parametrize("bad", [0, -1, math.inf, math.nan, True, "1", None])
def test_epsilon_is_positive_and_finite(bad):
    with pytest.raises(InvalidParameterError, match="^epsilon must be a positive finite number"):
        RandomizedResponse(bad)


# ---------------------------------------------------------------------------------------------- estimate


def test_the_estimate_is_unbiased_and_adds_up():
    """Fed with the expected shares of each category, it gives back the true ones."""
    response = RandomizedResponse(1.0, categories=COLOURS)
    shares = np.array([0.5, 0.3, 0.2])
    q = 1 / (math.e + 2)
    expected = shares * (math.e - 1) * q + q
    answers = np.repeat(np.array(COLOURS, dtype=object), np.round(expected * 10**5).astype(int))
    found = response.estimate(answers)
    assert list(found) == list(COLOURS)
    assert list(found.values()) == pytest.approx(shares, abs=1e-4)
    assert sum(found.values()) == pytest.approx(1, abs=1e-12)


def test_the_estimate_finds_what_people_said():
    response = RandomizedResponse(0.8)
    said = np.arange(100_000) % 4 == 0
    found = response.estimate(response.randomize(said))
    spread = 0.5 / math.tanh(0.4) / math.sqrt(said.size)
    assert abs(found[True] - 0.25) < 6 * spread


# ---------------------------------------------------------------------------------------------- relation, budgets


def test_it_hides_what_was_answered_and_not_that_somebody_answered():
    assert RandomizedResponse(1).neighbors is Neighbors.REPLACE_ONE
    assert RandomizedResponse(1, neighbors=Neighbors.REPLACE_SPECIAL).neighbors is Neighbors.REPLACE_SPECIAL
    with pytest.raises(InvalidParameterError, match="^neighbors must be REPLACE_ONE"):
        RandomizedResponse(1, neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    with pytest.raises(NeighborsMismatchError):
        Accountant(budget=ADP(5)).release([True], RandomizedResponse(1), label="smokes")


@pytest.mark.parametrize("adaptive", [True, False])
def test_ten_tenths_fit_one(adaptive):
    study = Accountant(budget=ADP(1), neighbors=Neighbors.REPLACE_ONE, adaptive=adaptive)
    ask = RandomizedResponse(0.1, categories=COLOURS)
    assert study.remaining(ask) == 10
    for at in range(10):
        study.release(["red", "green"], ask, label=f"question {at}")
    with pytest.raises(BudgetExceededError):
        study.release(["red", "green"], ask, label="one more")
    assert study.last.interval is None


def test_the_ledger_gives_it_back(tmp_path):
    ask = RandomizedResponse(0.5, categories=("yes", 3, False))
    assert decode(encode(ask)) == ask
    terms = {"study": "s", "budget": ADP(1), "neighbors": Neighbors.REPLACE_ONE}
    with Accountant.open(tmp_path / "x.db", **terms) as study:
        first = study.release(["yes", 3], ask, label="q", key="k")
    with Accountant.open(tmp_path / "x.db", study="s") as study:
        assert study.release(["yes", 3], ask, label="q", key="k") == first
        assert study.history()[0].mechanism == ask


# ---------------------------------------------------------------------------------------------- calibration


@pytest.mark.parametrize(
    "target",
    [
        ADP(1.0),
        ADP(0.3),
        ADP(1.0, 1e-6),
        GDP(0.5),
        ZCDP(0.1),
        RDP((2, 8), (0.1, 0.5)),
        Risk(advantage=0.1),
        TradeOff((0, 0.25, 1), (1, 0.25, 0)),
    ],
    ids=lambda target: type(target).__name__,
)
@pytest.mark.parametrize("releases", [1, 3])
@pytest.mark.parametrize("categories", [(False, True), COLOURS], ids=len)
def test_calibration_meets_the_target_and_wastes_little(target, releases, categories):
    found = RandomizedResponse.calibrate(target, releases=releases, categories=categories)
    assert found.categories == categories
    assert isinstance(found.epsilon, float)
    assert _met(target, found, releases)
    assert not _met(target, RandomizedResponse(float(found.epsilon) * 1.002, categories), releases)


def _met(target, mechanism, releases):
    whole = mechanism.guarantee().self_compose(releases)
    if isinstance(target, Risk):
        return target.is_met_by(whole)
    if isinstance(target, TradeOff):  # its steep side has the slope 3 and starts at 1
        return whole.get_delta(math.log(3)) < 1e-12
    if isinstance(target, ADP) and target.delta > 0:
        return whole.get_delta(target.epsilon) <= target.delta
    if isinstance(target, RDP):
        costs = mechanism.price(RDP, target.orders)
        return all(
            releases * cost <= Fraction(most) for cost, most in zip(costs, target.epsilons, strict=True)
        )
    limit = {ADP: "epsilon", GDP: "mu", ZCDP: "rho"}[type(target)]
    most = Fraction(repr(getattr(target, limit))) ** (2 if isinstance(target, GDP) else 1)
    return releases * mechanism.price(type(target))[0] <= most


def test_calibration_has_no_sensitivity():
    assert RandomizedResponse.calibrate(ADP(1), releases=4) == RandomizedResponse(0.25)
    with pytest.raises(InvalidParameterError, match="^sensitivity must be absent"):
        RandomizedResponse.calibrate(ADP(1), sensitivity=1)
