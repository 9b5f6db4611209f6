"""Results that are kept outside the ledger, and lazy ones that are bigger than memory: drawn once, whatever is computed again."""

from __future__ import annotations

import hashlib
import json
import stat
import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
from pandas import testing

from privacy_accountant.accountant import Accountant
from privacy_accountant.errors import (
    BudgetExceededError,
    InvalidAggregateError,
    InvalidParameterError,
    LedgerCorruptedError,
    LedgerError,
    ReleaseFailedError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.mechanisms import DiscreteGaussian, Laplace
from privacy_accountant.neighbors import Sensitivity

CELLS = Sensitivity(per_value=1, values=1)
TENTH = Laplace(10, CELLS)
REAL = Laplace(10, CELLS, grid=2**-10)
SHARP = Laplace(1e-9, Sensitivity(per_value=1e-10, values=1))
"""No noise is ever seen of it."""
BIG = np.arange(125_001)


@pytest.fixture(autouse=True)
def _quiet_threads():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def posted(study):
    return json.loads(study._recorder.entries(study.study)[-1].body)


# ---------------------------------------------------------------------------------------------- what the ledger keeps


def test_up_to_a_megabyte_the_ledger_keeps_the_answer_and_beyond_it_a_hash(open_study):
    study = open_study(budget=ADP(1.0))
    small = study.release(BIG[:-1], TENTH, label="x")
    assert np.array_equal(study.history()[0].answer, small)
    assert "stored" not in posted(study)
    big = study.release(BIG, TENTH, label="x")
    body = posted(study)
    assert "answer" not in body
    assert len(json.dumps(body)) < 1000
    line = study.history()[1]
    assert (line.answer, line.stored.location) == (None, None)
    skeleton = {
        "dtype": big.dtype.str,
        "shape": [len(big)],
        "sha256": hashlib.sha256(big.tobytes()).hexdigest(),
    }
    text = json.dumps(skeleton, sort_keys=True, separators=(",", ":"))
    assert line.stored.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert study.verify().ok


@pytest.mark.parametrize(
    "value", [BIG, BIG.tolist(), pd.DataFrame({"a": BIG[:70_000], "b": 1}), pl.DataFrame({"a": BIG})]
)
def test_a_large_answer_that_has_a_key_needs_a_store(open_study, tmp_path, value):
    study = open_study(budget=ADP(1.0))
    with pytest.raises(InvalidParameterError, match="^out must be given for a value over a megabyte"):
        study.release(value, TENTH, label="x", key="k")
    assert study.history() == ()
    first = study.release(value, TENTH, label="x", key="k", out=tmp_path / "big")
    again = study.release(value, TENTH, label="x", key="k", out=tmp_path / "big")
    assert type(again) is type(first) is type(value)
    if isinstance(first, pd.DataFrame):
        testing.assert_frame_equal(again, first)
    else:
        assert np.array_equal(np.asarray(again), np.asarray(first))
    assert study.history()[0].stored.location == str(tmp_path / "big")
    assert study.history()[0].answer is None
    assert study.spent().amounts == (0.1, 0.0)


def test_a_small_answer_may_be_stored_too(open_study, tmp_path):
    study = open_study(budget=ADP(1.0))
    frame = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    answer = study.release(frame, TENTH, label="x", key="k", out=str(tmp_path / "small"))
    testing.assert_frame_equal(study.history()[0].answer, answer)
    testing.assert_frame_equal(study.release(frame, TENTH, label="x", key="k"), answer)
    assert stat.S_IMODE((tmp_path / "small").stat().st_mode) == 0o700
    huge = study.release([2**70, 5], TENTH, label="huge", key="h", out=tmp_path / "huge")
    array = study.release(np.array([2**70, 5], dtype=object), TENTH, label="a", key="a", out=tmp_path / "a")
    assert study.release([1, 2], TENTH, label="huge", key="h") == huge
    assert study.release(array, TENTH, label="a", key="a").tolist() == array.tolist()


def test_what_was_published_is_read_back_or_nothing_is(open_study, tmp_path):
    study = open_study(budget=ADP(1.0))
    study.release(BIG, TENTH, label="x", key="k", out=tmp_path / "big")
    (block,) = (tmp_path / "big").glob("*.npy")
    content = bytearray(block.read_bytes())
    content[-1] ^= 1
    block.write_bytes(content)
    with pytest.raises(LedgerCorruptedError, match="does not hold what was published"):
        study.release(BIG, TENTH, label="x", key="k")
    block.unlink()
    with pytest.raises(LedgerError, match="not drawn again"):
        study.release(BIG, TENTH, label="x", key="k")
    manifest = tmp_path / "big" / "answer.json"
    manifest.write_text(manifest.read_text() + " ")
    with pytest.raises(LedgerCorruptedError):
        study.release(BIG, TENTH, label="x", key="k")
    assert study.spent().amounts == (0.1, 0.0)


@pytest.mark.parametrize("bad", ["", 5, b"x", "no/such/directory/here", "nul\0byte"])
def test_a_store_is_a_path_at_which_nothing_exists(tmp_path, monkeypatch, bad):
    monkeypatch.chdir(tmp_path)
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(InvalidParameterError, match="^out must be a path"):
        study.release(5, TENTH, label="x", out=bad)
    (tmp_path / "taken").mkdir()
    with pytest.raises(InvalidParameterError, match="^out must be a path"):
        study.release(5, TENTH, label="x", out="taken")
    assert study.history() == ()
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"taken"}


