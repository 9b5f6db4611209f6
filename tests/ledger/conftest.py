import pytest

from privacy_accountant.ledger import MemoryRecorder
from privacy_accountant.ledger.locations import open_recorder
from privacy_accountant.ledger.sqlite import SqliteRecorder


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def recorder(request, tmp_path):
    """Every recorder passes the same suite."""
    if request.param == "memory":
        held = MemoryRecorder()
    elif request.param == "sqlite":
        held = SqliteRecorder(tmp_path / "ledger.db")
    else:
        held = open_recorder(request.getfixturevalue("postgres_url"), create=True)
    yield held
    held.close()
