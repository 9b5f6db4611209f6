"""Questions that took others minutes and gigabytes."""

import statistics
import time
import tracemalloc

import pytest

from privacy_accountant import ADP, GDP, PLD, Accountant, Gaussian


@pytest.mark.parametrize(
    ("sigma", "epsilon"), [(0.1, 91.8172896246637), (0.03, 696.777791541727), (0.02, 1462.2850159647798)]
)
def test_b28_small_sigma_in_closed_form(sigma, epsilon):
    assert Gaussian(sigma=sigma, sensitivity=1).guarantee().get_epsilon(1e-5) == pytest.approx(
        epsilon, rel=1e-12
    )


def test_b28_calibration_starts_from_no_noise():
    assert Gaussian.calibrate(ADP(0.01, 1e-5), sensitivity=1).sigma == pytest.approx(
        243.785437675678029, rel=1e-12
    )
    assert GDP(1000).get_epsilon(1e-5) < 510_000


@pytest.mark.parametrize("sigma", [0.1, 0.03, 0.02])
def test_b28_small_sigma_takes_no_time_and_no_memory(sigma):
    """Others need 3 to 49 seconds and 5.5 GB."""
    tracemalloc.start()
    begin = time.process_time()
    try:
        mechanism = Gaussian(sigma=sigma, sensitivity=1)
        mechanism.guarantee(PLD).get_epsilon(1e-5)
        mechanism.guarantee().self_compose(3).get_epsilon(1e-5)
        mechanism.guarantee(PLD).beta(0.01)
        assert time.process_time() - begin < 1
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("adaptive", [True, False])
def test_b93_a_release_costs_no_more_after_thousands(adaptive):
    """Distinct scales, so that no two costs are merged; the balance is read after each.

    A total that is recomputed makes the last of them ten times as dear as the first; doubling then costs four times as much.
    """
    count, block = (2000, 200) if adaptive else (200, 40)
    study, seconds = Accountant(budget=GDP(10**6), adaptive=adaptive), []
    mechanisms = [Gaussian(sigma=100 + i if adaptive else 100 + i % 4, sensitivity=1) for i in range(count)]
    for mechanism in mechanisms:
        begin = time.perf_counter()
        study.spend(mechanism, label="count")
        study.spent()
        seconds.append(time.perf_counter() - begin)
    first, last = statistics.median(seconds[block : 2 * block]), statistics.median(seconds[-block:])
    assert last < 3 * first
