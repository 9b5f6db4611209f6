"""Entries of the public registry of deployments of differential privacy: a report as an entry, and an entry as a report."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.exact import Real, float_up
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.base import PrivacyGuarantee
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.risk.report import RiskReport
from privacy_accountant.risk.rounding import Side, at_most, percent, percent_label
from privacy_accountant.risk.words import words_for

PRODUCTS = (
    "Summary statistics",
    "Machine learning model",
    "Dataset",
    "Synthetic data",
    "Interactive API",
    "SQL queries",
)
MODELS = ("Local", "Central", "Shuffle", "Federated")

_WORDS = re.compile(r"[^a-z0-9]+")


def to_registry(
    report: RiskReport,
    *,
    name: str,
    data_curators: tuple[str, ...] | list[str],
    description: str,
    intended_use: str,
    data_product_type: str,
    data_product_region: str,
    publication_date: str,
    privacy_unit: str,
    registry_authors: tuple[str, ...] | list[str],
    delta: float = 1e-6,
    model_name: str = "Central",
) -> dict[str, Any]:
    """An entry for the registry of deployments at registry.opendp.org, a draft of its second tier.

    What a report cannot know is asked for by name. The parameters are the report's own: those of the guarantee where it is
    (epsilon, delta) or zero-concentrated, rho where it implies one, and else the least epsilon at `delta`; always rounded up. The
    attack risk goes into the details.

    Args:
        report: The report.
        name: The data product's name.
        data_curators: Who publishes it.
        description: What it is, briefly.
        intended_use: What it is for.
        data_product_type: One of `PRODUCTS`.
        data_product_region: The region that the data describe.
        publication_date: The day of the first publication, YYYY-MM-DD.
        privacy_unit: Whose data one record is, such as `"person"`.
        registry_authors: Who wrote the entry.
        delta: The delta at which epsilon is stated, where one has to be chosen.
        model_name: One of `MODELS`.

    Returns:
        The entry as plain data, to be written as YAML or JSON.

    Raises:
        InvalidParameterError: When an argument is empty or not of its kind, or the guarantee has no finite parameter.

    Example:
        >>> from privacy_accountant import ZCDP, RiskReport
        >>> entry = to_registry(
        ...     RiskReport(ZCDP(rho=0.5)),
        ...     name="Admissions by ward",
        ...     data_curators=["Ward 7"],
        ...     description="Monthly counts.",
        ...     intended_use="Planning.",
        ...     data_product_type="Summary statistics",
        ...     data_product_region="Norway",
        ...     publication_date="2026-03-01",
        ...     privacy_unit="patient",
        ...     registry_authors=["The steward"],
        ... )
        >>> entry["url_slug"], entry["deployment"]["privacy_loss"]["privacy_parameters"]
        ('admissions-by-ward-ward-7-2026', {'rho': 0.5})
    """
    texts = {
        "name": name,
        "description": description,
        "intended_use": intended_use,
        "data_product_region": data_product_region,
    }
    for field, text in {**texts, "privacy_unit": privacy_unit}.items():
        _text(text, field)
    people = {"data_curators": data_curators, "registry_authors": registry_authors}
    curators, authors = (_names(value, field) for field, value in people.items())
    variant, parameters = _parameters(report.guarantee, delta)
    day = _day(publication_date)
    privacy_loss = {
        "privacy_unit": privacy_unit,
        "privacy_parameters": parameters,
        "privacy_parameters_details": _details(report),
    }
    if report.study is not None:
        privacy_loss["privacy_unit_details"] = words_for(report.study.neighbors).relation
    return {
        "url_slug": "-".join(_WORDS.sub("-", text.lower()).strip("-") for text in (name, *curators, day[:4])),
        "status": "Draft",
        "tier": 2,
        "deployment": {
            "basic": {
                **texts,
                "data_curators": curators,
                "data_product_type": _one_of(data_product_type, "data_product_type", PRODUCTS),
                "publication_date": day,
            },
            "dp_variant": {"variant_name": variant},
            "privacy_loss": privacy_loss,
            "deployment_model": {"model_name": _one_of(model_name, "model_name", MODELS)},
            "administrative": {"registry_authors": authors},
        },
    }


def from_registry(entry: Mapping[str, Any]) -> RiskReport:
    """The privacy claim of a registry entry, read as attack risk.

    rho is read as zero-concentrated differential privacy, epsilon with delta as the pair, epsilon alone as pure differential
    privacy. An entry does not say which data sets are neighbours, so the report speaks of a record that was used.

    Args:
        entry: The entry as plain data, as it stands in the registry.

    Raises:
        InvalidParameterError: When a parameter is missing or is not a number; it says which.

    Example:
        >>> loss = {"privacy_parameters": {"epsilon": 2.0}}
        >>> entry = {"deployment": {"dp_variant": {"variant_name": "Pure DP"}, "privacy_loss": loss}}
        >>> from_registry(entry).guarantee
        ADP(epsilon=2.0, delta=0.0)
    """
    deployment = _section(entry, "deployment")
    parameters = _section(_section(deployment, "privacy_loss"), "privacy_parameters")
    variant = deployment.get("dp_variant", {}).get("variant_name")
    return RiskReport(read_claim(parameters, variant))


def read_claim(parameters: Mapping[str, Any], variant: str | None = None) -> PrivacyGuarantee:
    """The guarantee that parameters such as `{"rho": 0.5}` state, under the variant that they are stated for.

    Raises:
        InvalidParameterError: When a parameter is missing or is not a number.
    """
    rho, epsilon, delta = (_number(parameters, name) for name in ("rho", "epsilon", "delta"))
    if rho is not None:
        return ZCDP(rho)
    if variant == "Zero-concentrated DP":
        raise InvalidParameterError("rho", "given for zero-concentrated differential privacy", None)
    if variant not in (None, "Pure DP", "Approximate DP"):
        raise InvalidParameterError("variant_name", "one that epsilon and delta or rho state whole", variant)
    if epsilon is None:
        raise InvalidParameterError("epsilon", "given when there is no rho", None)
    if delta is None and variant == "Approximate DP":
        raise InvalidParameterError("delta", "given for approximate differential privacy", None)
    return ADP(epsilon, 0 if delta is None else delta)


def _number(parameters: Mapping[str, Any], name: str) -> Any:
    value = parameters.get(name)
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise InvalidParameterError(name, "a number; a formula cannot be read", value)


def _section(entry: object, name: str) -> Mapping[str, Any]:
    found = entry.get(name) if isinstance(entry, Mapping) else None
    if not isinstance(found, Mapping):
        raise InvalidParameterError(name, "a section of the entry", found)
    return found


def _parameters(guarantee: PrivacyGuarantee, delta: float) -> tuple[str, dict[str, float]]:
    """The variant and its parameters as the registry names them, rounded up."""
    if isinstance(guarantee, ZCDP):
        return "Zero-concentrated DP", {"rho": _finite(guarantee.rho, "rho")}
    if isinstance(guarantee, GDP):
        return "Zero-concentrated DP", {"rho": _finite(guarantee.to(ZCDP).rho, "rho")}
    if isinstance(guarantee, ADP):
        pair = {"epsilon": _finite(guarantee.epsilon, "epsilon")}
        if guarantee.delta == 0:
            return "Pure DP", pair
        return "Approximate DP", {**pair, "delta": _finite(guarantee.delta, "delta")}
    pure = guarantee.get_epsilon(0.0)
    if pure < math.inf:
        return "Pure DP", {"epsilon": pure}
    return "Approximate DP", {
        "epsilon": _finite(guarantee.get_epsilon(delta), "epsilon"),
        "delta": float(delta),
    }


def _finite(value: Real, name: str) -> float:
    if value == math.inf:
        raise InvalidParameterError(
            name, "finite: this guarantee promises nothing that an entry could state", value
        )
    return value if isinstance(value, float) else float_up(value)


def _details(report: RiskReport) -> str:
    recognised = at_most(percent(float(report.tpr(0.01)), Side.AT_MOST))
    advantage = at_most(percent(report.advantage, Side.AT_MOST))
    return (
        f"Guarantee: {report.guarantee!r}. An attack with a false positive rate of {percent_label(0.01)} has a true"
        f" positive rate of {recognised}; the advantage of any attack is {advantage}."
    )


def _text(value: object, field: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidParameterError(field, "a str that is not empty", value)
    return value


def _names(value: object, field: str) -> list[str]:
    if not isinstance(value, (list, tuple)) or not value:
        raise InvalidParameterError(field, "a list of at least one name", value)
    return [_text(item, field) for item in value]


def _one_of(value: object, field: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise InvalidParameterError(field, f"one of {known}", value)
    return str(value)


def _day(value: object) -> str:
    try:
        return date.fromisoformat(_text(value, "publication_date")).isoformat()
    except ValueError as error:
        raise InvalidParameterError("publication_date", "a day as YYYY-MM-DD", value) from error
