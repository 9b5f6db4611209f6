"""Read by mypy, never run: the types that users see. A change here is a change of the public interface."""

from __future__ import annotations

from typing_extensions import assert_type

from privacy_accountant import (
    ADP,
    GDP,
    RDP,
    ZCDP,
    Accountant,
    Gaussian,
    Laplace,
    PrivacyGuarantee,
    Receipt,
    RiskReport,
    Sensitivity,
    compose,
)

guarantee = GDP(mu=1.0)
assert_type(guarantee.advantage, float)
assert_type(guarantee.to(ZCDP), ZCDP)
assert_type(guarantee.to(ADP, delta=1e-6), ADP)
assert_type(guarantee.compose(ADP(epsilon=1.0)), PrivacyGuarantee)
assert_type(compose(guarantee, guarantee), PrivacyGuarantee)
assert_type(RiskReport(guarantee).advantage, float)

noise = Gaussian(sigma=4.0, sensitivity=Sensitivity(per_value=1, values=4))
assert_type(noise.guarantee(), PrivacyGuarantee)
assert_type(noise.guarantee(RDP, orders=(2, 8)), RDP)
assert_type(Laplace.calibrate(ADP(epsilon=1.0), sensitivity=1), Laplace)
assert_type(noise.noise_interval(), int | float)

study = Accountant(budget=GDP(mu=1.0))
assert_type(study.guarantee(), PrivacyGuarantee)
assert_type(study.report(), RiskReport)
assert_type(study.can_afford(noise), bool)
assert_type(study.last, Receipt | None)
