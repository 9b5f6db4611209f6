"""How far one person can move an aggregate."""

import math
from fractions import Fraction

import pytest

from privacy_accountant import (
    ADP,
    GDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    InvalidParameterError,
    Laplace,
    Neighbors,
    Sensitivity,
)


@pytest.mark.parametrize(("changes", "width"), [(1, 3), (3, 1)])
@pytest.mark.parametrize("cls", [DiscreteLaplace, DiscreteGaussian])
def test_b59_a_half_is_refused_and_never_cut_off(cls, changes, width):
    """1 * 3 / 2 is 1.5: the shift of a law on the integers is 2, and integer division said 1."""
    for sensitivity in (
        changes * width / 2,
        Fraction(changes * width, 2),
        Sensitivity(per_value=Fraction(width, 2), values=changes),
    ):
        with pytest.raises(InvalidParameterError, match="whole number"):
            cls(2, sensitivity)
    whole = math.ceil(Fraction(changes * width, 2))
    assert whole == 2
    one, two = (cls(2, shift).guarantee().advantage for shift in (1, whole))
    assert two > one * 1.5


def test_b59_the_laws_that_take_a_half_account_for_it():
    assert Laplace(scale=1, sensitivity=1.5).price(ADP) == (Fraction(3, 2), 0)
    assert Gaussian(sigma=1, sensitivity=1.5).price(GDP) == (Fraction(9, 4),)
    assert Laplace(scale=1, sensitivity=Sensitivity(per_value=0.5, values=3)).price(ADP) == (
        Fraction(3, 2),
        0,
    )
    assert DiscreteLaplace(scale=1, sensitivity=2).price(ADP) == (2, 0)


def test_b60_substitution_moves_two_cells_of_a_histogram():
    replaced, added = Sensitivity(per_value=1, values=2), Sensitivity(per_value=1, values=1)
    assert (replaced.l1, replaced.l2_squared) == (2, 2)
    assert (added.l1, added.l2_squared) == (1, 1)
    assert Laplace(scale=1, sensitivity=replaced).price(ADP) == (2, 0)
    assert Laplace(scale=1, sensitivity=added).price(ADP) == (1, 0)
    assert Gaussian(sigma=1, sensitivity=replaced).guarantee().mu == pytest.approx(1.4142135623731, rel=1e-13)
    assert DiscreteLaplace(scale=1, sensitivity=replaced).price(ADP) == (2, 0)
    study = Accountant(budget=ADP(2), neighbors=Neighbors.REPLACE_ONE)
    noisy = study.release([40, 60], Laplace(scale=1, sensitivity=replaced), label="two cells")
    assert len(noisy) == 2
    assert study.spent().amounts == (2.0, 0.0)


def test_b63_a_contribution_that_moves_counts_at_both_ends():
    before, after = [0, 1], [1, 0]
    moved = sum(abs(a - b) for a, b in zip(before, after, strict=True))
    assert moved == 2 == Sensitivity(per_value=1, values=2).l1


def test_b63_every_query_of_a_chain_is_charged_wherever_the_value_landed():
    """(1,0,0), (0,1,0), (0,0,1) against (0,1,0), (0,0,1), (0,0,0) are 5 apart: three charges of 2 cover that, three of 1 do not."""
    one, other = [(1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 0), (0, 0, 1), (0, 0, 0)]
    distance = sum(abs(a - b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))
    assert distance == 5
    mechanism = Laplace(scale=1, sensitivity=Sensitivity(per_value=1, values=2))
    totals = []
    for answers in (one, other):
        study = Accountant(budget=ADP(100))
        for answer in answers:
            study.release(list(answer), mechanism, label="buckets")
        totals.append(study.spent().amounts[0])
    assert totals == [6.0, 6.0]
    assert totals[0] >= distance > 3


def test_b64_the_number_of_cells_does_not_divide_the_noise():
    """One person changes one cell of a histogram however many it has; a scale divided by d = 4 costs 4, not 1."""
    one_cell = Sensitivity(per_value=1, values=1)
    assert Laplace.calibrate(ADP(1), sensitivity=one_cell).scale == 1
    assert Laplace(scale=Fraction(1, 4), sensitivity=one_cell).price(ADP) == (4, 0)
    study = Accountant(budget=ADP(9))
    study.release([1, 2, 3, 4], Laplace(scale=1, sensitivity=one_cell), label="histogram")
    assert study.spent().amounts == (1.0, 0.0)
    study.release([1, 2, 3, 4], Laplace(scale=0.25, sensitivity=one_cell), label="divided")
    assert study.spent().amounts == (5.0, 0.0)
    assert Laplace.calibrate(ADP(1), sensitivity=Sensitivity(per_value=1, values=4)).scale == 4


def test_b62_noise_for_a_probability_hides_no_count():
    """Counts under substitution move by 2 in L1; the scale that fits a share of 1,000 costs a thousand times as much."""
    moved = Sensitivity(per_value=1, values=2)
    assert Laplace(scale=2, sensitivity=moved).price(ADP) == (1, 0)
    assert Laplace(scale=0.002, sensitivity=moved).price(ADP) == (1000, 0)
    assert Laplace.calibrate(ADP(1), sensitivity=moved).scale == 2
