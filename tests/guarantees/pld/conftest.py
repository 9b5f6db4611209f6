"""Routes to the truth that share nothing with the product: mpmath sums, residues and quadrature; enumeration."""

import types

import mpmath as mp
import pytest


def gaussian_delta(mu, e):
    """The profile of two normals, any real e."""
    return mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)


def binomial_delta(epsilon, n, e, inner=None):
    """n-fold randomized response, exactly; `inner(e - loss)` composes it with something else."""
    epsilon, e = mp.mpf(epsilon), mp.mpf(e)
    inner = inner or (lambda t: 1 - mp.exp(t) if t < 0 else mp.mpf(0))
    p, total = 1 / (1 + mp.exp(-epsilon)), mp.mpf(0)
    weight = p**n
    for k in range(n + 1):  # k answers turned
        loss = (n - 2 * k) * epsilon
        part = weight * inner(e - loss)
        total += part
        if k > n / 2 and part < total * mp.mpf(10) ** (-mp.mp.dps):
            break
        weight *= mp.mpf(n - k) / (k + 1) * mp.exp(-epsilon)
    return total


def residue_delta(laplaces, responses, e):
    """The profile of Laplace and randomized-response losses by residues.

    M(z) is a sum over signs of e^{wa} (1 + 1/2w)^j (1 - 1/2w)^k / 2^n...; each term with a > e is closed to the left, where it
    has poles at w = 0 and +-1/2 only, and each other term to the right, where it has none.
    """
    e = mp.mpf(e)
    terms = {(mp.mpf(0), 0): mp.mpf(1)}
    for epsilon in map(mp.mpf, laplaces):
        terms = _times(
            terms, ((epsilon, 0, mp.exp(-epsilon / 2) / 2), (-epsilon, 1, mp.exp(-epsilon / 2) / 2))
        )
    for epsilon in map(mp.mpf, responses):
        weight = 1 / (2 * mp.cosh(epsilon / 2))
        terms = _times(terms, ((epsilon, 0, weight), (-epsilon, 0, weight)))
    n, total = len(laplaces), mp.mpf(0)
    for (a, minus), weight in terms.items():
        if a > e:
            total += weight * mp.exp(e / 2) * _residues(n, minus, a - e)
    return total


def _times(terms, factors):
    result = {}
    for (a, k), weight in terms.items():
        for shift, more, factor in factors:
            key = (a + shift, k + more)
            result[key] = result.get(key, 0) + weight * factor
    return result


def _residues(n, k, x):
    """Residues of (1 + 1/2w)^{n-k} (1 - 1/2w)^k e^{wx} / (w^2 - 1/4)."""

    def at(w):
        return (1 + 1 / (2 * w)) ** (n - k) * (1 - 1 / (2 * w)) ** k * mp.exp(w * x)

    half = mp.mpf(1) / 2
    total = (at(half) if k == 0 else 0) - (at(-half) if n == k else 0)
    if n == 0:
        return total
    # coefficient of w^{n-1} in (w + 1/2)^{n-k} (w - 1/2)^k e^{wx} / (w^2 - 1/4)
    poly = [mp.mpf(1)]
    for root in [-half] * (n - k) + [half] * k:
        poly = [
            (poly[i - 1] if i else 0) - root * (poly[i] if i < len(poly) else 0) for i in range(len(poly) + 1)
        ]
    series = [
        sum(poly[j] * x ** (i - j) / mp.factorial(i - j) for j in range(min(i, n) + 1)) for i in range(n)
    ]
    inverse = [-4 * mp.mpf(4) ** (i // 2) if i % 2 == 0 else mp.mpf(0) for i in range(n)]
    return total + sum(series[i] * inverse[n - 1 - i] for i in range(n))


def laplace_quadrature(epsilon, inner, e):
    """E inner(e - L) for one Laplace loss: two atoms and a density."""
    epsilon, e = mp.mpf(epsilon), mp.mpf(e)
    ends = inner(e - epsilon) / 2 + mp.exp(-epsilon) / 2 * inner(e + epsilon)
    corners = [
        epsilon * (1 - mp.mpf(2) ** -i) for i in range(12)
    ]  # a narrow inner profile lives near the top
    points = [-epsilon, *corners, epsilon] if e > epsilon else mp.linspace(-epsilon, epsilon, 9)
    return ends + mp.quad(lambda x: mp.exp((x - epsilon) / 2) / 4 * inner(e - x), points)


@pytest.fixture
def oracle():
    with mp.workdps(110):
        yield types.SimpleNamespace(
            gaussian_delta=gaussian_delta,
            binomial_delta=binomial_delta,
            residue_delta=residue_delta,
            laplace_quadrature=laplace_quadrature,
        )


@pytest.fixture
def contains():
    """Whether an interval holds the truth, and is as narrow as it should be."""

    def check(ends, truth, gap=1e-4):
        low, high = (mp.mpf(float(end)) for end in ends)
        assert low <= truth <= high, (float(low), float(truth), float(high))
        assert high - low <= gap * high, (float(low), float(high))

    return check
