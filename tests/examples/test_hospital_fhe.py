"""The hospital demo: it runs, it continues, it refuses, and no raw aggregate ever leaves it."""

import importlib.util
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("tenseal")

DEMO = Path(__file__).parents[2] / "examples" / "hospital_fhe.py"
TABLES = {  # counted from the data set by plain loops, not by the demo's code
    "malignant by radius": [6, 45, 69, 92],
    "benign by radius": [163, 181, 13, 0],
    "all by radius": [169, 226, 82, 92],
    "by diagnosis": [212, 357],
}
SUMS = [3690, 4341]


def run(ledger, *options):
    command = [sys.executable, str(DEMO), "--ledger", str(ledger), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "study.db"


@pytest.fixture(scope="module")
def first(ledger):
    return run(ledger)


@pytest.fixture(scope="module")
def second(first, ledger):
    return run(ledger)


@pytest.fixture
def demo(monkeypatch):
    """The example as a module, so that a test can change its noise."""
    spec = importlib.util.spec_from_file_location("hospital_fhe", DEMO)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "hospital_fhe", module)
    spec.loader.exec_module(module)
    return module


def unwrapped(text):
    return " ".join(text.split())


def test_the_first_run_publishes_everything_and_refuses_what_does_not_fit(first):
    assert first.returncode == 0, first.stderr
    assert first.stderr == ""
    text = unwrapped(first.stdout)
    assert "The study begins" in text
    assert text.count("Refused.") == 1
    assert re.search(
        r"Refused\. breast-cancer: needs \S+, \S+ of 0\.25 left \(mu\^2\); fits: Gaussian\(sigma >=", text
    )
    assert "in 5 releases" in text


def test_the_risk_report_ends_the_run(first):
    report = first.stdout[first.stdout.index("Risk report") :]
    for rate, beta in (("0.1%", "99.520%"), ("1%", "96.61%"), ("10%", "78.2%")):
        assert re.search(rf"^ +{re.escape(rate)} +{re.escape(beta)}", report, re.MULTILINE)
    for prior in ("1%", "10%", "50%"):
        assert re.search(rf"^ +{prior} +{prior} ", report, re.MULTILINE)
    assert "Advantage" in report
    assert "(epsilon, delta)" in report


def test_a_second_run_continues_the_same_study_and_is_refused(first, second):
    assert second.returncode == 0, second.stderr
    assert second.stderr == ""
    text = unwrapped(second.stdout)
    assert "The study continues" in text
    assert text.count("Refused.") == 6
    assert (
        re.findall(r"Budget used: .*? releases", text)[0]
        == re.findall(r"Budget used: .*? releases", unwrapped(first.stdout))[-1]
    )


def test_the_output_fits_a_page(first, second):
    for line in (first.stdout + second.stdout).splitlines():
        assert len(line.rstrip()) <= 80, line
    assert "Traceback" not in first.stdout + second.stdout


def test_the_truth_is_shown_only_on_request_and_is_the_truth(tmp_path):
    shown = run(tmp_path / "study.db", "--show-truth")
    assert shown.returncode == 0, shown.stderr
    cells = re.findall(r"(-?\d+) \(([+-]\d+)\)", shown.stdout)
    truths = [int(value) - int(error) for value, error in cells]
    assert truths == [number for table in TABLES.values() for number in table] + SUMS


def test_no_raw_aggregate_is_in_the_output_or_in_the_ledger(demo, monkeypatch, tmp_path, capsys):
    # Under noise this large a published number equals a true one with probability below 1e-7: any true number is a leak.
    loud = {"Gaussian": {"sigma": 1e10}, "Laplace": {"scale": 1e10}}
    figures = [
        replace(
            one,
            mechanism=type(one.mechanism)(
                **loud[type(one.mechanism).__name__], sensitivity=one.mechanism.sensitivity
            ),
        )
        for one in demo.FIGURES
    ]
    monkeypatch.setattr(demo, "FIGURES", figures)
    path = tmp_path / "study.db"
    demo.run(str(path), show_truth=False)
    output = capsys.readouterr().out
    assert "in 5 releases" in output
    with closing(sqlite3.connect(path)) as database:
        held = "\n".join(database.iterdump())
    assert "Patients by radius" in held
    secrets = {number for table in TABLES.values() for number in table if number > 100} | set(SUMS)
    for text in (output, held):
        found = {int(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])", text)}
        assert not secrets & found


def test_a_ledger_of_another_budget_is_refused_in_one_line(tmp_path):
    from privacy_accountant import GDP, Accountant

    path = tmp_path / "study.db"
    Accountant.open(str(path), study="breast-cancer", budget=GDP(mu=2.0)).close()
    result = run(path)
    assert result.returncode == 1
    assert "budget must be GDP(mu=2.0), as the ledger holds it; got GDP(mu=0.5)" in unwrapped(result.stdout)
    assert "Traceback" not in result.stdout + result.stderr
