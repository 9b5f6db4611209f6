"""What an adversary found in the accountant, and does not find any more."""

import copy
import dataclasses

import attrs
import pandas as pd
import pytest

from privacy_accountant.accountant import Accountant, records
from privacy_accountant.codec import enter
from privacy_accountant.errors import (
    InvalidAggregateError,
    InvalidParameterError,
    LedgerError,
    MissingExtraError,
    ReleaseFailedError,
)
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.guarantees.pld import PLD
from privacy_accountant.guarantees.risk_target import Risk
from privacy_accountant.guarantees.zcdp import ZCDP
from privacy_accountant.mechanisms import Gaussian, Mechanism

NOISE = Gaussian(2, 1)


def test_a_release_in_flight_is_not_voided(open_study):
    study = open_study(budget=GDP(1.0))
    refused = []

    def touch():
        try:
            study.void(study.pending()[0].entry, reason="x")
        except LedgerError as error:
            refused.append(str(error))
        return 3

    assert isinstance(study.publishes(NOISE, label="x")(touch)(), int)
    assert "in flight in this process" in refused[0]
    assert study.spent().amounts == (0.25,)
    assert [line.status for line in study.history()] == ["posted"]


def test_a_second_handle_does_not_void_it_either(tmp_path):
    with (
        Accountant.open(tmp_path / "a.db", study="a", budget=GDP(1.0)) as study,
        Accountant.open(tmp_path / "a.db", study="a") as other,
    ):
        with pytest.raises(ReleaseFailedError) as caught:
            study.publishes(NOISE, label="x")(lambda: other.void(2, reason="x"))()
        assert caught.value.recorded
        assert [line.status for line in other.history()] == ["failed"]


def test_a_release_that_was_voided_before_it_began_does_not_touch_its_data(open_study, monkeypatch):
    study, touched = open_study(budget=GDP(1.0)), []
    reserve = Accountant._reserve

    def void_at_once(self, *arguments):
        reserved = reserve(self, *arguments)
        self.void(reserved.entry.sequence, reason="a colleague was quicker")
        return reserved

    monkeypatch.setattr(Accountant, "_reserve", void_at_once)
    with pytest.raises(LedgerError, match="voided before its data was touched"):
        study.publishes(NOISE, label="x")(lambda: touched.append(1))()
    assert not touched


def test_a_failure_that_the_ledger_cannot_hold_is_not_said_to_be_there(tmp_path):
    path = tmp_path / "a.db"
    study = Accountant.open(path, study="a", budget=GDP(1.0))
    with pytest.raises(ReleaseFailedError, match="entry 2 must not be voided") as caught:
        study.publishes(NOISE, label="x")(study.close)()
    assert not caught.value.recorded
    assert copy.copy(caught.value).recorded is False
    with Accountant.open(path, study="a") as again:
        with pytest.raises(LedgerError, match="data was touched"):
            again.void(2, reason="x")
        assert again.spent().amounts == (0.25,)


def test_a_report_counts_what_was_voided(open_study):
    study = open_study(budget=GDP(1.0))
    study._reserve(study._desk.quote(NOISE), "x", None, [])
    study.void(2, reason="the query never ran")
    report = study.report()
    assert report.study.voids == ("entry 2: the query never ran",)
    assert "1 given back" in str(report)


class Loud(Mechanism):
    """The methods of a mechanism of the caller's own."""

    def _native(self):
        return GDP(1 / self.sigma)

    def check(self, value):
        return ()

    def randomize(self, value):
        return f"{value} with noise of {self.sigma}"

    def noise_interval(self, level=0.95):
        return 0


@attrs.define(unsafe_hash=True)
class Hashed(Loud):
    sigma: float = 10.0
    neighbors: object = None


@attrs.define(eq=False)
class ByIdentity(Loud):
    sigma: float = attrs.field(default=10.0, converter=float)
    neighbors: object = None


class Plain(Loud):
    def __init__(self):
        self.sigma, self.neighbors = 10.0, None


@attrs.frozen
class Unhashable(Loud):
    sigma: float = 10.0
    neighbors: object = None
    extra: object = attrs.field(factory=list)


@attrs.frozen
class Unrelated(Loud):
    sigma: float = 10.0


@dataclasses.dataclass(frozen=True)
class Data(Loud):
    sigma: float = 10.0


@pytest.mark.parametrize("kind", [Hashed, ByIdentity, Plain, Unhashable])
def test_a_mechanism_that_can_change_after_it_was_charged_is_refused(kind):
    study, mechanism = Accountant(budget=GDP(1.0)), kind()
    for use in (
        lambda: study.publishes(mechanism, label="x"),
        lambda: study.spend(mechanism, label="x"),
        lambda: study.release(5, mechanism, label="x"),
        lambda: study.remaining(mechanism),
    ):
        with pytest.raises(InvalidParameterError, match="must be a frozen mechanism"):
            use()
    assert study.history() == ()


def test_a_frozen_mechanism_needs_no_field_for_the_relation():
    study = Accountant(budget=GDP(1.0))
    assert study.release(5, Unrelated(), label="x") == "5 with noise of 10.0"
    assert study.remaining(Unrelated()) == 99
    assert study.history()[0].mechanism.neighbors is None


