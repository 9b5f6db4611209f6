"""A hospital publishes figures about 569 real patients whose records nobody but the key holder can read.

Every patient's record is encrypted on its own (BFV, a homomorphic scheme). An analyst adds up the ciphertexts without
being able to read them. The hospital holds the secret key and decrypts only totals, and only inside functions that a
privacy accountant wraps: a total is noised before it leaves the function, and when the study's budget is used up the
function is not even called. What was published is entered in a ledger, so a second run continues the same study.

    python examples/hospital_fhe.py                       # ledger: hospital-study.db in the current folder
    python examples/hospital_fhe.py --ledger ward-7.db    # another study
    python examples/hospital_fhe.py --show-truth          # for the hospital alone: the true error of every figure

The data are the breast-cancer records that ship with scikit-learn; "radius" is the mean radius of a tumour's cell nuclei.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import tenseal as ts
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table
from rich.text import Text
from sklearn.datasets import load_breast_cancer

from privacy_accountant import (
    GDP,
    Accountant,
    BudgetExceededError,
    Gaussian,
    Laplace,
    PrivacyAccountantError,
)

STUDY, BUDGET = "breast-cancer", GDP(mu=0.5)
DIAGNOSES = ("malignant", "benign")
BANDS, EDGES = ("under 12", "12 to 15", "15 to 18", "18 and over"), (12, 15, 18)
CELLS = len(DIAGNOSES) * len(BANDS)
CAP = 25  # a patient adds at most this much to a sum of radii, so this is the sum's sensitivity

console = Console(width=80, highlight=False)


@dataclass(frozen=True)
class Figure:
    """One table or sum: how it follows from the decrypted totals, and the noise it is published with."""

    label: str
    mechanism: Gaussian | Laplace
    pick: Callable[[list[int]], list[int]]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


TABLE_NOISE = Gaussian(sigma=5.0, sensitivity=1)  # a patient is in one cell of a table
SUM_NOISE = Laplace(scale=125.0, sensitivity=CAP)
FIGURES = (
    Figure("Patients by diagnosis and radius", TABLE_NOISE, lambda t: t[:CELLS], DIAGNOSES, BANDS),
    Figure("Patients by radius", TABLE_NOISE, lambda t: [t[i] + t[i + 4] for i in range(4)], ("all",), BANDS),
    Figure("Patients by diagnosis", TABLE_NOISE, lambda t: [sum(t[:4]), sum(t[4:8])], ("all",), DIAGNOSES),
    Figure("Sum of radii, malignant", SUM_NOISE, lambda t: [t[CELLS]], ("malignant",), ("sum of radii",)),
    Figure("Sum of radii, benign", SUM_NOISE, lambda t: [t[CELLS + 1]], ("benign",), ("sum of radii",)),
)
TOO_SHARP = replace(
    FIGURES[0], label="The first table again, sharper", mechanism=Gaussian(sigma=2.0, sensitivity=1)
)


def patient_rows() -> npt.NDArray[np.int64]:
    """One row per patient: 8 indicators (diagnosis by radius band), then the capped radius under its diagnosis."""
    data = load_breast_cancer()
    radius, diagnosis = data.data[:, 0], data.target
    rows = np.zeros((len(radius), CELLS + len(DIAGNOSES)), dtype=np.int64)
    patients = np.arange(len(radius))
    rows[patients, diagnosis * len(BANDS) + np.digitize(radius, EDGES)] = 1
    rows[patients, CELLS + diagnosis] = np.minimum(np.rint(radius), CAP)
    return rows


def encrypted_total(rows: npt.NDArray[np.int64]) -> tuple[ts.BFVVector, ts.SecretKey]:
    """Encrypt every patient's row, add up the ciphertexts, and return the sum and the hospital's key."""
    context = ts.context(ts.SCHEME_TYPE.BFV, poly_modulus_degree=4096, plain_modulus=1032193)
    secret_key = context.secret_key()
    context.make_context_public()  # from here on the context can encrypt and add, but not decrypt
    total = ts.bfv_vector(context, [0] * rows.shape[1])
    # The bar shows no count: the claim covers taking part at all, so the number of patients is protected as well.
    bar = Progress(TextColumn("Encrypting patients"), BarColumn(40), TaskProgressColumn(), console=console)
    with bar as progress:
        for row in progress.track(rows):
            total += ts.bfv_vector(context, row.tolist())
    return total, secret_key


def publish(
    study: Accountant, figure: Figure, total: ts.BFVVector, key: ts.SecretKey, truth: list[int] | None
) -> None:
    """Publish one figure and print it, or print why the accountant refuses."""

    # The only place where anything is decrypted: what this function returns is noised before it leaves.
    @study.publishes(figure.mechanism, label=figure.label)
    def decrypted(ciphertext: ts.BFVVector) -> list[int]:
        return figure.pick(ciphertext.decrypt(key))

    say(f"\n{figure.label}", style="bold")
    try:
        noised = decrypted(total)
    except BudgetExceededError as refusal:
        say(f"  Refused. {refusal}")
        return
    show_table(figure, noised, None if truth is None else figure.pick(truth))
    say(f"  {figure.mechanism}; 95% are within {figure.mechanism.noise_interval(0.95)} of the truth")


def show_table(figure: Figure, noised: list[int], truth: list[int] | None) -> None:
    """One published table; the true errors beside it only when the truth was asked for."""
    cells = [str(value) for value in noised]
    if truth is not None:
        cells = [f"{value} ({value - true:+d})" for value, true in zip(noised, truth, strict=True)]
    table = Table("", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2))
    for column in figure.columns:
        table.add_column(column, justify="right")
    width = len(figure.columns)
    for place, name in enumerate(figure.rows):
        table.add_row(name, *cells[place * width : (place + 1) * width])
    console.print(Padding(table, (0, 0, 0, 2)))


def show_balance(study: Accountant) -> None:
    """What has been used of the budget, in the study's currency."""
    used = ", ".join(map(str, study.spent().components))
    say(f"\nBudget used: {used}, in {len(study.history())} releases.")


