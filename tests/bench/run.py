"""Run the benches and print their table; a run of all of them also writes docs/benchmarks.md.

Usage: python tests/bench/run.py [name ...], where a name is that of a file: import for bench_import.py.
"""

import importlib
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from harness import measure

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "benchmarks.md"
PEERS = ("numpy", "scipy", "riskcal", "opendp", "diffprivlib")
INTRODUCTION = """# Benchmarks

Each row is a task done by this library and by a peer, turn by turn in one run. The ratio is the median over the pairs, ours
divided by the peer's, with the quartiles; below 1 means faster. Run them yourself with `nox -s bench`.
"""


def row(result):
    task = result.comparison
    goal = "" if task.goal is None else f"at most {task.goal:g}: {'met' if result.met else 'missed'}"
    ratio = f"{result.ratio:.3g} ({result.low:.3g} to {result.high:.3g})"
    return (
        f"| {task.task} | {task.peer_name} | {ratio} | {result.ours:.2g} s | {result.peer:.2g} s | {goal} |"
    )


def page(results):
    peers = ", ".join(f"{name} {version(name)}" for name in PEERS)
    lines = [
        INTRODUCTION,
        "| task | peer | ours / peer | ours | peer | goal |",
        "|---|---|---|---|---|---|",
        *(row(result) for result in results),
        "",
        *(f"- {one.comparison.task}: {one.comparison.note}." for one in results if one.comparison.note),
        "",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}; {peers}.",
    ]
    return "\n".join(lines) + "\n"


def main(names):
    files = [HERE / f"bench_{name}.py" for name in names] or sorted(HERE.glob("bench_*.py"))
    results = []
    for file in files:
        for comparison in importlib.import_module(file.stem).COMPARISONS:
            results.append(measure(comparison))
            print(row(results[-1]), flush=True)
    if not names:
        PAGE.write_text(page(results), encoding="utf-8")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
