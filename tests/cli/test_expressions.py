from fractions import Fraction

import pytest

pytest.importorskip("typer", reason="the extra `cli` is not installed")

from privacy_accountant.cli.expressions import budget_of, counted_mechanism_of, form_of, mechanism_of
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.rdp import RDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.mechanisms import (
    DPSGD,
    AboveThreshold,
    Composed,
    Gaussian,
    Geometric,
    Laplace,
    NoisyThreshold,
    Opaque,
    PoissonSampled,
    RandomizedResponse,
    ReportNoisyMax,
)
from privacy_accountant.neighbors import Neighbors, Sensitivity


@pytest.mark.parametrize(
    "budget", [ADP(1.0, 1e-6), RDP((2, 4), (0.5, 1)), Risk(fpr=0.01, tpr=0.05), ADP(Fraction(1, 3))]
)
def test_what_is_printed_can_be_read(budget):
    text = "ADP(epsilon=1/3)" if budget == ADP(Fraction(1, 3)) else repr(budget)
    if not isinstance(budget, Risk):
        assert budget_of(text) == budget
    assert budget_of("Risk(fpr=0.01, tpr=0.05)") == Risk(fpr=0.01, tpr=0.05)


def test_mechanisms_take_sensitivities_and_counts():
    assert mechanism_of("Laplace(3.0, Sensitivity(per_value=1, values=2))") == Laplace(
        3, Sensitivity(per_value=1, values=2)
    )
    assert counted_mechanism_of(" 12 * Gaussian(sigma=8, sensitivity=1)") == (Gaussian(8, 1), 12)
    assert counted_mechanism_of("Gaussian(sigma=8, sensitivity=1)") == (Gaussian(8, 1), 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Gaussian",
        "Gaussian(1, **x)",
        "Gaussian(*x)",
        "0 * Gaussian(8, 1)",
        "-1 * Gaussian(8, 1)",
        "1.5 * Gaussian(8, 1)",
        "Gaussian(8, 1) * 3",
        "Gaussian(True, 1)",
        "Gaussian('8', 1)",
        "Gaussian(8, 1)._scale",
        "(lambda: 1)()",
        "__import__('os')",
        "[x for x in ()]",
        "(" * 500,
        "Gaussian(1/0, 1)",
        "\x00",
    ],
)
def test_nothing_else_is_read(text):
    with pytest.raises(InvalidParameterError):
        counted_mechanism_of(text)


@pytest.mark.parametrize("text", ["", "PLD", "Accountant", "adp", "__name__"])
def test_currencies_are_forms(text):
    with pytest.raises(InvalidParameterError, match="currency"):
        form_of(text)


@pytest.mark.parametrize(
    "mechanism",
    [
        PoissonSampled(Composed([Gaussian(4, 1), Laplace(2, 1)]), 0.01),
        DPSGD(1.1, 0.01, 1000),
        ReportNoisyMax(2, 1, noise="exponential"),
        AboveThreshold(10, 1, 1000, hits=3, monotonic=True),
        NoisyThreshold(Laplace(2, Sensitivity(per_value=1, values=2)), 40),
        RandomizedResponse(1.0, ("red", "green", "blue")),
        Opaque(ADP(1, 1e-6), note="table 3"),
        Geometric(2, 1),
        Gaussian(4, Sensitivity(l2=2), neighbors=Neighbors.REPLACE_ONE, grid=Fraction(1, 4), length=4),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_every_kind_of_mechanism_is_read_as_it_is_written(mechanism):
    assert mechanism_of(repr(mechanism)) == mechanism
