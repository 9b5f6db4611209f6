"""The Renyi orders at which a curve is kept that another library states as a function."""

from __future__ import annotations

USUAL_ORDERS: tuple[float, ...] = (
    *(1 + step / 20 for step in range(1, 20)),
    *(2 + step / 4 for step in range(32)),
    *map(float, range(10, 65, 2)),
    *(float(2**power) for power in range(7, 13)),
)
"""From 1.05 to 4096, dense where epsilons between 0.1 and 10 are decided."""
