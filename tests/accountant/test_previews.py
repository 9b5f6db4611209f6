import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import InvalidParameterError, NeighborsMismatchError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import Gaussian, Laplace
from privacy_accountant.neighbors import Neighbors

TENTH = Laplace(10, 1)


def line(preview, currency):
    (found,) = [line for line in preview.lines if line.currency == currency]
    return found


def test_a_preview_says_what_releases_then_cost(open_study):
    """What is previewed, in the study's own currency, is what the same releases are charged."""
    study = open_study(budget=GDP(1.0))
    listed = [(Gaussian(4, 1), 3), Gaussian(5, 1)]
    own = study.preview(listed).lines[0]
    assert (own.currency, own.own, own.fits) == ("GDP", True, True)
    assert study.history() == ()
    for mechanism in [Gaussian(4, 1)] * 3 + [Gaussian(5, 1)]:
        study.release(5, mechanism, label="x")
    assert study.spent().components == own.components


def test_it_fits_exactly_as_long_as_the_releases_do(open_study):
    study = open_study(budget=ADP(1.0))
    assert study.preview([(TENTH, 10)]).fits
    assert not study.preview([(TENTH, 11)]).fits
    study.release(5, TENTH, label="x")
    assert study.preview([(TENTH, 9)]).fits
    after = study.preview([(TENTH, 10)])
    assert not after.fits
    assert after.lines[0].fits  # a study that has spent nothing would take it


@pytest.mark.parametrize(
    ("budget", "listed", "fitting"),
    [
        # Three exact sums: 10 x 0.1 = 1; 8 / 9 <= 1 of mu squared; 8 / (2 x 9) of rho.
        (ADP(1.0), [(TENTH, 10)], "ADP"),
        (GDP(1.0), [(Gaussian(3, 1), 8)], "GDP"),
        (ZCDP(0.5), [(Gaussian(3, 1), 8)], "ZCDP"),
    ],
)
def test_each_currency_is_that_of_a_study_that_counts_in_it(budget, listed, fitting):
    found = Accountant(budget=budget).preview(listed)
    assert line(found, fitting).fits
    ((mechanism, count),) = listed
    for one in found.lines:
        if one.reason is None and one.currency == fitting:
            study = Accountant(budget=budget)
            for _ in range(count):
                study.release(5, mechanism, label="x")
            assert study.spent().components == one.components


def test_a_plan_composes_more_tightly(open_study):
    study = open_study(budget=Risk(advantage=0.1), adaptive=False)
    found = study.preview([(Gaussian(20, 1), 4)])
    assert found.lines[0].currency == "fixed in advance"
    assert found.lines[0].own
    assert found.fits
    for _ in range(4):
        study.release(5, Gaussian(20, 1), label="x")
    assert study.spent().components == found.lines[0].components
    assert not study.preview([(Gaussian(1, 1), 4)]).fits


def test_what_has_no_cost_in_a_currency_says_why():
    found = Accountant(budget=GDP(1.0)).preview([Gaussian(4, 1)])
    assert "no finite epsilon" in line(found, "ADP").reason
    assert not line(found, "ADP").fits
    assert "GDP: 0.0625 of 1 (mu^2); fits" in str(found)


@pytest.mark.parametrize(
    "listed", [[], None, "x", [3], [(TENTH, 0)], [(TENTH, 1.5)], [(TENTH, True)], TENTH, [()]]
)
def test_other_lists_are_refused(listed):
    with pytest.raises(InvalidParameterError):
        Accountant(budget=ADP(1.0)).preview(listed)


def test_another_relation_is_refused():
    with pytest.raises(NeighborsMismatchError):
        Accountant(budget=ADP(1.0)).preview([Laplace(10, 1, neighbors=Neighbors.REPLACE_ONE)])
