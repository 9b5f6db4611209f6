"""The privacy budget of the 2020 United States Census, read as attack risk.

The redistricting data of 2021 (Public Law 94-171) were published under zero-concentrated differential privacy. The registry's
entry states rho 2.63 for persons and housing units together; 2.56 of it is the person file's. Neighbouring data sets differ in
one person's record, and the number of people is public. What does that promise to one person?

    python examples/census_2020.py
    python examples/census_2020.py --page census.html

Sources: registry.opendp.org: disclosure-avoidance-system-for-redistricting-data-u-s-census-bureau-2021 (rho 2.63, units);
doi.org/10.3886/ICPSR38855.v1 (discrete Gaussian noise, bounded neighbours).
"""

from __future__ import annotations

import argparse

from privacy_accountant import ADP, ZCDP, Neighbors, RiskReport, StudyFacts

PERSONS = ZCDP(rho=2.56)
DELTA = 1e-10
FACTS = StudyFacts(
    neighbors=Neighbors.REPLACE_ONE,
    adaptive=False,
    study="2020 Census, person file of the redistricting data",
    budget="ZCDP(rho=2.56)",
    claim="The budget of the whole person file, as published.",
    unit="person",
    releases=1,
)


def main() -> None:
    """One budget, read in three ways."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--page", metavar="FILE", help="write the risk report as an HTML page")
    asked = options.parse_args()

    report = RiskReport(PERSONS, study=FACTS, for_group=(2,))
    print(report)

    pair = PERSONS.to(ADP, delta=DELTA)
    print(
        f"\nrho = {PERSONS.rho:g} as a pair: epsilon {up(pair.epsilon)} at delta {DELTA:g}. What is left of each:\n"
    )
    for name, guarantee in (("the pair alone", pair), ("rho itself", PERSONS)):
        read = RiskReport(guarantee)
        print(
            f"  {name:<14}  TPR at FPR 1% at most {up(read.tpr(0.01))}, advantage at most {up(read.advantage)}"
        )
    print(
        "\nThe pair keeps one point of the privacy profile and forgets the rest: read alone, it does not exclude an\n"
        "attack that is nearly always right. rho keeps the whole curve. Both are bounds on the best attack on everything\n"
        "in the file, by someone who knows every other record; neither is an estimate of what anyone did."
    )
    if asked.page:
        print(f"\nThe page: {report.to_html(asked.page)}")


def up(value: object) -> str:
    """An upper bound to four decimals, rounded up."""
    shown = f"{float(str(value)):.4f}"
    return shown if float(shown) >= float(str(value)) else f"{float(shown) + 1e-4:.4f}"


if __name__ == "__main__":
    main()
