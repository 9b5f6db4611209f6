"""Privacy loss distributions, as people met them with other accountants."""

import pytest

from privacy_accountant.guarantees.pld import PLD, FinitePair

ONE_DIRECTION = {
    1: (0.0756393646499, 0.0),
    2: (0.397819682325, 0.130429542885),
    5: (0.609404761744, 0.505543692861),
}
BOTH = {
    1: (0.335127872929987, 0.228171817154095),
    2: (0.436742958566976, 0.233526452592781),
    5: (0.678195165288768, 0.591068762253726),
}


@pytest.mark.parametrize("count", [1, 2, 5])
def test_b25_both_directions_of_two_tables_are_composed_and_the_worse_counts(count):
    pair = FinitePair.of_tables((0.9, 0.1), (0.5, 0.5))
    for form in (PLD.of(pair, count), PLD.of(pair.reversed(), count)):
        for epsilon, truth, one in zip((0.5, 1.0), BOTH[count], ONE_DIRECTION[count], strict=True):
            have = form.get_delta(epsilon)
            assert truth * (1 - 1e-13) <= have <= truth * (1 + 1e-6)
            assert have > one
