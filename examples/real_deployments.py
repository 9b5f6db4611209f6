"""What real deployments of differential privacy risk, as far as their published parameters tell.

Each line is a deployment as the public registry at registry.opendp.org states it, read as attack risk: what an attack that
wrongly accuses 1% finds at most, the advantage, and mu of the Gaussian guarantee that the parameters imply.

    python examples/real_deployments.py                          # the table
    python examples/real_deployments.py --picture deployments.png

The units must not be compared blindly. "User-day" protects one day of a person, so a year of days is not protected by that number;
"event" protects one event, "user" everything of a person; in the local model nobody holds the raw data, in the central model
somebody does. A small number for a small unit may promise a person less than a larger number for a larger unit.
"""

from __future__ import annotations

import argparse
import math
import textwrap
from typing import NamedTuple

from matplotlib.figure import Figure

from privacy_accountant import GDP, PrivacyAccountantError, RiskReport, from_registry
from privacy_accountant.errors import UnsupportedConversionError

CAUTION = """\
All numbers are upper bounds for one unit of privacy, and the units differ: a person, a person's day, one event, one
device. Do not compare two lines unless their units are the same: a small number for a person's day says little about
the person's year. mu is missing where delta is positive: no Gaussian guarantee covers it."""

KINDS = {
    "everything of a person or an account": ("#0072B2", "o"),
    "a part of it, or something else": ("#D55E00", "s"),
    "not stated": ("#595959", "D"),
}
"""Colour and shape by unit of privacy."""


class Deployment(NamedTuple):
    """Facts of one registry entry, https://registry.opendp.org, by the entry's name."""

    name: str
    curator: str
    year: str
    unit: str | None
    model: str
    variant: str
    parameters: dict[str, float | str]
    entry: str

    def report(self) -> RiskReport:
        """The parameters, read as attack risk."""
        loss = {"privacy_parameters": self.parameters}
        entry = {"deployment": {"dp_variant": {"variant_name": self.variant}, "privacy_loss": loss}}
        return from_registry(entry)


