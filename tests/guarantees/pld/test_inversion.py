"""Long compositions against Davies' inversion of both distribution functions, in mpmath.

delta(e) = P(L > e) - e^e Q(L > e), and each probability is an alternating sum of its characteristic function at half-integer nodes
(Davies 1973). It shares no formula with the product: no tilt, no smoothing, no pole at 0 or -1.
"""

import warnings
from fractions import Fraction

import mpmath as mp
import pytest

from privacy_accountant.guarantees.pld import PLD, GaussianPair, LaplacePair, RandomizedResponsePair


def number(value):
    """A pair's parameter: the fraction or the decimal that it is."""
    return mp.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mp.mpf(str(value))


def factor(pair, z):
    """E[e^{zL}] of one release, from the definition of the pair."""
    match pair:
        case LaplacePair():
            eps, w = number(pair.epsilon), z + mp.mpf(1) / 2
            inside = mp.exp(-eps / 2) / 4 * (mp.exp(w * eps) - mp.exp(-w * eps)) / w
            return mp.exp(z * eps) / 2 + mp.exp(-eps - z * eps) / 2 + inside
        case RandomizedResponsePair():
            eps = number(pair.epsilon)
            return (mp.exp(eps + z * eps) + mp.exp(-z * eps)) / (1 + mp.exp(eps))
        case GaussianPair():
            return mp.exp(number(pair.mu_squared) * (z * z + z) / 2)


def moment(parts, z):
    return mp.fprod(mp.mpf(1) * factor(pair, z) ** count for pair, count in parts)


class Inversion:
    """Tails of the composed loss under P and Q, right to about 10^-digits."""

    def __init__(self, form, digits):
        self.parts, self.digits = form.parts, digits
        h = mp.mpf("1e-8")
        first = (moment(self.parts, h) - moment(self.parts, -h)) / (2 * h)
        second = (moment(self.parts, h) - 2 + moment(self.parts, -h)) / (h * h)
        self.mean, sd = first, mp.sqrt(second - first**2)
        self.sd, self.reach = sd, sd * mp.sqrt(2 * digits * mp.log(10)) * 2

    def deltas(self, thresholds):
        """delta at each threshold, all from the same nodes."""
        far = max(abs(mp.mpf(e) - sign * self.mean) for e in thresholds for sign in (1, -1))
        step = 2 * mp.pi / (far + self.reach + mp.mpf(self.digits) * mp.log(10))
        tails = {(e, side): mp.mpf(1) / 2 for e in thresholds for side in (0, 1)}
        k, small = 0, mp.mpf(10) ** -(self.digits + 5)
        while True:
            omega = (k + mp.mpf(1) / 2) * step
            values = [moment(self.parts, mp.mpc(-side, omega)) for side in (0, 1)]
            for e in thresholds:
                turn = mp.expj(-omega * mp.mpf(e))
                for side in (0, 1):
                    tails[e, side] += mp.im(turn * values[side]) / (mp.pi * (k + mp.mpf(1) / 2))
            if max(map(abs, values)) < small and omega * self.sd > 1:
                break
            k += 1
        return {e: tails[e, 0] - mp.exp(mp.mpf(e)) * tails[e, 1] for e in thresholds}


FORMS = {
    "laplace, twenty thousand": PLD.of(LaplacePair(0.1), 20_000),
    "laplace, a million of total ten thousand": PLD.of(LaplacePair(0.01), 10**6),
    "responses and laplace": PLD([(RandomizedResponsePair(0.1), 4000), (LaplacePair(0.05), 20_000)]),
    "gaussian, laplace and responses": PLD(
        [(GaussianPair(1), 1), (LaplacePair(0.2), 100), (RandomizedResponsePair(0.3), 50)]
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_long_compositions_against_inversion(name, contains):
    form, asked = FORMS[name], (1e-6, 1e-12, 1e-30)
    ends = [form.get_epsilon(delta, interval=True) for delta in asked]
    digits = 45 + int(ends[-1][1] / 2.3)  # e^e Q(L > e) is as small as P(L > e)
    with mp.workdps(digits + 20):
        truth = Inversion(form, digits).deltas([end for pair in ends for end in pair] + [0.0])
        for delta, (low, high) in zip(asked, ends, strict=True):
            assert truth[high] <= delta <= truth[low]
            assert high - low <= 1e-4 * high
            contains(form.get_delta(high, interval=True), truth[high])
        room = 1 - truth[0.0]
        assert 0 <= room - form.get_complement(0.0) <= 1e-4 * room


def test_a_thousand_laplace_of_twenty_scales_against_inversion_and_the_peer():
    """As the benchmark composes them; the peer's pessimistic epsilon may be above by its grid, never the truth above ours."""
    scales = [5 + Fraction(95 * (i % 20), 20) for i in range(1000)]
    form = PLD(tuple((LaplacePair(1 / scale), 1) for scale in scales))
    assert len(form.parts) == 20
    low, high = form.get_epsilon(1e-6, interval=True)
    with mp.workdps(40):
        truth = Inversion(form, 20).deltas([low, high])
    assert truth[high] <= 1e-6 <= truth[low]
    assert high - low <= 1e-4 * high
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from dp_accounting import dp_event
        from dp_accounting.pld import PLDAccountant

        peer = PLDAccountant()
        peer.compose(
            dp_event.ComposedDpEvent(
                [dp_event.SelfComposedDpEvent(dp_event.LaplaceDpEvent(float(s)), 50) for s in scales[:20]]
            )
        )
        assert high <= peer.get_epsilon(1e-6) + 1e-4