def test_a_refused_or_failed_release_leaves_no_store(open_study, tmp_path):
    study = open_study(budget=ADP(0.1))
    with pytest.raises(BudgetExceededError):
        study.release(5, Laplace(1, 1), label="x", out=tmp_path / "refused")

    def fail():
        raise ValueError("patient 17")

    lazy = da.from_delayed(dask.delayed(fail)(), (3,), dtype=int)
    with pytest.raises(ReleaseFailedError):
        study.release(lazy, TENTH, label="x", out=tmp_path / "failed")
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []
    assert study.history()[0].status == "failed"


# ---------------------------------------------------------------------------------------------- lazy aggregates


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
def test_a_lazy_array_is_noised_block_by_block_and_drawn_once(open_study, tmp_path, dtype):
    study = open_study(budget=ADP(0.1))
    value = da.ones((30, 20), chunks=(7, 9), dtype=dtype)
    answer = study.release(value, TENTH, label="x", key="k", out=tmp_path / "out")
    assert isinstance(answer, da.Array)
    assert (answer.chunks, answer.dtype, answer.shape) == (value.chunks, np.dtype(np.int64), (30, 20))
    first = answer.compute()
    assert first.dtype == np.int64
    assert np.array_equal(answer.compute(), first)
    assert np.array_equal(answer.compute(scheduler="synchronous"), first)
    assert answer[3, 4].compute() == first[3, 4]
    assert (answer + 1).sum().compute() == first.sum() + 600
    again = study.release(value, TENTH, label="x", key="k", out=tmp_path / "out")
    assert np.array_equal(again.compute(), first)
    assert np.array_equal(study.history()[0].answer, first)
    assert len(study.history()) == 1
    assert study.spent().amounts == (0.1, 0.0)
    assert len(np.unique(first)) > 10


def test_every_block_has_noise_of_its_own(tmp_path):
    study = Accountant(budget=ADP(1.0))
    answer = study.release(da.zeros(400_000, chunks=100_000, dtype=int), TENTH, label="x", out=tmp_path / "o")
    blocks = answer.compute().reshape(4, -1)
    for i in range(4):
        for j in range(i):
            assert abs(np.corrcoef(blocks[i], blocks[j])[0, 1]) < 6 / np.sqrt(100_000)
    assert 14 < blocks.std() < 14.3
    assert study.history()[0].answer is None
    assert study.history()[0].stored.location == str(tmp_path / "o")


