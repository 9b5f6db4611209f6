"""Every row of the reference values, which mpmath computed from closed forms, finite sums and quadrature.

Each row states how close the library must be, and on which side: closed forms to 1e-12 relative; the Renyi region to 1e-9
absolute and never on the unsafe side; composed losses from above within their stated gap.
"""

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP, DiscreteGaussian, DiscreteLaplace, Gaussian, compose
from privacy_accountant.guarantees.pld import LaplacePair

ROWS = json.loads((Path(__file__).parent / "reference_values.json").read_text())

ULP = Fraction(1, 2**52)
TINY = Fraction(5e-324)
TOLERANCE = Fraction(1, 10**4)


class Check(NamedTuple):
    """Whether a computed value may stand for the true one."""

    holds: Callable[[Fraction, Fraction], bool]
    rule: str


def closed(ours: Fraction, truth: Fraction) -> bool:
    return abs(ours - truth) <= Fraction(1, 10**12) * truth or (truth < TINY and ours in (0, TINY))


def delta(ours: Fraction, truth: Fraction) -> bool:
    return closed(ours, truth) and (truth == 0 or ours > 0)


def region_below(ours: Fraction, truth: Fraction) -> bool:
    return truth - Fraction(1, 10**9) <= ours <= truth


def region_above(ours: Fraction, truth: Fraction) -> bool:
    return truth <= ours <= truth + Fraction(1, 10**9)


def bound_above(ours: Fraction, bound: Fraction) -> bool:
    """At most the bound, up to one rounding to the safe side: deep in the tail the bound is the truth to 1e-15."""
    return 0 < ours <= max(bound * (1 + Fraction(1, 10**13)), TINY)


def sum_above(ours: Fraction, truth: Fraction) -> bool:
    return truth * (1 - ULP) <= ours <= truth * (1 + Fraction(1, 10**10))


def gap_above(ours: Fraction, truth: Fraction) -> bool:
    return truth * (1 - ULP) <= ours <= truth * (1 + TOLERANCE)


def laplace(epsilon: float) -> PLD:
    return PLD.of(LaplacePair(epsilon))


QUESTIONS: dict[str, Callable[[Any, Any], float]] = {
    "beta(alpha)": lambda guarantee, alpha: guarantee.beta(alpha),
    "delta(epsilon)": lambda guarantee, epsilon: guarantee.get_delta(epsilon),
    "epsilon(delta)": lambda guarantee, delta: guarantee.get_epsilon(delta),
    "bayes_risk(prior)": lambda guarantee, prior: guarantee.bayes_risk(prior),
    "advantage": lambda guarantee, _: guarantee.advantage,
    "rdp(order)": lambda guarantee, order: guarantee.to(RDP, orders=order).epsilons[0],
    "zcdp_rho": lambda guarantee, _: guarantee.to(ZCDP).rho,
    "gdp_mu": lambda guarantee, _: guarantee.to(GDP).mu,
    "delta(epsilon) upper bound, Canonne-Kamath-Steinke 2020 Cor. 13": lambda guarantee, epsilon: (
        guarantee.get_delta(epsilon)
    ),
    "sigma for (epsilon, delta), L2 sensitivity 1": lambda mechanism, _: mechanism.sigma,
}

FORMS: dict[str, Callable[..., Any]] = {
    "GDP": GDP,
    "ADP": ADP,
    "PureDP": ADP,
    "Laplace": laplace,
    "RDP": lambda order, epsilon: RDP(orders=order, epsilons=epsilon),
    "ZCDP": ZCDP,
    "PureDP composed n times": lambda epsilon, n: ADP(epsilon).self_compose(n),
    "GDP composed with Laplace": lambda mu, laplace_epsilon: compose(GDP(mu), laplace(laplace_epsilon)),
    "DiscreteLaplace": lambda scale, sensitivity: DiscreteLaplace(scale, sensitivity).guarantee(),
    "DiscreteGaussian": lambda sigma, sensitivity: DiscreteGaussian(sigma, sensitivity).guarantee(),
    "Gaussian": lambda epsilon, delta: Gaussian.calibrate(ADP(epsilon, delta), sensitivity=1),
}

CHECKS: dict[tuple[str, str], Check] = {
    ("beta(alpha)", "RDP"): Check(region_below, "at most 1e-9 below, never above"),
    ("beta(alpha)", "ZCDP"): Check(region_below, "at most 1e-9 below, never above"),
    ("advantage", "ZCDP"): Check(region_above, "at most 1e-9 above, never below"),
    ("delta(epsilon) upper bound, Canonne-Kamath-Steinke 2020 Cor. 13", "ZCDP"): Check(
        bound_above, "at most the bound"
    ),
    ("delta(epsilon)", "PureDP composed n times"): Check(gap_above, "above, within the tolerance"),
    ("delta(epsilon)", "GDP composed with Laplace"): Check(gap_above, "above, within the tolerance"),
    ("delta(epsilon)", "DiscreteLaplace"): Check(sum_above, "above, within 1e-10"),
    ("delta(epsilon)", "DiscreteGaussian"): Check(sum_above, "above, within 1e-10"),
    ("delta(epsilon)", "GDP"): Check(delta, "within 1e-12, positive"),
    ("delta(epsilon)", "ADP"): Check(delta, "within 1e-12, positive"),
    ("delta(epsilon)", "Laplace"): Check(delta, "within 1e-12, positive"),
}
CLOSED = Check(closed, "within 1e-12")


def name(row: dict[str, Any]) -> str:
    params = ",".join(f"{key}={value}" for key, value in row["params"].items())
    return f"{row['quantity'].split(' ')[0]}-{row['form']}-{params}-{row['arg']}".replace(" ", "_")


def read(value: str) -> Fraction:
    """The true value; one that no double is near becomes a number below them all."""
    return Fraction(value) if not 0 < Decimal(value) < Decimal("1e-400") else TINY / 10**9


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_row(row):
    quantity, form = row["quantity"], row["form"]
    ours = QUESTIONS[quantity](FORMS[form](**row["params"]), row["arg"])
    check = CHECKS.get((quantity, form), CLOSED)
    assert check.holds(Fraction(ours), read(row["value"])), (
        f"{float(ours)!r} for {row['value']}: {check.rule}"
    )


def test_every_row_is_here():
    assert len(ROWS) == 830
