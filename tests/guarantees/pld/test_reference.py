import json
from pathlib import Path

import pytest

from privacy_accountant.exact import exact
from privacy_accountant.guarantees.pld import (
    PLD,
    DiscreteGaussianPair,
    DiscreteLaplacePair,
    GaussianPair,
    LaplacePair,
    RandomizedResponsePair,
)

ROWS = json.loads((Path(__file__).parents[2] / "reference" / "reference_values.json").read_text())
TINY = 5e-324


BUILD = {
    "Laplace": lambda p: PLD.of(LaplacePair(p["epsilon"])),
    "ADP": lambda p: PLD.of(RandomizedResponsePair(p["epsilon"], p["delta"])),
    "GDP": lambda p: PLD.of(GaussianPair(exact(p["mu"]) ** 2)),
    "PureDP composed n times": lambda p: PLD.of(RandomizedResponsePair(p["epsilon"]), p["n"]),
    "GDP composed with Laplace": lambda p: PLD.of(GaussianPair(exact(p["mu"]) ** 2)).union(
        PLD.of(LaplacePair(p["laplace_epsilon"]))
    ),
    "DiscreteLaplace": lambda p: PLD.of(DiscreteLaplacePair(p["scale"], p["sensitivity"])),
    "DiscreteGaussian": lambda p: PLD.of(DiscreteGaussianPair(exact(p["sigma"]) ** 2, p["sensitivity"])),
}


def form_of(row):
    build = BUILD.get(row["form"])
    return build and build(row["params"])


ANSWERS = {
    "beta(alpha)": (PLD.beta, -1),
    "delta(epsilon)": (PLD.get_delta, 1),
    "bayes_risk(prior)": (PLD.bayes_risk, -1),
    "epsilon(delta)": (PLD.get_epsilon, 1),
    "advantage": (lambda form, _: form.advantage, 1),
}
CASES = [(row, form) for row in ROWS if row["quantity"] in ANSWERS and (form := form_of(row)) is not None]


@pytest.mark.parametrize(
    ("row", "form"), CASES, ids=[f"{r['form']}-{r['params']}-{r['quantity']}-{r['arg']}" for r, _ in CASES]
)
def test_reference_values_from_the_safe_side_to_twelve_digits(row, form):
    read, side = ANSWERS[row["quantity"]]
    truth, value = float(row["value"]), read(form, float(row["arg"] or 0))
    if truth in (0.0, 1.0) or truth < 1e-300:
        assert abs(value - truth) <= 1e-300
        return
    off = side * (value - truth) / truth
    limit = 1e-12 if row["form"] in ("Laplace", "ADP", "GDP") else 2e-12
    # The truth itself is rounded to a double here, hence one unit on the other side.
    assert -2.3e-16 <= off <= limit


@pytest.mark.parametrize("row", [r for r in ROWS if r["form"] in ("DiscreteLaplace", "DiscreteGaussian")])
def test_intervals_of_discrete_laws_contain_the_reference(row, contains):
    import mpmath as mp

    contains(form_of(row).get_delta(row["arg"], interval=True), mp.mpf(row["value"]), 1e-11)
