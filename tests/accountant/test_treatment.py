"""What a release does to its value: kinds, grids, residues, rounding and progress, through the accountant."""

from __future__ import annotations

import io
import math
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas import testing

from privacy_accountant.accountant import Accountant
from privacy_accountant.accountant.results import progress
from privacy_accountant.errors import InvalidAggregateError, InvalidParameterError, ReleaseFailedError
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.ledger import Kind
from privacy_accountant.mechanisms import Gaussian, Laplace, Mechanism
from privacy_accountant.neighbors import Sensitivity

CELLS = Sensitivity(per_value=1, values=1)
TENTH = Laplace(10, CELLS)
REAL = Laplace(10, CELLS, grid=2**-10)
SHARP = Laplace(1e-9, 1e-9)
"""No noise is ever seen of it."""


def bodies(study):
    return [entry.body for entry in study._recorder.entries(study.study)]


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        np.float32(0.5),
        [0.5, 3],
        np.array([[0.5], [2.0]]),
        pd.Series([0.5, 1.5], index=["a", "b"], name="x"),
        pd.DataFrame({"a": [1, 2], "b": [0.5, 0.25]}),
        pl.DataFrame({"a": [1, 2], "b": [0.5, 0.25]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_real_values_of_every_kind_are_published_posted_and_given_back(open_study, value):
    study = open_study(budget=ADP(0.2))
    answer = study.release(value, REAL, label="x", key="k")
    assert study.spent().amounts == (0.1, 0.0)
    again = study.release(value, REAL, label="x", key="k")
    (line,) = study.history()
    for other in (again, line.answer):
        assert type(other) is type(answer)
        if isinstance(answer, pd.DataFrame):
            testing.assert_frame_equal(other, answer)
        elif isinstance(answer, pd.Series):
            testing.assert_series_equal(other, answer)
        else:
            assert np.array_equal(np.asarray(other), np.asarray(answer))
    assert "grid=2**-10" in str(study.report())
    assert study.verify().ok


def test_the_position_of_a_bad_cell_is_said_before_anything_is_spent_and_withheld_after(open_study):
    study = open_study(budget=ADP(1.0))
    bad = pd.DataFrame({"a": [1.0, math.nan]})
    with pytest.raises(InvalidAggregateError, match="NaN at row 1 of column 'a'"):
        study.release(bad, REAL, label="x")
    assert study.spent().amounts == (0.0, 0.0)
    with pytest.raises(ReleaseFailedError) as caught:
        study.publishes(REAL, label="x")(lambda: bad)()
    assert "NaN" not in str(caught.value)
    assert study.spent().amounts[0] > 0


class Unseen:
    """A value that must not be looked at."""

    def __getattribute__(self, name):
        raise AssertionError(f"looked at {name}")


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("at_most", {"modulus": 65537, "at_most": 65537}),
        ("at_most", {"modulus": 65537, "at_most": 32769, "signed": True}),
        ("at_most", {"modulus": 65537}),
        ("at_most", {"modulus": 65537, "at_most": [5, 65537]}),
        ("modulus", {"at_most": 5}),
        ("modulus", {"signed": True}),
        ("modulus", {"modulus": 0, "at_most": 0}),
        ("signed", {"modulus": 5, "at_most": 1, "signed": None}),
        ("clamp", {"clamp": (5, 3)}),
        ("clamp", {"clamp": (0.5, 3)}),
        ("round_to", {"round_to": 0}),
        ("progress", {"progress": 5}),
    ],
)
def test_public_parameters_that_do_not_fit_are_refused_before_the_data_is_looked_at(
    open_study, field, arguments
):
    study = open_study(budget=ADP(1.0))
    with pytest.raises(InvalidParameterError, match=f"^{field} must be"):
        study.release(Unseen(), TENTH, label="x", **arguments)
    with pytest.raises(InvalidParameterError, match=f"^{field} must be"):
        study.publishes(TENTH, label="x", **arguments)
    assert study.verify().entries == 1


