"""How the documentation is built: MyST pages, an API reference from the docstrings, warnings as errors."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from privacy_accountant.conversions.matrix import as_markdown

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "privacy-accountant"
author = "The privacy-accountant authors"
copyright = author
version = release = importlib.metadata.version("privacy-accountant")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build", "_generated"]
html_theme = "furo"
html_title = f"privacy-accountant {release}"

myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False

# The build fetches nothing, so the names of other packages have no page to link to; nor do type variables and aliases.
nitpick_ignore_regex = [
    (r"py:.*", r"(collections|decimal|enum|fractions|matplotlib|numpy|os|pathlib|typing)\..*"),
    (r"py:class", r"(Answer|ArrayLike|Axes|Budget|Fraction|P|Real)"),
    (r"py:class", r"privacy_accountant\..*\.(Form|IntegerNoise|M|Self)"),
]

EXAMPLES = {
    "choosing_noise": ("--picture", "{folder}/choosing_noise.png"),
    "census_2020": (),
    "real_deployments": ("--picture", "{folder}/real_deployments.png"),
}
QUIET = {**os.environ, "MPLBACKEND": "Agg", "PYTHONIOENCODING": "utf-8"}


def write_conversions(app: Sphinx) -> None:
    """Write the table of conversions from the registry that the library itself consults."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    (folder / "conversions.md").write_text(as_markdown(), encoding="utf-8")


def run_examples(app: Sphinx) -> None:
    """Run the examples on risk, so that the pages show what they print and draw today."""
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    for name, options in EXAMPLES.items():
        script = Path(app.srcdir).parent / "examples" / f"{name}.py"
        command = [sys.executable, str(script), *(text.format(folder=folder) for text in options)]
        ran = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", env=QUIET)  # noqa: S603 - our own
        printed = "\n".join(line for line in ran.stdout.splitlines() if str(folder) not in line)
        (folder / f"{name}.txt").write_text(f"{printed.rstrip()}\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Generate what is generated, before the pages are read."""
    app.connect("builder-inited", write_conversions)
    app.connect("builder-inited", run_examples)
