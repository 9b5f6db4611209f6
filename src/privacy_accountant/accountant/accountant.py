"""The accountant of one study: the only mutable class."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, ParamSpec

from privacy_accountant.accountant.asynchronous import ARELEASE, Begun, asynchronous, wanted
from privacy_accountant.accountant.budgets.limits import Budget
from privacy_accountant.accountant.budgets.partitioning import Partitions
from privacy_accountant.accountant.budgets.settings import Terms
from privacy_accountant.accountant.charging import ChargedStudy
from privacy_accountant.accountant.desk import Desk
from privacy_accountant.accountant.opening import account_of, begin, reopened
from privacy_accountant.accountant.publishing import wrap
from privacy_accountant.accountant.records import Receipt
from privacy_accountant.accountant.results.stores import claimed
from privacy_accountant.accountant.words import line_of_text
from privacy_accountant.errors import LedgerError
from privacy_accountant.ledger import MemoryRecorder, Recorder, open_recorder
from privacy_accountant.mechanisms.base import Mechanism
from privacy_accountant.mechanisms.values.aggregates import Progress
from privacy_accountant.neighbors import Neighbors

if TYPE_CHECKING:
    from typing_extensions import Self

P = ParamSpec("P")

_IN_MEMORY = "study in memory"


class Accountant(ChargedStudy):
    """Keeps one study within its privacy budget.

    Every number that is published passes through it: the release is charged durably before its data is touched, the noise is
    drawn, the noised value is posted, and only then does the caller see it. A release that does not fit raises
    `BudgetExceededError`; nothing is drawn, nothing is spent, and smaller releases still go through. Amounts are exact: ten
    releases of epsilon 0.1 fit a budget of 1 and the eleventh does not.

    `Accountant(budget=...)` keeps its ledger in memory and ends with the process: for simulations and tests. A study that is
    real is opened with `Accountant.open`, on a file that any number of threads and processes may share.

    Args:
        budget: What the study promises: an `ADP`, `GDP`, `ZCDP`, `RDP`, `Risk`, or with `adaptive=False` a `PLD`.
        neighbors: What it means for two data sets to differ in one person.
        adaptive: True enforces with a filter that stays valid when parameters are chosen after seeing results; the claim is
            the budget. False states that the mechanisms, and how many there are, were fixed before the first result; then
            certified privacy losses compose, the tightest there is.
        currency: The class of the form that is added up: `ADP`, `GDP`, `ZCDP` or `RDP`. By default it follows the budget:
            sums of epsilon for `ADP(epsilon)`, of mu squared for `GDP`, of rho for `ZCDP`, every order for `RDP`, and for
            `ADP(epsilon, delta > 0)` and `Risk` the largest rho whose zCDP implies them (half of delta pays for that).

    Raises:
        InvalidParameterError: When an argument is not of its kind, or the budget promises nothing.
        UnsupportedConversionError: When no amount of the currency implies the budget.

    Example:
        >>> from privacy_accountant import Accountant, GDP, Gaussian
        >>> study = Accountant(budget=GDP(mu=1.0))
        >>> noised = study.release(842, Gaussian(sigma=3, sensitivity=1), label="admissions, March")
        >>> study.remaining(Gaussian(sigma=3, sensitivity=1))
        8
        >>> print(study.spent())
        0.1112 of 1 (mu^2) spent; bookkeeping, the claim is guarantee()
        >>> study.guarantee()
        GDP(mu=1.0)
    """

    def __init__(
        self,
        *,
        budget: Budget,
        neighbors: Neighbors = Neighbors.ADD_OR_REMOVE_ONE,
        adaptive: bool = True,
        currency: type | None = None,
    ) -> None:
        recorder = MemoryRecorder()
        self._start(recorder, begin(recorder, _IN_MEMORY, Terms(budget, neighbors, adaptive, currency)))

    @classmethod
    def open(
        cls,
        url_or_path: str | os.PathLike[str],
        *,
        study: str,
        budget: Budget | None = None,
        neighbors: Neighbors | None = None,
        adaptive: bool | None = None,
        currency: type | None = None,
        within: Accountant | None = None,
    ) -> Self:
        """Open a study in a durable ledger, or create it there.

        Args:
            url_or_path: A SQLite file, by path or `sqlite:///` URL: it is created with mode 0600, and one file holds many
                studies. Or a PostgreSQL database, as `postgresql+psycopg://user@host/name`, when several hosts share a study.
            study: Name of the study.
            budget: Needed to create a study. Without it the study continues as the ledger holds it.
            neighbors: As for `Accountant`; absent, what the ledger holds, or `ADD_OR_REMOVE_ONE` for a new study.
            adaptive: As for `Accountant`; absent, what the ledger holds, or True for a new study.
            currency: As for `Accountant`; absent, what the ledger holds, or what follows the budget's form.
            within: A study of its own, such as an organisation's, in the same ledger or in another one: everything this study
                releases is charged to both or to neither, in the currency of each. Fixed when the study is created; later it
                is only needed when the other ledger has moved, or when its URL needs a password.

        Raises:
            BudgetMismatchError: When something given differs from what the ledger holds.
            InvalidParameterError: When an argument is not of its kind, or a new study is given no budget.
            LedgerError: When the ledger cannot be opened.

        Example:
            >>> import tempfile, pathlib
            >>> from privacy_accountant import Accountant, ADP, Laplace
            >>> ledger = pathlib.Path(tempfile.mkdtemp()) / "ward-7.db"
            >>> with Accountant.open(ledger, study="ward-7", budget=ADP(1.0)) as study:
            ...     noised = study.release([12, 7], Laplace(scale=4, sensitivity=1), label="beds")
            >>> with Accountant.open(ledger, study="ward-7") as study:
            ...     study.remaining(Laplace(scale=4, sensitivity=1))
            3
        """
        study = line_of_text(study, "study")
        terms = Terms(budget, neighbors, adaptive, currency, None if within is None else account_of(within))
        recorder = open_recorder(url_or_path, create=budget is not None)
        try:
            desk = begin(recorder, study, terms, None if within is None else within._recorder.location)
        except BaseException:
            recorder.close()
            raise
        accountant = cls.__new__(cls)
        accountant._start(recorder, desk)
        return accountant

    def _start(self, recorder: Recorder, desk: Desk) -> None:
        self._recorder, self._desk = recorder, desk
        self._last: Receipt | None = None

    def release(
        self,
        value: Any,
        mechanism: Mechanism,
        *,
        label: str,
        key: str | None = None,
        partition: Partitions = None,
        modulus: int | None = None,
        at_most: Any = None,
        signed: bool = False,
        clamp: tuple[Any, Any] | None = None,
        round_to: Any = None,
        out: str | os.PathLike[str] | None = None,
        progress: bool | Progress | None = None,
    ) -> Any:
        """Publish one aggregate: charge it, add noise, post the noised value, return it.

        Args:
            value: The aggregate, in a kind that the mechanism takes: a number, a list or tuple, a numpy array, a pandas or
                polars Series or DataFrame, or one that is bigger than memory, a dask Array, Series or DataFrame.
            mechanism: How it is noised.
            label: What it is; the ledger and reports show it.
            key: A name under which the answer can be asked for again: the same key with the same mechanism, label, shape and
                partition returns the stored answer and spends nothing. Fresh noise on a retry is how budgets leak.
            partition: The partition whose records alone the value was computed from, or several; absent, all are touched. Each
                partition has a balance of its own under the study's cap, and a person pays in one only. **That rests on the
                partition being a fixed public function of a person's own record** for the whole study, such as the ward that
                treated the person: not on anything about other people or about results, and the same in every release.
            modulus: The plaintext modulus t of a decrypted aggregate, which is known modulo t only.
            at_most: A bound of such an aggregate that is known without the data, below t, or below t/2 when it is signed; one
                number, or one for each slot. A residue outside it is read as the nearest end.
            signed: Whether residues are centred, from -at_most to at_most, instead of from 0 to at_most.
            clamp: A pair (low, high) of public ends, None for an open one, that the noised value is moved into. Free.
            round_to: A public unit, to whose nearest multiple the noised value is rounded before it is clamped. Free.
            out: A directory to create, which holds the noised value. A lazy aggregate needs it: its noise is drawn once, block by
                block, and computing the result reads the files. A value over a megabyte needs it when it has a key: of such
                values the ledger keeps hash and location only. With a repeated key the store of the first time is read.
            progress: For releases of more than a million cells: True for a bar on the standard error stream, False for none, or a
                function of how many cells are done and how many there are; of blocks, for a lazy aggregate. By default there is a
                bar where that stream is a terminal, once the release has taken half a second.

        Returns:
            The noised value, in the caller's kind.

        Raises:
            BudgetExceededError: When it does not fit; nothing is spent.
            InvalidParameterError: For an argument that is refused before anything is spent: bound and modulus before the data is
                looked at, a value of the wrong kind after. The latter depends on the data and is for the curator alone.
            ReleaseFailedError: When something raised after the data was touched; the cost stays spent.
            LedgerError: When the ledger cannot be written, or the key's release is pending.

        Example:
            >>> from privacy_accountant import Accountant, GDP, Gaussian
            >>> study = Accountant(budget=GDP(mu=1.0))
            >>> positives = Gaussian(sigma=4, sensitivity=1)
            >>> study.release(65000, positives, label="positives", modulus=65537, at_most=70000)
            Traceback (most recent call last):
            ...
            privacy_accountant.errors.InvalidParameterError: at_most must be below the modulus 65537, else sums wrap round; got 70000
            >>> noised = study.release(
            ...     65535,
            ...     positives,
            ...     label="balance",
            ...     modulus=65537,
            ...     at_most=500,
            ...     signed=True,
            ...     clamp=(-500, 500),
            ... )
            >>> -500 <= noised <= 500
            True
        """
        public = modulus, at_most, signed, clamp, round_to, progress
        label, quote, treatment = self._prepare(mechanism, label, partition, public)
        shape = list(treatment.check(value))
        known = self._desk.knows(key)
        if not known:
            treatment.require_store(value, shape, key, out)
        with claimed(None if known else out) as store:
            reserved = self._reserve(quote, label, key, shape, treatment)
            if not reserved.repeated:
                answer = self._desk.publish(reserved, treatment, lambda: wanted(value), store)
            elif store is not None:
                store.discard()
        if reserved.repeated:
            answer = self._desk.stored(reserved)
        self._last = self._receipt(reserved, quote)
        return answer

    arelease = asynchronous(release, "arelease", ARELEASE)

    def publishes(
        self,
        mechanism: Mechanism,
        *,
        label: str,
        partition: Partitions = None,
        modulus: int | None = None,
        at_most: Any = None,
        signed: bool = False,
        clamp: tuple[Any, Any] | None = None,
        round_to: Any = None,
        out: str | os.PathLike[str] | None = None,
        progress: bool | Progress | None = None,
    ) -> Callable[[Callable[P, Any]], Callable[P, Any]]:
        """Decorate a function so that only its noised result leaves it; the release is charged before the function runs.

        Whatever the function raises, the cost stays spent and the caller sees a `ReleaseFailedError` that withholds the cause.
        So does a result of a kind that the mechanism does not take. The arguments are those of `release`. A function whose result
        is lazy needs `out`; that directory is created by the first call, and a second one is refused before anything is spent.
        An `async` function gives an async one: a call that is cancelled after it was charged counts as failed.

        Example:
            >>> from privacy_accountant import Accountant, GDP, Gaussian
            >>> study = Accountant(budget=GDP(mu=1.0))
            >>> @study.publishes(
            ...     Gaussian(sigma=6, sensitivity=1), label="positives", modulus=65537, at_most=2000
            ... )
            ... def positives(ciphertext):
            ...     return sum(ciphertext) % 65537
            >>> isinstance(positives([1, 0, 1]), int)
            True
        """
        public = modulus, at_most, signed, clamp, round_to, progress
        label, quote, treatment = self._prepare(mechanism, label, partition, public)

        def charge(stack: ExitStack) -> Begun:
            store = stack.enter_context(claimed(out))
            return self._reserve(quote, label, None, None, treatment), store

        def finish(begun: Begun, read: Callable[[], Any]) -> Any:
            reserved, store = begun
            answer = self._desk.publish(reserved, treatment, read, store)
            self._last = self._receipt(reserved, quote)
            return answer

        return lambda function: wrap(function, charge, finish)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or pickle is another handle on the same ledger, never a copy of the balance; one in memory refuses."""
        if self._recorder.location is None:
            raise LedgerError(
                "a study in memory cannot be copied: the copy would spend the budget again; use Accountant.open"
            )
        places = [(self._recorder.location, self.study)]
        if self._desk.outer is not None:
            places += [(str(one.recorder.location), one.study) for one in reversed(self._desk.around())]
        return functools.partial(reopened, type(self)), tuple(places)
