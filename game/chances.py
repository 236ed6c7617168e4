"""Probabilities that bids are true, given one hand and independent, fair unseen dice."""

from __future__ import annotations

from functools import lru_cache
from math import comb

from zhaifei.game.bids import Bid, counted, counting_faces
from zhaifei.game.hands import Hand, hands_of, rolls_of
from zhaifei.game.rules import Rules


@lru_cache(maxsize=4096)
def at_least(dice: int, sides: int, faces: int) -> tuple[float, ...]:
    """Return [count], count = 0 to dice + 1: the probability that at least `count` of `dice` dice
    with `faces` faces show one of `sides` given faces.

    Computed in integers and rounded once, since players compare it with thresholds like 25%."""
    ways = [comb(dice, k) * sides**k * (faces - sides) ** (dice - k) for k in range(dice + 1)]
    return tuple(sum(ways[count:]) / faces**dice for count in range(dice + 2))


def others_show(rules: Rules, bid: Bid, others: int) -> tuple[float, ...]:
    """Return [count], the probability that at least `count` of `others` unseen dice count towards
    `bid`; the last entry is 0. Where whole hands decide what counts, the dice form whole hands."""
    if rules.counting.by_hand:
        return _hands_show(rules, Bid(bid.mode, 1, bid.face), others // rules.dice)
    return at_least(others, sides(rules, bid), rules.faces)


@lru_cache(maxsize=4096)
def _hands_show(rules: Rules, bid: Bid, number: int) -> tuple[float, ...]:
    """Return what `others_show` does, for `number` whole hands, computed in integers."""
    of_one = [0] * (rules.most_counted + 1)
    for hand, ways in zip(hands_of(rules, rules.dice), rolls_of(rules, rules.dice), strict=True):
        of_one[counted(rules, bid, hand)] += ways
    of_all = [1]
    for _ in range(number):
        more = [0] * (len(of_all) + rules.most_counted)
        for count, ways in enumerate(of_all):
            for own, its in enumerate(of_one):
                more[count + own] += ways * its
        of_all = more
    return tuple(sum(of_all[count:]) / sum(of_all) for count in range(len(of_all) + 1))


def chance(rules: Rules, bid: Bid, own: Hand, others: int) -> float:
    """Return the probability that `bid` is true, given the dice `own` and `others` unseen dice."""
    shown = others_show(rules, bid, others)
    missing = bid.count - counted(rules, bid, own)
    return shown[min(max(missing, 0), len(shown) - 1)]


def sides(rules: Rules, bid: Bid) -> int:
    """Return the number of faces of a die that count towards `bid`."""
    return len(counting_faces(rules, bid))
