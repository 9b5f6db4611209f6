"""A pair that is known through its cells only, against the closed form that it has."""

import attrs
import mpmath as mp
import numpy as np
import pytest
from scipy.special import ndtr

from privacy_accountant.guarantees.pld import PLD, GaussianPair, GridPair, LaplacePair
from privacy_accountant.numerics.contour.grids import HalfCells


@attrs.frozen(cache_hash=True)
class CellsOfNormals(GridPair):
    """N(mu, 1) against N(0, 1): losses are N(mu^2/2, mu^2) under P and N(-mu^2/2, mu^2) under Q."""

    mu: float
    per_width: int = 100

    def half_cells(self):
        step = self.mu / self.per_width
        last = int(np.ceil((self.mu / 2 + 12) * self.per_width))
        ends = np.arange(-2 * last, 2 * last + 1) * (step / 2)

        def masses(center):
            x = (ends - center) / self.mu
            a, b = x[:-1], x[1:]
            return np.where(a > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a))

        p, q = masses(self.mu**2 / 2), masses(-(self.mu**2) / 2)
        error = np.full(len(p), 1e-12)
        tail = float(ndtr(-(ends[-1] - self.mu**2 / 2) / self.mu))
        return HalfCells(step, -last, p, q, error, float(ndtr((ends[0] - self.mu**2 / 2) / self.mu)), tail)


@pytest.mark.parametrize(("mu", "count"), [(0.5, 1), (0.5, 16), (0.1, 400), (1.0, 30)])
def test_intervals_contain_the_gaussian_that_was_cut_into_cells(oracle, mu, count):
    form = PLD.of(CellsOfNormals(mu), count)
    total = mp.mpf(mu) * mp.sqrt(count)
    with mp.workdps(40):
        for share in (0.0, 0.3, 1.0, 3.0):
            e = share * float(total)
            low, high = form.get_delta(e, interval=True, tolerance=1e-3)
            truth = oracle.gaussian_delta(total, mp.mpf(e))
            assert low <= truth <= high
            assert high - low <= 1e-3 * high
    exact = PLD.of(GaussianPair(mu * mu), count)
    for delta in (1e-3, 1e-9):
        low, high = form.get_epsilon(delta, interval=True, tolerance=1e-3)
        assert low <= exact.get_epsilon(delta) * (1 + 1e-12)
        assert exact.get_epsilon(delta) <= high * (1 + 1e-12)
    alpha = np.array([1e-6, 0.01, 0.3, 0.9])
    assert np.all(form.beta(alpha) <= exact.beta(alpha) * (1 + 1e-12))
    assert form.beta(alpha) == pytest.approx(exact.beta(alpha), rel=2e-3)


def test_finer_cells_are_closer_to_second_order():
    truth = PLD.of(GaussianPair(0.25), 16).get_delta(1.0)
    coarse, fine = (
        PLD.of(CellsOfNormals(0.5, size), 16).get_delta(1.0, tolerance=1e-2) / truth - 1 for size in (20, 80)
    )
    assert 0 < fine < coarse / 8


def test_cells_beside_a_closed_form_lie_between():
    cells, exact = PLD.of(CellsOfNormals(0.5), 2), PLD.of(GaussianPair(0.25), 2)
    both, truth = (form.union(PLD.of(LaplacePair(0.7))) for form in (cells, exact))
    for e in (0.0, 0.5, 1.5):
        low, high = both.get_delta(e, interval=True, tolerance=1e-3)
        real = truth.get_delta(e, interval=True)
        assert low <= real[1]
        assert real[0] <= high <= real[1] * (1 + 2e-3)
