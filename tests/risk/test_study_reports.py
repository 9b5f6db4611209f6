"""Reports of real studies: what the accountant hands over, and that a page of many releases stays small."""

import itertools
import re
from datetime import datetime, timedelta

import attrs
import pytest

from privacy_accountant import ADP, GDP, ZCDP, Accountant, Gaussian, Laplace


def test_the_budget_over_time_ends_where_the_books_do():
    study = Accountant(budget=GDP(mu=1.0))
    study.release(842, Gaussian(sigma=4.0, sensitivity=1), label="a", clamp=(0, None), round_to=10)
    study.release(31, Laplace(scale=4.0, sensitivity=1), label="b")
    report = study.report()
    steps = report.study.spending
    times = [datetime.fromisoformat(time) for time, _ in steps]
    assert times == sorted(times)
    assert steps[0][1] == pytest.approx(1 / 16, rel=1e-12)
    assert steps[-1][1] == pytest.approx(float(study.spent().amounts[0]), rel=1e-12)
    assert "rounded to multiples of 10, raised to at least 0" in report.study.mechanisms[0][1]


def test_of_several_components_the_one_that_is_used_most_is_told():
    study = Accountant(budget=ADP(1.0, 1e-6))
    study.release(8, Laplace(scale=40.0, sensitivity=1), label="b")
    spent = study.spent()
    ((_, share),) = study.report().study.spending
    assert share == pytest.approx(float(spent.amounts[0]) / float(spent.limits[0]), rel=1e-9)


def test_a_plan_has_no_shares_and_no_picture_of_them(tmp_path):
    study = Accountant(budget=ZCDP(1.0), adaptive=False)
    study.release(8, Gaussian(sigma=4.0, sensitivity=1), label="b")
    report = study.report()
    assert report.study.spending == ()
    page = report.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "How much of the budget is used?" not in page


def test_the_page_draws_the_budget_as_a_staircase(ward, tmp_path):
    page = ward.to_html(tmp_path / "r.html").read_text(encoding="utf-8")
    figure = page.split("How much of the budget is used?")[1].split("</figure>")[0]
    steps = re.search(r'class="bound" d="M([^"]+)"', figure)[1].split("L")
    points = [tuple(map(float, step.split())) for step in steps]
    left, right, top, bottom = 64, 380, 12, 286
    assert points[0] == (left, bottom)
    assert points[-1] == (right, pytest.approx(bottom - 0.8125 * (bottom - top), abs=0.06))
    assert all(one[0] == other[0] or one[1] == other[1] for one, other in itertools.pairwise(points))
    assert "2026-03-02" in figure


def test_a_page_of_ten_thousand_releases_is_small(ward, tmp_path):
    first = datetime.fromisoformat("2026-03-02T09:30:00+00:00")
    steps = [((first + timedelta(minutes=i)).isoformat(), (i + 1) / 10_000) for i in range(10_000)]
    released = [(f"release {i}", f"Gaussian(sigma={i}.0, sensitivity=1)") for i in range(10_000)]
    study = attrs.evolve(ward.study, spending=steps, mechanisms=released, releases=10_000)
    assert attrs.evolve(ward, study=study).to_html(tmp_path / "r.html").stat().st_size < 100_000
