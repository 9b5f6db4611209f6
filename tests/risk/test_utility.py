"""Utility against sums over the noise's law in many digits, and sweeps against the guarantees they are made of."""

import io
import sys

import mpmath
import numpy as np
import pytest
from matplotlib import pyplot as plt

from privacy_accountant import (
    ZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    Sensitivity,
)
from privacy_accountant.errors import InvalidParameterError, MissingExtraError
from privacy_accountant.risk import sweep, utility

SCALES = [0.2, 0.7, 1.0, 3.9, 4.1, 30.0]


def deviation(weight):
    """Standard deviation of a symmetric law on the integers from its weights."""
    with mpmath.workdps(40):
        steps = range(1, 600)
        weights = [weight(k) for k in steps]
        spread = 2 * sum(k * k * w for k, w in zip(steps, weights, strict=True))
        return mpmath.sqrt(spread / (weight(0) + 2 * sum(weights)))


def laws(scale):
    scale = mpmath.mpf(repr(scale))

    def laplace(k):
        if k == 0:
            return 1 - mpmath.exp(-1 / (2 * scale))
        return (mpmath.exp(-(k - 0.5) / scale) - mpmath.exp(-(k + 0.5) / scale)) / 2

    return {
        Gaussian: lambda k: (
            mpmath.erfc((k - 0.5) / scale / mpmath.sqrt(2)) - mpmath.erfc((k + 0.5) / scale / mpmath.sqrt(2))
        ),
        Laplace: laplace,
        DiscreteLaplace: lambda k: mpmath.exp(-k / scale),
        DiscreteGaussian: lambda k: mpmath.exp(-mpmath.mpf(k * k) / (2 * scale**2)),
    }


@pytest.mark.parametrize("kind", [Gaussian, Laplace, DiscreteLaplace, DiscreteGaussian])
@pytest.mark.parametrize("scale", SCALES)
def test_the_standard_deviation_is_that_of_the_law_that_is_drawn(kind, scale):
    if kind in (Laplace, DiscreteLaplace) and scale > 4.1:
        scale = 15.0  # the sum must reach the tail
    found = utility(kind(**{kind.noise_parameter: scale, "sensitivity": 1})).standard_deviation
    assert found == pytest.approx(float(deviation(laws(scale)[kind])), rel=1e-12)


@pytest.mark.parametrize("kind", [Gaussian, Laplace, DiscreteLaplace, DiscreteGaussian])
def test_extreme_noise_has_a_finite_spread(kind):
    large = utility(kind(**{kind.noise_parameter: 1e60, "sensitivity": 1})).standard_deviation
    assert large == pytest.approx(1e60 * (1 if "Gaussian" in kind.__name__ else 2**0.5), rel=1e-12)
    small = utility(kind(**{kind.noise_parameter: 1e-60, "sensitivity": 1})).standard_deviation
    assert small == 0.0


def test_a_grid_scales_the_law():
    fine = utility(Laplace(scale=3.0, sensitivity=1, grid=2**-3))
    assert fine.standard_deviation == pytest.approx(
        utility(Laplace(scale=24.0, sensitivity=1)).standard_deviation / 8, rel=1e-12
    )
    assert fine.error == Laplace(scale=3.0, sensitivity=1, grid=2**-3).noise_interval()


def test_it_speaks_and_rounds_up():
    found = utility(Gaussian(sigma=4.0, sensitivity=1), count=30)
    assert found.relative_error == pytest.approx(8 / 30)
    assert "within 8 of the truth, 26.7% of a count of 30" in str(found)
    assert "of a count" not in str(utility(Gaussian(sigma=4.0, sensitivity=1)))


class Custom(Mechanism):
    """A mechanism of somebody else's."""

    noise_parameter = "width"
    neighbors = None

    def _native(self):
        return ZCDP(0.1)

    def check(self, value):
        return ()

    def randomize(self, value):
        return value

    def noise_interval(self, level=0.95):
        return 7


def test_a_mechanism_of_somebody_elses_has_no_deviation_that_is_known():
    found = utility(Custom())
    assert (found.standard_deviation, found.error) == (None, 7.0)
    assert str(found) == "19 of 20 published numbers are within 7 of the truth."


@pytest.mark.parametrize(
    ("mechanism", "count"), [(Gaussian, None), (None, 1), (Gaussian(sigma=1, sensitivity=1), 0)]
)
def test_what_is_wrong_is_refused(mechanism, count):
    with pytest.raises(InvalidParameterError):
        utility(mechanism, count=count)


@pytest.fixture
def swept():
    return sweep(
        Gaussian,
        [3, 6, 12.5],
        sensitivity=Sensitivity(per_value=1, values=2),
        releases=4,
        count=200,
        alpha=0.001,
    )


def test_each_choice_is_the_guarantee_of_all_releases(swept):
    for one, sigma in zip(swept.choices, (3, 6, 12.5), strict=True):
        together = (
            Gaussian(sigma=sigma, sensitivity=Sensitivity(per_value=1, values=2)).guarantee().self_compose(4)
        )
        assert one.guarantee == together
        assert one.tpr == pytest.approx(1 - together.beta(0.001), rel=1e-9)
        assert one.advantage == together.advantage
        assert one.bayes_risk == together.bayes_risk(0.5)
        assert one.utility.relative_error == one.mechanism.noise_interval() / 200
    for before, after in zip(swept.choices, swept.choices[1:], strict=False):
        assert before.tpr > after.tpr
        assert before.utility.error < after.utility.error


def test_a_sweep_is_a_table_a_frame_and_a_picture(swept):
    text = str(swept)
    assert max(map(len, text.splitlines())) <= 80
    assert "TPR at 0.1%" in text
    assert len(text.splitlines()) == 2 + 3
    frame = swept.to_dataframe()
    assert frame.noise.tolist() == [3.0, 6.0, 12.5]
    assert frame.advantage.tolist() == [one.advantage for one in swept.choices]
    _, axes = plt.subplots()
    assert swept.plot(ax=axes) is axes
    drawn = next(line for line in axes.get_lines() if "advantage" in line.get_label())
    assert np.array_equal(drawn.get_ydata(), frame.advantage)
    axes.figure.savefig(io.BytesIO(), dpi=40)
    plt.close("all")


@pytest.mark.parametrize(
    "wrong",
    [
        {"mechanism": "Gaussian"},
        {"mechanism": dict},
        {"noises": []},
        {"noises": [0]},
        {"releases": 0},
        {"alpha": 2},
        {"count": -1},
    ],
    ids=repr,
)
def test_a_sweep_refuses_what_is_out_of_range(wrong):
    given = {"mechanism": Gaussian, "noises": [1.0], **wrong}
    with pytest.raises(InvalidParameterError):
        sweep(given.pop("mechanism"), given.pop("noises"), sensitivity=1, **given)


@pytest.mark.parametrize(("package", "extra"), [("pandas", "frames"), ("matplotlib", "plot")])
def test_what_is_missing_is_named(monkeypatch, swept, package, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as missing:
        swept.to_dataframe() if package == "pandas" else swept.plot()
    assert missing.value.extra == extra
