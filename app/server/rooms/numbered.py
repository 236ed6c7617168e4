"""Actions as the page numbers them, and the rules for which it opens rooms.

In a match for dice the page numbers only the bids that can be made with the dice on the table, so
its challenge has a lower number. Between two players it has one decision where Python asks first
whether to challenge: a bid then lets the last bid stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zhaifei.app.pocket.match_tables import MATCHES, bids_with
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.app.pocket.rules_tables import PLAYERS
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.legal import verify_bid_with
from zhaifei.game.public_state import DECLINE
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset


class Numbered(NamedTuple):
    """An action that the page knows of."""

    number: int
    """What the page calls it."""
    place: int
    """Its place among all actions of the round."""


def offered_rules(name: str, players: int) -> Rules:
    """Return the rules for points or for dice that the page calls by this name. Raise ZhaifeiError
    if it has none such."""
    if name in MATCHES and players in PLAYERS:
        return preset(name, players=players)
    return rules_named(name, players)


def on_page(rules: Rules, dice: Sequence[int], actions: Sequence[int]) -> list[Numbered]:
    """Return the actions of a round with `dice` [seat] that the page knows of."""
    if not rules.loses_dice:
        return [Numbered(action, place) for place, action in enumerate(actions)]
    fewer = challenge_action(rules) - bids_with(rules, sum(dice))
    are_two = sum(map(bool, dice)) == 2
    return [
        Numbered(action if action < challenge_action(rules) else action - fewer, place)
        for place, action in enumerate(actions)
        if not (are_two and action == DECLINE)
    ]


def from_page(round_: Round, number: int) -> list[int]:
    """Return what the player in turn does who chooses the action of this number. Raise IllegalBid
    for a bid that would be refused after the player has let the last one stand."""
    rules, table = round_.rules, sum(round_.dice)
    if not rules.loses_dice or number == DECLINE:
        return [number]
    bids = bids_with(rules, table)
    if number >= bids:
        return [number - bids + challenge_action(rules)]
    if number < 0 or not round_.is_asked or len(round_.seats) > 2:
        return [number]
    verify_bid_with(rules, domain(rules)[number], round_.state, table)
    return [DECLINE, number]
