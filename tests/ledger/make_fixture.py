"""Writes fixtures/ledger-v2.db: a ledger of the present schema, which every later version must open.

Run once for each version of the schema: python tests/ledger/make_fixture.py. A file is never written again; a later schema gets
one of its own beside it. What version 1 could not hold, partitions and accounts around a study, is in studies of its own.
"""

import contextlib
from pathlib import Path

from privacy_accountant import (
    ADP,
    GDP,
    Accountant,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    ReleaseFailedError,
    Sensitivity,
)

FILE = Path(__file__).parent / "fixtures" / "ledger-v2.db"


def make(file):
    """Everything that an entry can record, in two studies."""
    with Accountant.open(file, study="ward-7", budget=GDP(mu=1.0)) as study:
        study.release(842, Gaussian(sigma=4, sensitivity=1), label="admissions, March", key="march")
        study.release(
            [3, 1, 2], Laplace(scale=20, sensitivity=Sensitivity(per_value=1, values=2)), label="by diagnosis"
        )
        study.release(
            65535,
            DiscreteLaplace(scale=20, sensitivity=1),
            label="balance",
            modulus=65537,
            at_most=500,
            signed=True,
            clamp=(-500, 500),
        )
        study.spend(Gaussian(sigma=8, sensitivity=1), label="by another program")
        with contextlib.suppress(ReleaseFailedError):
            study.publishes(Gaussian(sigma=8, sensitivity=1), label="failed")(lambda: 1 / 0)()
        for label in ("given back", "left by a crash"):
            study._reserve(study._desk.quote(Gaussian(sigma=8, sensitivity=1)), label, None, [])
        study.void(study.pending()[0].entry, reason="the power failed before the query ran")
        study.amend(budget=GDP(mu=1.5), reason="the board extended the study to June")
        study.note("the methods group reviewed the sensitivities")
    with Accountant.open(file, study="fixed", budget=ADP(1.0, 1e-6), adaptive=False) as study:
        planned = Laplace(scale=10, sensitivity=1)
        study.plan([(planned, "x"), (planned, "later")])
        study.release(10, planned, label="x")
    with (
        Accountant.open(file, study="hospital", budget=GDP(mu=2.0)) as account,
        Accountant.open(file, study="ward-9", budget=ADP(1.0), within=account) as study,
    ):
        tenth = Laplace(scale=10, sensitivity=1)
        study.release(5, tenth, label="beds", partition="north", key="north")
        study.release(5, tenth, label="beds", partition=("north", "south"))
        study.release(5, tenth, label="beds, all")
        study._reserve(study._desk.quote(tenth, "south"), "left by a crash", None, [])
    with Accountant.open(file, study="crossing", budget=ADP(1.0, 1e-6), adaptive=False) as study:
        study.release(10, Laplace(scale=20, sensitivity=1), label="x", partition="a")
        study.release(10, Gaussian(sigma=20, sensitivity=1), label="x", partition="b")


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    if FILE.exists():
        raise SystemExit(f"{FILE} is there, and stays as it is")
    make(FILE)
