"""What one person sees of a room: their own dice, and everybody's once a round has ended.
All rounds come with the end of the match, so that each person can review it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from zhaifei.app.pocket.rules_tables import name_of
from zhaifei.app.server.rooms.room import Ended, Room, Seat
from zhaifei.game.hands import Hand

Seen = dict[str, Any]
"""What is sent as JSON, as `web/friends/room.js` describes it."""


def seen_from(room: Room, seat: int, present: Collection[int]) -> Seen:
    """Return what the person in `seat` sees; people in the seats `present` are at the table."""
    return {
        "code": room.code,
        "version": room.version,
        "rules": name_of(room.rules),
        "players": room.rules.players,
        "goal": room.goal._asdict(),
        "seat": seat,
        "host": room.host,
        "seats": [_sitting(one, place in present) for place, one in enumerate(room.seats)],
        "step": room.step,
        "over": room.is_over,
        "match": None if room.match is None else _match(room, seat),
    }


def _sitting(seat: Seat, is_present: bool) -> Seen:
    """Return who sits in a seat, without what proves it."""
    return {
        "name": seat.name,
        "player": seat.player,
        "present": is_present,
        "away": seat.away,
        "ready": seat.ready,
    }


def _match(room: Room, seat: int) -> Seen:
    match, round_ = room.match, room.round
    assert match is not None
    if round_ is not None:
        opener, actions, ending = round_.starter, room.actions, None
        hands = own_dice(room.rules.players, seat, round_.hands[seat])
    else:
        last = room.ended[-1]
        opener, hands = last.starter, [list(hand) for hand in last.hands]
        *actions, ending = last.actions
    return {
        "begun": room.begun,
        "points": match.score,
        "results": [
            {"loser": one.settlement.loser, "points": one.settlement.cost} for one in room.ended
        ],
        "opener": opener,
        "hands": hands,
        "history": actions,
        "ending": ending,
        "rounds": [_round(one) for one in room.ended] if room.is_over else [],
    }


def _round(ended: Ended) -> Seen:
    """Return a round that was settled, with all dice."""
    *actions, ending = ended.actions
    return {
        "opener": ended.starter,
        "hands": [list(hand) for hand in ended.hands],
        "history": actions,
        "ending": ending,
        "program": list(ended.stood_in),
    }


def own_dice(players: int, seat: int, hand: Hand) -> list[list[int]]:
    """Return [seat] the dice: those of one hand, and no dice of the others."""
    return [list(hand) if one == seat else [] for one in range(players)]
