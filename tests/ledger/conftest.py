import pytest

from privacy_accountant.ledger import MemoryRecorder
from privacy_accountant.ledger.sqlite import SqliteRecorder


@pytest.fixture(params=["memory", "sqlite"])
def recorder(request, tmp_path):
    """Every recorder passes the same suite."""
    held = MemoryRecorder() if request.param == "memory" else SqliteRecorder(tmp_path / "ledger.db")
    yield held
    held.close()
