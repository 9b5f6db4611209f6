"""Two phases: what happens before the data is touched costs nothing, what happens after stays spent."""

import asyncio
import gc
import threading
import traceback
import weakref

import numpy as np
import pytest

from privacy_accountant.accountant import Accountant
from privacy_accountant.accountant.results.treatment import Treatment
from privacy_accountant.errors import (
    BudgetExceededError,
    InvalidParameterError,
    LedgerError,
    NeighborsMismatchError,
    ReleaseFailedError,
)
from privacy_accountant.guarantees.adp import ADP
from privacy_accountant.guarantees.gdp import GDP
from privacy_accountant.ledger import Draft, Kind
from privacy_accountant.mechanisms import Gaussian, Laplace
from privacy_accountant.neighbors import Neighbors

TENTH = Laplace(10, 1)


@pytest.mark.parametrize(
    "value",
    [
        842,
        3**500,
        -5,
        [1, 2, 3],
        (1, 2),
        [[1], [2]],
        np.int64(3),
        np.uint8(255),
        np.arange(4),
        np.array([[1]]),
    ],
)
def test_the_answer_that_is_returned_is_the_one_that_was_posted(open_study, value):
    study = open_study(budget=ADP(1.0))
    answer = study.release(value, TENTH, label="x")
    (line,) = study.history()
    np.testing.assert_array_equal(np.asarray(line.answer, dtype=object), np.asarray(answer, dtype=object))
    assert type(line.answer) is type(answer)
    assert line.status == "posted"
    assert study.last.entry == line.entry
    assert study.last.cost == (0.1, 0.0)
    assert study.last.balance.amounts == (0.1, 0.0)
    assert study.last.interval == TENTH.noise_interval()


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        "842",
        b"1",
        3.5,
        float("nan"),
        float("inf"),
        [],
        [[1], [2, 3]],
        [1, 2.0],
        [1, None],
        np.array([1.0]),
        np.array([]),
        np.array([True]),
        {},
        object(),
    ],
)
def test_a_value_of_a_wrong_kind_costs_nothing_and_is_not_quoted(open_study, value):
    study = open_study(budget=ADP(1.0))
    with pytest.raises(InvalidParameterError, match="value must be") as caught:
        study.release(value, TENTH, label="x")
    assert "842" not in str(caught.value)
    assert study.spent().amounts == (0.0, 0.0)
    assert study.verify().entries == 1


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"mechanism": None}, "mechanism"),
        ({"mechanism": Laplace}, "mechanism"),
        ({"mechanism": 0.1}, "mechanism"),
        ({"label": ""}, "label"),
        ({"label": "  "}, "label"),
        ({"label": None}, "label"),
        ({"label": 3}, "label"),
        ({"label": "two\nlines"}, "label"),
        ({"key": ""}, "key"),
        ({"key": 7}, "key"),
        ({"key": True}, "key"),
    ],
)
def test_bad_arguments_cost_nothing(open_study, arguments, field):
    study = open_study(budget=ADP(1.0))
    arguments = {"mechanism": TENTH, "label": "x"} | arguments
    mechanism = arguments.pop("mechanism")
    with pytest.raises(InvalidParameterError, match=f"^{field} must be .*; got") as caught:
        study.release(5, mechanism, **arguments)
    assert "\n" not in str(caught.value)
    if "key" not in arguments:
        with pytest.raises(InvalidParameterError, match=f"^{field} must be"):
            study.publishes(mechanism, **arguments)
    assert study.verify().entries == 1


def test_the_study_and_the_mechanism_must_mean_the_same_neighbours(open_study):
    study = open_study(budget=GDP(1.0), neighbors=Neighbors.REPLACE_ONE)
    study.release(1, Gaussian(10, 1), label="the study's relation")
    study.release(1, Gaussian(10, 1, neighbors=Neighbors.REPLACE_ONE), label="the same")
    for use in (
        lambda m: study.release(1, m, label="x"),
        lambda m: study.spend(m, label="x"),
        study.remaining,
        study.can_afford,
    ):
        with pytest.raises(NeighborsMismatchError, match="REPLACE_ONE.*ADD_OR_REMOVE_ONE"):
            use(Gaussian(10, 1, neighbors=Neighbors.ADD_OR_REMOVE_ONE))
    assert len(study.history()) == 2


def test_only_the_noised_result_leaves_a_published_function(open_study):
    study = open_study(budget=ADP(1.0))

    @study.publishes(TENTH, label="positives")
    def positives(ciphertext: list, key: int = 2) -> int:
        """Decrypts."""
        assert study.pending()[0].label == "positives"
        return sum(ciphertext) * key

    answer = positives([1, 2], key=3)
    assert isinstance(answer, int)
    assert positives.__name__ == "positives"
    assert positives.__doc__ == "Decrypts."
    assert not hasattr(positives, "__wrapped__")
    assert study.history()[0].answer == answer
    assert study.pending() == ()


