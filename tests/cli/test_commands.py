import json
import subprocess
import sys

import pytest

pytest.importorskip("typer", reason="the extra `cli` is not installed")

from privacy_accountant.accountant import Accountant
from privacy_accountant.cli import main
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.mechanisms import Gaussian, Laplace
from privacy_accountant.neighbors import Sensitivity

QUARTER = "Gaussian(sigma=4, sensitivity=1)"
HEAD = 64


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Runs a command line; returns its exit status, its output and its errors."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        status = 0
        try:
            main(arguments)
        except SystemExit as done:
            status = done.code
        told = capsys.readouterr()
        return status, told.out, told.err

    return call


@pytest.fixture
def ward(run):
    """A ledger with one study: two releases, and one that a crash left."""
    run("init", "ward.db", "--study", "ward-7", "--budget", "GDP(mu=1)")
    with Accountant.open("ward.db", study="ward-7") as study:
        study.release(5, Gaussian(4, 1), label="admissions, March", key="march")
        study.spend(Gaussian(4, 1), label="by another program")
        study._reserve(study._desk.quote(Gaussian(3, 1)), "left by a crash", None, [])
    return "ward.db"


def data(result):
    status, out, _ = result
    assert status == 0
    return json.loads(out)


def test_a_study_is_created_with_its_terms(run):
    made = data(
        run(
            *("init", "a.db", "--study", "a", "--budget", "ADP(1, 1e-6)", "--neighbors", "replace-one"),
            *("--currency", "GDP", "--json"),
        )
    )
    assert (made["budget"], made["neighbors"]) == ("ADP(epsilon=1.0, delta=1e-06)", "replace one")
    assert made["spent"][0]["unit"] == "mu^2"
    assert (
        data(
            run(
                "init",
                "a.db",
                "--study",
                "b",
                "--budget",
                "Risk(advantage=0.1)",
                "--fixed-in-advance",
                "--json",
            )
        )["adaptive"]
        is False
    )
    assert [one["study"] for one in data(run("status", "a.db", "--json"))] == ["a", "b"]


def test_creating_twice_is_refused(run, ward):
    status, _, told = run("init", ward, "--study", "ward-7", "--budget", "GDP(mu=2)")
    assert status == 1
    assert "holds one of that name" in told
    with Accountant.open(ward, study="ward-7") as study:
        assert study.budget == GDP(1.0)


def test_status_in_words_and_numbers(run, ward):
    status, out, _ = run("status", ward)
    assert status == 0
    assert "0.2362 of 1, 0.7638 left (mu^2)" in out
    assert "2 posted, 1 pending" in out
    (found,) = data(run("status", ward, "--json"))
    assert (found["posted"], found["pending"], found["failed"], found["voided"]) == (2, 1, 0, 0)
    assert found["spent"] == [{"unit": "mu^2", "spent": "17/72", "limit": 1.0, "left": "55/72"}]
    assert len(found["head"]) == HEAD


def test_history_is_a_table(run, ward):
    status, out, _ = run("history", ward)
    lines = out.splitlines()
    assert status == 0
    assert lines[0].split() == ["entry", "time", "(UTC)", "status", "label", "mechanism", "cost"]
    assert len(lines) == 4
    assert "admissions, March" in lines[1]
    found = data(run("history", ward, "--json"))
    assert [one["status"] for one in found] == ["posted", "posted", "pending"]
    assert found[0]["key"] == "march"
    assert found[2]["cost"] == ["1/9"]


def test_remaining_and_preview_spend_nothing(run, ward):
    before = data(run("status", ward, "--json"))
    assert run("remaining", ward, QUARTER)[1] == "12\n"
    assert data(run("remaining", ward, QUARTER, "--json")) == {"remaining": 12}
    found = data(run("preview", ward, f"12 * {QUARTER}", "--json"))
    assert found["fits"]
    assert found["currencies"][0]["cost"] == [{"unit": "mu^2", "cost": 0.75, "limit": 1.0}]
    assert not data(run("preview", ward, f"13 * {QUARTER}", "--json"))["fits"]
    assert "GDP: 0.75 of 1 (mu^2); fits" in run("preview", ward, f"12 * {QUARTER}")[1]
    assert data(run("status", ward, "--json")) == before


def test_a_pending_release_is_voided_with_a_reason(run, ward):
    (left,) = data(run("pending", ward, "--json"))
    assert left["label"] == "left by a crash"
    assert "left by a crash" in run("pending", ward)[1]
    assert run("void", ward, str(left["entry"]))[0] == 2
    assert run("void", ward, str(left["entry"]), "--reason", "the power failed first")[0] == 0
    assert run("pending", ward)[1] == "nothing is pending\n"
    status, _, told = run("void", ward, str(left["entry"]), "--reason", "again")
    assert (status, told) == (1, f"privacy-accountant: ward-7: entry {left['entry']} is not pending\n")
    assert "the power failed first" in run("history", ward)[1]
    assert "the power failed first" in " ".join(run("report", ward)[1].split())


def test_a_budget_is_amended_with_a_reason(run, ward):
    assert run("amend", ward, "--budget", "GDP(0.5)", "--reason", "less")[0] == 1
    assert run("amend", ward, "--budget", "GDP(1.5)", "--reason", "extended to June")[0] == 0
    assert "GDP(mu=1.0) amended to GDP(mu=1.5)" in run("report", ward)[1]
    assert "noted as entry 8" in run("note", ward, "the methods group agreed")[1]
    assert run("verify", ward)[0] == 0


