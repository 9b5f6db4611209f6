"""The README and every page of the docs: their examples run, and say what really happens.

A `python` block is executed as it stands; the blocks of one page share their names, as a reader would expect. A line that
ends in `# -> text` must be an expression whose repr is the text ("..." stands for anything). A `pycon` block is a doctest.
"""

import ast
import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"#\s*->\s*(\S.*)$")
CHECK = doctest.OutputChecker()
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(page):
    """Language, text and first line of every block that runs."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        yield match[1], match[2], text.count("\n", 0, match.start(2))


def run_python(text, names, page, line):
    source = "\n" * line + text
    lines = source.splitlines()
    for statement in ast.parse(source, str(page)).body:
        shown = SHOWN.search(lines[statement.end_lineno - 1])
        if shown is None:
            exec(compile(ast.Module([statement], []), str(page), "exec"), names)  # noqa: S102 (the page's own code)
            continue
        assert isinstance(statement, ast.Expr), f"{page.name}:{statement.lineno} shows a value but has none"
        got = repr(eval(compile(ast.Expression(statement.value), str(page), "eval"), names))  # noqa: S307
        assert CHECK.check_output(shown[1], got, OPTIONS), (
            f"{page.name}:{statement.lineno}: {got}, not {shown[1]}"
        )


def run_session(text, names, page, line):
    session = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), line)
    said = []
    runner = doctest.DocTestRunner(CHECK, verbose=False, optionflags=OPTIONS)
    runner.run(session, out=said.append, clear_globs=False)
    assert not said, "".join(said)
    names.update(session.globs)


def run_page(page):
    names = {"__name__": "__main__"}
    for language, text, line in examples(page):
        (run_python if language == "python" else run_session)(text, names, page, line)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_on_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page)


@pytest.mark.parametrize(
    "block",
    ["python\n1 + 1  # -> 3", "python\nassert 1 + 1 == 3", "pycon\n>>> 1 + 1\n3\n", "python\nx = 1  # -> 1"],
)
def test_an_example_that_is_wrong_is_noticed(block, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Text.\n\n```{block}\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        run_page(page)


def test_the_readme_names_both_commands_for_a_fresh_machine():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for session in ("demo", "tests"):
        command = f"python3 -m venv .venv && .venv/bin/pip install nox && .venv/bin/nox -s {session}"
        assert f"```sh\n{command}\n```" in text


def test_the_readme_opens_with_code_that_a_reader_can_take_in_at_once():
    _, first, line = next(examples(ROOT / "README.md"))
    assert line < 15
    assert len([row for row in first.splitlines() if row.strip()]) <= 12


def test_every_public_name_is_in_the_reference():
    import privacy_accountant

    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\.\. auto\w+:: privacy_accountant\.(\w+)$", text, re.MULTILINE))
    assert documented == {name for name in privacy_accountant.__all__ if not name.startswith("__")}


def test_every_page_is_reachable_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md")):
        assert page.stem == "index" or re.search(rf"^{re.escape(page.stem)}$", index, re.MULTILINE), page.name
