"""A study and the account around it in one ledger: charged and resolved in one transaction, on every recorder."""

from fractions import Fraction

import pytest

from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.ledger import Charge, Draft, Kind, verify
from privacy_accountant.ledger.balance import amounts


class RefusedError(Exception):
    pass


@pytest.fixture
def both(recorder):
    for study in ("account", "study"):
        recorder.create(study, {"budget": "1"}, 1)
    return recorder


def charge(recorder, *, outer=1, inner=1, key=None, within=None):
    def part(study, limit, **fields):
        def check(balance):
            if not balance.within((Fraction(limit),), (Fraction(1, 10),)):
                raise RefusedError

        draft = Draft(Kind.RESERVE, mechanism={}, cost=("1/10",), label="x", shape=[], **fields)
        return Charge(study, draft, check)

    return recorder.charge((part("account", outer), part("study", inner, key=key)), within)


def spent(recorder):
    return [
        recorder.ask(study, lambda balance: amounts(balance.low, balance.high)[0])
        for study in ("account", "study")
    ]


def lengths(recorder):
    return [len(recorder.entries(study)) for study in ("account", "study")]


def test_both_are_charged_and_the_inner_entry_names_the_outer(both):
    outer, inner = charge(both)
    assert (outer.entry.study, inner.entry.study) == ("account", "study")
    assert inner.entry.draft.within == outer.entry.sequence
    assert outer.entry.draft.within is None
    assert charge(both, within=77)[0].entry.draft.within == 77
    assert spent(both) == [Fraction(1, 5)] * 2
    for study in ("account", "study"):
        assert verify(both, study).ok


@pytest.mark.parametrize("limits", [{"outer": 0}, {"inner": 0}])
def test_a_refusal_of_either_writes_nothing(both, limits):
    with pytest.raises(RefusedError):
        charge(both, **limits)
    assert spent(both) == [0, 0]
    assert lengths(both) == [1, 1]
    charge(both)
    assert verify(both, "account").ok


def test_a_repeated_key_of_the_study_charges_neither(both):
    first = charge(both, key="k")[-1]
    (again,) = charge(both, key="k", outer=0, inner=0)
    assert again.repeated
    assert again.entry == first.entry
    assert lengths(both) == [2, 2]


@pytest.mark.parametrize("kind", [Kind.POST, Kind.FAIL, Kind.VOID])
def test_both_are_resolved_or_neither(both, kind):
    charge(both)
    outer, inner = ("account", Draft(kind, refers_to=2)), ("study", Draft(kind, refers_to=2))
    with pytest.raises(LedgerError, match="study: entry 9 is not pending"):
        both.resolve_all((outer, ("study", Draft(kind, refers_to=9))))
    assert [len(both.pending(study)) for study in ("account", "study")] == [1, 1]
    both.resolve_all((outer, inner))
    assert [len(both.pending(study)) for study in ("account", "study")] == [0, 0]
    assert spent(both) == [0 if kind is Kind.VOID else Fraction(1, 10)] * 2
    for study in ("account", "study"):
        assert verify(both, study).ok


def test_what_a_check_raises_refuses_everything(both):
    charge(both)
    seen = []

    def check(entry):
        seen.append(entry.study)
        if entry.study == "study":
            raise RefusedError

    drafts = [(study, Draft(Kind.VOID, refers_to=2, reason="r")) for study in ("account", "study")]
    with pytest.raises(RefusedError):
        both.resolve_all(drafts, check)
    assert seen == ["account", "study"]
    assert [len(both.pending(study)) for study in ("account", "study")] == [1, 1]
    with pytest.raises(InvalidParameterError, match="a post, fail or void"):
        both.resolve_all((("study", Draft(Kind.NOTE, reason="r")),))
