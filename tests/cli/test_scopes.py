"""Partitions and accounts around a study, in the terminal."""

import json

import pytest

pytest.importorskip("typer", reason="the extra `cli` is not installed")

from privacy_accountant.accountant import Accountant
from privacy_accountant.cli import main
from privacy_accountant.mechanisms import Laplace

TENTH = "Laplace(scale=10, sensitivity=1)"


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


@pytest.fixture(params=["hospital.db", "ward.db"])
def ward(request, run):
    """A study of two partitions within a hospital's account, in the same ledger or in another one."""
    run("init", "hospital.db", "--study", "hospital", "--budget", "ADP(1)")
    inside = ("--within", "hospital.db", "--within-study", "hospital")
    assert run("init", request.param, "--study", "ward-7", "--budget", "ADP(0.5)", *inside)[0] == 0
    with Accountant.open(request.param, study="ward-7") as study:
        for _ in range(3):
            study.release(5, Laplace(10, 1), label="beds", partition="north")
        study.release(5, Laplace(10, 1), label="beds", partition=("north", "south"))
    return request.param


def data(result):
    status, out, error = result
    assert status == 0, error
    return json.loads(out)


def test_status_counts_partitions_and_names_the_account(run, ward):
    status, text, _ = run("status", ward, "--study", "ward-7")
    assert status == 0
    assert "parts     2 partitions; spent is the most in any\n" in text
    assert "within    hospital\n" in text
    assert "spent     0.4 of 0.5, 0.1 left (epsilon)\n" in text
    (found,) = data(run("status", ward, "--study", "ward-7", "--json"))
    assert (found["partitions"], found["within"]) == (2, "hospital")
    (outside,) = data(run("status", "hospital.db", "--study", "hospital", "--json"))
    assert (outside["partitions"], outside["within"], outside["posted"]) == (0, None, 4)
    assert outside["covers"] == ["ward-7"]
    assert "covers    ward-7\n" in run("status", "hospital.db", "--study", "hospital")[1]


def test_remaining_and_preview_ask_about_partitions(run, ward):
    def ask(*more):
        return run("remaining", ward, TENTH, "--study", "ward-7", *more)[1].strip()

    assert ask() == "1"
    assert ask("--partition", "south") == "4"
    assert ask("--partition", "south", "--partition", "north") == "1"
    wanted = ("preview", ward, f"3 * {TENTH}", "--study", "ward-7", "--json")
    assert not data(run(*wanted))["fits"]
    assert data(run(*wanted, "--partition", "south"))["fits"]


def test_history_shows_where_a_release_belongs(run, ward):
    text = run("history", ward, "--study", "ward-7")[1]
    assert "partition" in text.splitlines()[0]
    assert "north, south" in text.splitlines()[-1]
    lines = data(run("history", ward, "--study", "ward-7", "--json"))
    assert [line["partition"] for line in lines] == [["north"]] * 3 + [["north", "south"]]
    outside = data(run("history", "hospital.db", "--study", "hospital", "--json"))
    assert [line["behalf"] for line in outside] == ["ward-7"] * 4
    assert [line["entry"] for line in outside] == [line["within"] for line in lines]
    assert outside[0]["label"] == "ward-7: beds"


def test_export_and_verify_go_on_working(run, ward):
    head = data(run("export", ward, "audit.jsonl", "--study", "ward-7", "--json"))["head"]
    assert data(run("verify", "audit.jsonl", "--exported", "--against", head, "--json"))["ok"]
    assert data(run("verify", ward, "--study", "ward-7", "--json"))["ok"]


def test_a_pending_release_is_voided_through_its_study(run, ward):
    with Accountant.open(ward, study="ward-7") as study:
        entry = study._reserve(study._desk.quote(Laplace(10, 1)), "left", None, []).entry.sequence
    (outside,) = data(run("pending", "hospital.db", "--study", "hospital", "--json"))
    refused = run("void", "hospital.db", str(outside["entry"]), "--study", "hospital", "--reason", "mine")
    assert refused[0] == 1
    assert "void it there" in refused[2]
    assert run("void", ward, str(entry), "--study", "ward-7", "--reason", "the power failed")[0] == 0
    assert data(run("pending", "hospital.db", "--study", "hospital", "--json")) == []


def test_an_account_that_is_not_there_is_refused(run):
    refused = run("init", "a.db", "--study", "a", "--budget", "ADP(1)", "--within", "nowhere.db")
    assert refused[0] == 1
    assert "nowhere.db: no ledger is here" in refused[2]