@pytest.mark.parametrize("signed", [False, True])
def test_b72_a_sum_that_passes_the_modulus_never_moves_by_the_whole_range(signed):
    """A count of 65536 + 1 is refused by its bound; and what a true bound excludes lands at the nearest end, quietly."""
    with pytest.raises(InvalidParameterError, match="at_most must be below"):
        Accountant(budget=ADP(1.0)).release(
            65537, SHARP, label="x", modulus=65537, at_most=65537, signed=signed
        )
    most = 100
    for residue in (0, 99, 100, 101, 32768, 32769, 65436, 65437, 65536, 65537, -1):
        read = residue % 65537
        if signed and read > 32768:
            read -= 65537
        answer = Accountant(budget=ADP(1.0)).release(
            residue, SHARP, label="x", modulus=65537, at_most=most, signed=signed
        )
        assert answer == min(max(read, -most if signed else 0), most)


def test_vectors_are_read_per_slot_and_noise_is_added_over_the_integers(open_study):
    study = open_study(budget=ADP(1.0))
    slots = np.array([65536, 3, 65000], dtype=np.uint32)
    answer = study.release(slots, SHARP, label="x", modulus=65537, at_most=[10, 10, 600], signed=True)
    assert answer.tolist() == [-1, 3, -537]
    (line,) = study.history()
    assert (line.residues.modulus, line.residues.at_most, line.residues.signed) == (
        65537,
        (10, 10, 600),
        True,
    )
    with pytest.raises(InvalidAggregateError, match="each of the 3 bounds"):
        study.release([1, 2], TENTH, label="x", modulus=65537, at_most=[10, 10, 600])
    assert len(study.history()) == 1


def test_a_published_function_may_return_residues():
    study = Accountant(budget=ADP(1.0))

    @study.publishes(SHARP, label="x", modulus=257, at_most=100, signed=True, clamp=(-3, None), round_to=2)
    def decrypt():
        return [254, 5, 150]

    assert decrypt() == [-2, 6, -3]


def test_what_is_done_for_free_is_in_the_ledger_and_costs_nothing(open_study):
    study = open_study(budget=ADP(1.0))
    answer = study.release(842, TENTH, label="x", clamp=(0, 600), round_to=50)
    assert answer == 600
    line = study.history()[0]
    assert (line.finish.clamp, line.finish.round_to) == ((0.0, 600.0), 50.0)
    assert '"finish":{"clamp":["0.0","600.0"],"round_to":"50.0"}' in bodies(study)[1]
    plain = study.release(842, TENTH, label="x")
    assert plain != answer
    assert "finish" not in bodies(study)[3]
    assert "reading" not in bodies(study)[3]
    assert study.history()[1].finish is None
    assert study.spent().amounts == (0.2, 0.0)
    real = study.release(0.123, REAL, label="x", clamp=(0.1, 0.2))
    assert 0.1 <= real <= 0.2
    assert study.history()[2].finish.grid == REAL.grid
    assert study.verify().ok


@pytest.mark.parametrize(
    "other", [{"clamp": (0, 601)}, {"round_to": 50}, {"modulus": 5000, "at_most": 999}, {"clamp": None}]
)
def test_a_key_stands_for_the_treatment_too(open_study, other):
    study = open_study(budget=ADP(1.0))
    first = {"label": "x", "key": "k", "clamp": (0, 600)}
    assert study.release(842, TENTH, **first) == study.release(1, TENTH, **first) == 600
    with pytest.raises(InvalidParameterError, match="^key must be new"):
        study.release(842, TENTH, **first | other)


class Yes(Mechanism):
    neighbors = None
    noise_parameter = "scale"
    _native = lambda self: GDP(0.1)  # noqa: E731
    check = lambda self, value: ()  # noqa: E731
    randomize = lambda self, value: "yes"  # noqa: E731
    noise_interval = lambda self, level=0.95: 0  # noqa: E731


