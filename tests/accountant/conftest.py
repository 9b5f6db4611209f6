import pytest

from privacy_accountant.accountant import Accountant


@pytest.fixture(params=["memory", "file"])
def open_study(request, tmp_path):
    """Opens a study in memory or on a file; every behaviour is the same."""
    opened = []

    def begin(**terms):
        if request.param == "memory":
            study = Accountant(**terms)
        else:
            study = Accountant.open(tmp_path / f"{len(opened)}.db", study="ward-7", **terms)
        opened.append(study)
        return study

    yield begin
    for study in opened:
        study.close()