DEPLOYMENTS = (
    Deployment(
        "Iconic scenes and photo sections for iOS apps",
        "Apple",
        "2023",
        None,
        "Local",
        "Pure DP",
        {"epsilon": 1.0, "delta": 1.5e-07},
        "iconic-scenes-and-photo-sections-for-ios-apps-apple-2023",
    ),
    Deployment(
        "Popular Emojis",
        "Apple",
        "2017",
        "Event-level",
        "Local",
        "Pure DP",
        {"epsilon": 4.0},
        "popular-emojis-apple-2017",
    ),
    Deployment(
        "Assistive AI",
        "Microsoft",
        "2020",
        "User-level",
        "Central",
        "Approximate DP",
        {"epsilon": 4.0, "delta": 1e-07},
        "assistive-ai-microsoft-2020",
    ),
    Deployment(
        "Audience Engagement API",
        "LinkedIn",
        "2020",
        "User-month-level",
        "Central",
        "Approximate DP",
        {"epsilon": 34.9, "delta": 7e-09},
        "audience-engagement-api-linkedin-2020",
    ),
    Deployment(
        "AutoPlay Intent",
        "Apple",
        "2017",
        "User-level",
        "Local",
        "Pure DP",
        {"epsilon": 8.0},
        "autoplay-intent-apple-2017",
    ),
    Deployment(
        "Israel's National Registry of Live Births of 2014",
        "Israeli Ministry of Health",
        "2024",
        "Birth-level",
        "Central",
        "Pure DP",
        {"epsilon": 9.98},
        "israel-s-national-registry-of-live-births-of-2014-israeli-ministry-of-health-2024",
    ),
    Deployment(
        "Broadband Coverage",
        "Microsoft",
        "2021",
        "User-level",
        "Central",
        "Pure DP",
        {"epsilon": 0.2},
        "broadband-coverage-microsoft-2021",
    ),
    Deployment(
        "Disclosure Avoidance System for Demographic and Housing Data",
        "U.S. Census Bureau",
        "2023",
        "Person-level; housing-unit-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 15.29},
        "disclosure-avoidance-system-for-demographic-and-housing-data-u-s-census-bureau-2023",
    ),
    Deployment(
        "Disclosure Avoidance System for Detailed Demographic and Housing Characteristics File A",
        "U.S. Census Bureau",
        "2023",
        "Person-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 19.776},
        "disclosure-avoidance-system-for-detailed-demographic-and-housing-characteristics-file-a-u-s-census-bureau-2023",
    ),
    Deployment(
        "Disclosure Avoidance System for Detailed Demographic and Housing Characteristics File B",
        "U.S. Census Bureau",
        "2024",
        "Person-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 17.79},
        "disclosure-avoidance-system-for-detailed-demographic-and-housing-characteristics-file-b-u-s-census-bureau-2024",
    ),
    Deployment(
        "Disclosure Avoidance System for Redistricting Data",
        "U.S. Census Bureau",
        "2021",
        "Person-level; housing-unit-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 2.63},
        "disclosure-avoidance-system-for-redistricting-data-u-s-census-bureau-2021",
    ),
    Deployment(
        "Disclosure Avoidance System for Supplemental Demographic and Housing Characteristics File",
        "U.S. Census Bureau",
        "2024",
        "Person-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 2.515},
        "disclosure-avoidance-system-for-supplemental-demographic-and-housing-characteristics-file-u-s-census-bureau-2024",
    ),
    Deployment(
        "Census County Business Patterns",
        "U.S. Census Bureau",
        "2023",
        "Business establishment",
        "Central",
        "Zero-concentrated DP",
        {"rho": 12.058},
        "census-county-business-patterns-u-s-census-bureau-2023",
    ),
    Deployment(
        "COVID-19 Exposure Notification Framework",
        "Google",
        "2021",
        "User-day-level",
        "Varies",
        "Approximate DP",
        {"epsilon": 8.0, "delta": 1e-06},
        "covid-19-exposure-notification-framework-google-apple-2021",
    ),
    Deployment(
        "COVID-19 Search Trends Symptoms",
        "Google",
        "2020",
        "User-day-level",
        "Central",
        "Pure DP",
        {"epsilon": 1.68},
        "covid-19-search-trends-symptoms-google-2020",
    ),
    Deployment(
        "Community Mobility Place Visits",
        "Google",
        "2020",
        "User-day-level",
        "Central",
        "Pure DP",
        {"epsilon": 2.64},
        "community-mobility-place-visits-google-2020",
    ),
    Deployment(
        "HealthKit Usage Statistics",
        "Apple",
        "2017",
        "Event-level",
        "Local",
        "Pure DP",
        {"epsilon": 2.0},
        "healthkit-usage-statistics-apple-2017",
    ),
    Deployment(
        "LinkedIn Hiring Reports",
        "LinkedIn",
        "2020",
        "Event-Month-level",
        "Central",
        "Approximate DP",
        {"epsilon": 4.8, "delta": 4e-10},
        "linkedin-hiring-reports-linkedin-2020",
    ),
    Deployment(
        "Lookup Hints",
        "Apple",
        "2016",
        "User-level",
        "Local",
        "Pure DP",
        {"epsilon": 8.0},
        "lookup-hints-apple-2016",
    ),
    Deployment(
        "CTDC Global Victim-Perpetrator Synthetic Dataset",
        "Microsoft",
        "2023",
        "User-level",
        "Central",
        "Approximate DP",
        {"epsilon": 12.0, "delta": 5.8e-06},
        "ctdc-global-victim-perpetrator-synthetic-dataset-microsoft-international-organization-for-migration-2023",
    ),
    Deployment(
        "Mobility Trends During Hurricane",
        "Spectus",
        "2022",
        "User-level",
        "Central",
        "Pure DP",
        {"epsilon": 10.0},
        "mobility-trends-during-hurricane-spectus-2022",
    ),
    Deployment(
        "Movement Ranges Map",
        "Meta",
        "2020",
        "User-day-level",
        "Central",
        "Pure DP",
        {"epsilon": 2.0},
        "movement-ranges-map-meta-2020",
    ),
    Deployment(
        "Energy Differential Privacy for OhmConnect Virtual Power Plant Measurement",
        "Recurve",
        "2020",
        "User-level",
        "Central",
        "Approximate DP",
        {"epsilon": 4.72, "delta": 5.06e-09},
        "energy-differential-privacy-for-ohmconnect-virtual-power-plant-measurement-recurve-2020",
    ),
    Deployment(
        "Safari Energy Draining and Crashing Domains",
        "Apple",
        "2017",
        "Event-level",
        "Local",
        "Pure DP",
        {"epsilon": 4.0},
        "safari-energy-draining-and-crashing-domains-apple-2017",
    ),
    Deployment(
        "Synthetic data to test third-party solutions in financial services",
        "Nationwide Building Society",
        "2020",
        "User-account-level",
        "Central",
        "Pure DP",
        {"epsilon": 5.0},
        "synthetic-data-to-test-third-party-solutions-in-financial-services-nationwide-building-society-hazy-now-sas-data-maker--2020",
    ),
    Deployment(
        "Shared Mobility Dataset",
        "Google",
        "2022",
        "User-trip-level",
        "Central",
        "Approximate DP",
        {"epsilon": 0.66, "delta": 2.1e-29},
        "shared-mobility-dataset-google-2022",
    ),
    Deployment(
        "Spanish Next Word Prediction",
        "Google",
        "2022",
        "User-device-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 0.81},
        "spanish-next-word-prediction-google-2022",
    ),
    Deployment(
        "Telemetry Collection in Windows",
        "Microsoft",
        "2017",
        "User-quarter-day-level",
        "Local",
        "Pure DP",
        {"epsilon": 1.672},
        "telemetry-collection-in-windows-microsoft-2017",
    ),
    Deployment(
        "FLEX",
        "Uber",
        "2018",
        "Tuple-level",
        "Central",
        "Approximate DP",
        {"epsilon": 0.01, "delta": "n^{(-\\epsilon \\ln(n))}"},
        "flex-uber-2018",
    ),
    Deployment(
        "User-URL Privacy Dataset",
        "Meta",
        "2020",
        "User-level",
        "Central",
        "Zero-concentrated DP",
        {"epsilon": 1.453, "delta": 1e-05, "rho": 0.0728},
        "user-url-privacy-dataset-meta-2020",
    ),
    Deployment(
        "Vaccine Search Insights",
        "Google",
        "2021",
        "User-level",
        "Central",
        "Approximate DP",
        {"epsilon": 2.19, "delta": 1e-05},
        "vaccine-search-insights-google-2021",
    ),
    Deployment(
        "Current Pageviews",
        "Wikimedia Foundation",
        "2023",
        "Device-day-level",
        "Central",
        "Zero-concentrated DP",
        {"rho": 0.015},
        "current-pageviews-wikimedia-foundation-2023",
    ),
    Deployment(
        "Wikipedia Geoeditors Activity Statistics",
        "Wikimedia Foundation",
        "2023",
        "User-month-country-level",
        "Central",
        "Pure DP",
        {"epsilon": 2.0},
        "wikipedia-geoeditors-activity-statistics-wikimedia-foundation-2023",
    ),
    Deployment(
        "Historical Pageviews",
        "Wikimedia Foundation",
        "2023",
        "Bounded contribution-day",
        "Central",
        "Pure DP",
        {"epsilon": 1.0},
        "historical-pageviews-wikimedia-foundation-2023",
    ),
    Deployment(
        "Wikipedia Russian Editor Activity Statistics",
        "Wikimedia Foundation",
        "2023",
        "User account-month-level",
        "Central",
        "Pure DP",
        {"epsilon": 0.1},
        "wikipedia-russian-editor-activity-statistics-wikimedia-foundation-2023",
    ),
)


