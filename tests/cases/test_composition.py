"""Composition formulas that others got wrong, and group sizes that pass one."""

import pytest

from privacy_accountant import ADP, Accountant, BudgetExceededError, Laplace
from privacy_accountant.composition.adp import advanced, basic


def test_b38_five_hundred_releases_at_epsilon_one():
    """The wrong formula says 214.6, below what randomized response really loses."""
    release = ADP(1)
    bound = advanced(release, 500, slack=1e-5)
    assert bound.epsilon == pytest.approx(338.356879944472, rel=1e-12)
    assert bound.delta == pytest.approx(1e-5)
    assert basic(release, 500) == ADP(500)
    exact = release.self_compose(500).get_epsilon(1e-5)
    assert 311.767604639711 <= exact * (1 + 1e-14) <= 311.767604639711 * (1 + 1e-4)


def test_b39_a_hundred_small_releases():
    release = ADP(0.1)
    assert advanced(release, 100, slack=1e-6).epsilon == pytest.approx(5.75610551933573, rel=1e-12)
    assert basic(release, 100) == ADP(10)
    exact = release.self_compose(100).get_epsilon(1e-6)
    assert 4.77456758810799 <= exact * (1 + 1e-13) <= 4.77456758810799 * (1 + 1e-4)


def test_b39_few_releases_with_much_slack_stay_a_number():
    """The wrong formula's logarithm turns negative here; the exact loss at this delta is 0."""
    bound = advanced(ADP(0.01), 5, slack=0.1)
    assert ADP(0.01).self_compose(5).get_epsilon(0.1) == 0
    assert 0 <= bound.epsilon <= 0.05
    assert bound.delta == 0.1


def test_b40_total_delta_never_falls():
    release = ADP(0.1, 0.01)
    totals = [advanced(release, count, slack=0.005).delta for count in (1, 2, 10, 100, 300)]
    assert totals == sorted(totals)
    assert totals[3] == pytest.approx(0.635797820433137, rel=1e-12)
    assert totals[4] == pytest.approx(0.951204310399071, rel=1e-12)


@pytest.mark.parametrize(("delta", "times", "exact"), [(0.4, 3, 0.784), (0.2, 10, 0.8926258176)])
def test_b52_total_delta_never_passes_one(delta, times, exact):
    assert basic(ADP(0, delta), times).delta == 1
    assert ADP(0, delta).self_compose(times).get_delta(0) == pytest.approx(exact, rel=1e-14)


def test_b55_every_metric_is_charged_on_its_own():
    """One epsilon for three metrics is three releases at a third of it, or a claim of three."""
    fixed = Accountant(budget=ADP(3), adaptive=False)
    for metric in ("count", "sum", "mean"):
        fixed.release(5, Laplace(scale=1, sensitivity=1), label=metric)
    assert fixed.guarantee().get_epsilon(0) == 3
    assert fixed.spent().amounts == (3.0,)

    study = Accountant(budget=ADP(1))
    study.release(5, Laplace(scale=1, sensitivity=1), label="count")
    for metric in ("sum", "mean"):
        with pytest.raises(BudgetExceededError):
            study.release(5, Laplace(scale=1, sensitivity=1), label=metric)

    split = Accountant(budget=ADP(1))
    for metric in ("count", "sum", "mean"):
        split.release(5, Laplace(scale=3, sensitivity=1), label=metric)
    assert split.spent().amounts == (1.0, 0.0)
    assert Laplace.calibrate(ADP(1), sensitivity=1, releases=3).scale == 3
