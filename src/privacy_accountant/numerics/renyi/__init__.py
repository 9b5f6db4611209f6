"""What Renyi bounds say about attacks: RDP and zCDP to trade-off function, privacy profile and epsilon.

The binary Renyi region, solved on the safe side.  Rooms, from the ground up: `constraint` (the constraint
without cancellation), `tangent` (supporting lines with their round-off: what is certified), `orders` (which
order binds), `search` (the boundary at a known error rate), `fixed_point` (where alpha = beta), `tradeoff`
(beta), `profile` and `envelope` (delta of one order or zCDP, and of many orders jointly), `delta` and
`epsilon` (the profile and its inverse with all their ends).
"""

from privacy_accountant.numerics.renyi.delta import (
    rdp_complement,
    rdp_curve_advantage,
    rdp_curve_both,
    rdp_curve_complement,
    rdp_curve_delta,
    rdp_curve_log_delta,
    rdp_delta,
    rdp_log_delta,
    zcdp_advantage,
    zcdp_both,
    zcdp_complement,
    zcdp_delta,
    zcdp_log_delta,
)
from privacy_accountant.numerics.renyi.epsilon import rdp_curve_epsilon, rdp_epsilon, zcdp_epsilon
from privacy_accountant.numerics.renyi.tradeoff import rdp_beta, rdp_curve_beta, zcdp_beta

__all__ = [
    "rdp_beta",
    "rdp_complement",
    "rdp_curve_advantage",
    "rdp_curve_beta",
    "rdp_curve_both",
    "rdp_curve_complement",
    "rdp_curve_delta",
    "rdp_curve_epsilon",
    "rdp_curve_log_delta",
    "rdp_delta",
    "rdp_epsilon",
    "rdp_log_delta",
    "zcdp_advantage",
    "zcdp_beta",
    "zcdp_both",
    "zcdp_complement",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_log_delta",
]
