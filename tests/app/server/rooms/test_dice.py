"""Rooms for dice: what the page numbers, and who is waited for."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.server.rooms.table import room_without_bob
from tests.web.match_vectors import challenge_with, drawn, legal_in
from zhaifei.app.pocket.rules_tables import PLAYERS
from zhaifei.app.server.rooms.numbered import offered_rules, on_page
from zhaifei.app.server.rooms.room import Goal, Room, new_code
from zhaifei.app.server.rooms.seen import seen_from
from zhaifei.app.server.rooms.written import read, written
from zhaifei.game.errors import ZhaifeiError

DICE = Goal("dice", 0)


def room_of(name: str, players: int) -> Room:
    room = Room(new_code(), offered_rules(name, players), DICE)
    room.join("Ann")
    room.start(0)
    return room


@pytest.mark.parametrize("name", ["knockout", "classic"])
@pytest.mark.parametrize("players", [2, 3])
def test_a_match_is_played_and_seen_by_the_numbers_of_the_page(name: str, players: int) -> None:
    random, room = np.random.default_rng(7), room_of(name, players)
    rounds = []
    while not room.is_over:
        if room.round is None:
            room.get_ready(0, {0}, room.step)
        made: list[int] = []
        while (round_ := room.round) is not None:
            seen = seen_from(room, 0, {0})["match"]
            assert (seen["history"], seen["dice"]) == (made, round_.dice)
            made.append(drawn(legal_in(round_), challenge_with(round_), random))
            room.act_on_page(round_.turn, made[-1], room.step)
            assert written(read(written(room))) == written(room)
        rounds.append(made)
    seen = seen_from(room, 0, {0})
    assert seen["goal"] == {"kind": "dice", "number": 5}
    assert sorted(seen["match"]["points"])[1:] == [5] * (players - 1)
    assert [[*one["history"], one["ending"]] for one in seen["match"]["rounds"]] == rounds


def test_between_two_a_bid_that_is_not_legal_lets_nothing_stand() -> None:
    room = room_of("knockout", 2)
    assert room.round is not None
    room.act_on_page(room.round.turn, 5, room.step)
    before = written(room)
    for number in (5, 0, -2, 10**6):
        with pytest.raises(ZhaifeiError):
            room.act_on_page(room.round.turn, number, room.step)
    assert written(room) == before


def test_only_who_plays_on_is_waited_for() -> None:
    room, _ = room_without_bob()
    assert room.waited_for({0, 1}) == [0]
    assert room.waited_for({1}) == [1], "nobody else is there"
    room.get_ready(1, {0, 1}, room.step)
    assert room.round is None
    room.get_ready(0, {0, 1}, room.step)
    assert room.round is not None


def test_what_the_program_did_is_told_by_the_places_of_the_page() -> None:
    rules = offered_rules("knockout", 2)
    numbered = on_page(rules, (1, 1), [0, -1, 3, -1, 8, 50])
    assert [one.number for one in numbered] == [0, 3, 8, 10]
    assert [one.place for one in numbered] == [0, 2, 4, 5]


def test_rules_that_no_room_has() -> None:
    assert {offered_rules("classic", players).players for players in PLAYERS} == {*PLAYERS}
    for name, players in (("knockout", 9), ("knockout~jump", 3), ("", 2)):
        with pytest.raises(ZhaifeiError):
            offered_rules(name, players)
