"""Groups: what a household risks, against the guarantee of its own group."""

import mpmath
import pytest

from privacy_accountant import ADP, GDP, RDP, ZCDP
from privacy_accountant.errors import InvalidParameterError, UnsupportedConversionError
from privacy_accountant.risk import RiskReport


@pytest.mark.parametrize("guarantee", [GDP(0.5), ADP(0.3), ADP(0.3, 1e-6), ZCDP(0.1)], ids=repr)
def test_a_group_is_asked_of_its_own_guarantee(guarantee):
    report = RiskReport(guarantee, for_group=(2, 5))
    for row, size in zip(report.to_dict()["groups"], (2, 5), strict=True):
        group = RiskReport(guarantee.for_group(size))
        assert row == {
            "size": size,
            "alpha": 0.01,
            "tpr": group.tpr(0.01),
            "advantage": group.advantage,
            "prior": 0.5,
            "bayes_risk": group.bayes_risk(0.5),
        }
        assert row["advantage"] > report.advantage


def test_a_pair_under_gaussian_noise_is_a_gaussian_of_twice_the_mu():
    (row,) = RiskReport(GDP(0.5), for_group=(2,)).to_dict()["groups"]
    assert row["advantage"] == pytest.approx(float(mpmath.erf(1 / mpmath.sqrt(8))), rel=1e-12)


def test_every_face_tells_it(ward, tmp_path):
    for face in (
        str(ward),
        ward.to_markdown(),
        ward._repr_html_(),
        ward.to_html(tmp_path / "r.html").read_text(),
    ):
        assert "What a group risks as a whole" in face
        assert "68.3%" in face
    frame = ward.to_dataframe()
    assert frame.value[(frame.group == 5) & (frame.quantity == "advantage")].item() > 0.98
    assert "group" not in str(RiskReport(GDP(1))).split("How to read")[0]


@pytest.mark.parametrize("wrong", [2, (1,), (0,), (True,), (2.5,), "23", None, ("2",)])
def test_what_is_no_size_is_refused(wrong):
    with pytest.raises(InvalidParameterError, match="for_group"):
        RiskReport(GDP(1), for_group=wrong)


def test_a_form_that_cannot_tell_says_so():
    with pytest.raises(UnsupportedConversionError):
        str(RiskReport(RDP(orders=(2,), epsilons=(0.1,)), for_group=(2,)))
