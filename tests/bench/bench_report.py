"""What a report costs that reads a long study, against composing the study's guarantee and asking it one question."""

import atexit
import functools
import tempfile
from pathlib import Path

from harness import Comparison

from privacy_accountant import ADP, Accountant, Laplace, compose

FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)
RELEASES = [Laplace(scale=2000 + 100 * (i % 20), sensitivity=1) for i in range(10_000)]


@functools.cache
def study():
    """A durable study of ten thousand releases with twenty different scales, fixed in advance."""
    made = Accountant.open(
        Path(FOLDER.name) / "report.db", study="bench", budget=ADP(50, 1e-6), adaptive=False
    )
    for mechanism in RELEASES:
        made.spend(mechanism, label="a count")
    return made


def composed():
    return compose(*(mechanism.guarantee() for mechanism in RELEASES)).get_epsilon(1e-6)


def page():
    file = study().report().to_html(Path(FOLDER.name) / "report.html")
    assert file.stat().st_size < 300_000


COMPARISONS = [
    Comparison(
        task="the report of a durable study of 10,000 releases, as text",
        peer_name="composing its 10,000 guarantees and reading one epsilon",
        ours=lambda: str(study().report()),
        peer=composed,
        goal=2.0,
        rounds=5,
    ),
    Comparison(
        task="the same report as an HTML page of less than 300 kB",
        peer_name="composing its 10,000 guarantees and reading one epsilon",
        ours=page,
        peer=composed,
        rounds=5,
    ),
]
