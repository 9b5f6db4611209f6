"""Sensitivities: the two ways of stating one, and what each mechanism takes from it."""

from __future__ import annotations

import dp_accounting
import pytest

from privacy_accountant import InvalidParameterError, Neighbors, Sensitivity
from privacy_accountant.neighbors import norm_l1, norm_l2_squared, read_neighbors, read_sensitivity


def test_norms_from_counts_are_exact():
    moved = Sensitivity(per_value=0.1, values=3)
    assert norm_l1(moved, "Laplace") * 10 == 3
    assert norm_l2_squared(moved, "Gaussian") * 100 == 3


def test_a_bare_number_is_the_mechanisms_own_norm():
    assert norm_l1(read_sensitivity(3), "Laplace") == 3
    assert norm_l2_squared(read_sensitivity(3), "Gaussian") == 9


def test_l1_bounds_l2_but_not_the_other_way_round():
    assert norm_l2_squared(Sensitivity(l1=2), "Gaussian") == 4
    with pytest.raises(InvalidParameterError, match="given with l1"):
        norm_l1(Sensitivity(l2=2), "Laplace")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"per_value": 1, "l1": 2},
        {"per_value": 0, "values": 1},
        {"per_value": 1, "values": 0},
        {"per_value": 1, "values": 1.0},
        {"per_value": True, "values": 1},
        {"values": 3},
        {"l1": -1},
        {"l1": 1, "l2": 2},
        {"l2": float("nan")},
        {"per_value": "1"},
    ],
)
def test_bad_sensitivities_are_refused_in_one_line(arguments):
    with pytest.raises(InvalidParameterError) as caught:
        Sensitivity(**arguments)
    assert "\n" not in str(caught.value)


def test_equality_hash_and_repr_are_by_value():
    assert Sensitivity(per_value=1, values=2) == Sensitivity(per_value=1.0, values=2)
    assert hash(Sensitivity(l1=1)) == hash(Sensitivity(l1=1.0))
    assert repr(Sensitivity(per_value=0.5, values=4)) == "Sensitivity(per_value=0.5, values=4)"
    assert repr(Sensitivity(l1=3, l2=1.5)) == "Sensitivity(l1=3.0, l2=1.5)"


def test_relations_carry_dp_accountings_names():
    assert {member.name for member in Neighbors} == {
        member.name for member in dp_accounting.NeighboringRelation
    }
    with pytest.raises(InvalidParameterError, match="Neighbors member"):
        read_neighbors("ADD_OR_REMOVE_ONE")
