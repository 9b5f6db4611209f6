"""The picture: the lines it draws are the guarantee's, its words are the report's."""

import io
import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.errors import MissingExtraError, PrivacyAccountantError
from privacy_accountant.risk import RiskReport, StudyFacts

STUDY = StudyFacts(neighbors=Neighbors.ADD_OR_REMOVE_ONE, adaptive=True)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def curve(axes):
    return next(line for line in axes.get_lines() if "guarantee" in line.get_label()).get_xydata()


@pytest.mark.parametrize(
    "guarantee", [GDP(0), GDP(1), GDP(30), GDP(float("inf")), ADP(1, 0.01), ADP(800)], ids=repr
)
def test_the_curve_is_the_guarantees(guarantee):
    points = curve(RiskReport(guarantee).plot())
    assert np.all(np.diff(points[:, 0]) > 0)
    assert points[0, 0] == 0
    assert points[-1, 0] == 1
    assert np.array_equal(points[:, 1], guarantee.beta(points[:, 0]))


def test_the_picture_is_dense_enough_to_be_true():
    # Between two points the picture shows a chord, which lies above a convex curve: by less than a pixel.
    guarantee = GDP(1)
    points = curve(RiskReport(guarantee).plot())
    middles = (points[1:] + points[:-1]) / 2
    assert np.max(middles[:, 1] - guarantee.beta(middles[:, 0])) < 1e-3


def test_labels_are_words_and_numbers_are_rounded_to_the_safe_side():
    axes = RiskReport(GDP(1), study=STUDY).plot()
    assert "False positive rate (alpha)" in axes.get_xlabel()
    assert "did not take part" in axes.get_xlabel()
    assert "misses those who took part" in axes.get_ylabel()
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert "perfect privacy: pure guessing" in labels
    assert "no privacy" in labels
    assert "at 1%, misses at least 90.76%" in labels
    assert axes.get_title()


def test_it_draws_on_the_axes_that_are_given():
    _, (left, right) = plt.subplots(1, 2)
    assert RiskReport(GDP(1)).plot(ax=left) is left
    assert not right.get_lines()
    assert RiskReport(GDP(2)).plot(right) is right


def test_it_draws_pixels():
    stored = io.BytesIO()
    RiskReport(GDP(1), study=STUDY).plot().figure.savefig(stored, format="png", dpi=60)
    stored.seek(0)
    pixels = plt.imread(stored, format="png")
    blue = np.all(np.abs(pixels[..., :3] - np.array([0x00, 0x72, 0xB2]) / 255) < 0.02, axis=-1)
    assert blue.sum() > 200


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    report = RiskReport(GDP(1))
    with pytest.raises(MissingExtraError, match=r"privacy-accountant\[plot\]") as missing:
        report.plot()
    assert missing.value.extra == "plot"
    assert isinstance(missing.value, ImportError)
    assert isinstance(missing.value, PrivacyAccountantError)
    assert "9.24%" in str(report)
