"""The slow twin of `policies.players.seat_features`: from the bids of a round, one by one."""

from math import comb

from zhaifei.game.bids import Bid, action_of, counts_for, domain, legal_bids
from zhaifei.game.hands import Hand
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables

Kind = tuple[int, int]
"""A mode and a face."""


def kinds_of(rules: Rules) -> list[Kind]:
    """Return the kinds in the order of their numbers in `BidTables.kind`."""
    numbered = zip(bid_tables(rules).kind.tolist(), domain(rules), strict=True)
    found = {number: (bid.mode, bid.face) for number, bid in numbered}
    return [found[number] for number in sorted(found)]


def at_least(number: int, most: int) -> list[float]:
    """Return whether `number` is at least 1, 2, ... `most`."""
    return [float(number >= step) for step in range(1, most + 1)]


def seat_features_of(rules: Rules, hand: Hand, history: tuple[int, ...]) -> list[float]:
    """As `policies.players.seat_features` documents them."""
    bids = [domain(rules)[action] for action in history]
    return [
        *(
            value
            for kind in kinds_of(rules)
            for value in at_least(own(rules, hand, kind), rules.dice)
        ),
        *_public(rules, bids),
        *_joint(rules, hand, bids),
    ]


def own(rules: Rules, hand: Hand, kind: Kind) -> int:
    """Return how many dice of the hand count towards bids of the kind."""
    return sum(counts_for(rules, Bid(kind[0], 1, kind[1]), face) for face in hand)


def _public(rules: Rules, bids: list[Bid]) -> list[float]:
    players, made = rules.players, len(bids)
    found = [float(made % players == seat) for seat in range(players)]
    found += at_least(made, 2 * players)
    found += [float(bids[-1:] == [bid]) for bid in domain(rules)]
    for ago in range(2, players + 1):
        bid = bids[-ago] if made >= ago else None
        kind = None if bid is None else (bid.mode, bid.face)
        found += [float(kind == one) for one in kinds_of(rules)]
        found += at_least(0 if bid is None else bid.count, rules.total_dice)
    of_seat = [bids[::-1][back::players] for back in range(players)]
    for its in of_seat:
        found += [float(kind in {(bid.mode, bid.face) for bid in its}) for kind in kinds_of(rules)]
    return found + [float(any(bid.face == bids[-1].face for bid in its)) for its in of_seat]


def _joint(rules: Rules, hand: Hand, bids: list[Bid]) -> list[float]:
    others, last = rules.total_dice - rules.dice, bids[-1] if bids else None
    found = []
    if last is None:
        found += [0.0] * (others + 1 + rules.dice)
    else:
        counted = own(rules, hand, (last.mode, last.face))
        found += at_least(last.count - counted, others + 1) + at_least(counted, rules.dice)
    for ago in range(1, rules.players):
        found.append(chance(rules, hand, bids[-ago]) if len(bids) >= ago else 0.0)
    raises = sorted(legal_bids(rules, last), key=lambda bid: action_of(rules, bid))
    for kind in kinds_of(rules):
        counts = [bid.count for bid in raises if (bid.mode, bid.face) == kind]
        found.append(chance(rules, hand, Bid(kind[0], min(counts), kind[1])) if counts else 0.0)
    return found


def chance(rules: Rules, hand: Hand, bid: Bid) -> float:
    """Return the chance that the bid is true, if all the others' dice are just rolled."""
    others = rules.total_dice - rules.dice
    missing = bid.count - own(rules, hand, (bid.mode, bid.face))
    counting = sum(counts_for(rules, bid, face) for face in range(1, rules.faces + 1))
    share = counting / rules.faces
    return sum(
        comb(others, dice) * share**dice * (1 - share) ** (others - dice)
        for dice in range(max(missing, 0), others + 1)
    )
