"""The project's commands. Each session installs what it needs into an environment of its own."""

from __future__ import annotations

import re

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests", "lint", "docs"]

PYPROJECT = nox.project.load_toml("pyproject.toml")


def install(session: nox.Session, group: str) -> None:
    """Install the package and one dependency group of pyproject.toml."""
    session.install(".", *nox.project.dependency_groups(PYPROJECT, group))


@nox.session
def demo(session: nox.Session) -> None:
    """Run the hospital study on encrypted patient data; options after `--` go to the example."""
    install(session, "demo")
    session.run("python", "examples/hospital_fhe.py", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run every test, and every example in the source, the README and the docs."""
    install(session, "tests")
    # One numeric thread per worker: the workers already fill the machine.
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    session.run("pytest", *(session.posargs or ("-n", "auto", "--dist", "loadgroup")), env=threads)


@nox.session
def oldest(session: nox.Session) -> None:
    """Run the tests of what pandas, polars and dask hold with the oldest releases that pyproject.toml admits (Python 3.10, 3.11)."""
    project = PYPROJECT["project"]
    extras = (name for extra in ("frames", "dask") for name in project["optional-dependencies"][extra])
    wanted = (*project["dependencies"], *extras)
    held = [re.sub(r">=(\d+\.\d+).*", r"==\1.*", requirement) for requirement in wanted]
    tests = ["hypothesis", "mpmath", "pytest", "pytest-xdist"]
    session.install(".", *held, "pyarrow<16", *tests)
    # That series of pandas announces a change of its own whenever it is imported.
    quiet = ("-W", "ignore::DeprecationWarning")
    rooms = ("tests/codec", "tests/mechanisms", "tests/noise", "tests/accountant/test_stores.py")
    session.run("pytest", *quiet, *(session.posargs or rooms), env={"OMP_NUM_THREADS": "1"})


@nox.session
def ledger(session: nox.Session) -> None:
    """Race and kill processes on the ledger, on SQLite and PostgreSQL, for minutes rather than seconds."""
    install(session, "tests")
    session.run("pytest", "-m", "ledger", *(session.posargs or ("tests/accountant", "tests/ledger")))


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and the direction of imports."""
    install(session, "lint")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a warning is an error. The pages are in docs/_build/html."""
    install(session, "docs")
    session.run("sphinx-build", "-n", "-W", "--keep-going", "-b", "html", "docs", "docs/_build/html")


@nox.session
def bench(session: nox.Session) -> None:
    """Measure against peers, in pairs within one run; names after `--` select benches."""
    install(session, "bench")
    session.run("python", "tests/bench/run.py", *session.posargs)