def test_another_process_reads_the_same_bytes(tmp_path):
    ledger = tmp_path / "ward.db"
    with Accountant.open(ledger, study="s", budget=ADP(1.0)) as study:
        first = study.release(
            da.zeros(10, chunks=4, dtype=int), TENTH, label="x", key="k", out=tmp_path / "o"
        )
    code = (
        "import sys, dask.array as da; from privacy_accountant import *;"
        "study = Accountant.open(sys.argv[1], study='s');"
        "m = Laplace(10, Sensitivity(per_value=1, values=1));"
        "print(study.release(da.ones(10, chunks=4, dtype=int), m, label='x', key='k').compute().tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code, ledger], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == first.compute().tolist()


def test_real_values_residues_and_finishing_work_on_blocks(tmp_path):
    study = Accountant(budget=ADP(1.0))
    real = study.release(da.full(10, 0.3, chunks=3), REAL, label="x", out=tmp_path / "real", clamp=(0, 1))
    assert real.dtype == np.float64
    assert ((real.compute() >= 0) & (real.compute() <= 1)).all()
    residues = da.from_array(np.array([65536, 3, 40000]), chunks=2)
    signed = {"modulus": 65537, "at_most": 500, "signed": True}
    answer = study.release(residues, SHARP, label="x", out=tmp_path / "signed", round_to=2, **signed)
    assert answer.compute().tolist() == [0, 4, -500]
    with pytest.raises(InvalidParameterError, match="one number for a lazy aggregate"):
        study.release(residues, SHARP, label="x", out=tmp_path / "n", modulus=65537, at_most=[1, 2, 3])
    scalar = study.release(da.arange(10, chunks=3).sum(), SHARP, label="x", out=tmp_path / "scalar")
    assert scalar.shape == ()
    assert scalar.compute() == 45


def test_blocks_of_unknown_size(tmp_path):
    study = Accountant(budget=ADP(1.0))
    whole = da.arange(10, chunks=4)
    value = whole[whole % 2 == 0]
    answer = study.release(value, SHARP, label="x", out=tmp_path / "o")
    assert answer.compute().tolist() == [0, 2, 4, 6, 8]
    assert answer.chunks == ((2, 2, 1),)
    none_at_all = study.release(whole[whole > 50], SHARP, label="x", out=tmp_path / "empty")
    assert none_at_all.compute().shape == (0,)
    with pytest.raises(InvalidAggregateError, match="unknown length"):
        study.release(value, Laplace(10, 1, grid="auto", length=5), label="x", out=tmp_path / "n")
    exact = Laplace(10, 1, grid="auto", length=10)
    assert study.release(whole, exact, label="x", out=tmp_path / "known").compute().shape == (10,)


@pytest.mark.parametrize("kind", ["frame", "series"])
def test_a_lazy_frame_keeps_index_names_and_divisions(tmp_path, kind):
    study = Accountant(budget=ADP(0.1))
    frame = pd.DataFrame(
        {"b": np.arange(20), "a": np.uint8(3)}, index=pd.date_range("2024-01-01", periods=20, name="day")
    )
    plain = frame if kind == "frame" else frame["b"]
    value = dd.from_pandas(plain, npartitions=3)
    answer = study.release(value, SHARP, label="x", key="k", out=tmp_path / "out")
    equal = testing.assert_frame_equal if kind == "frame" else testing.assert_series_equal
    equal(answer.compute(), plain.astype("int64"), check_freq=False)
    assert answer.divisions == value.divisions
    equal(answer.loc["2024-01-05":"2024-01-09"].compute(), plain.astype("int64")[4:9], check_freq=False)
    equal(study.history()[0].answer, answer.compute())
    equal(study.release(value, SHARP, label="x", key="k").compute(), answer.compute())
    assert study.spent().amounts == (0.1, 0.0)


def test_empty_partitions_and_real_columns(tmp_path):
    study = Accountant(budget=ADP(1.0))
    value = dd.from_pandas(pd.DataFrame({"a": [1, 2, 3, 4], "b": [0.5, 1.5, 2.5, 3.5]}), npartitions=4)
    answer = study.release(value[value["a"] > 2], REAL, label="x", out=tmp_path / "o")
    computed = answer.compute()
    assert computed.shape == (2, 2)
    assert computed.dtypes.tolist() == [np.dtype(float)] * 2
    assert computed.index.tolist() == [2, 3]
    testing.assert_frame_equal(answer.compute(), computed)


@pytest.mark.parametrize("dtype", ["Int64", "UInt8", "int64[pyarrow]", "float64[pyarrow]"])
def test_nullable_and_arrow_columns_of_a_lazy_frame(tmp_path, dtype):
    frame = pd.DataFrame({"a": pd.array([1, 2, 3], dtype=dtype), "b": [4, 5, 6]})
    mechanism = REAL if "float" in dtype else SHARP
    study = Accountant(budget=ADP(1.0))
    computed = study.release(
        dd.from_pandas(frame, npartitions=2), mechanism, label="x", out=tmp_path / "o"
    ).compute()
    if mechanism is SHARP:
        testing.assert_frame_equal(computed, frame.astype("int64"))
    assert computed.dtypes.tolist() == [np.dtype(float if mechanism is REAL else int)] * 2


def test_lazy_integers_past_int64_stop_at_its_ends(tmp_path):
    study = Accountant(budget=ADP(1.0))
    value = da.from_array(np.array([2**64 - 1, 5], dtype=np.uint64), chunks=1)
    answer = study.release(value, SHARP, label="x", out=tmp_path / "o")
    assert answer.compute().tolist() == [2**63 - 1, 5]
    frame = dd.from_pandas(pd.DataFrame({"a": np.uint64([2**64 - 1, 5])}), npartitions=1)
    assert study.release(frame, SHARP, label="x", out=tmp_path / "f").compute()["a"].tolist() == [
        2**63 - 1,
        5,
    ]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (da.ones(4, chunks=2), "low-order bits"),
        (da.ones(4, chunks=2, dtype=bool), "bool"),
        (da.from_array(np.array(["a", "b"]), chunks=1), "<U1"),
        (da.from_array(np.array([1, None]), chunks=1), "NoneType"),
        (da.zeros((0, 3), dtype=int), "not empty"),
        (dd.from_pandas(pd.DataFrame({"a": ["x"]}), npartitions=1), "str"),
        (dd.from_pandas(pd.DataFrame({"a": [0.5]}), npartitions=1), "low-order bits"),
        (dd.from_pandas(pd.DataFrame({"a": [5]}), npartitions=1).index, "Index"),
        (da.ones(4, chunks=2, dtype=int).to_delayed()[0], "Delayed"),
    ],
)
def test_what_is_known_to_be_wrong_is_refused_before_anything_is_computed(tmp_path, value, kind):
    study = Accountant(budget=ADP(1.0))
    with pytest.raises(InvalidAggregateError, match=kind):
        study.release(value, TENTH, label="x", out=tmp_path / "o")
    assert study.history() == ()
    assert not (tmp_path / "o").exists()


