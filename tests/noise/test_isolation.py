"""Nobody repeats anybody's noise: processes, pickles, threads, seeds."""

import copy
import os
import pickle
import random
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import privacy_accountant
from privacy_accountant.noise import RoundedGaussianLaw, laws

SOURCE = str(Path(privacy_accountant.__file__).parents[1])


def forked(action):
    """What a forked child returns as bytes."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writable, action())
        finally:
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        answer = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return answer


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("scale", ["10", "1e6"])
def test_forked_children_draw_their_own(make, scale):
    """Case B81: a parent that has drawn, two children and the parent itself afterwards."""
    law = make(scale)
    law.draw((1000,))
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - the legacy generator is what must not matter
    draws = [forked(lambda: law.draw((200,)).tobytes()) for _ in range(3)] + [law.draw((200,)).tobytes()]
    assert all(len(each) == 1600 for each in draws)
    assert len(set(draws)) == 4


@pytest.mark.processes
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_large_draws_work_in_a_child_of_a_parent_that_made_one():
    law = RoundedGaussianLaw(Fraction(1000))
    law.draw((400000,))
    assert forked(lambda: str(law.draw((400000,)).std()).encode())[:2] in {b"99", b"10"}


@pytest.mark.processes
def test_new_interpreters_draw_their_own():
    program = (
        "from fractions import Fraction; from privacy_accountant.noise import RoundedGaussianLaw; "
        "print(RoundedGaussianLaw(Fraction(10**6)).draw((20,)).tolist())"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE, "PYTHONHASHSEED": "0"}
    outputs = {subprocess.check_output([sys.executable, "-c", program], env=environment) for _ in range(2)}
    assert len(outputs) == 2


@pytest.mark.parametrize("scale", ["10", "1e6", "1e-300"])
def test_pickles_hold_the_scale_alone(make, scale):
    law = make(scale)
    fresh = pickle.dumps(law)
    law.draw((10,))
    hash(law)
    assert pickle.dumps(law) == fresh
    assert len(fresh) < 500
    one, two = pickle.loads(fresh), pickle.loads(fresh)  # noqa: S301 - our own
    assert one == two == law == copy.deepcopy(law)
    assert hash(one) == hash(law)
    if scale == "1e6":
        assert one.draw((50,)).tolist() != two.draw((50,)).tolist()


def test_threads_share_a_table_and_nothing_else(make, follows):
    """Eight threads meet a scale for the first time at once."""
    laws._sampler.cache_clear()
    law, parts, start = make("30"), [None] * 8, threading.Barrier(8)

    def work(at):
        start.wait()
        parts[at] = law.draw((20000,))

    threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({part.tobytes() for part in parts}) == 8
    assert follows(law, np.concatenate(parts))


def test_seeds_do_nothing_and_generators_are_left_alone(make):
    """Case B82."""
    for scale in ("10", "1e6"):
        law, drawn = make(scale), []
        for _ in range(2):
            random.seed(7)
            np.random.seed(7)  # noqa: NPY002 - the legacy generator is what must not matter
            before = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
            drawn.append((law.draw((100,)).tolist(), [law.draw_one() for _ in range(100)]))
            assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # noqa: NPY002
        assert drawn[0][0] != drawn[1][0]
        assert drawn[0][1] != drawn[1][1]
