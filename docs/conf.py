"""How the documentation is built: MyST pages, an API reference from the docstrings, warnings as errors."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import TYPE_CHECKING

from privacy_accountant.guarantees import registry

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
    (r"py:class", r"privacy_accountant\..*\.(Form|Self)"),
]


def write_conversions(app: Sphinx) -> None:
    """Write the table of conversions from the registry that the library itself consults."""
    rows = ["| from | to | parameters | keeps | source |", "|---|---|---|---|---|"]
    for entry in registry.conversions():
        needs = ", ".join(f"`{name}`" for name in entry.parameters) or "none"
        keeps = "everything" if entry.exact else "a bound"
        pair = f"`{entry.source.__name__}` | `{entry.target.__name__}`"
        rows.append(f"| {pair} | {needs} | {keeps} | {entry.citation} |")
    folder = Path(app.srcdir) / "_generated"
    folder.mkdir(exist_ok=True)
    (folder / "conversions.md").write_text("\n".join(rows) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Generate what is generated, before the pages are read."""
    app.connect("builder-inited", write_conversions)
