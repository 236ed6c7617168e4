"""Rooms as text, so that a server that is started again goes on where it was."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from zhaifei.app.pocket.rules_tables import name_of
from zhaifei.app.server.rooms.numbered import offered_rules
from zhaifei.app.server.rooms.room import Ended, Goal, Room, Seat, fresh_random
from zhaifei.game.match import Match
from zhaifei.game.rounds import Round

Fields = dict[str, Any]


def written(room: Room) -> str:
    """Return a room as JSON, with all dice: it stays on the server."""
    return json.dumps(
        {
            "code": room.code,
            "rules": name_of(room.rules),
            "players": room.rules.players,
            "goal": room.goal,
            "seats": [asdict(seat) for seat in room.seats],
            "version": room.version,
            "hurries": room.hurries,
            "company": room.company,
            "learning": room.learning,
            "starter": None if room.match is None else room.match.starter,
            "begun": room.begun,
            "ended": [(one.starter, one.hands, one.actions, one.stood_in) for one in room.ended],
            "round": None if room.round is None else (room.round.starter, room.round.hands),
            "actions": room.actions,
            "stood_in": room.stood_in,
        },
        ensure_ascii=False,
    )


def read(text: str) -> Room:
    """Return the room of `written`. Raise ValueError, TypeError or KeyError for another text."""
    fields: Fields = json.loads(text)
    rules = offered_rules(fields["rules"], fields["players"])
    seats = [Seat(**seat) for seat in fields["seats"]]
    kept = {name: fields[name] for name in ("version", "hurries")}
    kept |= {name: fields[name] for name in ("company", "learning") if name in fields}  # since 1.1
    room = Room(fields["code"], rules, Goal(*fields["goal"]), seats, **kept)
    if fields["starter"] is not None:
        room.match, room.begun = Match(rules, fresh_random()), fields["begun"]
        _replay(room, room.match, fields)
    return room


def _replay(room: Room, match: Match, fields: Fields) -> None:
    for starter, hands, actions, stood_in in fields["ended"]:
        round_ = _again(match, starter, hands, actions)
        done = tuple(actions), tuple(stood_in)
        room.ended.append(Ended(starter, round_.hands, *done, match.settle()))
    match.starter = fields["starter"]
    if fields["round"] is not None:
        starter, hands = fields["round"]
        _again(match, starter, hands, fields["actions"])
        room.actions, room.stood_in = fields["actions"], fields["stood_in"]


def _again(match: Match, starter: int, hands: list[list[int]], actions: list[int]) -> Round:
    round_ = match.take_up(Round(match.rules, hands, starter))
    for action in actions:
        round_.take(action)
    return round_
