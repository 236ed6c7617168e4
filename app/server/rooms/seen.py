"""What one person sees of a room: their own dice, and everybody's once a round has ended.
All rounds come with the end of the match, so that each person can review it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from zhaifei.app.pocket.rules_tables import name_of
from zhaifei.app.server.rooms.numbered import on_page
from zhaifei.app.server.rooms.room import Ended, Room, Seat
from zhaifei.game.hands import Hand
from zhaifei.game.rules import Rules

Seen = dict[str, Any]
"""What is sent as JSON, as `web/friends/room.js` describes it."""


def seen_from(room: Room, seat: int, present: Collection[int]) -> Seen:
    """Return what the person in `seat` sees; people in the seats `present` are at the table."""
    return {
        "code": room.code,
        "version": room.version,
        "rules": name_of(room.rules),
        "players": room.rules.players,
        "goal": _goal(room),
        "company": room.company,
        "seat": seat,
        "host": room.host,
        "seats": _seats(room, present),
        "step": room.step,
        "over": room.is_over,
        "mayHurry": room.may_hurry,
        "hurries": room.hurries,
        "match": None if room.match is None else _match(room, seat),
    }


def _goal(room: Room) -> Seen:
    """Return the goal; where dice are lost, its number is how many all have at first."""
    number = room.rules.dice if room.rules.loses_dice else room.goal.number
    return {"kind": room.goal.kind, "number": number}


def _seats(room: Room, present: Collection[int]) -> list[Seen]:
    waited = room.waited_for(present)
    return [
        _sitting(one, place in present, place in waited) for place, one in enumerate(room.seats)
    ]


def _sitting(seat: Seat, is_present: bool, is_waited_for: bool) -> Seen:
    """Return who sits in a seat, without what proves it."""
    return {
        "name": seat.name,
        "player": seat.player,
        "present": is_present,
        "away": seat.away,
        "waited": is_waited_for,
    }


def _match(room: Room, seat: int) -> Seen:
    match, round_ = room.match, room.round
    assert match is not None
    if round_ is not None:
        opener, dice = round_.starter, round_.dice
        actions, ending = _numbers(room.rules, dice, room.actions), None
        hands = own_dice(room.rules.players, seat, round_.hands[seat])
    else:
        last = room.ended[-1]
        opener, hands = last.starter, [list(hand) for hand in last.hands]
        dice = tuple(map(len, hands))
        *actions, ending = _numbers(room.rules, dice, last.actions)
    return {
        "begun": room.begun,
        "points": _lost(room.rules, match.score),
        "results": [
            {"loser": one.settlement.loser, "points": one.settlement.cost} for one in room.ended
        ],
        "opener": opener,
        "hands": hands,
        "dice": dice,
        "history": actions,
        "ending": ending,
        "rounds": [_round(room.rules, one) for one in room.ended] if room.is_over else [],
    }


def _lost(rules: Rules, score: Sequence[int]) -> list[int]:
    """Return [seat] the points or dice that were lost."""
    return [rules.dice - left for left in score] if rules.loses_dice else [*score]


def _numbers(rules: Rules, dice: Sequence[int], actions: Sequence[int]) -> list[int]:
    return [one.number for one in on_page(rules, dice, actions)]


def _round(rules: Rules, ended: Ended) -> Seen:
    """Return a round that was settled, with all dice."""
    numbered = on_page(rules, [*map(len, ended.hands)], ended.actions)
    *actions, ending = [one.number for one in numbered]
    return {
        "opener": ended.starter,
        "hands": [list(hand) for hand in ended.hands],
        "history": actions,
        "ending": ending,
        "program": [n for n, one in enumerate(numbered) if one.place in ended.stood_in],
    }


def own_dice(players: int, seat: int, hand: Hand) -> list[list[int]]:
    """Return [seat] the dice: those of one hand, and no dice of the others."""
    return [list(hand) if one == seat else [] for one in range(players)]