def test_export_and_verify_elsewhere(run, ward):
    made = data(run("export", ward, "audit.jsonl", "--json"))
    assert made["entries"] == 6
    assert run("export", ward, "audit.jsonl")[0] == 1
    assert data(run("verify", "audit.jsonl", "--exported", "--json"))["head"] == made["head"]
    assert run("verify", "audit.jsonl", "--exported", "--against", made["head"])[0] == 0
    assert run("verify", ward, "--against", made["head"])[0] == 0
    status, _, told = run("verify", ward, "--against", "0" * HEAD)
    assert status == 1
    assert "older copy" in told
    assert run("verify", "nowhere.jsonl", "--exported")[2] == (
        "privacy-accountant: nowhere.jsonl: No such file or directory\n"
    )
    assert run("verify", ward, "--exported")[0] == 1


def test_reports(run, ward):
    assert data(run("report", ward, "--json"))["schema"] == "privacy-accountant/risk-report"
    assert "recognise at most" in " ".join(run("report", ward)[1].split())


def test_the_study_is_named_when_there_are_several(run, ward):
    run("init", ward, "--study", "ward-8", "--budget", "ADP(1)")
    status, _, told = run("history", ward)
    assert status == 1
    assert "the ledger holds ward-7, ward-8" in told
    assert run("history", ward, "--study", "ward-8")[1] == "no releases yet\n"
    assert run("history", ward, "--study", "ward-9")[0] == 1


def test_a_plan_shows_its_costs(run):
    with Accountant.open("plan.db", study="p", budget=ADP(1.0, 1e-6), adaptive=False) as study:
        study.plan([(Laplace(10, 1), "x"), (Laplace(10, 1), "y")])
        study.release(5, Laplace(10, 1), label="x")
    assert "1 posted, 1 planned" in run("status", "plan.db")[1]
    assert "composed" in run("history", "plan.db")[1]
    assert data(run("history", "plan.db", "--json"))[0]["cost"]
    assert "fixed in advance" in run("status", "plan.db")[1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("status", "nowhere.db"), "no ledger is here"),
        (("status", "mysql://user:swordfish@host/db"), "url_or_path must be"),
        (("init", "x.db", "--study", "a", "--budget", "GDP"), "budget must be one of ADP, GDP"),
        (("init", "x.db", "--study", "a", "--budget", "GDP(mu=-1)"), "mu must be"),
        (("init", "x.db", "--study", "a", "--budget", "GDP(nu=1)"), "unexpected keyword argument 'nu'"),
        (("init", "x.db", "--study", "a", "--budget", "GDP(mu=1"), "budget must be"),
        (("init", "x.db", "--study", "a", "--budget", "open('x','w')"), "budget must be"),
        (("init", "x.db", "--study", "a", "--budget", "GDP(mu=open('x'))"), "budget must be"),
        (("init", "x.db", "--study", "a", "--budget", "GDP(1)", "--currency", "euro"), "currency must be"),
    ],
)
def test_refusals_are_one_line(run, tmp_path, arguments, told):
    status, out, error = run(*arguments)
    assert (status, out) == (1, "")
    assert told in error
    assert error.count("\n") == 1
    assert "swordfish" not in error
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_command_line_is_another_status(run):
    assert run("remaining")[0] == 2
    assert run("spend")[0] == 2
    assert run("--help")[0] == 0


def test_without_the_extra_the_error_names_it():
    script = "import sys; sys.modules['typer'] = None; from privacy_accountant.cli import main; main(['status', 'x'])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "privacy-accountant: the command privacy-accountant needs an optional dependency:"
        " pip install 'privacy-accountant[cli]'\n"
    )


def test_a_report_for_households_with_its_unit(run, ward):
    asked = ("report", ward, "--for-group", "2", "--for-group", "5", "--unit", "one patient's stays")
    told = data(run(*asked, "--json"))
    assert [group["size"] for group in told["groups"]] == [2, 5]
    assert told["study"]["unit"] == "one patient's stays"
    assert "one patient's stays" in run(*asked)[1]
    status, out, err = run("report", ward, "--for-group", "1")
    assert (status, out) == (1, "")
    assert "for_group must be" in err


def test_someone_who_looks_on_sees_tables(run, ward, monkeypatch):
    plain = run("report", ward)[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    drawn = run("report", ward)[1]
    assert "\u2500" in drawn
    assert "\u2500" not in plain


def test_noise_is_chosen_without_a_ledger(run):
    asked = ("calibrate", "Risk(fpr=0.01, tpr=0.05)", "--releases", "4", "--count", "120")
    wide = (*asked, "--sensitivity", "Sensitivity(per_value=1, values=2)")
    told = data(run(*wide, "--json"))
    best = Gaussian.calibrate(
        Risk(fpr=0.01, tpr=0.05), sensitivity=Sensitivity(per_value=1, values=2), releases=4
    )
    assert told["mechanism"] == repr(best)
    assert told["noise"] == best.sigma
    middle = told["choices"][2]
    assert middle["noise"] == best.sigma
    assert 0.0499 < middle["tpr"] <= 0.05
    assert [one["noise"] for one in told["choices"]] == sorted(one["noise"] for one in told["choices"])
    assert [one["tpr"] for one in told["choices"]] == sorted(
        (one["tpr"] for one in told["choices"]), reverse=True
    )
    status, out, _ = run(*wide)
    assert status == 0
    assert repr(best) in out
    assert "(4 releases together)" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("GDP(mu=0)",), "cannot calibrate to GDP(mu=0.0)"),
        (("GDP(1)", "--mechanism", "Uniform"), "mechanism must be one of Gaussian, Laplace"),
        (("GDP(1)", "--sensitivity", "__import__('os')"), "sensitivity must be a number"),
        (("GDP(1)", "--sensitivity", "-1"), "sensitivity must be"),
        (("nonsense",), "budget must be one of"),
    ],
)
def test_a_goal_that_cannot_be_read_or_met(run, arguments, said):
    status, out, err = run("calibrate", *arguments)
    assert (status, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
