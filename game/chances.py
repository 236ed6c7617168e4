"""Probabilities that bids are true, given one hand and independent, uniform unseen dice."""

from __future__ import annotations

from functools import lru_cache
from math import comb

from game.bids import Bid, counting_faces
from game.hands import Hand
from game.rules import Rules


@lru_cache(maxsize=4096)
def at_least(dice: int, sides: int, faces: int) -> tuple[float, ...]:
    """Return [count], count = 0 to dice + 1: the probability that at least `count` of `dice` dice
    with `faces` faces show one of `sides` given faces.

    Computed in integers and rounded once, since players compare it with thresholds like 25%."""
    ways = [comb(dice, k) * sides**k * (faces - sides) ** (dice - k) for k in range(dice + 1)]
    return tuple(sum(ways[count:]) / faces**dice for count in range(dice + 2))


def chance(rules: Rules, bid: Bid, own: Hand, others: int) -> float:
    """Return the probability that `bid` is true, given the dice `own` and `others` unseen dice."""
    faces = counting_faces(rules, bid)
    missing = bid.count - sum(map(own.count, faces))
    return at_least(others, len(faces), rules.faces)[min(max(missing, 0), others + 1)]


def sides(rules: Rules, bid: Bid) -> int:
    """Return the number of faces of a die that count towards `bid`."""
    return len(counting_faces(rules, bid))
