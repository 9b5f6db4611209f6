"""A number that means 'none' must never look like a small one."""

import math

import pytest

from privacy_accountant import (
    ADP,
    GDP,
    PLD,
    RDP,
    ZCDP,
    BudgetExceededError,
    Gaussian,
    InvalidParameterError,
    Laplace,
    UnsupportedConversionError,
)


def test_b21_no_epsilon_below_the_failure_mass_is_infinity():
    release = ADP(1.0, 0.01)
    assert release.get_epsilon(1e-6) == math.inf
    assert release.to(PLD).get_epsilon(1e-6) == math.inf
    assert release.to(ADP, delta=1e-6).epsilon == math.inf


def test_b21_a_gaussian_has_no_epsilon_at_delta_zero():
    assert GDP(1.0).get_epsilon(0) == ZCDP(0.5).get_epsilon(0) == RDP(2, 0.5).get_epsilon(0) == math.inf


@pytest.mark.parametrize(
    "build", [lambda: ADP(-1), lambda: GDP(-1), lambda: ZCDP(-1), lambda: RDP(2, -1), lambda: ADP(1, -1e-9)]
)
def test_b21_a_negative_parameter_cannot_be_constructed(build):
    with pytest.raises(InvalidParameterError):
        build()


@pytest.mark.parametrize("adaptive", [True, False])
def test_b21_a_release_with_a_larger_failure_mass_is_refused(open_study, pair, adaptive):
    """Failure mass 0.01 against delta 1e-6: the -1 of others passed as 'at most 1'."""
    study = open_study(ADP(1.0, 1e-6), adaptive=adaptive)
    release = pair(0.1, 0.01)
    assert release.guarantee().get_epsilon(1e-6) == math.inf
    assert not study.can_afford(release)
    assert study.remaining(release) == 0
    with pytest.raises(BudgetExceededError):
        study.release(5, release, label="count")
    assert study.history() == ()
    assert study.can_afford(Laplace(scale=100, sensitivity=1))


def test_b21_what_has_no_price_is_refused_and_not_free(open_study):
    """A Gaussian has no epsilon at delta 0: no number at all comes out, so none can look small."""
    study = open_study(ADP(1.0))
    for ask in (study.can_afford, study.remaining, lambda m: study.release(5, m, label="count")):
        with pytest.raises(UnsupportedConversionError):
            ask(Gaussian(sigma=1e6, sensitivity=1))
    assert study.history() == ()
