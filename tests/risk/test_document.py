"""The page as a file: complete, small, closed to the network, and its sliders' table against the guarantee."""

import base64
import hashlib
import html.parser
import itertools
import json
import re
from fractions import Fraction

import pytest

from privacy_accountant import GDP, Laplace, Neighbors, compose
from privacy_accountant.errors import InvalidParameterError
from privacy_accountant.risk import RiskReport, StudyFacts
from privacy_accountant.risk.curves import BELIEFS, RATES

VOID = {"meta", "input", "br"}


class Page(html.parser.HTMLParser):
    """Every element with its attributes, and the text of each kind; complains about elements left open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)


def page_of(report, folder):
    return Page(report.to_html(folder / "risk.html").read_text(encoding="utf-8"))


def table_of(report, folder):
    return json.loads(page_of(report, folder).texts["script"][0])


def printed(text):
    """The number in a shown text, as a probability, and whether it is a strict bound."""
    number = re.search(r"([\d.]+)%", text)
    return Fraction(number[1]) / 100


def assert_upper(text, truth):
    truth, shown = Fraction(repr(truth)), printed(text)
    assert re.fullmatch(r"(at most|less than) [\d.]+%", text)
    assert truth <= shown <= truth + Fraction(11, 10000)


def assert_lower(text, truth):
    truth, shown = Fraction(repr(truth)), printed(text)
    assert truth - Fraction(11, 10000) <= shown <= truth


def test_every_position_of_every_slider_shows_the_guarantees_own_number(report, tmp_path):
    table, guarantee = table_of(report, tmp_path), report.guarantee
    rate, belief, baseline = table["show"]["rate"], table["show"]["belief"], table["show"]["baseline"]
    assert [printed(text) for text in rate["rate"]] == [Fraction(repr(alpha)) for alpha in RATES]
    assert [printed(text) for text in belief["belief"]] == [Fraction(repr(prior)) for prior in BELIEFS]
    assert baseline["baseline"] == rate["rate"]
    for i, alpha in enumerate(RATES):
        assert_lower(rate["beta"][i], guarantee.beta(alpha))
        assert_upper(rate["tpr"][i], report.tpr(alpha))
        assert_upper(baseline["success"][i], report.tpr(alpha))
    for j, prior in enumerate(BELIEFS):
        # The guarantee pays for its own roundings with an ulp; the page computes this share exactly.
        for i, worth in enumerate(guarantee.ppv(RATES, prior) * (1 - 1e-9)):
            assert_upper(table["both"]["ppv"][i][j], float(worth))
    for j, prior in enumerate(BELIEFS):
        assert_lower(belief["risk"][j], guarantee.bayes_risk(prior))
        assert printed(belief["without"][j]) == min(Fraction(repr(prior)), 1 - Fraction(repr(prior)))


def test_marks_lie_on_the_curves(ward, tmp_path):
    move = table_of(ward, tmp_path)["move"]
    left, right, top, bottom = 64, 380, 12, 286
    for alpha, (x, y) in zip(RATES, move["rate"]["trade-off"], strict=True):
        assert x == pytest.approx(left + alpha * (right - left), abs=0.06)
        assert y == pytest.approx(bottom - ward.beta(alpha) * (bottom - top), abs=0.06)
    for prior, (x, y) in zip(BELIEFS, move["belief"]["bayes-risk"], strict=True):
        assert x == pytest.approx(left + prior * (right - left), abs=0.06)
        assert y == pytest.approx(bottom - 2 * ward.bayes_risk(prior) * (bottom - top), abs=0.06)
    xs = [x for x, _ in move["rate"]["low-rates"]]
    assert xs == sorted(xs)
    assert xs[RATES.index(0.001)] == pytest.approx(left + 2 / 5 * (right - left), abs=0.06)


def test_nothing_in_the_page_names_another_place(report, tmp_path):
    page = page_of(report, tmp_path)
    for tag, attributes in page.elements:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form", "a"}
        assert not {"src", "href", "srcset", "action", "background", "style", "onclick"} & set(attributes)
    assert "url(" not in "".join(page.texts["style"])
    assert "@import" not in "".join(page.texts["style"])
    assert not re.search(r"https?:", "".join(page.texts["script"] + page.texts["style"]))


def test_the_policy_allows_the_pages_own_script_and_style_alone(ward, tmp_path):
    page = page_of(ward, tmp_path)
    policy = next(a["content"] for tag, a in page.elements if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none';")
    for text, kind in ((page.texts["script"][1], "script"), (page.texts["style"][0], "style")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_the_page_is_small(report, tmp_path):
    assert report.to_html(tmp_path / "risk.html").stat().st_size < 100_000


def test_a_study_of_ten_thousand_releases_is_small_too(tmp_path):
    released = [(f"release {i}", f"Gaussian(sigma={i}.0, sensitivity=1)") for i in range(10_000)]
    study = StudyFacts(neighbors=Neighbors.REPLACE_ONE, adaptive=True, mechanisms=released)
    assert RiskReport(GDP(1), study=study).to_html(tmp_path / "risk.html").stat().st_size < 300_000


def test_ids_are_unique_and_labels_lead_somewhere(ward, tmp_path):
    page = page_of(ward, tmp_path)
    names = [a["id"] for _, a in page.elements if "id" in a]
    assert len(names) == len(set(names))
    for _, attributes in page.elements:
        assert attributes.get("for", names[0]) in names


def test_it_holds_the_strings_of_the_other_faces(ward, tmp_path):
    flat = " ".join(" ".join(itertools.chain(*page_of(ward, tmp_path).texts.values())).split())
    for sentence in ward.to_dict()["sentences"]:
        assert sentence in flat
    for text in ("ward-7", "GDP(mu=1.0)", "3f" * 32, "0.1875", "took part"):
        assert text in flat


def test_nobodys_markup_becomes_the_pages(tmp_path):
    evil = "</script><script>alert(1)</script><i>"
    study = StudyFacts(
        neighbors=Neighbors.ADD_OR_REMOVE_ONE, adaptive=True, study=evil, mechanisms=[(evil, evil)]
    )
    page = page_of(RiskReport(GDP(1), study=study), tmp_path)
    assert sum(tag == "script" for tag, _ in page.elements) == 2
    assert not any(tag == "i" for tag, _ in page.elements)


def test_it_says_where_it_wrote_and_refuses_what_is_no_path(ward, tmp_path):
    path = tmp_path / "risk.html"
    assert ward.to_html(str(path)) == path
    first = path.read_bytes()
    assert ward.to_html(path).read_bytes() == first
    for wrong in (None, 3, b"x"):
        with pytest.raises(InvalidParameterError, match="path"):
            ward.to_html(wrong)


def test_composed_losses_have_a_page_within_seconds(tmp_path):
    losses = [Laplace(scale=20.0 + i, sensitivity=1).guarantee() for i in range(40)]
    guarantee = compose(*losses)
    shown = table_of(RiskReport(guarantee), tmp_path)["show"]
    for text, alpha, beta in zip(shown["rate"]["beta"], RATES, guarantee.beta(RATES), strict=True):
        # Certified intervals are 1e-4 wide; how the question is asked decides where within them a bound lies.
        assert float(printed(text)) == pytest.approx(beta, abs=0.0015), alpha