def test_a_lazy_ranking_is_not_published(tmp_path):
    study = Accountant(budget=ADP(1.0))
    people = dd.from_pandas(pd.DataFrame({"ward": list("aabbbc")}), npartitions=2)
    counts = people["ward"].value_counts()
    with pytest.raises(InvalidAggregateError, match="'count' whose index is not sorted"):
        study.release(counts, SHARP, label="x", out=tmp_path / "o")
    assert study.history() == ()
    ordered = counts.to_frame().reset_index().astype({"ward": str}).set_index("ward")["count"]
    assert study.release(ordered, SHARP, label="x", out=tmp_path / "o").compute().tolist() == [2, 3, 1]


def test_a_lazy_aggregate_needs_a_store_and_a_mechanism_that_takes_it(tmp_path):
    study = Accountant(budget=ADP(1.0, 1e-6))
    value = da.ones(4, chunks=2, dtype=int)
    with pytest.raises(InvalidParameterError, match="^out must be given for a lazy aggregate"):
        study.release(value, TENTH, label="x")
    with pytest.raises(InvalidAggregateError, match="a vector"):
        study.release(value, DiscreteGaussian(4, 2), label="x", out=tmp_path / "o")
    assert study.history() == ()


def test_a_published_function_may_return_a_lazy_aggregate(open_study, tmp_path):
    study = open_study(budget=ADP(0.3))
    calls = []

    @study.publishes(TENTH, label="x", out=tmp_path / "o", clamp=(0, None))
    def decrypt(height):
        calls.append(height)
        return da.ones((height, 20), chunks=(7, 9), dtype=np.uint8)

    answer = decrypt(30)
    assert isinstance(answer, da.Array)
    first = answer.compute()
    assert first.shape == (30, 20)
    assert first.min() == 0
    assert np.array_equal(answer.compute(), first)
    assert np.array_equal(study.history()[0].answer, first)
    assert study.history()[0].stored.location == str(tmp_path / "o")
    with pytest.raises(InvalidParameterError, match="^out must be a path at which nothing exists"):
        decrypt(31)
    assert calls == [30]
    assert study.spent().amounts == (0.1, 0.0)
    eager = study.publishes(TENTH, label="y", out=str(tmp_path / "eager"))(lambda: [1, 2])()
    assert study.history()[1].answer == eager
    assert study.history()[1].stored.location == str(tmp_path / "eager")
    with pytest.raises(BudgetExceededError):
        study.publishes(Laplace(1, CELLS), label="z", out=tmp_path / "z")(decrypt)()
    assert not (tmp_path / "z").exists()
    assert study.verify().ok


