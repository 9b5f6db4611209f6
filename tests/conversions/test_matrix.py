"""The table in the documentation is the one that the library consults, and no pair of forms is forgotten in it."""

import itertools

import pytest

from privacy_accountant import ADP, GDP, PLD, RDP, ZCDP, TradeOff
from privacy_accountant.conversions.matrix import as_markdown
from privacy_accountant.guarantees import registry
from privacy_accountant.guarantees.mixed import Mixed

FORMS = (ADP, GDP, PLD, RDP, TradeOff, ZCDP)


@pytest.mark.parametrize(
    ("source", "target"),
    [*itertools.permutations(FORMS, 2), *((Mixed, form) for form in FORMS)],
    ids=lambda form: form.__name__,
)
def test_every_pair_is_converted_or_refused_with_a_reason(source, target):
    known = [entry for entry in registry.conversions() if (entry.source, entry.target) == (source, target)]
    refused = [reason for one, other, reason in registry.refusals() if (one, other) == (source, target)]
    assert len(known) + len(refused) == 1
    assert all(entry.citation for entry in known)
    assert all(len(reason) > 40 for reason in refused)


def test_the_page_shows_every_entry():
    page = as_markdown()
    for entry in registry.conversions():
        assert f"| `{entry.source.__name__}` | `{entry.target.__name__}` |" in page
        assert entry.citation in page
    for source, target, reason in registry.refusals():
        assert f"| `{source.__name__}` | `{target.__name__}` | {reason} |" in page
    matrix = page.split("\n\n")[0].splitlines()
    assert len(matrix) == 2 + len(FORMS) + 1
    assert matrix[0] == "| from, to | `ADP` | `GDP` | `PLD` | `RDP` | `TradeOff` | `ZCDP` |"
    assert "| `ADP` | itself | bound | exact | bound | bound | bound |" in matrix
    assert "| `TradeOff` | bound | bound | exact | bound | itself | bound |" in matrix
    assert "| `RDP` | bound | none | bound | itself | bound | none |" in matrix
