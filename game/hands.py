"""Hands: the dice of one player as a multiset, and their probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from game.rules import Rules

Hand = tuple[int, ...]
"""The faces of one player's dice, ascending."""


class IllegalHand(ZhaifeiError):
    """Raised for a hand that is impossible under the rules."""


@lru_cache
def hands(rules: Rules) -> tuple[Hand, ...]:
    """Return every hand in lexicographic order; the position of a hand is its index."""
    return tuple(combinations_with_replacement(range(1, rules.faces + 1), rules.dice))


@lru_cache
def _places(rules: Rules) -> dict[Hand, int]:
    return {hand: place for place, hand in enumerate(hands(rules))}


def verify_hand(rules: Rules, dice: Iterable[int]) -> Hand:
    """Return `dice` as a sorted Hand. Raises IllegalHand if they are not a full hand."""
    hand = tuple(sorted(dice))
    if len(hand) != rules.dice:
        raise IllegalHand(
            "hand {hand} has {dice} dice; it must have {right}",
            hand="".join(map(str, hand)), dice=len(hand), right=rules.dice,
        )  # fmt: skip
    _verify_faces(rules, hand)
    return hand


def verify_hand_left(rules: Rules, dice: Iterable[int]) -> Hand:
    """Return `dice` as a sorted Hand, of which some or all may have been lost. Raises
    IllegalHand."""
    hand = tuple(sorted(dice))
    if len(hand) > rules.dice:
        raise IllegalHand(
            "hand {hand} has {dice} dice; it may have at most {most}",
            hand="".join(map(str, hand)), dice=len(hand), most=rules.dice,
        )  # fmt: skip
    _verify_faces(rules, hand)
    return hand


def _verify_faces(rules: Rules, hand: Hand) -> None:
    for face in hand:
        if not 1 <= face <= rules.faces:
            raise IllegalHand(
                "hand {hand} shows a {face}; faces must be 1 to {faces}",
                hand="".join(map(str, hand)), face=face, faces=rules.faces,
            )  # fmt: skip


def hand_index(rules: Rules, dice: Iterable[int]) -> int:
    """Return the index of a hand in `hands`. Raises IllegalHand."""
    return _places(rules)[verify_hand(rules, dice)]


@lru_cache
def probabilities(rules: Rules) -> NDArray[np.float64]:
    """Return [hand] float64: the multinomial probability of each hand; sums to 1, read-only."""
    orders = [
        factorial(rules.dice) // np.prod([factorial(hand.count(f)) for f in set(hand)], dtype=int)
        for hand in hands(rules)
    ]
    result: NDArray[np.float64] = np.array(orders, dtype=np.float64) / rules.faces**rules.dice
    result.setflags(write=False)
    return result
