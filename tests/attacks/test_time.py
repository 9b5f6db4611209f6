"""How long a release takes against the noise in it (arXiv 2112.05307): what docs/known-limitations.md says of it.

Neither constant time nor safety against caches is claimed. What is kept from coming back is a sampler whose time follows its noise: a
unary geometric one shows a correlation of 0.997, a discrete Gaussian by rejection one of 0.722.
"""

import time

import numpy as np
import pytest
from scipy import stats

from privacy_accountant import ADP, ZCDP, Accountant, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace

RELEASES = 6000
MOST = 0.1
"""By chance alone a correlation of 6000 pairs passes this with probability 1e-14; those that were measured are within 0.03."""
FALSE_ALARM = 1e-8


def timed(release):
    """Time and absolute noise of single releases of 0."""
    taken, noise = np.empty(RELEASES), np.empty(RELEASES)
    for at in range(-200, RELEASES):
        start = time.perf_counter_ns()
        noisy = release(0)
        if at >= 0:
            taken[at], noise[at] = time.perf_counter_ns() - start, abs(noisy)
    return taken, noise


def follows_the_noise(taken, noise):
    """Whether time rises or falls with the noise, or is another one for the largest 1 % of it."""
    largest = np.argsort(noise, kind="stable")[-RELEASES // 100 :]
    rest = np.delete(taken, largest)
    apart = stats.mannwhitneyu(taken[largest], rest).pvalue < FALSE_ALARM
    return apart or abs(stats.spearmanr(taken, noise).statistic) > MOST


def test_the_attack_works_on_a_sampler_that_counts():
    generator = np.random.default_rng(1)

    def unary(value):
        """A geometric variable counted out one by one."""
        while generator.random() > 0.05:
            value += 1
        return value

    assert follows_the_noise(*timed(unary))


@pytest.mark.parametrize("scale", [10, 1000])
@pytest.mark.parametrize("cls", [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian])
def test_b83_the_time_of_a_release_does_not_follow_its_noise(cls, scale):
    study = Accountant(budget=ADP(10**9) if "Laplace" in cls.__name__ else ZCDP(10**9))
    mechanism = cls(scale, 1)
    assert not follows_the_noise(*timed(lambda value: study.release(value, mechanism, label="count")))