def say(text: str, style: str = "") -> None:
    """A paragraph within 80 columns, indented as it begins."""
    words = text.lstrip(" ")
    console.print(Padding(Text(words, style), (0, 0, 0, len(text) - len(words)), expand=False))


def heading(text: str) -> None:
    """The head of a section."""
    console.print()
    console.rule(Text(text, "bold"), align="left")


def run(ledger: str, *, show_truth: bool) -> None:
    """The study, from ciphertexts to the risk report."""
    heading("1  Encrypted records")
    say("\nEach patient's record is encrypted on its own, and the ciphertexts are added up unread.")
    rows = patient_rows()
    total, key = encrypted_total(rows)
    truth = rows.sum(axis=0).tolist() if show_truth else None
    with Accountant.open(ledger, study=STUDY, budget=BUDGET) as study:
        state = "continues" if study.history() else "begins"
        heading("2  Published figures")
        say(
            f"\nThe study {state} in the ledger {ledger}. Only totals are decrypted, and noised before they are "
            "shown. What the figures cost adds up, in mu^2, until the budget is used."
        )
        if show_truth:
            say("In brackets: the true error, from the plaintext. Not for publication.", style="bold red")
        show_balance(study)
        for figure in FIGURES:
            publish(study, figure, total, key, truth)
        show_balance(study)
        heading("3  A figure that does not fit")
        publish(study, TOO_SHARP, total, key, truth)
        say("\nA refusal comes before anything is decrypted, and costs nothing.")
        heading("4  What the study risks")
        console.print(f"\n{study.report()}", markup=False)


def main() -> int:
    """Read the command line; an error is one line, never a traceback with data in it."""
    parser = argparse.ArgumentParser(description="A hospital study on encrypted patient records.")
    parser.add_argument(
        "--ledger", default="hospital-study.db", help="the study's SQLite file (default: %(default)s)"
    )
    parser.add_argument(
        "--show-truth", action="store_true", help="show true errors, from the plaintext: not for publication"
    )
    arguments = parser.parse_args()
    try:
        run(arguments.ledger, show_truth=arguments.show_truth)
    except PrivacyAccountantError as error:
        say(str(error), style="bold red")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
