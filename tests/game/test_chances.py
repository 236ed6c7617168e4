"""Chances against a count of all dice that others may hold, in fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from zhaifei.game.bids import Bid, counts_for, domain
from zhaifei.game.chances import at_least, chance, sides
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset

RULES = [
    preset("knockout", players=2, dice=2, faces=3),
    preset("increment", players=2, dice=2, faces=3),
    Rules.of(dice=2, faces=3, wild=2, wild_may_be_named=True),
    preset("liars_dice", dice=2, faces=4),
]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("others", range(4))
def test_a_bid_is_true_as_often_as_dice_of_others_make_it(rules: Rules, others: int) -> None:
    """Whatever number of own dice is left."""
    rolls = list(product(range(1, rules.faces + 1), repeat=others))
    for bid in domain(rules):
        counted = Counter(sum(counts_for(rules, bid, face) for face in roll) for roll in rolls)
        for left in range(rules.dice + 1):
            for own in combinations_with_replacement(range(1, rules.faces + 1), left):
                having = sum(counts_for(rules, bid, face) for face in own)
                ways = sum(ways for count, ways in counted.items() if having + count >= bid.count)
                assert chance(rules, bid, own, others) == float(Fraction(ways, len(rolls)))


def test_a_bid_of_more_dice_than_there_are_is_never_true() -> None:
    assert chance(preset("knockout"), Bid(Mode.FEI, 20, 6), (6, 6), 3) == 0.0


def test_chances_that_rules_ask_for_are_exact() -> None:
    """A quarter, and not a little less or more."""
    assert at_least(2, 3, 6) == (1.0, 0.75, 0.25, 0.0)
    assert at_least(1, 2, 5)[1] == 0.4


@pytest.mark.parametrize(
    ("rules", "bid", "expected"),
    [
        (Rules(), Bid(Mode.FEI, 3, 4), 2),
        (Rules(), Bid(Mode.ZHAI, 3, 4), 1),
        (preset("liars_dice"), Bid(Mode.FEI, 1, 6), 1),
        (preset("liars_dice"), Bid(Mode.FEI, 1, 5), 2),
    ],
)
def test_how_many_faces_count(rules: Rules, bid: Bid, expected: int) -> None:
    assert sides(rules, bid) == expected
