"""The geometric mechanism is the discrete Laplace under another name."""

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
    DiscreteLaplace,
    Geometric,
    InvalidParameterError,
    Neighbors,
    Sensitivity,
)
from privacy_accountant.codec import decode, encode


def test_guarantee_noise_and_price_are_those_of_the_discrete_laplace():
    one, other = Geometric(scale=3, sensitivity=2), DiscreteLaplace(scale=3, sensitivity=2)
    assert one.guarantee() == other.guarantee()
    assert one.noise_interval() == other.noise_interval()
    for form, orders in ((ADP, None), (GDP, None), (ZCDP, None), (RDP, (2, 8))):
        assert one.price(form, orders) == other.price(form, orders)
    assert one != other


def test_the_draws_are_two_sided_geometric():
    ratio = np.exp(-1 / 2)
    drawn = Geometric(scale=2, sensitivity=1).randomize(np.zeros(40_000, dtype=int))
    k = np.arange(-8, 9)
    expected = (1 - ratio) / (1 + ratio) * ratio ** np.abs(k) * 40_000
    seen = np.array([(drawn == at).sum() for at in k])
    assert stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), len(k)) > 1e-8


def test_it_may_be_stated_by_its_epsilon():
    assert Geometric.of_epsilon(0.1, sensitivity=1) == Geometric(scale=10, sensitivity=1)
    third = Geometric.of_epsilon(3, sensitivity=Sensitivity(per_value=1, values=2))
    assert third.price(ADP) == (3, 0)
    assert third.scale == Fraction(2, 3)
    assert (
        Geometric.of_epsilon(1, sensitivity=1, neighbors=Neighbors.REPLACE_ONE).neighbors
        is Neighbors.REPLACE_ONE
    )
    assert isinstance(Geometric.calibrate(ADP(0.5), sensitivity=1), Geometric)
    for bad in (0, -1, float("inf"), True, None):
        with pytest.raises(InvalidParameterError, match="^epsilon must be"):
            Geometric.of_epsilon(bad, sensitivity=1)
    with pytest.raises(InvalidParameterError, match="whole number"):
        Geometric(scale=1, sensitivity=0.5)


def test_the_ledger_knows_it_by_its_own_name(tmp_path):
    count = Geometric(scale=10, sensitivity=1)
    assert encode(count)["type"] == "Geometric"
    assert decode(encode(count)) == count
    with Accountant.open(tmp_path / "x.db", study="s", budget=ADP(1)) as study:
        study.release(842, count, label="admissions")
        assert study.remaining(count) == 9
        assert study.history()[0].mechanism == count
