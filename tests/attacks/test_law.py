"""What a study publishes follows the law that is accounted, in the bulk and in the tails, on the quick and on the slow path."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special, stats

from privacy_accountant import (
    ZCDP,
    Accountant,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Sensitivity,
)
from privacy_accountant.noise import laws

FALSE_ALARM = 1e-7
FOUR = [Laplace, Gaussian, DiscreteLaplace, DiscreteGaussian]


def masses(cls, scale, units):
    """The probabilities of the integers `units`, from scipy's functions alone."""
    k = np.abs(units)
    if cls is Gaussian:
        edges = (k + 0.5) / scale, (k - 0.5) / scale
        return special.ndtr(-edges[1]) - special.ndtr(-edges[0])
    if cls is Laplace:
        inner = -np.expm1(-0.5 / scale)
        return np.where(k == 0, inner, np.exp(-k / scale) * np.sinh(0.5 / scale))
    weights = np.exp(-k / scale) if cls is DiscreteLaplace else np.exp(-((k / scale) ** 2) / 2)
    return weights / weights.sum()


def chi_square(cls, scale, noise):
    """Of integers against the law; neighbouring ones are taken together until some 30 or more are expected."""
    reach = int(45 * scale) + 5
    units = np.arange(-reach, reach + 1)
    expected = masses(cls, scale, units) * noise.size
    group = np.floor(np.cumsum(expected) / max(30.0, noise.size / 400)).astype(int)
    wanted = np.bincount(group, expected)
    seen = np.bincount(group[np.clip(noise, -reach, reach) + reach], minlength=wanted.size)
    keep = wanted >= 5
    wanted, seen = np.append(wanted[keep], wanted[~keep].sum()), np.append(seen[keep], seen[~keep].sum())
    if wanted[-1] < 5:
        wanted, seen = (np.append(side[:-2], side[-2:].sum()) for side in (wanted, seen))
    return stats.chisquare(seen, wanted * (seen.sum() / wanted.sum())).pvalue


def published(mechanism, cells, value=842):
    return Accountant(budget=ZCDP(10**9)).release(np.full(cells, value), mechanism, label="count")


@pytest.mark.parametrize("scale", [0.5, 3, 40, 1000.5])
@pytest.mark.parametrize("cls", FOUR)
def test_a_million_published_cells_follow_the_law(cls, scale):
    noise = published(cls(scale, 1), 1_000_000) - 842
    assert chi_square(cls, scale, noise) > FALSE_ALARM
    assert chi_square(cls, scale * 1.02, noise) < FALSE_ALARM


@pytest.mark.parametrize("scale", [3, 300])
@pytest.mark.parametrize("cls", FOUR)
def test_so_they_do_when_tables_are_tiny(monkeypatch, cls, scale):
    """Look-up tables of 3 bits and words of 7: a large part of the cells is settled with integers of any size."""
    settled = []

    @functools.cache
    def shrunk(law):
        sampler = law._make_sampler(short=3, word=7)
        table = getattr(sampler, "table", sampler)
        settle, whole = table._settle, table.cumulative
        table._settle = lambda *arguments: settled.append(1) or settle(*arguments)
        table.cumulative = SimpleNamespace(signed=whole.signed, enclose=functools.cache(whole.enclose))
        return sampler

    monkeypatch.setattr(laws, "_sampler", shrunk)
    noise = published(cls(scale, 1), 30_000) - 842
    assert len(settled) > 1500
    assert chi_square(cls, scale, noise) > FALSE_ALARM


@pytest.mark.parametrize("cls", [Laplace, Gaussian])
def test_real_values_get_the_same_noise_on_their_grid(cls):
    mechanism = cls(2, Sensitivity(per_value=1, values=1), grid=2**-2)
    noise = (published(mechanism, 300_000, 842.1) - 842) * 4
    assert chi_square(cls, 8, noise.astype(int)) > FALSE_ALARM
