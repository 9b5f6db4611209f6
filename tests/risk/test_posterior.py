"""What a belief can become, against the privacy loss itself, computed at high precision."""

import math

import mpmath
import pytest

from privacy_accountant import ADP, GDP, ZCDP, DiscreteLaplace, InvalidParameterError, Laplace
from privacy_accountant.risk import RiskReport


def loss_of(prior, posterior):
    """The loss that turns one belief into the other."""
    with mpmath.workdps(60):
        odds = mpmath.mpf(posterior) / (1 - mpmath.mpf(posterior))
        return mpmath.log(odds * (1 - mpmath.mpf(prior)) / mpmath.mpf(prior))


@pytest.mark.parametrize("mu", [1e-6, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("exception", [1e-12, 1e-6, 1e-3, 0.3])
def test_a_gaussian_loss_passes_the_bound_less_often_than_the_exception(mu, exception):
    bound = loss_of(0.01, RiskReport(GDP(mu)).posterior(0.01, exception))
    with mpmath.workdps(60):
        # The loss with the record is normal with mean mu^2/2 and standard deviation mu.
        passed = mpmath.ncdf(-(bound - mpmath.mpf(mu) ** 2 / 2) / mpmath.mpf(mu))
        assert passed <= exception
        least = mpmath.mpf(mu) ** 2 / 2 + mu * mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(exception))
    assert bound < max(0, least) + mu + 1e-5  # not far above the loss that is passed exactly that often


@pytest.mark.parametrize("exception", [1e-9, 1e-3])
def test_a_pure_guarantee_bounds_every_loss(exception):
    report = RiskReport(ADP(1.5))
    assert report.posterior(0.2, exception) == pytest.approx(
        0.2 * math.exp(1.5) / (0.8 + 0.2 * math.exp(1.5))
    )
    assert report.posterior(0.2, 0.0) >= 0.2 * math.exp(1.5) / (0.8 + 0.2 * math.exp(1.5))


def test_a_delta_that_is_larger_than_the_exception_bounds_nothing():
    assert RiskReport(ADP(0.1, 1e-3)).posterior(0.01, 1e-4) == 1.0
    assert RiskReport(ADP(0.1, 1e-6)).posterior(0.01, 1e-3) < 0.0112


@pytest.mark.parametrize(
    "guarantee", [GDP(2), ZCDP(0.5), Laplace(scale=2, sensitivity=1).guarantee()], ids=repr
)
def test_it_grows_with_the_belief_and_as_the_exception_shrinks(guarantee):
    report = RiskReport(guarantee)
    priors = [0.0, 1e-300, 0.01, 0.5, 0.99, 1.0]
    rows = [report.posterior(priors, exception) for exception in (1.0, 0.1, 1e-5, 1e-30, 0.0)]
    for row in rows:
        assert row[0] == 0
        assert row[-1] == 1
        assert all(row >= priors)
        assert all(row[1:] > row[:-1]) or row[1] == 1.0
    for more, less in zip(rows[1:], rows[:-1], strict=True):
        assert all(more >= less)


def test_no_privacy_and_perfect_privacy():
    assert RiskReport(GDP(math.inf)).posterior(0.01) == 1.0
    assert RiskReport(GDP(0)).posterior([0.01, 0.5]).tolist() == [0.01, 0.5]
    assert RiskReport(GDP(900)).posterior(0.5, 1e-320) == 1.0


def test_on_the_draws_of_a_mechanism():
    """Of a million draws, the loss of no more than a share of the exception passes the bound, errors of sampling aside."""
    noise = DiscreteLaplace(scale=3, sensitivity=2)
    composed = noise.guarantee().self_compose(8)
    bound = float(loss_of(0.5, RiskReport(composed).posterior(0.5, 0.01)))
    draws = noise.randomize([2] * 800_000)
    losses = [(abs(draw) - abs(draw - 2)) / 3 for draw in draws]
    totals = [sum(losses[start : start + 8]) for start in range(0, len(losses), 8)]
    share = sum(total > bound + 1e-9 for total in totals) / len(totals)
    # The largest share of 100,000 that a probability of 0.01 reaches once in a million: 4.9 standard deviations.
    assert share < 0.01 + 4.9 * math.sqrt(0.01 * 0.99 / len(totals))


@pytest.mark.parametrize(("prior", "exception"), [(-0.1, 0.1), (0.1, 1.5), (0.1, True), ("x", 0.1)])
def test_bad_input(prior, exception):
    with pytest.raises(InvalidParameterError):
        RiskReport(GDP(1)).posterior(prior, exception)
