"""The page in a real browser: what it shows, that it asks nobody, and that everyone can use it."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from privacy_accountant import ADP
from privacy_accountant.risk import RiskReport
from privacy_accountant.risk.curves import BELIEFS, RATES

CHROMIUM = Path("/usr/bin/chromium")
if not CHROMIUM.exists():
    pytest.skip(f"{CHROMIUM} is not installed", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def files(ward, tmp_path_factory):
    """The pages as a browser finds them on a disk."""
    folder = tmp_path_factory.mktemp("pages")
    reports = {"ward": ward, "pure": RiskReport(ADP(epsilon=1.0))}
    return {name: report.to_html(folder / f"{name}.html").as_uri() for name, report in reports.items()}


@pytest.fixture
def visit(browser, files):
    """Open a page and collect what it says to the console and asks for."""
    contexts = []

    def opened(name="ward", *, width=1200, scheme="light", script=True):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
        )
        contexts.append(context)
        page = context.new_page()
        page.complaints, page.requests = [], []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        page.goto(files[name])
        return page

    yield opened
    for context in contexts:
        context.close()


def slide(page, name, position):
    slider = page.locator(f"input#{name}")
    slider.fill(str(position))
    return slider


def shown(page, name):
    texts = set(page.locator(f'[data-shows="{name}"]').all_inner_texts())
    assert len(texts) == 1
    return texts.pop()


def number(text):
    return Fraction(re.search(r"([\d.]+)%", text)[1]) / 100


def near(text, truth, *, above):
    """Rounded to the safe side of the guarantee's own number, and not far."""
    gap = number(text) - Fraction(repr(truth))
    return 0 <= (gap if above else -gap) <= Fraction(11, 10000)


def test_no_complaint_and_no_request_but_for_the_page_itself(visit, files):
    page = visit()
    for name in ("rate", "belief", "baseline"):
        slide(page, name, 3)
    page.wait_for_timeout(200)
    assert page.complaints == []
    assert page.requests == [files["ward"]]


@pytest.mark.parametrize("name", ["ward", "pure"])
def test_sliders_change_the_numbers_to_the_right_ones(visit, ward, name):
    page = visit(name)
    guarantee = ward.guarantee if name == "ward" else ADP(epsilon=1.0)
    for i, j in [
        (0, 0),
        (5, 29),
        (RATES.index(0.01), BELIEFS.index(0.5)),
        (len(RATES) - 1, len(BELIEFS) - 1),
    ]:
        alpha, prior = RATES[i], BELIEFS[j]
        slider = slide(page, "rate", i)
        assert number(shown(page, "rate")) == Fraction(repr(alpha))
        assert slider.get_attribute("aria-valuetext") == shown(page, "rate")
        assert near(shown(page, "beta"), guarantee.beta(alpha), above=False)
        assert near(shown(page, "tpr"), 1 - guarantee.beta(alpha), above=True)
        slide(page, "belief", j)
        assert number(shown(page, "belief")) == Fraction(repr(prior))
        assert near(shown(page, "risk"), guarantee.bayes_risk(prior), above=False)
        assert near(shown(page, "ppv"), guarantee.ppv(alpha, prior) - 1e-15, above=True)
        slide(page, "baseline", i)
        assert number(shown(page, "baseline")) == Fraction(repr(alpha))
        assert near(shown(page, "success"), guarantee.attack_success(alpha), above=True)
    assert page.complaints == []


def test_sliders_answer_to_the_keyboard(visit):
    page = visit()
    before = shown(page, "tpr")
    page.get_by_label("False positive rate").press("ArrowRight")
    assert number(shown(page, "rate")) == Fraction("0.015")
    assert number(shown(page, "tpr")) > number(before)


def test_marks_move_along_the_curves(visit):
    page = visit()
    places = []
    for position in (RATES.index(0.1), RATES.index(0.5)):
        slide(page, "rate", position)
        places.append(page.locator("#trade-off-mark").bounding_box())
    assert places[1]["x"] > places[0]["x"]
    assert places[1]["y"] > places[0]["y"]
    frame = page.locator("#trade-off-mark").evaluate("mark => mark.getAttribute('transform')")
    assert frame.startswith("translate(222 ")


def test_without_scripts_the_page_reads_the_same_and_shows_no_dead_slider(visit):
    with_script, without = visit(), visit(script=False)
    assert not without.locator("input#rate").is_visible()
    assert without.locator("main").inner_text() == with_script.locator("main").inner_text()


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
def test_it_never_scrolls_sideways(visit, width):
    page = visit(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1200)])
def test_everyone_can_use_it(visit, scheme, width):
    page = visit(scheme=scheme, width=width)
    # The page's policy keeps out scripts that are not its own; the inspector comes in through the debugger's door.
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_both_schemes_are_their_own(visit):
    paper = "getComputedStyle(document.body).backgroundColor"
    assert visit(scheme="light").evaluate(paper) == "rgb(251, 250, 248)"
    assert visit(scheme="dark").evaluate(paper) == "rgb(20, 24, 28)"


def test_on_paper_there_are_no_sliders_and_the_colours_are_light(visit):
    page = visit(scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("input#rate").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4").startswith(b"%PDF")
