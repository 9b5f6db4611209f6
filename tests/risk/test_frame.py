"""The data frame and the terminal page: optional faces of the same numbers and strings."""

import io
import math
import sys

import pytest

from privacy_accountant import GDP, Laplace
from privacy_accountant.errors import MissingExtraError
from privacy_accountant.risk import RiskReport

pytest.importorskip("pandas")
console = pytest.importorskip("rich.console")


def test_each_row_is_the_guarantees_own_number(report):
    frame, guarantee = report.to_dataframe(), report.guarantee
    own = {
        "beta": lambda row: guarantee.beta(row.at),
        "tpr": lambda row: report.tpr(row.at),
        "advantage": lambda row: guarantee.advantage,
        "bayes_risk": lambda row: guarantee.bayes_risk(row.at),
        "ppv": lambda row: guarantee.ppv(row.at, row.prior),
        "attack_success": lambda row: guarantee.attack_success(row.at),
        "epsilon": lambda row: guarantee.get_epsilon(row.at),
        "delta": lambda row: guarantee.get_delta(row.at),
    }
    assert list(frame.columns) == ["group", "quantity", "at", "prior", "value", "bound"]
    assert set(own) <= set(frame.quantity)
    for row in frame.itertuples():
        if row.quantity in own:
            assert row.value == pytest.approx(own[row.quantity](row), rel=1e-11, abs=0)


def test_sides_and_what_is_implied():
    frame = RiskReport(Laplace(scale=5.0, sensitivity=1).guarantee().compose(GDP(0.1))).to_dataframe()
    lower = set(frame.quantity[frame.bound == "lower"])
    assert lower == {"beta", "bayes_risk", "epsilon_low"}
    assert frame.value[frame.quantity == "mu"].item() > 0.1
    wide = frame[frame.quantity.isin(["epsilon", "epsilon_low"]) & (frame["at"] == 1e-6)].value
    assert wide.max() <= wide.min() * 1.001
    assert math.isinf(RiskReport(GDP(1)).to_dataframe().value.max())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_terminal_shows_every_string(ward, width):
    stored = io.StringIO()
    console.Console(file=stored, width=width).print(ward)
    lines = stored.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    flat = " ".join(stored.getvalue().split())
    for text in ("Risk report: ward-7", "90.76%", "9.24%", "admissions, March", "How to read this"):
        assert text in flat


def test_a_terminal_reads_nobodys_markup():
    from privacy_accountant import Neighbors
    from privacy_accountant.risk import StudyFacts

    facts = StudyFacts(neighbors=Neighbors.REPLACE_ONE, adaptive=True, study="[bold]x[/] :smile:")
    stored = io.StringIO()
    console.Console(file=stored, width=100).print(RiskReport(GDP(1), study=facts))
    assert "[bold]x[/] :smile:" in stored.getvalue()


@pytest.mark.parametrize(("package", "extra"), [("pandas", "frames"), ("rich", "cli")])
def test_what_is_missing_is_named(monkeypatch, package, extra):
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    report = RiskReport(GDP(1))
    with pytest.raises(MissingExtraError) as missing:
        report.to_dataframe() if package == "pandas" else report.__rich__()
    assert missing.value.extra == extra
