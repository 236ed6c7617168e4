"""What may be said: bids with some number of dice on the table, challenges and giving up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from zhaifei.game.bids import (
    Bid,
    IllegalBid,
    State,
    challengeable,
    legal_bids,
    verify_bid,
)
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import GivingUp
from zhaifei.game.rules import Rules


class IllegalChallenge(ZhaifeiError):
    """Raised for a challenge of a bid that does not exist or is too far back, for giving up without
    a double, and for both after the end of the round."""


@lru_cache(maxsize=16_384)
def verify_bid_with(rules: Rules, bid: Bid, state: State, table: int) -> None:
    """Raise IllegalBid unless `bid` may follow in `state` with `table` dice on the table."""
    verify_bid(rules, bid, *state)
    if bid.count > highest_count_with(rules, table):
        raise IllegalBid(
            "{bid} is too high: there are only {dice} dice on the table", bid=bid, dice=table
        )


@lru_cache(maxsize=16_384)
def legal_bids_with(rules: Rules, state: State, table: int) -> tuple[Bid, ...]:
    """Return the bids that may follow in `state` with `table` dice on the table, weakest first."""
    most = highest_count_with(rules, table)
    return tuple(bid for bid in legal_bids(rules, *state) if bid.count <= most)


def highest_count_with(rules: Rules, table: int) -> int:
    """Return the largest count that may be bid with `table` dice on the table."""
    lost = 0 if rules.bidding.unbounded else rules.total_dice - table
    return rules.highest_count - lost


def verify_challenge(rules: Rules, bids_made: int, distance: int = 1) -> None:
    """Raise IllegalChallenge unless, after `bids_made` bids, the bid made `distance` bids ago may
    be challenged."""
    if bids_made == 0:
        raise IllegalChallenge("there is no bid to challenge: the first player must bid")
    reachable = challengeable(rules, bids_made)
    if distance in reachable:
        return
    if rules.furthest_challenge == 1:
        raise IllegalChallenge("only the last bid may be challenged: these rules are without 跳开")
    raise IllegalChallenge(
        "the bid made {distance} bids ago may not be challenged now, only 1 to {furthest} bids ago",
        distance=distance,
        furthest=reachable[-1],
    )


def verify_giving_up(rules: Rules, history: Sequence[Bid]) -> None:
    """Raise IllegalChallenge unless a player may give up (认输) after the bids of a round."""
    verify_has_giving_up(rules)
    if not (history and history[-1].doubled):
        raise IllegalChallenge("a player gives up only after 劈, and nobody has doubled")


def verify_has_giving_up(rules: Rules) -> None:
    """Raise IllegalChallenge unless players may give up by these rules."""
    if not rules.stakes.doubled:
        raise IllegalChallenge("nobody gives up by these rules: they are without 劈")
    if rules.stakes.giving_up is GivingUp.FORBIDDEN:
        raise IllegalChallenge("nobody gives up by these rules: after 劈 the dice are shown")


def can_give_up(rules: Rules, history: Sequence[Bid]) -> bool:
    """Return whether a player may give up after the bids of a round, as `verify_giving_up`
    decides."""
    try:
        verify_giving_up(rules, history)
    except IllegalChallenge:
        return False
    return True
