"""What `import privacy_accountant` costs: none of the heavy packages, and no order of imports that matters."""

import json
import subprocess
import sys

import pytest

HEAVY = ("scipy", "cattrs", "dp_accounting", "sqlalchemy", "matplotlib")


def loaded_after(*statements):
    """The heavy packages that a fresh interpreter has loaded after running the statements."""
    code = "; ".join(
        [*statements, "import json, sys", f"print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"]
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


def public_names():
    import privacy_accountant

    return sorted(privacy_accountant.__all__)


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_after("import privacy_accountant") == []


def test_listing_the_names_loads_nothing_heavy():
    assert loaded_after("import privacy_accountant", "dir(privacy_accountant)") == []


def test_accounting_without_a_ledger_file_or_a_picture_loads_neither_database_nor_plots():
    loaded = loaded_after("from privacy_accountant import GDP, Gaussian", "GDP(1.0).beta(0.1)")
    assert "matplotlib" not in loaded
    assert "sqlalchemy" not in loaded
    assert "dp_accounting" not in loaded


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_can_be_the_first_one_imported(name):
    loaded_after(f"from privacy_accountant import {name}")


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    import privacy_accountant

    with pytest.raises(AttributeError, match="NoSuchName"):
        privacy_accountant.NoSuchName  # noqa: B018 (the access is the test)


def test_dir_lists_every_public_name():
    import privacy_accountant

    assert set(privacy_accountant.__all__) <= set(dir(privacy_accountant))
