"""Histories of training runs, against two independent accountants in the same run."""

import warnings

import pytest
from dp_accounting import dp_event as ev
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant

from privacy_accountant import GDP, PLD, InvalidParameterError
from privacy_accountant.interop import from_history

RUN = (1.1, 256 / 60_000, 14_062)


def test_a_published_run():
    """Noise 1.1, batches of 256 of 60,000, 60 epochs: as training on MNIST is usually shown."""
    accountant = PLDAccountant().compose(ev.PoissonSampledDpEvent(RUN[1], ev.GaussianDpEvent(RUN[0])), RUN[2])
    low, high = from_history([RUN]).get_epsilon(1e-5, interval=True)
    assert low <= high <= accountant.get_epsilon(1e-5) + 1e-4
    assert high <= low * (1 + 1e-4)


def test_prv_accountants_interval_meets_ours():
    prv = pytest.importorskip("prv_accountant", reason="prv-accountant is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accountant = prv.PRVAccountant(
            prvs=[prv.PoissonSubsampledGaussianMechanism(sampling_probability=0.02, noise_multiplier=1.5)],
            max_self_compositions=[500],
            eps_error=0.01,
            delta_error=1e-10,
        )
        below, _, above = accountant.compute_epsilon(delta=1e-5, num_self_compositions=[500])
    low, high = from_history([(1.5, 0.02, 500)]).get_epsilon(1e-5, interval=True)
    assert below <= high
    assert low <= above


def test_equal_steps_are_one_part_and_full_batches_are_gaussian():
    run = from_history([(1.0, 0.1, 3), (2.0, 0.1, 1), (1.0, 0.1, 4)])
    assert sorted(count for _, count in run.parts) == [1, 7]
    assert from_history([(2.0, 1, 16)]) == GDP(2.0)
    assert from_history([(2.0, 1, 8), (2.0, 1.0, 8)]) == GDP(2.0)


def test_nothing_and_everything():
    assert from_history([]) == PLD()
    assert from_history([(1.0, 0.0, 10), (1.0, 0.5, 0)]) == PLD()
    assert from_history([(0.0, 0.5, 1)]).advantage == 1


@pytest.mark.parametrize(
    "history",
    [
        None,
        3,
        "run",
        [(1.0, 0.1)],
        [1.0],
        [(-1.0, 0.1, 1)],
        [(1.0, 1.1, 1)],
        [(1.0, 0.1, 1.5)],
        [(1.0, 0.1, -1)],
    ],
    ids=repr,
)
def test_bad_histories(history):
    with pytest.raises(InvalidParameterError):
        from_history(history)