def test_a_refused_function_never_runs(open_study):
    study = open_study(budget=ADP(0.1))
    ran = []
    publish = study.publishes(TENTH, label="x")(lambda: ran.append(1) or 1)
    publish()
    with pytest.raises(BudgetExceededError):
        publish()
    assert ran == [1]


class Exit(SystemExit):
    pass


@pytest.mark.parametrize(
    "error",
    [
        ValueError("patient 17"),
        KeyError("patient 17"),
        Exit("patient 17"),
        MemoryError("patient 17"),
        GeneratorExit(),
    ],
)
def test_whatever_a_function_raises_stays_spent_and_is_withheld(open_study, error):
    study = open_study(budget=ADP(1.0))

    @study.publishes(TENTH, label="x")
    def fails():
        raise error

    with pytest.raises(ReleaseFailedError) as caught:
        fails()
    failure = caught.value
    assert str(failure) == f"{study.study}: the release failed after it touched the data; entry 2 stays spent"
    assert failure.__cause__ is None
    assert failure.__context__ is None
    assert "patient" not in "".join(traceback.format_exception(failure))
    assert study.spent().amounts == (0.1, 0.0)
    (line,) = study.history()
    assert line.status == "failed"
    assert line.answer is None
    assert "patient" not in "".join(entry.body for entry in study._recorder.entries(study.study))
    assert study.verify().entries == 3


@pytest.mark.parametrize(
    "result", [float("nan"), 2.5, None, "17 patients", [1, 2.5], [[1], [1, 2]], [], True]
)
def test_what_is_wrong_with_a_result_is_an_output(open_study, result):
    study = open_study(budget=ADP(1.0))
    with pytest.raises(ReleaseFailedError) as caught:
        study.publishes(TENTH, label="x")(lambda: result)()
    assert caught.value.__context__ is None
    assert study.spent().amounts == (0.1, 0.0)


def test_an_interrupt_stays_an_interrupt_and_stays_spent(open_study):
    study = open_study(budget=ADP(1.0))

    @study.publishes(TENTH, label="x")
    def interrupted():
        raise KeyboardInterrupt("patient 17")

    with pytest.raises(KeyboardInterrupt) as caught:
        interrupted()
    assert caught.value.args == ()
    assert caught.value.__context__ is None
    assert study.history()[0].status == "failed"


def test_a_value_that_could_not_be_posted_is_not_returned(open_study, monkeypatch):
    study = open_study(budget=ADP(1.0))
    monkeypatch.setattr(
        type(study._recorder), "resolve_all", lambda *args: (_ for _ in ()).throw(LedgerError("disk full"))
    )
    with pytest.raises(ReleaseFailedError):
        study.release(842, TENTH, label="x")
    monkeypatch.undo()
    assert [line.status for line in study.history()] == ["pending"]
    assert study.spent().amounts == (0.1, 0.0)
    assert study.last is None


def test_functions_that_return_later_are_refused_at_once(open_study):
    study = open_study(budget=ADP(1.0))

    def generator():
        yield 1

    async def both():
        yield 1

    for function in (generator, both, 5, None):
        with pytest.raises(InvalidParameterError, match="function must be a function"):
            study.publishes(TENTH, label="x")(function)
    assert study.history() == ()


def test_a_key_gives_the_same_answer_back_and_spends_nothing(open_study):
    study = open_study(budget=ADP(0.1))
    first = study.release(np.array([5, 6]), TENTH, label="x", key="march")
    receipt = study.last
    again = study.release(np.array([900, 900]), TENTH, label="x", key="march")
    np.testing.assert_array_equal(first, again)
    assert again.dtype == first.dtype
    assert study.last.repeated
    assert study.last.entry == receipt.entry
    assert not receipt.repeated
    assert study.spent().amounts == (0.1, 0.0)
    assert len(study.history()) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"mechanism": Laplace(20, 1)},
        {"mechanism": Gaussian(10, 1)},
        {"label": "y"},
        {"value": [5, 6, 7]},
        {"value": 5},
        {"mechanism": Laplace(10, 1, neighbors=Neighbors.ADD_OR_REMOVE_ONE)},
    ],
)
def test_a_key_stands_for_one_mechanism_label_and_shape(open_study, other):
    study = open_study(budget=ADP(1.0, 1e-6))
    first = {"value": [5, 6], "mechanism": TENTH, "label": "x", "key": "march"}
    study.release(**first)
    spent = study.spent()
    with pytest.raises(InvalidParameterError, match="key must be new, or used with .* entry 2.*got 'march'"):
        study.release(**first | other)
    with pytest.raises(InvalidParameterError, match="key must be new"):
        study.spend(TENTH, label="x", key="march")
    assert study.spent() == spent


def test_equal_parameters_are_the_same_mechanism_however_they_are_typed(open_study):
    study = open_study(budget=ADP(1.0))
    first = study.release(5, Laplace(10, 1), label="x", key="k")
    assert study.release(5, Laplace(np.int64(10), 1.0), label="x", key="k") == first