@pytest.mark.parametrize(
    ("mechanism", "out"),
    [
        (Laplace(10, 1, grid="auto"), True),
        (Laplace(10, 1, grid="auto", length=5), True),
        (DiscreteGaussian(4, 2), True),
        (TENTH, False),
    ],
    ids=["unknown moving cells", "another length", "a vector whose shift may be split", "no store"],
)
def test_a_published_lazy_aggregate_that_the_account_does_not_cover_is_not_drawn(tmp_path, mechanism, out):
    """Blocks are noised one by one, so what the mechanism says about the whole is asked of the whole."""
    study = Accountant(budget=ADP(10.0, 1e-6))
    path = tmp_path / "o" if out else None
    with pytest.raises(ReleaseFailedError):
        study.publishes(mechanism, label="x", out=path)(lambda: da.ones(4, chunks=1, dtype=int))()
    assert not (tmp_path / "o").exists()
    assert study.history()[0].status == "failed"


def test_nan_in_a_block_is_an_output(tmp_path):
    study = Accountant(budget=ADP(1.0))
    for cells in (np.array([1.0, np.nan]), np.ma.masked_array([1.0, 2.0], mask=[False, True])):
        with pytest.raises(ReleaseFailedError) as caught:
            study.release(da.from_array(cells, chunks=1), REAL, label="x", out=tmp_path / "o")
        assert "NaN" not in str(caught.value)
        assert not (tmp_path / "o").exists()
    assert study.spent().amounts[0] > 0


def test_progress_counts_blocks(tmp_path):
    seen = []
    Accountant(budget=ADP(1.0)).release(
        da.ones((4, 4), chunks=2, dtype=int),
        TENTH,
        label="x",
        out=tmp_path / "o",
        progress=lambda *at: seen.append(at),
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
