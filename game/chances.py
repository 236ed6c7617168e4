"""How likely bids are true, if the bids made tell nothing of the dice that one does not see."""

from __future__ import annotations

from functools import lru_cache
from math import comb

from game.bids import Bid, counting_faces
from game.hands import Hand
from game.rules import Rules


@lru_cache(maxsize=4096)
def at_least(dice: int, sides: int, faces: int) -> tuple[float, ...]:
    """[count] how likely at least `count` of the dice show one of so many `sides` of their faces,
    for counts up to one more than there are dice. Rounded but once: rules ask for "at least 25%".
    """
    ways = [comb(dice, k) * sides**k * (faces - sides) ** (dice - k) for k in range(dice + 1)]
    return tuple(sum(ways[count:]) / faces**dice for count in range(dice + 2))


def chance(rules: Rules, bid: Bid, own: Hand, others: int) -> float:
    """How likely `bid` is true for who holds the dice `own` and does not see `others` more."""
    faces = counting_faces(rules, bid)
    missing = bid.count - sum(map(own.count, faces))
    return at_least(others, len(faces), rules.faces)[min(max(missing, 0), others + 1)]


def sides(rules: Rules, bid: Bid) -> int:
    """How many faces of a die count towards `bid`."""
    return len(counting_faces(rules, bid))