def test_a_frozen_dataclass_will_do():
    enter(Data, "test-data", write=lambda one: {"sigma": str(one.sigma)}, read=lambda _: Data())
    study = Accountant(budget=GDP(1.0))
    study.spend(Data(), label="x")
    assert study.history()[0].mechanism == Data()


def test_a_builtin_without_a_signature_is_wrapped():
    study = Accountant(budget=GDP(1.0))
    assert isinstance(study.publishes(NOISE, label="x")(max)(3, 4), int)


class Sly(str):
    """A text that lies about itself."""

    __slots__ = ()

    def isprintable(self):
        return True

    def strip(self):
        return "x"

    def __str__(self):
        return "a\nb"


@pytest.mark.parametrize("value", [Sly("a\nb"), Sly(" "), Sly("")])
def test_a_text_that_lies_about_itself_is_refused(value, open_study):
    study = open_study(budget=GDP(1.0))
    for use in (
        lambda: study.release(5, NOISE, label=value),
        lambda: study.release(5, NOISE, label="x", key=value),
        lambda: study.spend(NOISE, label=value),
        lambda: study.note(value),
    ):
        with pytest.raises(InvalidParameterError, match="non-empty line of text"):
            use()
    assert study.history() == ()


def test_a_text_of_another_class_is_stored_as_it_reads(open_study):
    study = open_study(budget=GDP(1.0))
    study.release(5, NOISE, label=Sly("ab"), key=Sly("k"))
    (line,) = study.history()
    assert (line.label, line.key) == ("ab", "k")
    assert type(line.label) is type(line.key) is str


@pytest.mark.parametrize("place", ["a\0b.db", "a\ud800.db", "sqlite:///a\0b.db"])
def test_a_path_that_no_file_can_have_is_refused_in_one_line(place):
    with pytest.raises(InvalidParameterError, match="url_or_path") as caught:
        Accountant.open(place, study="a", budget=GDP(1.0))
    assert len(str(caught.value).splitlines()) == 1
    str(caught.value).encode()


@pytest.mark.parametrize("place", ["a\0b", "a\ud800b"])
def test_an_export_to_such_a_path_is_refused_in_one_line(place, tmp_path):
    study = Accountant(budget=GDP(1.0))
    with pytest.raises(LedgerError, match="not a path") as caught:
        study.export(tmp_path / place)
    str(caught.value).encode()


def test_a_url_with_options_creates_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidParameterError, match="takes no options"):
        Accountant.open("sqlite:///z.db?mode=ro", study="a", budget=GDP(1.0))
    assert not list(tmp_path.iterdir())


def test_a_plans_claim_says_that_the_number_of_releases_was_fixed_too():
    study = Accountant(budget=GDP(1.0), adaptive=False)
    study.release(5, NOISE, label="x")
    assert "their number were fixed" in study.report().study.claim
    assert "claims its budget" in study.report().study.claim
    assert "*and their number*" in Accountant.guarantee.__doc__


def test_a_risk_targets_report_says_whose_figures_it_shows():
    study = Accountant(budget=Risk(advantage=0.1))
    assert isinstance(study.guarantee(), ZCDP)
    assert "the guarantee that enforces the budget" in study.report().study.claim
    assert "the guarantee that enforces" not in Accountant(budget=GDP(1.0)).report().study.claim


def test_a_pld_budget_says_that_its_balance_is_not_what_is_enforced():
    study = Accountant(budget=NOISE.guarantee(PLD), adaptive=False)
    study.release(5, NOISE, label="x")
    assert "pairs of the budget are what is enforced" in str(study.spent())
    assert "pairs of the budget are what is enforced" in study.report().study.currency


def test_an_answer_is_read_when_it_is_asked_for(monkeypatch):
    study = Accountant(budget=GDP(1.0))
    answer = study.release(pd.Series([1, 2], index=["a", "b"]), NOISE, label="x")

    def missing(data):
        raise MissingExtraError("a Series", "pandas")

    with monkeypatch.context() as patch:
        patch.setattr(records, "decode_answer", missing)
        (line,) = study.history()
        assert study.report().study.releases == 1
        assert isinstance(line.answer, dict)
    assert "answer" not in repr(line)
    pd.testing.assert_series_equal(line.answer, answer)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("rows", [list("bba"), list("bab") + list("c") * 5])
def test_the_ranking_of_value_counts_is_not_published(rows, normalize):
    study, mechanism = Accountant(budget=GDP(1.0)), NOISE
    counts = (pd.Series(rows).value_counts(normalize=normalize) * 100).astype(int)
    with pytest.raises(InvalidAggregateError, match="sort_index"):
        study.release(counts, mechanism, label="x")
    assert study.history() == ()
    study.release(counts.sort_index(), mechanism, label="x")
    public = counts.reindex(["c", "a", "b"], fill_value=0).rename("patients")
    assert list(study.release(public, mechanism, label="x").index) == ["c", "a", "b"]
