import math

import numpy as np
import pytest

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.pld import PLD, LaplacePair, LatticePair, RandomizedResponsePair


def both_ways(p, q):
    """The pair of two laws on two outcomes, where any two losses make a lattice."""
    losses = [math.log(a / b) for a, b in zip(p, q, strict=True)]
    low, high = min(losses), max(losses)
    order = np.argsort(losses)

    def one(step, offset, masses):
        return LatticePair(step, 0, [float(m) for m in masses], offset=offset)

    forward = one(high - low, low, np.array(p)[order])
    back = one(high - low, -high, np.array(q)[order][::-1])
    return LatticePair(forward.step, 0, forward.masses, offset=forward.offset, back=back)


@pytest.mark.parametrize(
    ("count", "deltas"),
    [
        (1, (0.335127872929987, 0.228171817154095)),
        (2, (0.436742958566976, 0.233526452592781)),
        (5, (0.678195165288768, 0.591068762253726)),
    ],
)
def test_both_directions_are_composed_and_the_worse_is_taken(count, deltas):
    # The case of a two-distribution loss that other accountants treat as symmetric.
    form = PLD.of(both_ways((0.9, 0.1), (0.5, 0.5)), count)
    for e, delta in zip((0.5, 1.0), deltas, strict=True):
        assert form.get_delta(e) == pytest.approx(delta, rel=1e-11)
    assert form == PLD.of(both_ways((0.9, 0.1), (0.5, 0.5)), count)


def law(rng, size, step, infinite):
    """Two laws on one lattice whose losses are exact, with some mass of each that the other lacks."""
    index = np.arange(size) - size // 2
    p = rng.random(size) + 0.01
    q = p * np.exp(-index * step)
    scale = (1 - infinite) / max(p.sum(), q.sum())
    return index, p * scale, q * scale


def enumerated(losses, masses, count, e):
    total_losses, total = np.zeros(1), np.ones(1)
    for _ in range(count):
        total_losses = np.add.outer(total_losses, losses).ravel()
        total = np.multiply.outer(total, masses).ravel()
    gap = np.minimum(e - total_losses, 0)
    finite = math.fsum(total * -np.expm1(gap))
    return 1 - masses.sum() ** count + finite, math.fsum(total * np.exp(np.minimum(e - total_losses, 0)))


@pytest.mark.parametrize("seed", range(8))
def test_random_small_laws_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    step, size, count = (
        float(rng.choice([0.01, 0.25, 1.0])),
        int(rng.integers(2, 14)),
        int(rng.integers(1, 5)),
    )
    index, p, q = law(rng, size, step, 0.05)
    back = LatticePair(step, -int(index[-1]), q[::-1].tolist(), infinity=float(1 - q.sum()))
    pair = LatticePair(step, int(index[0]), p.tolist(), infinity=float(1 - p.sum()), back=back)
    form = PLD.of(pair, count)
    for e in (0.0, 0.4 * step, step, 1.7 * step, 3.1 * step):
        forward, room = enumerated(index * step, p, count, e)
        backward, back_room = enumerated(-index[::-1] * step, q[::-1], count, e)
        low, high = form.get_delta(e, interval=True)
        truth = max(forward, backward)
        assert low <= truth * (1 + 1e-13)
        assert truth <= high * (1 + 1e-13)
        assert high - low <= 1e-8 * high
        least = min(room, back_room)
        assert form.get_complement(e) == pytest.approx(least, rel=1e-8)
        assert form.get_complement(e) <= least * (1 + 1e-13)


def test_lattice_and_laplace_mix_through_smoothing():
    grid = LatticePair(0.2, -3, (0.05, 0.1, 0.15, 0.2, 0.2, 0.15, 0.15))
    form = PLD(((grid, 2), (LaplacePair(0.3), 1)))
    x = (np.arange(2_000_000) + 0.5) / 2_000_000  # quantiles of the Laplace loss's continuous part
    inside = 0.3 + 2 * np.log(np.exp(-0.3) + x * -np.expm1(-0.3))
    for e in (0.1, 0.7):
        truth = 0.0
        for i, a in enumerate(grid.masses):
            for j, b in enumerate(grid.masses):
                loss = 0.2 * (i + j - 6)
                ends = 0.5 * max(0, -math.expm1(e - loss - 0.3)) + 0.5 * math.exp(-0.3) * max(
                    0, -math.expm1(e - loss + 0.3)
                )
                middle = (
                    -math.expm1(-0.3)
                    / 2
                    * float(np.mean(np.maximum(0, -np.expm1(np.minimum(e - loss - inside, 0)))))
                )
                truth += a * b * (ends + middle)
        low, high = form.get_delta(e, interval=True)
        assert low <= truth * (1 + 1e-6)
        assert truth <= high * (1 + 1e-6)


def test_a_lattice_pair_that_is_randomized_response_is_it():
    p = 1 / (1 + math.exp(-0.5))
    coin = LatticePair(0.5, -1, (1 - p, 0.0, p))
    for count in (1, 3, 200):
        mine, other = PLD.of(coin, count), PLD.of(RandomizedResponsePair(0.5), count)
        e = np.array([0.0, 0.3, 0.9])
        assert mine.get_delta(e) == pytest.approx(other.get_delta(e), rel=1e-9)
        assert mine.beta([0.01, 0.5]) == pytest.approx(other.beta([0.01, 0.5]), rel=1e-9)


@pytest.mark.parametrize(
    ("build", "field"),
    [
        (lambda: LatticePair(0, 0, (1.0,)), "step"),
        (lambda: LatticePair(1, 0.5, (1.0,)), "first"),
        (lambda: LatticePair(1, 0, (0.4, 0.5)), "masses"),
        (lambda: LatticePair(1, 0, (-0.5, 1.5)), "masses"),
        (lambda: LatticePair(1, 0, "x"), "masses"),
        (lambda: LatticePair(1, 0, (1.0,), back=3), "back"),
    ],
)
def test_bad_input_is_named(build, field):
    with pytest.raises(InvalidParameterError) as caught:
        build()
    assert caught.value.field == field
