"""Every closed moment function against mpmath: the real one within its error bound, the ratios within theirs."""

import mpmath as mp
import numpy as np
import pytest

from privacy_accountant.guarantees.pld import (
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    LaplacePair,
    LatticePair,
    RandomizedResponsePair,
)

PAIRS = [
    LaplacePair(0.001),
    LaplacePair(1),
    LaplacePair(40),
    RandomizedResponsePair(0.01),
    RandomizedResponsePair(3),
    DiscreteLaplacePair(1, 1),
    DiscreteLaplacePair(2.5, 4),
    DiscreteLaplacePair(50, 3),
    DiscreteGaussianPair(0.09, 1),
    DiscreteGaussianPair(0.5, 2),
    DiscreteGaussianPair(1, 1),
    DiscreteGaussianPair(30, 7),
    LatticePair(0.25, -2, (0.1, 0.2, 0.0, 0.3, 0.4)),
]


def moment(pair, z):
    """E[e^{zL}] from the definition."""
    match pair:
        case LaplacePair():
            eps = mp.mpf(str(pair.epsilon))
            # atoms at +-eps and the density e^{(l - eps)/2} / 4 between
            w = z + mp.mpf(1) / 2
            inside = mp.exp(-eps / 2) / 4 * (mp.exp(w * eps) - mp.exp(-w * eps)) / w
            return mp.exp(z * eps) / 2 + mp.exp(-eps - z * eps) / 2 + inside
        case RandomizedResponsePair():
            eps = mp.mpf(str(pair.epsilon))
            return (mp.exp(eps + z * eps) + mp.exp(-z * eps)) / (1 + mp.exp(eps))
        case DiscreteLaplacePair():
            s, d = mp.mpf(str(pair.scale)), pair.sensitivity
            q = mp.exp(-1 / s)
            masses = [(mp.mpf(d) / s, 1 / (1 + q)), (-mp.mpf(d) / s, q**d / (1 + q))]
            masses += [((2 * x - d) / s, (1 - q) / (1 + q) * q ** (d - x)) for x in range(1, d)]
            return sum(p * mp.exp(z * loss) for loss, p in masses)
        case DiscreteGaussianPair():
            v, d = mp.mpf(str(pair.sigma_squared)), pair.sensitivity
            span = range(-200, 201)
            total = sum(mp.exp(-x * x / (2 * v)) for x in span)
            center = -int(mp.nint(d * mp.re(z)))
            return (
                sum(
                    mp.exp(-x * x / (2 * v) + z * (d * d - 2 * d * x) / (2 * v))
                    for x in range(center - 200, center + 201)
                )
                / total
            )
        case LatticePair():
            step = mp.mpf(str(pair.step))
            masses = [mp.mpf(m) for m in pair.masses]
            return sum(m * mp.exp(z * step * (pair.first + j)) for j, m in enumerate(masses)) / sum(masses)


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
@pytest.mark.parametrize("c", [-0.49, -0.2, 0.03, 1.7, 60.0])
def test_log_moments_and_ratios_lie_within_their_error_bounds(pair, c):
    with mp.workdps(110):
        family = pair.family([(pair, 3)])
        k = family.cumulant(c)
        truth = 3 * mp.log(moment(pair, mp.mpf(c)))
        assert abs(k.value - truth) <= k.error
        h = mp.mpf("1e-12")
        slope = (mp.log(moment(pair, c + h)) - mp.log(moment(pair, c - h))) / (2 * h) * 3
        assert abs(k.first - slope) <= 1e-5 * (1 + abs(slope))
        spacing = 0.037
        index = np.array([1.0, 2.0, 29.0, 311.0, 5003.0])
        log, error = family.log_ratio(c, index, spacing)
        for i, found, bound in zip(index, log, error, strict=True):
            omega = mp.mpf(i * spacing)
            ratio = moment(pair, mp.mpc(c, omega)) / moment(pair, mp.mpf(c))
            off = abs(mp.exp(mp.mpc(found)) - ratio**3)
            assert off <= abs(mp.exp(mp.mpc(found))) * mp.expm1(mp.mpf(bound) + 64 * mp.mpf(2) ** -53)
            assert bound < 1e-6 or abs(ratio) < 1e-3


@pytest.mark.parametrize("pair", PAIRS, ids=repr)
def test_the_public_moment_is_an_upper_bound(pair):
    with mp.workdps(40):
        for c in (0.5, 4.0):
            truth = mp.log(moment(pair, mp.mpf(c)))
            assert 0 <= pair.log_moment(c) - truth <= 1e-12 * (1 + abs(truth))
