"""The page for people: its numbers against many-digit truth, its form against a terminal."""

import html.parser
import re
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.risk import RiskReport, StudyFacts

ROW = re.compile(r"^ +([\d.]+)% +(less than )?([\d.]+)% +(less than )?([\d.]+)%$", re.MULTILINE)


def facts(**changes):
    return StudyFacts(**{"neighbors": Neighbors.ADD_OR_REMOVE_ONE, "adaptive": True, **changes})


def block(text, title):
    """The lines of one block of the page."""
    body = text.split(f"\n{title}\n{'-' * len(title)}\n")[1]
    return body.split("\n\n")[0]


def rows(text, title):
    return [tuple(Fraction(found[i]) / 100 for i in (1, 3, 5)) for found in ROW.finditer(block(text, title))]


def gaussian_tpr(mu, alpha):
    with mpmath.workdps(50):
        level = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(str(alpha)) - 1)
        return mpmath.ncdf(level + mpmath.mpf(repr(mu)))


def gaussian_delta(mu, epsilon):
    with mpmath.workdps(50):
        mu, epsilon = mpmath.mpf(repr(mu)), mpmath.mpf(epsilon)
        upper = mpmath.ncdf(mu / 2 - epsilon / mu)
        return upper - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def as_mpf(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


@given(st.floats(0.01, 6))
def test_no_printed_risk_of_a_gaussian_is_smaller_than_the_truth(mu):
    text = str(RiskReport(GDP(mu)))
    with mpmath.workdps(50):
        attacks = rows(text, "What an attack can find out")
        assert [alpha for alpha, _, _ in attacks] == [Fraction(1, n) for n in (10000, 1000, 100, 10)]
        for alpha, beta, tpr in attacks:
            truth = gaussian_tpr(mu, mpmath.mpf(alpha.numerator) / alpha.denominator)
            assert as_mpf(beta) <= 1 - truth <= as_mpf(beta) + mpmath.mpf("0.0011")
            assert as_mpf(tpr) - mpmath.mpf("0.0011") <= truth <= as_mpf(tpr)
        advantage = Fraction(re.search(r"any alpha: at most ([\d.]+)%", text)[1]) / 100
        assert as_mpf(advantage) >= mpmath.erf(mpmath.mpf(repr(mu)) / mpmath.sqrt(8))


@given(st.floats(0.05, 6))
def test_no_printed_bayes_risk_or_epsilon_flatters(mu):
    text = str(RiskReport(GDP(mu)))
    with mpmath.workdps(50):
        m = mpmath.mpf(repr(mu))
        for prior, without, risk in rows(text, "What an attacker's guess is worth"):
            odds = mpmath.log((1 - as_mpf(prior)) / as_mpf(prior))
            truth = as_mpf(prior) * mpmath.ncdf(odds / m - m / 2)
            truth += (1 - as_mpf(prior)) * mpmath.ncdf(-odds / m - m / 2)
            assert without == prior
            assert as_mpf(risk) <= truth <= as_mpf(risk) + mpmath.mpf("0.0011")
        profile = re.findall(
            r"^ +([\d.e-]+) +([\d.e-]+)$",
            block(text, "As (epsilon, delta)-differential privacy"),
            re.MULTILINE,
        )
        assert [float(delta) for delta, _ in profile] == [1e-9, 1e-6, 1e-5, 1e-3]
        for delta, epsilon in profile:
            assert gaussian_delta(mu, epsilon) <= mpmath.mpf(delta) * (1 + mpmath.mpf("1e-12"))


def test_a_page_of_known_numbers():
    text = str(RiskReport(ADP(1, 0)))
    assert rows(text, "What an attack can find out")[2] == (
        Fraction(1, 100),
        Fraction("0.9728"),
        Fraction("0.0272"),
    )
    assert "at most 46.3%" in text  # tanh(1/2) = 0.46212
    assert re.search(r"^ +50% +50% +26.8%$", text, re.MULTILINE)  # 1/(1+e) = 0.26894
    assert re.search(r"^ +0 +1$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("guarantee", "shown"),
    [
        (GDP(0), "at most 0%"),
        (GDP(1e-9), "at any alpha: less than 0.0001%"),
        (GDP(float("inf")), "at most 100%"),
        (ADP(1, 1e-6), "1e-9          infinite"),
    ],
    ids=repr,
)
def test_the_ends(guarantee, shown):
    assert " ".join(shown.split()) in " ".join(str(RiskReport(guarantee)).split())


def test_an_epsilon_that_does_not_exist_is_not_listed_at_delta_zero():
    assert not re.search(r"^ +0 +infinite$", str(RiskReport(GDP(1))), re.MULTILINE)


def test_a_study_is_told():
    text = str(
        RiskReport(
            GDP(1),
            study=facts(
                study="ward-7",
                budget="GDP(mu=1.0)",
                currency="mu^2",
                spent="0.8125",
                remaining="0.1875",
                releases=1234,
                failures=2,
                pending=1,
                mechanisms=[("by diagnosis", "Laplace(scale=3.0, sensitivity=1)")],
                ledger_head="ab" * 32,
            ),
        )
    )
    assert text.startswith("Risk report: ward-7\n===================\n")
    study = block(text, "The study")
    for name, value in [
        ("budget", "GDP(mu=1.0)"),
        ("spent (mu^2)", "0.8125"),
        ("remaining (mu^2)", "0.1875"),
        ("releases", "1,234"),
        ("plan", "releases may be chosen after seeing earlier results"),
        ("pending", "1 begun and not finished, counted as spent"),
        ("failed", "2 after touching the data, counted as spent"),
    ]:
        assert re.search(rf"^  {re.escape(name)} +{re.escape(value)}$", study, re.MULTILINE)
    assert f"\n    {'ab' * 32}" in study
    assert "by diagnosis  Laplace(scale=3.0, sensitivity=1)" in block(text, "What was released")
    assert "The claim is the budget." in block(text, "What is claimed")


def test_a_fixed_plan_says_so():
    text = str(RiskReport(GDP(1), study=facts(adaptive=False)))
    assert "composition of the releases made" in block(text, "What is claimed")
    assert "fixed in advance" in block(text, "The study")
    assert "failed" not in text
    assert "What was released" not in text


def test_many_releases_are_counted_by_mechanism():
    many = [(f"release {i}", f"Gaussian(sigma={i % 3 + 1})") for i in range(10000)]
    told = block(str(RiskReport(GDP(1), study=facts(mechanisms=many))), "What was released")
    assert re.findall(r"[\d,]+ times +Gaussian\(sigma=\d\)", told) == [
        "3,334 times  Gaussian(sigma=1)",
        "3,333 times  Gaussian(sigma=2)",
        "3,333 times  Gaussian(sigma=3)",
    ]
    varied = [("x", f"Gaussian(sigma={i})") for i in range(20)]
    told = block(str(RiskReport(GDP(1), study=facts(mechanisms=varied))), "What was released")
    assert told.splitlines()[-1] == "  8 more   with 8 other mechanisms"


names = st.text(max_size=200)


@given(names, names, names, names)
def test_whatever_the_texts_the_page_is_eighty_columns_of_printable_characters(
    study, budget, name, mechanism
):
    report = RiskReport(ADP(1), study=facts(study=study, budget=budget, mechanisms=[(name, mechanism)]))
    for line in str(report).split("\n"):
        assert len(line) <= 80
        assert line.isprintable()
        assert line == line.rstrip()


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_notebook_page_has_the_same_strings_and_runs_nobodys_markup():
    report = RiskReport(
        GDP(1), study=facts(study="<script>x</script>", mechanisms=[("a & b", "<i>noise</i>")])
    )
    tags = Tags()
    tags.feed(report._repr_html_())
    assert tags.open == []
    assert not tags.seen & {"script", "i"}
    flat = " ".join(" ".join(tags.text).split())
    assert "<script>x</script>" in flat
    assert "a & b" in flat
    for cell in ("90.76%", "9.24%", "30.8%", "4.38"):
        assert cell in flat
        assert cell in str(report)
