"""The terminal: what a steward does with a study, without Python."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from privacy_accountant.errors import MissingExtraError, PrivacyAccountantError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line `privacy-accountant`.

    It exits with 0, with 1 when the accountant refuses (the reason is one line on the standard error stream), or with 2 when
    the command line itself is wrong.

    Args:
        arguments: The command line without the program's name; by default the process's own.
    """
    try:
        _application()(args=None if arguments is None else list(arguments), prog_name="privacy-accountant")
    except PrivacyAccountantError as error:
        sys.stderr.write(f"privacy-accountant: {error}\n")
        sys.exit(1)


def _application() -> Callable[..., object]:
    try:
        import typer  # noqa: F401, PLC0415
    except ImportError:
        raise MissingExtraError("the command privacy-accountant", "cli") from None
    from privacy_accountant.cli.commands import application  # noqa: PLC0415

    return application
