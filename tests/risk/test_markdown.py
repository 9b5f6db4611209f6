"""The Markdown page: the printed page's strings, whole tables, and nobody's markup."""

import re

from hypothesis import given
from hypothesis import strategies as st

from privacy_accountant import ADP, GDP, Neighbors
from privacy_accountant.risk import RiskReport, StudyFacts


def with_texts(study, label, mechanism):
    facts = StudyFacts(
        neighbors=Neighbors.ADD_OR_REMOVE_ONE, adaptive=True, study=study, mechanisms=[(label, mechanism)]
    )
    return RiskReport(ADP(1), study=facts).to_markdown()


def plain(text):
    return re.sub(r"\\([^\w\s])", r"\1", text)


def test_it_holds_the_sentences_and_the_numbers(ward):
    page = plain(ward.to_markdown())
    for sentence in ward.to_dict()["sentences"]:
        assert f"\n- {sentence}\n" in page
    assert "| 1% | 90.76% | 9.24% |" in page
    assert "| ledger head | " + "3f" * 32 + " |" in page


def test_every_row_of_a_table_has_the_cells_of_its_head(report):
    for table in re.findall(r"(?:^\|.*\n)+", report.to_markdown(), re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(cells) == 1


texts = st.text(max_size=60)


@given(texts, texts, texts)
def test_no_text_breaks_a_line_or_a_table(study, label, mechanism):
    page = with_texts(study, label, mechanism)
    row = page.split("## What was released")[1].split("##")[0].strip().splitlines()
    assert len(row) == 3
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row[2])) == 3


def test_markup_is_read_as_it_is_written():
    page = with_texts("1. *x*", "[a](b) | <i>", "`c` # ~d~")
    assert page.startswith("# Risk report: 1. \\*x\\*\n")
    assert "| \\[a\\](b) \\| \\<i\\> | \\`c\\` \\# \\~d\\~ |" in page
    assert RiskReport(GDP(1)).to_markdown().endswith("\n")
