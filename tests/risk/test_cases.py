"""Readings that others got wrong, on every face: B95 (randomised response) and B98 (advantage) of the shared cases."""

import json
import math
import re

import pytest

from privacy_accountant import ADP, GDP
from privacy_accountant.risk import RiskReport

COIN = RiskReport(ADP(math.log(1.5)))  # keeps the truth with probability 0.6


def faces(report, folder):
    return {
        "text": " ".join(str(report).split()),
        "markdown": report.to_markdown(),
        "notebook": report._repr_html_(),
        "page": report.to_html(folder / "risk.html").read_text(encoding="utf-8"),
    }


def test_b95_the_curve_of_a_coin_is_straight_on_every_face(tmp_path):
    # beta(0.1) = 0.85 and beta(0.01) = 0.985, rounded down; 1 - beta rounded up.
    for name, face in faces(COIN, tmp_path).items():
        assert re.search(r"98\.[45]\d?%", face), name
        assert "15.1%" in face or "15.0%" in face, name
    attacks = {row["alpha"]: row for row in json.loads(COIN.to_json())["attacks"]}
    assert attacks[0.1]["beta"] == pytest.approx(0.85, abs=1e-15)
    assert attacks[0.1]["beta"] <= 0.85
    table = json.loads(
        re.search(r'id="table">(.*?)</script>', faces(COIN, tmp_path)["page"])[1].replace("\\u003c", "<")
    )
    rates = table["show"]["rate"]
    for alpha, beta in ((0.1, 0.85), (0.2, 0.7), (0.4, 0.4), (0.5, 1 / 3), (0.6, 4 / 15), (0.9, 1 / 15)):
        shown = rates["beta"][rates["rate"].index(f"{alpha:.0%}")]
        assert 0 <= 100 * beta - float(shown.rstrip("%")) <= 0.11


@pytest.mark.parametrize(
    ("guarantee", "advantage"),
    [
        (ADP(1, 1e-5), 0.4621225360884372),
        (ADP(4), 0.964027580075817),
        (ADP(800, 1e-5), 1.0),
        (GDP(1), 0.3829249225480262),
        (ADP(math.log(1.5)), 0.2),
    ],
    ids=repr,
)
def test_b98_the_advantage_on_every_face(guarantee, advantage, tmp_path):
    report = RiskReport(guarantee)
    assert json.loads(report.to_json())["advantage"] == pytest.approx(advantage, rel=1e-14)
    for name, face in faces(report, tmp_path).items():
        shown = re.search(r"at any alpha: (?:at most|less than) ([\d.]+)%", face)[1]
        assert 0 <= float(shown) - 100 * advantage <= 0.11, name
