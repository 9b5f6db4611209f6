"""The command that chooses noise: the least that meets a goal, and what more or less of it would cost."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from privacy_accountant.cli.expressions import budget_of, mechanism_class_of, sensitivity_of
from privacy_accountant.cli.output import number, show
from privacy_accountant.exact import Real
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.risk import Choice, Sweep, sweep, utility

_AROUND = (0.5, math.sqrt(0.5), 1.0, math.sqrt(2.0), 2.0)
"""Multiples of the least noise that are shown beside it."""


def calibrate(
    goal: Annotated[str, typer.Argument(help="Such as 'Risk(fpr=0.01, tpr=0.05)' or 'ADP(1, 1e-6)'.")],
    *,
    mechanism: Annotated[
        str, typer.Option(help="The kind of noise, such as Gaussian or Laplace.")
    ] = "Gaussian",
    sensitivity: Annotated[
        str, typer.Option(help="Such as 1 or 'Sensitivity(per_value=1, values=2)'.")
    ] = "1",
    releases: Annotated[int, typer.Option(help="How many equal releases share the goal.")] = 1,
    count: Annotated[
        float | None, typer.Option(help="A count that has to stay readable; errors are shown relative to it.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the least noise that meets a goal, and show what more or less of it costs and risks. No ledger is needed."""
    kind, moved = mechanism_class_of(mechanism), sensitivity_of(sensitivity)
    found: Mechanism = kind.calibrate(budget_of(goal), sensitivity=moved, releases=releases)
    parameter = str(kind.noise_parameter)
    least: Real = getattr(found, parameter)
    noises = [_near(least, factor) for factor in _AROUND]
    curve = sweep(kind, noises, sensitivity=moved, releases=releases, count=count)
    text = f"{found!r}\n{utility(found, count=count)}\n\n{_heading(releases)}\n{curve}"
    show(text, _data(found, parameter, least, curve), json)


def _near(least: Real, factor: float) -> Any:
    """A multiple of the least noise in three digits; the least itself as it is."""
    return least if factor == 1.0 else float(f"{float(least) * factor:.3g}")


def _heading(releases: int) -> str:
    return (
        "more noise, less risk:"
        if releases == 1
        else f"more noise, less risk ({releases:,} releases together):"
    )


def _data(found: Mechanism, parameter: str, least: Real, curve: Sweep) -> dict[str, object]:
    return {
        "mechanism": repr(found),
        "parameter": parameter,
        "noise": number(least),
        "releases": curve.releases,
        "alpha": curve.alpha,
        "choices": [_choice(one) for one in curve.choices],
    }


def _choice(one: Choice) -> dict[str, object]:
    return {
        "noise": one.noise,
        "error": one.utility.error,
        "relative_error": one.utility.relative_error,
        "tpr": one.tpr,
        "advantage": one.advantage,
        "bayes_risk": one.bayes_risk,
    }
