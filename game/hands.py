"""Hands: the dice of one player as a multiset, and their probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.parts import Straight
from zhaifei.game.rules import Rules

Hand = tuple[int, ...]
"""The faces of one player's dice, ascending."""


class IllegalHand(ZhaifeiError):
    """Raised for a hand that is impossible under the rules."""


@lru_cache
def hands(rules: Rules) -> tuple[Hand, ...]:
    """Return every hand in lexicographic order; the position of a hand is its index. If players
    have different numbers of dice, the hands of the most dice come first. Straights that are rolled
    again are left out."""
    numbers = sorted(set(rules.dice_by_player), reverse=True)
    return tuple(hand for dice in numbers for hand in hands_of(rules, dice))


@lru_cache
def hands_of(rules: Rules, dice: int) -> tuple[Hand, ...]:
    """Return every hand of `dice` dice, in lexicographic order."""
    every = combinations_with_replacement(range(1, rules.faces + 1), dice)
    again = rules.counting.straight is Straight.ROLLED_AGAIN
    return tuple(hand for hand in every if not (again and is_straight(hand)))


def number_of_hands(rules: Rules) -> int:
    """Return the number of `hands` without listing them."""
    again = rules.counting.straight is Straight.ROLLED_AGAIN
    straights = comb(rules.faces, rules.dice) if again else 0
    return sum(comb(dice + rules.faces - 1, dice) for dice in {*rules.dice_by_player}) - straights


@lru_cache
def rolls_of(rules: Rules, dice: int) -> tuple[int, ...]:
    """Return [hand] the number of ordered rolls that give each hand of `hands_of`."""
    return tuple(
        factorial(dice) // prod(factorial(hand.count(face)) for face in set(hand))
        for hand in hands_of(rules, dice)
    )


@lru_cache
def probabilities_of(rules: Rules, dice: int) -> NDArray[np.float64]:
    """Return [hand] float64, read-only, the multinomial probability of each hand of `hands_of`;
    the probabilities sum to 1."""
    ways = rolls_of(rules, dice)
    result: NDArray[np.float64] = np.array(ways, dtype=np.float64) / sum(ways)
    result.setflags(write=False)
    return result


def is_straight(hand: Sequence[int]) -> bool:
    """Return whether a whole hand, of three dice or more, is a straight (顺子): all its dice show
    different faces."""
    return len(set(hand)) == len(hand)


@lru_cache
def _places(rules: Rules) -> dict[Hand, int]:
    return {hand: place for place, hand in enumerate(hands(rules))}


def verify_hand(rules: Rules, dice: Iterable[int], player: int | None = None) -> Hand:
    """Return `dice` as a sorted Hand. Raises IllegalHand unless they are a full hand of `player`,
    counted from the player who opens the round, or of any player if it is None."""
    hand = tuple(sorted(dice))
    full = rules.dice_by_player if player is None else (rules.dice_by_player[player],)
    if len(hand) not in full:
        raise IllegalHand(
            "hand {hand} has {dice} dice; it must have {right}",
            hand="".join(map(str, hand)),
            dice=len(hand),
            right=_either(full),
        )
    _verify_faces(rules, hand)
    if rules.counting.straight is Straight.ROLLED_AGAIN and is_straight(hand):
        raise IllegalHand(
            "hand {hand} is a straight, which is rolled again", hand="".join(map(str, hand))
        )
    return hand


def _either(dice: Iterable[int]) -> Message | int:
    """Return the numbers of dice that a hand may have, as a message."""
    right = sorted(set(dice), reverse=True)
    return (
        Message("{first} or {second}", first=right[0], second=right[1]) if right[1:] else right[0]
    )


def verify_hand_left(rules: Rules, dice: Iterable[int], left: int | None = None) -> Hand:
    """Return `dice` as a sorted Hand of a player who has `left` dice; by default the player may
    have lost any number of dice. Raise IllegalHand for another number of dice or invalid faces."""
    hand = tuple(sorted(dice))
    if left is not None and len(hand) != left:
        raise IllegalHand(
            "hand {hand} has {dice} dice; it must have {right}",
            hand="".join(map(str, hand)),
            dice=len(hand),
            right=left,
        )
    if len(hand) > rules.dice:
        raise IllegalHand(
            "hand {hand} has {dice} dice; it may have at most {most}",
            hand="".join(map(str, hand)),
            dice=len(hand),
            most=rules.dice,
        )
    _verify_faces(rules, hand)
    return hand


def _verify_faces(rules: Rules, hand: Hand) -> None:
    for face in hand:
        if not 1 <= face <= rules.faces:
            raise IllegalHand(
                "hand {hand} shows a {face}; faces must be 1 to {faces}",
                hand="".join(map(str, hand)),
                face=face,
                faces=rules.faces,
            )


def hand_index(rules: Rules, dice: Iterable[int]) -> int:
    """Return the index of a hand in `hands`. Raises IllegalHand."""
    return _places(rules)[verify_hand(rules, dice)]


def with_dice(rules: Rules, dice: Iterable[int]) -> NDArray[np.bool_]:
    """Return [hand] whether each hand has at least these dice."""
    wanted = list(dice)
    needed = {face: wanted.count(face) for face in wanted}
    return np.array(
        [
            all(hand.count(face) >= number for face, number in needed.items())
            for hand in hands(rules)
        ]
    )


@lru_cache
def probabilities(rules: Rules, player: int = 0) -> NDArray[np.float64]:
    """Return [hand] float64, read-only, the multinomial probability that `player` has the hand; the
    probabilities sum to 1.

    Players are counted from the one who opens the round. They matter only where players have
    different numbers of dice: hands with another number of dice have probability 0.
    """
    dice = rules.dice_by_player[player]
    own = np.array([len(hand) == dice for hand in hands(rules)])
    result: NDArray[np.float64] = np.zeros(own.size)
    result[own] = probabilities_of(rules, dice)
    result.setflags(write=False)
    return result


def roll_hands(rules: Rules, rounds: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Return [round, player] int64 independently drawn hands, as indices into `hands`. Players are
    counted from the one who opens the round."""
    drawn = random.random((rounds, rules.players))
    up_to = [probabilities(rules, player).cumsum() for player in range(rules.players)]
    places = [
        np.searchsorted(sums / sums[-1], column, side="right")
        for sums, column in zip(up_to, drawn.T, strict=True)
    ]
    return np.column_stack(places).astype(np.int64)