def main() -> None:
    """A table, sorted by what an attack finds, and a picture."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--picture", metavar="FILE", help="draw them all into one image")
    asked = options.parse_args()

    reports, unreadable = read(DEPLOYMENTS)
    print(f"{'TPR at 1%':>9}  {'advantage':>9}  {'mu':>5}  {'unit of privacy':<34} deployment")
    for one, report in reports:
        recognised, advantage = up(float(report.tpr(0.01))), up(report.advantage)
        print(
            f"{recognised:>9}  {advantage:>9}  {mu(report):>5}  {one.unit or 'not stated':<34} {title(one)}"
        )
    for one, why in unreadable:
        print(f"\nNot in the table: {title(one)}: {why}")
    print(f"\n{CAUTION}")
    if asked.picture:
        draw(reports).savefig(asked.picture)
        print(f"\nThe picture: {asked.picture}")


Read = tuple[Deployment, RiskReport]


def read(deployments: tuple[Deployment, ...]) -> tuple[list[Read], list[tuple[Deployment, str]]]:
    """Those whose parameters state a guarantee, least risk first, and why the others do not."""
    tried = [(one, attempt(one)) for one in deployments]
    reports = [(one, found) for one, found in tried if isinstance(found, RiskReport)]
    unreadable = [(one, found) for one, found in tried if isinstance(found, str)]
    return sorted(reports, key=lambda pair: float(pair[1].tpr(0.01))), unreadable


def attempt(one: Deployment) -> RiskReport | str:
    """The report, or what the entry does not say."""
    try:
        return one.report()
    except PrivacyAccountantError as error:
        return str(error)


def draw(reports: list[Read]) -> Figure:
    """One line for each deployment: what an attack finds at most, and the advantage; shapes tell the units apart."""
    figure = Figure(figsize=(12, 10), layout="constrained")
    axes = figure.subplots()
    for row, (one, report) in enumerate(reports):
        colour, shape = KINDS[kind(one)]
        recognised, advantage = float(report.tpr(0.01)), report.advantage
        axes.plot([recognised, advantage], [row, row], color="#BBBBBB", linewidth=1.2, zorder=1)
        axes.plot([recognised], [row], shape, color=colour, markersize=8)
        axes.plot([advantage], [row], shape, color=colour, markersize=8, fillstyle="none")
    for name, (colour, shape) in KINDS.items():
        axes.plot([], [], shape, color=colour, markersize=8, label=f"unit: {name}")
    axes.plot(
        [], [], "o", color="#595959", label="filled: recognised at a false positive rate of 1%, at most"
    )
    axes.plot([], [], "o", color="#595959", fillstyle="none", label="hollow: advantage, at most")
    axes.set_yticks(
        range(len(reports)), labels=[f"{title(one)}  [{one.unit or 'not stated'}]" for one, _ in reports]
    )
    axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], labels=["0%", "20%", "40%", "60%", "80%", "100%"])
    axes.set_xlim(-0.02, 1.02)
    figure.suptitle("What the published parameters of real deployments bound")
    axes.set_xlabel(
        "Upper bound on the best attack on one unit of privacy\nUnits differ: the names say which; compare like with like"
    )
    axes.grid(axis="x", color="#EEEEEE")
    axes.set_axisbelow(True)
    axes.legend(loc="lower right", fontsize="small", framealpha=0.95)
    return figure


def kind(one: Deployment) -> str:
    """Roughly what one unit is of a person."""
    if one.unit is None:
        return "not stated"
    whole = one.unit.startswith(("Person-level", "User-level", "User-account-level"))
    return "everything of a person or an account" if whole else "a part of it, or something else"


def title(one: Deployment) -> str:
    """A name that fits a line."""
    name = one.name.replace("Disclosure Avoidance System for ", "")
    return textwrap.shorten(f"{one.curator}: {name}", 58, placeholder="...")


def up(value: float) -> str:
    """An upper bound in percent to one decimal, rounded up."""
    return f"{math.ceil(value * 1000) / 10:.1f}%"


def mu(report: RiskReport) -> str:
    """The mu of the Gaussian guarantee that is implied, rounded up; a dash where none is."""
    try:
        return f"{math.ceil(float(report.guarantee.to(GDP).mu) * 100) / 100:.2f}"
    except UnsupportedConversionError:
        return "-"


if __name__ == "__main__":
    main()