def test_a_key_whose_release_is_pending_is_never_drawn_again(open_study):
    study = open_study(budget=ADP(1.0))
    key = {"label": "x", "key": "k"}
    seen = []

    def during():
        with pytest.raises(LedgerError, match="key 'k' is pending"):
            study.release(1, TENTH, **key)
        seen.append(1)
        return 1

    quote = study._desk.quote(TENTH)
    reserved = study._reserve(quote, "x", "k", [])
    study._desk.publish(reserved, Treatment(TENTH), during)
    assert seen == [1]
    assert study.release(1, TENTH, **key) == study.history()[0].answer
    assert study.spent().amounts == (0.1, 0.0)


def test_a_key_whose_release_failed_or_was_voided_is_used_up(open_study):
    study = open_study(budget=ADP(1.0))
    for key in ("failed", "voided"):
        study._reserve(study._desk.quote(TENTH), "x", key, [])
    failed, voided = study.pending()
    study._desk.recorder.resolve(study.study, Draft(Kind.FAIL, refers_to=failed.entry))
    study.void(voided.entry, reason="never ran")
    with pytest.raises(ReleaseFailedError):
        study.release(1, TENTH, label="x", key="failed")
    with pytest.raises(
        InvalidParameterError, match=r"key must be a new one \(entry 3 under it was voided\); got 'voided'"
    ):
        study.release(1, TENTH, label="x", key="voided")
    assert study.spent().amounts == (0.1, 0.0)


def test_a_pending_release_can_be_voided_with_a_reason_only(open_study):
    study = open_study(budget=ADP(1.0))
    study._reserve(study._desk.quote(TENTH), "x", None, [])
    (left,) = study.pending()
    assert left.status == "pending"
    for reason in ("", None, " "):
        with pytest.raises(InvalidParameterError, match="reason must be"):
            study.void(left.entry, reason=reason)
    for entry in (True, 0, "2", 2.0):
        with pytest.raises(InvalidParameterError, match="entry must be"):
            study.void(entry, reason="x")
    study.void(left.entry, reason="the power failed before the decryption")
    (line,) = study.history()
    assert (line.status, line.reason) == ("voided", "the power failed before the decryption")
    assert study.spent().amounts == (0.0, 0.0)
    with pytest.raises(LedgerError, match="not pending"):
        study.void(left.entry, reason="again")
    study.verify()


def test_a_spend_is_charged_without_an_answer(open_study):
    study = open_study(budget=ADP(0.2))
    receipt = study.spend(TENTH, label="drawn elsewhere", key="k")
    assert (receipt.entry, receipt.cost, receipt.repeated) == (2, (0.1, 0.0), False)
    assert study.spend(TENTH, label="drawn elsewhere", key="k").repeated
    assert study.history()[0].answer is None
    assert study.history()[0].status == "posted"
    assert study.spent().amounts == (0.1, 0.0)
    with pytest.raises(InvalidParameterError, match="key must be new"):
        study.release(1, TENTH, label="drawn elsewhere", key="k")


@pytest.mark.parametrize("count", [0, -1, True, 1.0, "1", None])
def test_counts_are_positive_integers(count):
    with pytest.raises(InvalidParameterError, match="count must be"):
        Accountant(budget=ADP(1.0)).can_afford(TENTH, count)


def test_a_closed_accountant_refuses_everything(open_study):
    with open_study(budget=ADP(1.0)) as study:
        study.release(1, TENTH, label="x")
    study.close()
    for use in (
        lambda: study.release(1, TENTH, label="x"),
        lambda: study.spend(TENTH, label="x"),
        study.spent,
        study.history,
        study.verify,
        study.guarantee,
        lambda: study.remaining(TENTH),
    ):
        with pytest.raises(LedgerError, match="closed"):
            use()


def test_threads_share_one_budget(open_study):
    study = open_study(budget=ADP(1.0))
    outcomes = []

    def work():
        try:
            study.release(5, TENTH, label="x")
            outcomes.append("released")
        except BudgetExceededError:
            outcomes.append("refused")

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count("released") == 10
    assert outcomes.count("refused") == 6
    assert study.spent().amounts == (1.0, 0.0)
    study.verify()


def test_tasks_share_one_budget(open_study):
    study = open_study(budget=ADP(1.0))

    async def work():
        await asyncio.to_thread(study.spend, TENTH, label="x")

    async def main():
        return await asyncio.gather(*(work() for _ in range(12)), return_exceptions=True)

    results = asyncio.run(main())
    assert sum(isinstance(result, BudgetExceededError) for result in results) == 2
    assert study.spent().amounts == (1.0, 0.0)


def test_a_released_value_leaves_no_reference_behind(open_study):
    study = open_study(budget=ADP(1.0))

    class Secret(list):
        pass

    value = Secret([17, 4])
    seen = weakref.ref(value)
    study.release(value, TENTH, label="x")
    del value
    gc.collect()
    assert seen() is None
