"""A sensitivity that was stated under one relation does not enter a study of another."""

import itertools

import pytest

from privacy_accountant import (
    ADP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Neighbors,
    NeighborsMismatchError,
    Sensitivity,
)

FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]


@pytest.mark.parametrize(("stated", "study_has"), list(itertools.permutations(Neighbors, 2)))
@pytest.mark.parametrize("cls", FOUR)
def test_b60_a_relation_that_differs_is_refused_before_any_charge(cls, stated, study_has):
    """A histogram cell counted under add or remove has half the sensitivity that substitution has."""
    study = Accountant(budget=ADP(10, 1e-6), neighbors=study_has)
    mechanism = cls(10, Sensitivity(per_value=1, values=1), neighbors=stated)
    with pytest.raises(NeighborsMismatchError) as caught:
        study.release([40, 60], mechanism, label="cells")
    assert (caught.value.mechanism, caught.value.study) == (stated, study_has)
    assert study.history() == ()
    study.release([40, 60], cls(10, Sensitivity(per_value=1, values=2), neighbors=study_has), label="cells")
    assert len(study.history()) == 1


def test_b60_the_relation_is_stored_with_the_study(tmp_path):
    path = tmp_path / "x.db"
    Accountant.open(path, study="ward-7", budget=ADP(1), neighbors=Neighbors.REPLACE_ONE).close()
    with Accountant.open(path, study="ward-7") as study:
        assert study.neighbors is Neighbors.REPLACE_ONE
        with pytest.raises(NeighborsMismatchError):
            study.release(5, Laplace(10, 1, neighbors=Neighbors.ADD_OR_REMOVE_ONE), label="count")
