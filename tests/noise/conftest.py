"""The laws once more, from closed forms and sums in mpmath or scipy, independent of the product."""

import math
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from privacy_accountant.noise import (
    DiscreteGaussianLaw,
    DiscreteLaplaceLaw,
    RoundedGaussianLaw,
    RoundedLaplaceLaw,
)

FALSE_ALARM = 1e-8


def mp(value):
    return mpmath.mpf(value.numerator) / value.denominator


def scale_of(law):
    return getattr(law, "sigma", None) or law.scale


@lru_cache(maxsize=64)
def _theta(sigma, digits):
    """The total of exp(-k^2/(2 sigma^2)): Jacobi's theta function, by Poisson's sum where that is faster."""
    with mpmath.workdps(digits):
        s = mp(sigma)
        if sigma < 10:
            return mpmath.jtheta(3, 0, mpmath.exp(-1 / (2 * s**2)))
        sums = mpmath.nsum(lambda n: mpmath.exp(-2 * (mpmath.pi * s * n) ** 2), [1, 4])
        return s * mpmath.sqrt(2 * mpmath.pi) * (1 + 2 * sums)


def _tail(law, h):
    """P(|Z| > h)."""
    s = mp(scale_of(law))
    if isinstance(law, RoundedGaussianLaw):
        return mpmath.erfc((h + mpmath.mpf(1) / 2) / (s * mpmath.sqrt(2)))
    if isinstance(law, RoundedLaplaceLaw):
        return mpmath.exp(-(h + mpmath.mpf(1) / 2) / s)
    if isinstance(law, DiscreteLaplaceLaw):
        return 2 * mpmath.exp(-(h + 1) / s) / (1 + mpmath.exp(-1 / s))
    far = h + 1 + int(s * mpmath.sqrt(2 * mpmath.log(10) * (mpmath.mp.dps + 5)))
    total = mpmath.fsum(mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * s * s)) for k in range(h + 1, far + 1))
    return 2 * total / _theta(law.sigma, mpmath.mp.dps)


def _mass(law, k):
    """P(k)."""
    k, s = abs(k), mp(scale_of(law))
    if isinstance(law, RoundedGaussianLaw):
        edge = [(k + mpmath.mpf(i) / 2) / (s * mpmath.sqrt(2)) for i in (-1, 1)]
        return (mpmath.erfc(edge[0]) - mpmath.erfc(edge[1])) / 2 if k else mpmath.erf(edge[1])
    if isinstance(law, RoundedLaplaceLaw):
        half = 1 / (2 * s)
        return mpmath.exp(-k / s) * mpmath.sinh(half) if k else -mpmath.expm1(-half)
    if isinstance(law, DiscreteLaplaceLaw):
        return mpmath.tanh(1 / (2 * s)) * mpmath.exp(-k / s)
    return mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * s * s)) / _theta(law.sigma, mpmath.mp.dps)


def _cdf_floats(law, k):
    """P(Z <= k) as floats, at the scales from 100 on; the discrete Gaussian's is then off by less than 1e-5."""
    s = float(scale_of(law))
    if isinstance(law, RoundedGaussianLaw | DiscreteGaussianLaw):
        return special.ndtr((k + 0.5) / s)
    size = np.where(k >= 0, k, -k - 1)
    if isinstance(law, RoundedLaplaceLaw):
        tail = np.exp(-(size + 0.5) / s) / 2
    else:
        tail = np.exp(-(size + 1) / s) / (1 + math.exp(-1 / s))
    return np.where(k >= 0, 1 - tail, tail)


def _chi_square(observed, expected):
    """The p-value, cells of less than 25 merged with their neighbours."""
    cells, o, e = [], 0.0, 0.0
    for seen, mean in zip(observed, expected, strict=True):
        o, e = o + seen, e + mean
        if e >= 25:
            cells.append([o, e])
            o = e = 0.0
    cells[-1][0] += o
    cells[-1][1] += e
    seen, mean = np.array(cells).T
    assert seen.sum() == pytest.approx(mean.sum(), rel=1e-9)
    if len(cells) == 1:
        return 1.0
    return stats.chi2.sf(((seen - mean) ** 2 / mean).sum(), len(cells) - 1)


def _follows(law, draws):
    """Whether draws pass a chi-square test against the law: by cells at small scales, by quantiles at large."""
    draws = np.asarray(draws)
    scale, count = float(scale_of(law)), draws.size
    if scale < 100:
        reach = law.half_width(1 - 1e-12) + 1
        with mpmath.workdps(25):
            inner = [float(_mass(law, k)) for k in range(-reach, reach + 1)]
            outer = float(_tail(law, reach) / 2)
        values = draws.astype(np.float64)
        edges = np.arange(-reach, reach + 2) - 0.5
        expected = np.array([outer, *inner, outer]) * count
    else:
        probabilities = np.linspace(0, 1, 201)[1:-1]
        z = special.ndtri(probabilities)
        if isinstance(law, RoundedLaplaceLaw | DiscreteLaplaceLaw):
            z = np.sign(probabilities - 0.5) * -np.log1p(-np.abs(2 * probabilities - 1))
        edges = np.floor(z * scale)
        values = draws.astype(np.float64) - 0.5
        expected = np.diff(_cdf_floats(law, edges), prepend=0, append=1) * count
        return (
            _chi_square(np.bincount(np.searchsorted(edges, values, "left"), minlength=200), expected)
            > FALSE_ALARM
        )
    observed = np.bincount(np.searchsorted(edges, values, "right"), minlength=edges.size + 1)
    return _chi_square(observed, expected) > FALSE_ALARM


class _OpenError(Exception):
    """More bits were asked for than the script holds."""


def _scripted(*reads):
    """A byte source that answers each read with the bits given, (value, bits), as the leading ones."""
    left = list(reads)

    def read(size):
        if not left:
            raise _OpenError
        value, bits = left.pop(0)
        return (value << (8 * size - bits)).to_bytes(size, "little")

    return read


def _fed(draw, *reads):
    """What a draw gives when it is fed these bits; None when it asks for more."""
    try:
        return draw(_scripted(*reads))
    except _OpenError:
        return None


@pytest.fixture(scope="session")
def scripted():
    return _scripted


@pytest.fixture(scope="session")
def fed():
    return _fed


@pytest.fixture(scope="session")
def tail():
    return _tail


@pytest.fixture(scope="session")
def mass():
    return _mass


@pytest.fixture(scope="session")
def follows():
    return _follows


@pytest.fixture(scope="session")
def chi_square():
    return _chi_square


LAWS = (RoundedGaussianLaw, RoundedLaplaceLaw, DiscreteGaussianLaw, DiscreteLaplaceLaw)


@pytest.fixture(params=LAWS, ids=lambda law: law.__name__)
def law_type(request):
    return request.param


@pytest.fixture
def make(law_type):
    """A law of a scale that is typed as a string."""
    return lambda scale: law_type(Fraction(scale))
