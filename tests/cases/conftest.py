import math
import os
from fractions import Fraction
from typing import ClassVar

import attrs
import pytest

from privacy_accountant import ADP, Accountant, BudgetExceededError, Laplace, Mechanism, register_mechanism
from privacy_accountant.exact import exact, real


@register_mechanism("tests.cases.Pair")
@attrs.frozen(repr=False)
class Pair(Mechanism):
    """A mechanism of a caller's own that is (epsilon, delta) by itself."""

    noise_parameter: ClassVar[str] = "noise"
    epsilon: object
    delta: object = 0
    noise: float = 1.0
    neighbors: object = None

    def _native(self):
        return ADP(self.epsilon, self.delta)

    def price(self, form, orders=None):
        if form is ADP:
            return exact(real(self.epsilon, "epsilon")), exact(real(self.delta, "delta"))
        return super().price(form, orders)

    def check(self, value):
        return ()

    def randomize(self, value):
        return 0

    def noise_interval(self, level=0.95):
        return 0


@pytest.fixture
def pair():
    """A release that costs (epsilon, delta)."""
    return Pair


@pytest.fixture
def costs():
    """A Laplace release that costs exactly this epsilon."""
    return lambda epsilon: Laplace(scale=1 / exact(real(epsilon, "epsilon")), sensitivity=1)


@pytest.fixture
def accepted():
    """How many of some releases a study lets through."""

    def count(study, mechanisms):
        through = 0
        for mechanism in mechanisms:
            try:
                study.release(5, mechanism, label="count")
            except BudgetExceededError:
                continue
            through += 1
        return through

    return count


@pytest.fixture(params=["memory", "file"])
def open_study(request, tmp_path):
    """Opens a study in memory or on a file."""
    opened = []

    def begin(budget, **terms):
        where = tmp_path / f"{len(opened)}.db"
        opened.append(
            Accountant(budget=budget, **terms)
            if request.param == "memory"
            else Accountant.open(where, study="ward-7", budget=budget, **terms)
        )
        return opened[-1]

    yield begin
    for study in opened:
        study.close()


@pytest.fixture
def forked():
    """Starts work in a forked child; calling what comes back waits for its exit status (minus the signal that ended it)."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")

    def start(work):
        child = os.fork()
        if child == 0:
            status = 255
            try:
                status = work()
            finally:
                os._exit(status)
        return lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    return start


@pytest.fixture
def hockey_stick():
    """Sum of max(0, P(k) - e^epsilon P(k - shift)) over a law on the integers, the larger of both directions."""

    def delta(mass, epsilon, shift=1, reach=400):
        grow, ks = math.exp(epsilon), range(-reach, reach + 1)
        return max(math.fsum(max(0.0, mass(k) - grow * mass(k - s)) for k in ks) for s in (shift, -shift))

    return delta


@pytest.fixture
def tenth():
    return Laplace(scale=10, sensitivity=Fraction(1))
