import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import ReleaseFailedError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.mechanisms import Gaussian
from privacy_accountant.neighbors import Neighbors


def test_a_report_says_what_the_study_did_and_what_its_claim_rests_on(open_study):
    study = open_study(budget=GDP(1.0), neighbors=Neighbors.REPLACE_ONE)
    study.release(5, Gaussian(3, 1), label="admissions")
    with pytest.raises(ReleaseFailedError):
        study.publishes(Gaussian(3, 1), label="broken")(lambda: 1 / 0)()
    study._reserve(study._desk.quote(Gaussian(3, 1)), "left", None, [])
    report = study.report()
    facts = report.study
    assert report.guarantee == GDP(1.0)
    assert facts.study == study.study
    assert facts.neighbors is Neighbors.REPLACE_ONE
    assert (facts.releases, facts.failures, facts.pending) == (1, 1, 1)
    assert facts.mechanisms == (("admissions", "Gaussian(sigma=3.0, sensitivity=1.0)"),)
    assert (facts.budget, facts.currency, facts.spent, facts.remaining) == (
        "GDP(mu=1.0)",
        "mu^2",
        "0.3334",
        "0.6666",
    )
    assert facts.ledger_head == study.verify().head
    assert "budget" in facts.claim
    assert "admissions" in str(report)


def test_a_plans_report_says_that_it_was_fixed_in_advance():
    study = Accountant(budget=ADP(1.0, 1e-6), adaptive=False)
    study.release(5, Gaussian(20, 1), label="x")
    report = study.report()
    assert "fixed in advance" in report.study.claim
    assert report.guarantee == study.guarantee()
    assert report.advantage < 0.03
