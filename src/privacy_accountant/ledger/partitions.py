"""The worst partitions of a study: those that a release which touches all of them has to fit beside.

Where costs add up, the worst partition is known for each component, exactly, and a charge that fits beside the worst fits beside
every other. Where costs compose, no single number orders them: kept are the partitions whose charges are not among those of
another one. Which partitions are kept depends on what was charged and not on the order, so that `verify` finds the same ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from privacy_accountant.ledger.balance import Balance


def worst_of(held: Sequence[Balance], more: Iterable[Balance], size: int) -> tuple[Balance, ...]:
    """The worst partitions among those that were held and those that were charged since.

    Args:
        held: The worst partitions before, as they are now.
        more: Partitions that were charged more; or all of them, when nothing is held.
        size: How many components a cost has that add up; 0 where costs compose.
    """
    worst = tuple(held)
    for one in more:
        if not worst:
            worst = (one,) * (size or 1)
        elif size:
            worst = tuple(_larger(one, holder, place) for place, holder in enumerate(worst))
        else:
            worst = _maximal(worst, one)
    return worst


def _larger(one: Balance, holder: Balance, place: int) -> Balance:
    """The partition that was charged more of a component; of equals the first by name."""
    if one.partition == holder.partition:
        return holder
    sign = one.compare(holder, place)
    return one if sign > 0 or (sign == 0 and _name(one) < _name(holder)) else holder


def _maximal(worst: tuple[Balance, ...], one: Balance) -> tuple[Balance, ...]:
    rest = tuple(holder for holder in worst if holder.partition != one.partition)
    mine = one.counts()
    for holder in rest:
        theirs = holder.counts()
        if _among(mine, theirs) and (mine != theirs or _name(holder) < _name(one)):
            return rest
    kept = (holder for holder in rest if not _among(holder.counts(), mine))
    return tuple(sorted((one, *kept), key=_name))


def _among(some: Mapping[str, int], others: Mapping[str, int]) -> bool:
    """Whether everything that was charged to one was charged to the other as often."""
    return all(others.get(cost, 0) >= count for cost, count in some.items())


def _name(balance: Balance) -> str:
    return balance.partition or ""
