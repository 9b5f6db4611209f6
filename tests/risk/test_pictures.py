"""The picture: the lines it draws are the guarantee's, its words are the report's."""

import io
import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.errors import InvalidParameterError, MissingExtraError, PrivacyAccountantError
from privacy_accountant.risk import RiskReport, StudyFacts, plot_reports

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


def drawn(axes, part):
    """The points of the line whose label contains a text."""
    return next(line for line in axes.get_lines() if part in str(line.get_label())).get_xydata()


@pytest.mark.parametrize("guarantee", [GDP(0), GDP(1), GDP(float("inf")), ADP(1, 1e-6), ADP(800)], ids=repr)
def test_the_other_pictures_draw_the_guarantees_own_numbers(guarantee):
    report = RiskReport(guarantee, study=STUDY)
    low = drawn(report.plot_low_fpr(), "bound")
    assert np.array_equal(low[:, 1], report.tpr(low[:, 0]))
    assert low[0, 0] == 1e-5
    risks = drawn(report.plot_bayes_risk(), "bound")
    assert np.array_equal(risks[:, 1], guarantee.bayes_risk(risks[:, 0]))
    profile = drawn(report.plot_profile(), "bound")
    assert np.array_equal(profile[:, 1], np.maximum(guarantee.get_delta(profile[:, 0]), 1e-13))


def test_each_picture_has_words_takes_axes_and_returns_them(ward):
    for name in ("plot", "plot_low_fpr", "plot_profile", "plot_bayes_risk", "plot_spending"):
        _, axes = plt.subplots()
        assert getattr(ward, name)(ax=axes) is axes
        assert all((axes.get_title(), axes.get_xlabel(), axes.get_ylabel(), axes.get_legend()))
        axes.figure.savefig(io.BytesIO(), dpi=40)


def test_the_budget_over_time_is_a_staircase_that_begins_at_nothing(ward):
    steps = drawn(ward.plot_spending(), "used")
    assert steps[:, 1].tolist() == [0.0, 0.0625, 0.8125]
    assert steps[0, 0] == steps[1, 0] < steps[2, 0]
    with pytest.raises(InvalidParameterError, match="spending"):
        RiskReport(GDP(1)).plot_spending()


def test_several_reports_are_compared_under_their_names():
    reports = {"loose": RiskReport(GDP(2), study=STUDY), "tight": RiskReport(ADP(0.5), study=STUDY)}
    axes = plot_reports(reports)
    for name, report in reports.items():
        points = drawn(axes, name)
        assert np.array_equal(points[:, 1], report.tpr(points[:, 0]))
    assert "took part" in axes.get_ylabel()
    mixed = plot_reports({**reports, "other": RiskReport(GDP(1))})
    assert "took part" not in mixed.get_ylabel()
    for wrong in ({}, None, {"a": GDP(1)}, [RiskReport(GDP(1))]):
        with pytest.raises(InvalidParameterError, match="reports"):
            plot_reports(wrong)


def test_many_reports_can_still_be_told_apart():
    axes = plot_reports({str(i): RiskReport(GDP(i / 10)) for i in range(28)})
    lines = [line for line in axes.get_lines() if line.get_label().isdigit()]
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 28


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
