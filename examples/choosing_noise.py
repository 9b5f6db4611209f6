"""A hospital chooses the noise of a table from what the table may reveal about a patient.

The table counts admissions by ward and month: twelve numbers, of which one patient changes at most two. The board does
not ask for an epsilon. It asks two things: how well may anyone tell whether a given person was a patient, and can the
small wards still be read?

    python examples/choosing_noise.py                     # the conversation, in the terminal
    python examples/choosing_noise.py --page risk.html    # and the report that the board signs, as a page
    python examples/choosing_noise.py --picture noise.png # and the curve from which it chose
"""

from __future__ import annotations

import argparse

from matplotlib.figure import Figure

from privacy_accountant import (
    GDP,
    Accountant,
    Gaussian,
    Laplace,
    Risk,
    Sensitivity,
    compare,
    sweep,
    utility,
)

ONE_PATIENT = Sensitivity(per_value=1, values=2)  # at most two of the twelve counts change, each by one
RELEASES = 4  # the table is published once a quarter
SMALLEST = 120  # the count that has to stay readable
GOAL = Risk(fpr=0.01, tpr=0.05)  # accusing 1 in 100 outsiders, an attack may find at most 5 in 100 patients


def main() -> None:
    """The conversation."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--page", metavar="FILE", help="write the risk report as an HTML page")
    options.add_argument("--picture", metavar="FILE", help="write the risk-utility curve as an image")
    asked = options.parse_args()

    print("What does each amount of noise cost, and what does it leave to an attacker?\n")
    curve = sweep(Gaussian, [2, 4, 6, 8, 12, 16], sensitivity=ONE_PATIENT, releases=RELEASES, count=SMALLEST)
    print(curve)
    print(
        f"\n(Gaussian noise; {RELEASES} tables together; errors against a ward with {SMALLEST} admissions.)\n"
    )

    print(f"The board's goal is {GOAL}. The least noise that meets it over {RELEASES} tables:\n")
    gaussian = Gaussian.calibrate(GOAL, sensitivity=ONE_PATIENT, releases=RELEASES)
    print(f"  {gaussian.noise_parameter} {gaussian.sigma}: {utility(gaussian, count=SMALLEST)}\n")

    # Of one table, Laplace noise with the same error protects differently: better against some attacks, worse against others.
    laplace = Laplace(scale=3, sensitivity=ONE_PATIENT)
    print(f"Would Laplace noise of scale 3 be better? {utility(laplace, count=SMALLEST)}")
    print(f"Gaussian first, Laplace second: {compare(gaussian.guarantee(), laplace.guarantee())}\n")

    # What was chosen becomes the study's budget, and from here on the accountant keeps it.
    budget = GDP(mu=0.5)
    print(f"The study is opened with {budget}, which meets the goal: {GOAL.is_met_by(budget)}.\n")
    study = Accountant(budget=budget)
    chosen = Gaussian.calibrate(budget, sensitivity=ONE_PATIENT, releases=RELEASES)
    admissions = [412, 388, 120, 131, 260, 244, 190, 187, 305, 298, 141, 126]
    published = study.release(admissions, chosen, label="admissions, first quarter", clamp=(0, None))
    print(f"First quarter, published: {published}")
    print(f"Tables that still fit: {study.remaining(chosen)}\n")

    report = study.report()
    for sentence in report.to_dict()["sentences"][:3]:
        print(f"- {sentence}")
    if asked.page:
        print(f"\nThe board's page: {report.to_html(asked.page)}")
    if asked.picture:
        figure = Figure(layout="constrained")
        curve.plot(ax=figure.subplots())
        figure.savefig(asked.picture)
        print(f"\nThe curve: {asked.picture}")


if __name__ == "__main__":
    main()
