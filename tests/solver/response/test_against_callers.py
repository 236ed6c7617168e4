"""The best response to callers: worked out by hand, and against a plain twin that knows neither
shapes nor binomials but goes through all dice, own and others', in fractions."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules, preset
from zhaifei.solver.response.against_callers import respond_to_callers, shapes

HALF = Fraction(1, 2)


class Twin:
    """The same, said plainly. Seat 0 responds."""

    def __init__(self, rules: Rules, challenges: Fraction) -> None:
        self.faces = range(1, rules.faces + 1)
        self.challenges = challenges
        self.value = cache(self._value)
        self.true = cache(self._true)

    def rolls(self, dice: int) -> list[tuple[int, ...]]:
        return list(product(self.faces, repeat=dice))

    def _true(self, own: tuple[int, ...], others: int, count: int, face: int) -> Fraction:
        rolled = self.rolls(others)
        true = [roll for roll in rolled if (own + roll).count(face) >= count]
        return Fraction(len(true), len(rolled))

    def _value(self, table: tuple[int, ...], starter: int) -> Fraction:
        if table[0] == 0:
            return Fraction(0)
        if not any(table[1:]):
            return Fraction(1)
        hands = self.rolls(table[0])
        return sum(self.turn(table, own, 0, 0, starter, starter) for own in hands) / len(hands)

    def turn(
        self,
        table: tuple[int, ...],
        own: tuple[int, ...],
        count: int,
        face: int,
        bidder: int,
        seat: int,
    ) -> Fraction:
        """What the match is worth when `seat` faces the bid of `bidder`, at first of count 0."""
        challenged = Fraction(0)
        if count:
            true = self.true(own, sum(table[1:]), count, face)
            challenged = true * self.loses(table, seat) + (1 - true) * self.loses(table, bidder)
        if count == sum(table):
            return challenged
        following = next_in(table, seat)
        raised = [self.turn(table, own, count + 1, to, seat, following) for to in self.faces]
        if seat == 0:
            return max(raised + [challenged] * bool(count))
        mean = sum(raised) / len(raised)
        challenges = self.challenges if count else 0
        return challenges * challenged + (1 - challenges) * mean

    def loses(self, table: tuple[int, ...], seat: int) -> Fraction:
        left = tuple(dice - (place == seat) for place, dice in enumerate(table))
        return self.value(left, seat if left[seat] or not any(left) else next_in(left, seat))


def next_in(table: tuple[int, ...], seat: int) -> int:
    number = len(table)
    return next(
        place % number for place in range(seat + 1, seat + 1 + number) if table[place % number]
    )


@pytest.mark.parametrize(
    ("players", "dice", "faces", "challenges"),
    [(2, 2, 2, HALF), (2, 2, 3, Fraction(1, 4)), (3, 1, 3, HALF), (3, 2, 2, Fraction(0))],
)
def test_every_table_is_worth_what_the_twin_says(players, dice, faces, challenges):
    rules = preset("increment", players=players, dice=dice, faces=faces)
    twin = Twin(rules, challenges)
    response = respond_to_callers(rules, float(challenges))
    compared = 0
    for table, value in response.value.items():
        for seat, left in enumerate(table):
            if left:
                assert value[seat] == pytest.approx(float(twin.value(table, seat)), abs=1e-12)
                compared += 1
    assert compared == players * dice * (dice + 1) ** (players - 1)


def test_a_coin_with_a_die_of_two_faces_each_by_hand():
    # Who starts names its own face, which is true: challenged (1/2), it wins. Otherwise two dice of
    # either face are claimed: of the other face that is false, of its own face in one case of two.
    # If the caller starts, whatever is done is right in one case of two.
    response = respond_to_callers(preset("increment", players=2, dice=1, faces=2), 0.5)
    starts = 1 / 2 + 1 / 2 * (1 / 2 + 1 / 2 * 1 / 2)
    np.testing.assert_allclose(response.value[1, 1], [starts, 1 / 2])
    assert response.wins == pytest.approx((starts + 1 / 2) / 2)
    plan = response.plans[1, 1]
    assert plan.raises[0].tolist() == [0]  # the own face
    assert plan.challenges[2].tolist() == [[True, True]]


def test_who_never_is_challenged_never_loses_to_callers_that_never_challenge():
    # They raise until nothing is left to raise to; so one can wait until it is false for certain.
    response = respond_to_callers(preset("increment", players=3, dice=3), 0.0)
    assert response.wins == pytest.approx(1.0, abs=1e-3)


def test_shapes_are_the_partitions_with_their_probabilities():
    pair = shapes(2, 6)
    assert pair.counts.tolist() == [[2, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]]
    np.testing.assert_allclose(pair.probability, [1 / 6, 5 / 6])
    assert [len(shapes(dice, 6).counts) for dice in range(7)] == [1, 1, 2, 3, 5, 7, 11]


@pytest.mark.parametrize(("dice", "faces"), [(1, 2), (4, 3), (6, 6)])
def test_shapes_are_as_likely_as_dice_show_them(dice, faces):
    found = dict.fromkeys(map(tuple, shapes(dice, faces).counts.tolist()), 0)
    for roll in product(range(faces), repeat=dice):
        found[tuple(sorted(map(roll.count, range(faces)), reverse=True))] += 1
    counted = np.array(list(found.values())) / faces**dice
    np.testing.assert_allclose(shapes(dice, faces).probability, counted)


@pytest.mark.parametrize("name", ["zhaifei", "knockout", "published"])
def test_other_rules_are_refused(name):
    with pytest.raises(RulesError, match="only for `increment`"):
        respond_to_callers(preset(name), 0.5)


def test_too_many_tables_are_refused_before_they_are_solved():
    with pytest.raises(ZhaifeiError, match="5764801 tables with 8 players of 6 dice"):
        respond_to_callers(preset("increment", players=8), 0.5)
