"""A budget is used up to its last unit, and not one unit further."""

from fractions import Fraction

import pytest

from privacy_accountant import ADP, GDP, Accountant, BudgetExceededError, Gaussian, Laplace


@pytest.mark.parametrize(
    ("budget", "parts"),
    [
        (1.0, [Fraction(1, 11)] * 11),
        (1.0, [Fraction(1, 49)] * 49),
        (0.3, [0.1] * 3),
        (1.0, [0.1, 0.9]),
        (1.0, [0.1] * 10),
    ],
    ids=["11 x 1/11", "49 x 1/49", "3 x 0.1", "0.1 + 0.9", "10 x 0.1"],
)
def test_b84_equal_parts_fill_a_budget(open_study, costs, accepted, budget, parts):
    study = open_study(ADP(budget))
    assert accepted(study, map(costs, parts)) == len(parts)
    assert study.spent().amounts == (budget, 0.0)
    assert study.spent().left == (0.0, 0.0)
    with pytest.raises(BudgetExceededError):
        study.release(5, costs(parts[0]), label="one more")
    assert len(study.history()) == len(parts)


def test_b84_ten_releases_through_a_laplace_of_scale_ten(open_study, tenth, accepted):
    study = open_study(ADP(1.0))
    assert study.remaining(tenth) == 10
    assert accepted(study, [tenth] * 12) == 10
    assert float(study.spent().amounts[0]) == 1.0


def test_b84_a_millionth_above_is_still_refused(open_study, costs, accepted):
    study = open_study(ADP(1.0))
    above = costs(Fraction(1_000_001, 1_000_000))
    assert accepted(study, [above]) == 0
    assert study.spent().amounts == (0.0, 0.0)
    assert accepted(study, [costs(0.4), costs(Fraction(600_001, 1_000_000)), costs(0.6)]) == 2
    assert study.remaining(costs(1e-6)) == 0


@pytest.mark.parametrize("same_file", [True, False])
def test_b84_a_nested_study_fills_both_budgets(tmp_path, costs, accepted, same_file):
    """A tenth inside and nine tenths outside; nothing more fits either, and a refusal is charged to neither."""
    place = tmp_path / ("a.db" if same_file else "b.db")
    with (
        Accountant.open(tmp_path / "a.db", study="hospital", budget=ADP(1.0)) as hospital,
        Accountant.open(place, study="ward-7", budget=ADP(1.0), within=hospital) as ward,
    ):
        assert accepted(ward, [costs(0.1)]) == 1
        assert accepted(hospital, [costs(0.9)]) == 1
        assert accepted(ward, [costs(1e-9)]) == 0
        assert hospital.spent().amounts == (1.0, 0.0)
        assert ward.spent().amounts == (0.1, 0.0)
        hospital.verify()
        ward.verify()


def test_b84_a_float_means_the_decimal_it_prints(open_study, accepted):
    """1/11 as a float prints as 0.09090909090909091, eleven of which are above 1; the fraction is exactly an eleventh."""
    assert accepted(open_study(ADP(1.0)), [Laplace(scale=1, sensitivity=1 / 11)] * 11) == 10
    assert accepted(open_study(ADP(1.0)), [Laplace(scale=1, sensitivity=Fraction(1, 11))] * 11) == 11


def test_b84_nine_gaussians_of_sigma_three_fit_mu_one(open_study, accepted):
    assert accepted(open_study(GDP(1.0)), [Gaussian(sigma=3, sensitivity=1)] * 10) == 9


TINY = [(1e-17, 0), (5e-324, 0), (0, 1e-22), (0, 5e-324)]


@pytest.mark.parametrize(("epsilon", "delta"), TINY)
def test_b85_nothing_positive_fits_a_full_budget(open_study, pair, accepted, epsilon, delta):
    study = open_study(ADP(1.0, 1e-5), currency=ADP)
    assert accepted(study, [pair(1.0, 1e-5)]) == 1
    assert study.spent().left == (0.0, 0.0)
    assert accepted(study, [pair(epsilon, delta)] * 10) == 0
    assert study.remaining(pair(epsilon, delta)) == 0
    assert study.spent().amounts == (1.0, 1e-5)


@pytest.mark.parametrize("epsilon", [1e-17, 5e-324])
def test_b85_no_laplace_is_too_small_to_count(open_study, costs, accepted, epsilon):
    study = open_study(ADP(1.0))
    assert accepted(study, [costs(1.0)]) == 1
    assert accepted(study, [costs(epsilon)] * 10) == 0


def test_b85_small_amounts_add_up_exactly(open_study, costs, accepted):
    """No tolerance: requests of 1e-20 find exactly the room that was left, which a float sum cannot see."""
    study = open_study(ADP(1.0))
    room = Fraction(1, 10**18)
    assert accepted(study, [costs(1 - room)]) == 1
    assert accepted(study, [costs(1e-20)] * 110) == 100
    assert study.spent().amounts == (1.0, 0.0)
