from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.game.strategies import any_rules
from zhaifei.game.hands import (
    IllegalHand,
    hand_index,
    hands,
    number_of_hands,
    probabilities,
    roll_hands,
    verify_hand,
)
from zhaifei.game.rules import Rules, preset


def rolls(rules: Rules) -> Counter[tuple[int, ...]]:
    """How many of all rolls give each hand, by rolling them all."""
    faces = range(1, rules.faces + 1)
    return Counter(tuple(sorted(roll)) for roll in product(faces, repeat=rules.dice))


def test_five_dice_have_252_hands():
    assert len(hands(Rules())) == 252


@pytest.mark.parametrize(("dice", "faces"), [(5, 6), (1, 6), (2, 2), (3, 6), (4, 5)])
def test_a_hand_is_as_likely_as_the_rolls_that_give_it(dice, faces):
    rules = Rules.of(dice=dice, faces=faces)
    counted = rolls(rules)
    assert set(hands(rules)) == set(counted)
    assert len(hands(rules)) == len(counted)
    expected = [counted[hand] / faces**dice for hand in hands(rules)]
    np.testing.assert_allclose(probabilities(rules), expected, rtol=1e-15)


def test_five_dice_are_likely_as_known():
    p = probabilities(Rules())
    assert p[hand_index(Rules(), (3, 3, 3, 3, 3))] == 1 / 7776
    assert p[hand_index(Rules(), (1, 2, 3, 4, 5))] == 120 / 7776
    assert p[hand_index(Rules(), (6, 6, 2, 6, 2))] == 10 / 7776


@given(any_rules(max_dice=4))
def test_hands_are_in_lexicographic_order_and_found_by_index(rules):
    assert list(hands(rules)) == sorted(set(hands(rules)))
    assert [hand_index(rules, hand) for hand in hands(rules)] == list(range(len(hands(rules))))
    assert probabilities(rules).sum() == pytest.approx(1, abs=1e-12)
    assert probabilities(rules).dtype == np.float64


def test_hands_are_counted_without_listing_them():
    uneven = Rules.of(dice=(3, 2))
    again = Rules.of(straight="rolled_again")
    assert number_of_hands(Rules()) == 252
    assert number_of_hands(again) == len(hands(again)) == 252 - 6
    assert number_of_hands(uneven) == len(hands(uneven)) == 56 + 21


@given(st.permutations([1, 1, 3, 4, 6]))
def test_dice_may_lie_in_any_order(dice):
    assert verify_hand(Rules(), dice) == (1, 1, 3, 4, 6)
    assert hands(Rules())[hand_index(Rules(), dice)] == (1, 1, 3, 4, 6)


@pytest.mark.parametrize(
    ("dice", "message"),
    [
        ([1, 1, 3, 4], "hand 1134 has 4 dice; it must have 5"),
        ([1, 1, 3, 4, 6, 6], "hand 113466 has 6 dice; it must have 5"),
        ([], "hand  has 0 dice; it must have 5"),
        ([7, 1, 1, 1, 1], "hand 11117 shows a 7; faces must be 1 to 6"),
        ([0, 1, 1, 1, 1], "hand 01111 shows a 0; faces must be 1 to 6"),
    ],
)
def test_a_hand_that_nobody_can_hold_is_refused(dice, message):
    with pytest.raises(IllegalHand) as error:
        hand_index(Rules(), dice)
    assert str(error.value) == message


UNEVEN = preset("zhaifei", dice=(2, 3))


def test_hands_of_players_with_different_numbers_of_dice_are_in_one_list():
    assert hands(UNEVEN) == hands(Rules.of(dice=3)) + hands(Rules.of(dice=2))
    assert hand_index(UNEVEN, (1, 1)) == 56


@pytest.mark.parametrize("player", [0, 1])
def test_nobody_has_a_hand_of_anothers_number_of_dice(player):
    own = UNEVEN.dice_by_player[player]
    for hand, probability in zip(hands(UNEVEN), probabilities(UNEVEN, player), strict=True):
        alone = Rules.of(dice=len(hand))
        expected = probabilities(alone)[hand_index(alone, hand)] if len(hand) == own else 0.0
        assert probability == expected


def test_a_hand_of_anothers_number_of_dice_is_refused():
    with pytest.raises(IllegalHand, match="hand 123 has 3 dice; it must have 2"):
        verify_hand(UNEVEN, (1, 2, 3), player=0)
    with pytest.raises(IllegalHand, match="hand 1 has 1 dice; it must have 3 or 2"):
        verify_hand(UNEVEN, (1,))
    assert verify_hand(UNEVEN, (3, 2, 1)) == verify_hand(UNEVEN, (1, 2, 3), player=1) == (1, 2, 3)


def test_each_player_rolls_their_own_number_of_dice():
    rolled = roll_hands(UNEVEN, 2000, np.random.default_rng(1))
    assert {(len(hands(UNEVEN)[a]), len(hands(UNEVEN)[b])) for a, b in rolled.tolist()} == {(2, 3)}


def test_hands_are_rolled_as_numpy_draws_from_their_probabilities():
    """So that matches with a seed stay what they were when numpy drew them."""
    drawn = np.random.default_rng(7).choice(252, size=(50, 3), p=probabilities(Rules()))
    rolled = roll_hands(Rules.of(players=3), 50, np.random.default_rng(7))
    assert np.array_equal(rolled, drawn)


def test_probabilities_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        probabilities(Rules())[0] = 1
