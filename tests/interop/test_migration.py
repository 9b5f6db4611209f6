"""Every row of docs/migration.md: the old call with the real package beside the new one."""

import importlib.util
import re
import sys
import types
import warnings
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "migration.md").read_text(encoding="utf-8")
SETUP = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
ROWS = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (same|lower|higher|not run) \| (.+?) \|$", PAGE, re.MULTILINE)


def spent(accountant, *costs):
    for epsilon, delta in costs:
        accountant.spend(epsilon, delta)
    return accountant


def diffprivlib_accountant():
    """Only its accountant is loaded: the rest of the package needs an older scikit-learn than is current."""
    package = types.ModuleType("diffprivlib")
    package.__path__ = list(importlib.util.find_spec("diffprivlib").submodule_search_locations)
    sys.modules.setdefault("diffprivlib", package)
    return importlib.import_module("diffprivlib.accountant").BudgetAccountant


@pytest.fixture(scope="module")
def names():
    """What the page says is imported, and what its rows stand on."""
    told = {"spent": spent}
    exec(SETUP, told)  # noqa: S102 - the page's own code
    for line in re.findall(r"^`((?:import|from) .+?)`", PAGE, re.MULTILINE):
        if "concrete_fhe_toolkit" not in line and "diffprivlib" not in line:
            exec(line, told)  # noqa: S102
    told["BudgetAccountant"] = diffprivlib_accountant()
    accountant = told["pa"]
    told["study"] = accountant.Accountant(budget=accountant.ADP(100, 1e-3))
    return told


def ask(expression, names):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers' own
        return eval(expression, names)  # noqa: S307 - the page's own code


@pytest.mark.parametrize(("old", "new", "number", "why"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_the_row(old, new, number, why, names):
    have = eval(new, names)  # noqa: S307
    if number == "not run":
        assert have is not None
        return
    want = float(np.squeeze(ask(old, names)))
    if number == "same":
        assert have == pytest.approx(want, rel=1e-4, abs=1e-9)
    else:
        assert have < want if number == "lower" else have > want


def test_no_row_is_left_out():
    assert len(ROWS) == len(re.findall(r"^\| `", PAGE, re.MULTILINE))


def test_every_function_of_the_two_predecessors_is_there():
    named = [
        "pld_to_plrvs",
        "plrvs_from_pld",
        "get_beta_from_pld",
        "get_advantage_from_pld",
        "get_bayes_risk_from_pld",
        "get_beta_from_gdp",
        "get_advantage_from_gdp",
        "get_bayes_risk_from_gdp",
        "get_beta_for_mu",
        "get_advantage_for_mu",
        "get_bayes_risk_for_mu",
        "get_beta_from_adp",
        "get_advantage_from_adp",
        "get_epsilon_from_err_rates",
        "get_beta_for_epsilon_delta",
        "get_advantage_for_epsilon_delta",
        "get_epsilon_for_err_rates",
        "get_beta_from_rdp",
        "get_beta_from_zcdp",
        "get_advantage_from_zcdp",
        "laplace_mechanism",
        "gaussian_mechanism",
        "dp_release",
    ]
    told = " ".join(old for old, *_ in ROWS)
    assert [name for name in named if f"{name}(" not in told] == []
