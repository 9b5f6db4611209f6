import json
import math
from fractions import Fraction

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant.codec import decode, encode, enter, tagged, tags
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from privacy_accountant.neighbors import Neighbors, Sensitivity

positive = st.floats(1e-300, 1e300) | st.fractions(Fraction(1, 1000), 1000) | st.decimals("0.001", 1000)
finite = st.just(0.0) | positive
unit = st.floats(0, 1) | st.fractions(0, 1)
whole = st.integers(1, 10**6)
neighbors = st.none() | st.sampled_from(Neighbors)
sensitivities = (
    positive
    | st.builds(Sensitivity, per_value=positive, values=whole)
    | st.builds(
        lambda l1, share: Sensitivity(l1=l1, l2=l1 * share),
        st.fractions(1, 1000),
        st.fractions(Fraction(1, 9), 1),
    )
)
l2_only = st.builds(lambda l2: Sensitivity(l2=l2), positive)
orders = st.lists(st.floats(1.001, 1e6), min_size=1, max_size=5, unique=True).map(tuple)
pairs = (
    st.builds(GaussianPair, positive)
    | st.builds(LaplacePair, positive)
    | st.builds(RandomizedResponsePair, positive | st.just(math.inf), unit)
    | st.builds(DiscreteLaplacePair, positive, whole)
    | st.builds(DiscreteGaussianPair, positive, whole)
)
objects = (
    st.builds(ADP, finite | st.just(math.inf), unit)
    | st.builds(GDP, finite | st.just(math.inf))
    | st.builds(ZCDP, finite | st.just(math.inf))
    | orders.map(lambda at: RDP(at, [0.1 * o for o in at]))
    | st.lists(st.tuples(pairs, whole), max_size=4).map(lambda parts: PLD(tuple(parts)))
    | st.builds(Risk, advantage=unit)
    | st.builds(lambda a, b: Risk(fpr=min(a, b), tpr=max(a, b)), unit, unit)
    | st.builds(Gaussian, positive, sensitivities | l2_only, neighbors=neighbors)
    | st.builds(Laplace, positive, sensitivities, neighbors=neighbors)
    | st.builds(DiscreteLaplace, positive, whole, neighbors=neighbors)
    | st.builds(DiscreteGaussian, positive, whole, neighbors=neighbors)
    | sensitivities.filter(lambda value: isinstance(value, Sensitivity))
    | neighbors
    | pairs
)


def through_json(value):
    return decode(json.loads(json.dumps(encode(value), allow_nan=False)))


@given(objects)
def test_everything_comes_back_equal_and_exact(value):
    again = through_json(value)
    assert again == value
    assert type(again) is type(value)
    assert encode(again) == encode(value)


def test_json_is_readable():
    assert encode(Gaussian(Fraction(1, 3), Sensitivity(per_value=1, values=2))) == {
        "type": "Gaussian",
        "sigma": "1/3",
        "sensitivity": {"type": "Sensitivity", "per_value": "1.0", "values": 2},
    }
    assert encode(RDP((2, 8), (0.1, 0.4))) == {
        "type": "RDP",
        "orders": ["2.0", "8.0"],
        "epsilons": ["0.1", "0.4"],
    }
    assert encode(Laplace(1, 1, neighbors=Neighbors.REPLACE_ONE))["neighbors"] == {
        "type": "Neighbors",
        "name": "REPLACE_ONE",
    }
    assert encode(PLD.of(LaplacePair(0.1), 3)) == {
        "type": "PLD",
        "parts": [[{"type": "LaplacePair", "epsilon": "0.1"}, 3]],
    }
    assert encode(ADP(math.inf)) == {"type": "ADP", "epsilon": "inf", "delta": "0.0"}


@pytest.mark.parametrize(
    "data",
    [
        {"type": "os.system"},
        {"type": "privacy_accountant.errors.InvalidParameterError"},
        {"type": None},
        {"type": ["ADP"]},
        {},
        {"epsilon": "1"},
    ],
)
def test_only_tags_in_the_table_are_read(data):
    with pytest.raises(InvalidParameterError, match="type must be a tag in the table"):
        decode(data)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "ADP", "epsilon": "-1"},
        {"type": "ADP", "epsilon": "nan"},
        {"type": "ADP", "epsilon": 0.5},
        {"type": "ADP"},
        {"type": "ADP", "epsilon": "1", "surprise": "2"},
        {"type": "Gaussian", "sigma": "0", "sensitivity": "1"},
        {"type": "PLD", "parts": "0.1"},
        {"type": "PLD", "parts": [["0.1", 1]]},
        {"type": "Neighbors", "name": "MARTIANS"},
        {"type": "Neighbors"},
        {"type": "Sensitivity"},
        {"type": "Sensitivity", "l1": "1/1", "l2_squared": "2/1"},
        {"type": "Sensitivity", "l1": "-1/1"},
        {"type": "Sensitivity", "l1": "1/1", "l2": "1/1"},
        {"type": "Risk"},
        0.5,
        "text",
    ],
)
def test_malformed_values_are_refused(data):
    with pytest.raises(InvalidParameterError):
        decode(data)


@pytest.mark.parametrize("wrap", [lambda inner: [inner], lambda inner: {"type": "PLD", "parts": inner}])
def test_nesting_without_end_is_refused(wrap):
    data = None
    for _ in range(20_000):
        data = wrap(data)
    with pytest.raises(InvalidParameterError, match="nested less deeply"):
        decode(data)
    while data:  # taken apart from outside, so that freeing it needs no depth either
        data = data[0] if isinstance(data, list) else data["parts"]


def test_every_tag_names_one_class():
    assert {
        "ADP",
        "GDP",
        "RDP",
        "ZCDP",
        "PLD",
        "Risk",
        "Gaussian",
        "Laplace",
        "DiscreteGaussian",
        "DiscreteLaplace",
    } <= set(tags())
    with pytest.raises(InvalidParameterError, match="tag must be free; ADP has it"):
        enter(GDP, "ADP")


def test_a_callers_class_can_be_tagged_or_is_written_under_its_full_name():
    @tagged("test-tagged")
    @attrs.frozen
    class Tagged:
        scale: float
        name: str
        more: tuple = ()
        later: object = None

    @attrs.frozen
    class Own:
        scale: float

    value = Tagged(0.1, "a name", (1, None, True, "0.1"))
    assert encode(value) == {
        "type": "test-tagged",
        "scale": "0.1",
        "name": {"text": "a name"},
        "more": [1, None, True, {"text": "0.1"}],
    }
    assert through_json(value) == value
    assert encode(Own(0.1))["type"].endswith("Own")
    assert through_json(Own(0.1)) == Own(0.1)


@pytest.mark.parametrize("value", [object(), [1], {1}, b"x", 1j])
def test_other_values_are_refused(value):
    with pytest.raises(InvalidParameterError, match="value must be a frozen attrs class"):
        encode(value)
