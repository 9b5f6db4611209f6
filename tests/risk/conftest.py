"""What the tests of the report's faces share."""

import pytest

from privacy_accountant import ADP, GDP, ZCDP, Neighbors
from privacy_accountant.risk import RiskReport, StudyFacts

STUDY = StudyFacts(
    neighbors=Neighbors.ADD_OR_REMOVE_ONE,
    adaptive=True,
    study="ward-7",
    budget="GDP(mu=1.0)",
    currency="mu^2",
    spent="0.8125",
    remaining="0.1875",
    releases=2,
    failures=1,
    mechanisms=(
        ("admissions, March", "Gaussian(sigma=4.0, sensitivity=1)"),
        ("by diagnosis", "Laplace(scale=3.0, sensitivity=Sensitivity(per_value=1, values=2))"),
    ),
    ledger_head="3f" * 32,
    voids=("entry 4: the server was switched off before the query ran",),
    unit="one patient's stays in 2026",
    spending=(("2026-03-02T09:30:00+00:00", 0.0625), ("2026-03-09T14:00:00+00:00", 0.8125)),
)


@pytest.fixture(scope="session")
def ward():
    """The report of a small study."""
    return RiskReport(GDP(mu=1.0), study=STUDY, for_group=(2, 5))


@pytest.fixture(
    scope="session",
    params=[GDP(0), GDP(0.3), GDP(6), GDP(float("inf")), ADP(1, 1e-6), ADP(800), ADP(0, 1), ZCDP(2.56)],
    ids=repr,
)
def report(request):
    """Reports of guarantees from perfect to no privacy."""
    return RiskReport(request.param)