@pytest.mark.parametrize(
    "arguments",
    [{"modulus": 5, "at_most": 1}, {"clamp": (0, 1)}, {"round_to": 1}, {"progress": print}, {"signed": True}],
)
def test_a_mechanism_that_adds_no_noise_to_numbers_takes_no_such_argument(arguments):
    study = Accountant(budget=GDP(1.0))
    with pytest.raises(InvalidParameterError, match=f"^{next(iter(arguments))} must be absent with Yes"):
        study.release(5, Yes(), label="x", **arguments)
    assert study.history() == ()


def test_progress_is_reported_for_more_than_a_million_cells_only():
    seen = []
    study = Accountant(budget=GDP(1.0))
    noise = Gaussian(30, CELLS)
    study.release(np.zeros(1_000_000, dtype=int), noise, label="x", progress=lambda *at: seen.append(at))
    assert seen == []
    study.release(np.zeros((3, 700_001), dtype=int), noise, label="x", progress=lambda *at: seen.append(at))
    assert seen == [(1_000_000, 2_100_003), (2_000_000, 2_100_003), (2_100_003, 2_100_003)]


def test_the_bar_is_one_line_on_standard_error(capsys):
    noise = Gaussian(30, CELLS)
    Accountant(budget=GDP(1.0)).release(np.zeros(1_500_000, dtype=int), noise, label="beds", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("\rbeds: [")
    assert err.endswith("] 100%\n")
    assert err.count("\n") == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_comes_up_by_itself_in_a_terminal_once_a_release_takes_a_while(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(progress, "monotonic", lambda: 0.3 * next(clock))
    noise, cells = Gaussian(30, CELLS), np.zeros(3_500_000, dtype=int)
    for stream, arguments, seen in (
        (Terminal(), {}, ["85%", "100%"]),
        (Terminal(), {"progress": False}, []),
        (io.StringIO(), {}, []),
        (io.StringIO(), {"progress": True}, ["28%", "57%", "85%", "100%"]),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        Accountant(budget=GDP(1.0)).release(cells, noise, label="beds", **arguments)
        assert [line.split()[-1] for line in stream.getvalue().split("\r")[1:]] == seen


@pytest.mark.parametrize("asked", [None, True])
def test_a_closed_window_costs_no_release(monkeypatch, asked):
    closed = Terminal()
    closed.close()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        study = Accountant(budget=GDP(1.0))
        answer = study.release(np.zeros(1_500_000, dtype=int), Gaussian(30, CELLS), label="x", progress=asked)
        assert answer.size == 1_500_000


def test_a_published_function_has_a_new_bar_each_time(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    study = Accountant(budget=GDP(1.0))
    beds = study.publishes(Gaussian(30, CELLS), label="beds", progress=True)(
        lambda size: np.zeros(size, dtype=int)
    )
    for size in (1_500_000, 1_200_000):
        beds(size)
    assert sys.stderr.getvalue().count("100%\n") == 2


def test_an_answer_drawn_in_pieces_has_fresh_noise_in_each():
    noisy = Gaussian(30, CELLS).randomize(np.zeros(2_000_000, dtype=int))
    first, second = noisy[:1_000_000], noisy[1_000_000:]
    assert abs(np.corrcoef(first, second)[0, 1]) < 6e-3
    assert 29.5 < noisy.std() < 30.5


def test_what_progress_raises_comes_after_the_data_was_touched():
    study = Accountant(budget=GDP(1.0))

    def fails(done, total):
        raise ValueError("closed window")

    with pytest.raises(ReleaseFailedError):
        study.release(np.zeros(1_000_001, dtype=int), Gaussian(30, CELLS), label="x", progress=fails)
    assert study.history()[0].status == "failed"


def test_the_ledger_keeps_only_noised_values(open_study):
    study = open_study(budget=ADP(1.0))
    study.release([123456789, 5], SHARP, label="x", clamp=(0, 10))
    assert "123456789" not in "".join(bodies(study))
    kinds = [entry.kind for entry in study._recorder.entries(study.study)]
    assert kinds == [Kind.OPEN, Kind.RESERVE, Kind.POST]
