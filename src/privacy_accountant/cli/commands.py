"""The commands. Each opens a ledger, asks or tells the accountant one thing, and prints the answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from privacy_accountant.accountant import Accountant
from privacy_accountant.cli import output
from privacy_accountant.cli.choosing import calibrate
from privacy_accountant.cli.expressions import budget_of, counted_mechanism_of, form_of, mechanism_of
from privacy_accountant.cli.output import show, show_report
from privacy_accountant.errors import InvalidParameterError, LedgerError
from privacy_accountant.ledger import open_recorder, verify_export
from privacy_accountant.neighbors import Neighbors

application = typer.Typer(
    help="Keep a study within its privacy budget. Every answer comes from the study's ledger.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
application.command()(calibrate)


class Relation(str, Enum):
    """What it means for two data sets to differ in one person."""

    ADD_OR_REMOVE_ONE = "add-or-remove-one"
    REPLACE_ONE = "replace-one"
    REPLACE_SPECIAL = "replace-special"


Ledger = Annotated[str, typer.Argument(help="The ledger: a file, or a postgresql+psycopg:// URL.")]
Name = Annotated[str | None, typer.Option("--study", help="The study; not needed when there is only one.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Reason = Annotated[str, typer.Option("--reason", help="Why, in one line; the ledger and reports show it.")]
BudgetText = Annotated[str, typer.Option("--budget", help="Such as 'GDP(mu=1)' or 'ADP(1, 1e-6)'.")]
Partition = Annotated[
    list[str] | None, typer.Option("--partition", help="A partition that is touched; may be given again.")
]
MechanismText = Annotated[str, typer.Argument(help="Such as 'Gaussian(sigma=4, sensitivity=1)'.")]


@application.command()
def init(
    ledger: Ledger,
    *,
    study: Annotated[str, typer.Option("--study", help="Name of the new study.")],
    budget: BudgetText,
    neighbors: Annotated[
        Relation, typer.Option(help="How two data sets differ in one person.")
    ] = Relation.ADD_OR_REMOVE_ONE,
    fixed_in_advance: Annotated[
        bool, typer.Option("--fixed-in-advance", help="All releases are fixed before the first result.")
    ] = False,
    currency: Annotated[
        str | None,
        typer.Option(help="ADP, GDP, ZCDP or RDP; by default it follows the budget."),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            help="The ledger of an account that every release is charged to as well, such as this one."
        ),
    ] = None,
    within_study: Annotated[
        str | None, typer.Option(help="The account in that ledger; not needed when there is only one.")
    ] = None,
    json: Json = False,
) -> None:
    """Create a study, in a new ledger or in one that is there."""
    relation = Neighbors[neighbors.name]
    form = None if currency is None else form_of(currency)
    if Path(ledger).exists() or "://" in ledger:
        _refuse_existing(ledger, study)
    with contextlib.ExitStack() as accounts:
        account = None if within is None else accounts.enter_context(_opened(within, within_study))
        opened = accounts.enter_context(
            Accountant.open(
                ledger,
                study=study,
                budget=budget_of(budget),
                neighbors=relation,
                adaptive=not fixed_in_advance,
                currency=form,
                within=account,
            )
        )
        show(output.status_text(opened), output.status_data(opened), json)


@application.command()
def status(ledger: Ledger, study: Name = None, json: Json = False) -> None:
    """Show where a study stands, or every study of the ledger."""
    names = _studies(ledger) if study is None else (study,)
    texts, data = [], []
    for name in names:
        with Accountant.open(ledger, study=name) as opened:
            texts.append(output.status_text(opened))
            data.append(output.status_data(opened))
    show("\n\n".join(texts), data, json)


@application.command()
def history(ledger: Ledger, study: Name = None, json: Json = False) -> None:
    """List every release, what it cost and what became of it."""
    with _opened(ledger, study) as opened:
        releases = opened.history()
        text = output.history_text(releases) if releases else "no releases yet"
        show(text, [output.release_data(release) for release in releases], json)


@application.command()
def remaining(
    ledger: Ledger,
    mechanism: MechanismText,
    study: Name = None,
    partition: Partition = None,
    json: Json = False,
) -> None:
    """Say how many more releases of a mechanism fit."""
    with _opened(ledger, study) as opened:
        count = opened.remaining(mechanism_of(mechanism), partition=partition or None)
        plain = count if isinstance(count, int) else "unlimited"
        show(str(plain), {"remaining": plain}, json)


@application.command()
def preview(
    ledger: Ledger,
    releases: Annotated[
        list[str], typer.Argument(help="Mechanisms, such as '12 * Gaussian(sigma=8, sensitivity=1)'.")
    ],
    study: Name = None,
    partition: Partition = None,
    json: Json = False,
) -> None:
    """Show what a list of releases would cost in every currency. Nothing is spent."""
    with _opened(ledger, study) as opened:
        listed = [counted_mechanism_of(text) for text in releases]
        found = opened.preview(listed, partition=partition or None)
        show(str(found), output.preview_data(found), json)


@application.command()
def verify(
    ledger: Ledger,
    study: Name = None,
    against: Annotated[
        str | None,
        typer.Option(help="The head of an earlier check or export; the ledger must contain it."),
    ] = None,
    exported: Annotated[
        bool, typer.Option("--exported", help="LEDGER is a file that `export` wrote, not a ledger.")
    ] = False,
    json: Json = False,
) -> None:
    """Recompute the chain of hashes and every balance."""
    if exported:
        try:
            with Path(ledger).open(encoding="utf-8") as lines:
                found = verify_export(lines, against=against)
        except (OSError, UnicodeDecodeError) as error:
            raise LedgerError(f"{ledger}: {getattr(error, 'strerror', None) or 'not text'}") from None
    else:
        with _opened(ledger, study) as opened:
            found = opened.verify(against=against)
    text = f"ok: {output.entries_text(found.entries)}\nhead {found.head}"
    show(text, {"ok": found.ok, "entries": found.entries, "head": found.head}, json)


@application.command()
def pending(ledger: Ledger, study: Name = None, json: Json = False) -> None:
    """List releases that were charged and never finished: in flight, or left by a crash. They count as spent."""
    with _opened(ledger, study) as opened:
        releases = opened.pending()
        text = output.history_text(releases) if releases else "nothing is pending"
        show(text, [output.release_data(release) for release in releases], json)


@application.command()
def void(
    ledger: Ledger,
    entry: Annotated[int, typer.Argument(help="The pending entry.")],
    reason: Reason,
    study: Name = None,
    json: Json = False,
) -> None:
    """Give back the cost of a pending release whose data was certainly never touched."""
    with _opened(ledger, study) as opened:
        opened.void(entry, reason=reason)
        show(f"entry {entry} is voided\n\n{output.status_text(opened)}", output.status_data(opened), json)


@application.command()
def amend(ledger: Ledger, budget: BudgetText, reason: Reason, study: Name = None, json: Json = False) -> None:
    """Raise the budget; reports show both budgets and the reason."""
    with _opened(ledger, study) as opened:
        opened.amend(budget=budget_of(budget), reason=reason)
        show(output.status_text(opened), output.status_data(opened), json)


@application.command()
def note(
    ledger: Ledger,
    text: Annotated[str, typer.Argument(help="One line.")],
    study: Name = None,
    json: Json = False,
) -> None:
    """Put a remark into the ledger; it changes nothing."""
    with _opened(ledger, study) as opened:
        opened.note(text)
        found = opened.verify()
        show(f"noted as entry {found.entries}", {"entry": found.entries, "head": found.head}, json)


@application.command()
def export(
    ledger: Ledger,
    file: Annotated[Path, typer.Argument(help="A file that does not exist yet.")],
    study: Name = None,
    json: Json = False,
) -> None:
    """Write the ledger as JSON lines, which `verify --exported` checks anywhere."""
    with _opened(ledger, study) as opened:
        found = opened.export(file)
    text = f"{output.entries_text(found.entries)} in {file}\nhead {found.head}\nkeep the head in another place: `verify --against` asks for it"
    show(text, {"file": str(file), "entries": found.entries, "head": found.head}, json)


@application.command()
def report(
    ledger: Ledger,
    study: Name = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write a page to this file instead."),
    ] = None,
    for_group: Annotated[
        list[int] | None,
        typer.Option(help="Also what a group of this size risks, such as a household; may be given again."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help='The unit of privacy in words, such as "one patient\'s stays in 2026".'),
    ] = None,
    json: Json = False,
) -> None:
    """Say what the study risks, in terms of attacks."""
    with _opened(ledger, study) as opened:
        found = opened.report(for_group=for_group or (), unit=unit)
        if html is not None:
            found.to_html(html)
            show(f"written to {html}", {"file": str(html)}, json)
        else:
            show_report(found, json)


def _studies(ledger: str) -> tuple[str, ...]:
    with contextlib.closing(open_recorder(ledger, create=False)) as recorder:
        return recorder.studies()


def _refuse_existing(ledger: str, study: str) -> None:
    """Creating what is there would only look as if it had been created."""
    with contextlib.closing(open_recorder(ledger, create=True)) as recorder:
        if study in recorder.studies():
            raise InvalidParameterError("study", "a new name; this ledger holds one of that name", study)


@contextlib.contextmanager
def _opened(ledger: str, study: str | None) -> Iterator[Accountant]:
    if study is None:
        names = _studies(ledger)
        if len(names) != 1:
            held = ", ".join(names) or "none"
            raise InvalidParameterError("--study", f"given; the ledger holds {held}", study)
        (study,) = names
    with Accountant.open(ledger, study=study) as opened:
        yield opened
