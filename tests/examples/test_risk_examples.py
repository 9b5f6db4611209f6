"""The examples on risk run, say what is true, and draw."""

import importlib.util
import json
import math
import re
import sys
from pathlib import Path

import mpmath
import pytest

from privacy_accountant import ADP, ZCDP

pytest.importorskip("matplotlib")
pytest.importorskip("pandas")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(monkeypatch, capsys):
    """Run an example in this process and return what it printed."""

    def ran(name, *options):
        module = load(name, monkeypatch)
        monkeypatch.setattr(sys, "argv", [name, *map(str, options)])
        module.main()
        return capsys.readouterr().out

    return ran


def load(name, monkeypatch):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def test_the_hospital_chooses_noise_that_meets_its_goal(run, tmp_path):
    text = run("choosing_noise", "--page", tmp_path / "risk.html", "--picture", tmp_path / "noise.png")
    assert "which meets the goal: True" in text
    assert "Tables that still fit: 3" in text
    assert "will recognise at most 3.39 in 100" in text
    rows = re.findall(r"^ +(\d+) +(\d+) +([\d.]+)% +([\d.]+)% +([\d.]+)% +([\d.]+)%$", text, re.MULTILINE)
    assert [int(row[0]) for row in rows] == [2, 4, 6, 8, 12, 16]
    for sigma, _, _, _, advantage, _ in rows:
        # Four Gaussian tables of which a patient changes two cells by one: mu = sqrt(8) / sigma.
        truth = 100 * float(mpmath.erf(mpmath.sqrt(8) / int(sigma) / mpmath.sqrt(8)))
        assert truth <= float(advantage) <= truth + 0.1
    assert (tmp_path / "risk.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "noise.png").stat().st_size > 5000


def test_the_census_is_read_in_its_own_relation(run, tmp_path):
    text = run("census_2020", "--page", tmp_path / "census.html")
    assert "which record one person has in the data" in text
    census = ZCDP(2.56)
    told = re.search(r"rho itself +TPR at FPR 1% at most ([\d.]+), advantage at most ([\d.]+)", text)
    assert 0 <= float(told[1]) - (1 - census.beta(0.01)) < 1e-4
    assert 0 <= float(told[2]) - census.advantage < 1e-4
    epsilon = float(re.search(r"as a pair: epsilon ([\d.]+) at delta 1e-10", text)[1])
    assert 0 <= epsilon - census.get_epsilon(1e-10) < 1e-4
    assert (tmp_path / "census.html").exists()


def test_real_deployments_are_told_with_their_units(run, tmp_path):
    text = run("real_deployments", "--picture", tmp_path / "deployments.png")
    rows = re.findall(r"^ +([\d.]+)% +([\d.]+)% +(\S+)  (\S.*)$", text, re.MULTILINE)
    assert len(rows) >= 30
    assert [float(row[0]) for row in rows] == sorted(float(row[0]) for row in rows)
    assert "Do not compare two lines unless their units are the same" in text
    assert "Uber: FLEX: delta must be a number" in text
    (broadband,) = [row for row in rows if "Broadband" in row[3]]
    assert float(broadband[0]) == math.ceil(1000 * (1 - ADP(0.2).beta(0.01))) / 10
    assert float(broadband[1]) == math.ceil(1000 * math.tanh(0.1)) / 10
    assert (tmp_path / "deployments.png").stat().st_size > 20000


def test_the_deployments_are_the_registrys(monkeypatch):
    held = ROOT.parent / "shared" / "registry" / "deployments.json"
    if not held.exists():
        pytest.skip("the registry's entries do not lie beside the checkout, at ../shared/registry")
    told = {one.entry: one for one in load("real_deployments", monkeypatch).DEPLOYMENTS}
    for entry in json.loads(held.read_text(encoding="utf-8")):
        one = told.pop(entry["entry"].removeprefix("registry.opendp.org: "))
        assert one.parameters == entry["parameters"]
        assert (one.unit or "") == (entry["unit"] or "").strip()
        assert (one.variant, one.curator, one.year) == (entry["variant"], entry["curator"], entry["year"])
    assert told == {}
