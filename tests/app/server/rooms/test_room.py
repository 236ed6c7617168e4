"""Rooms: who may do what, what each person sees, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from zhaifei.app.server.rooms.deciding import plain_action
from zhaifei.app.server.rooms.room import PROGRAM, Goal, Room, new_code
from zhaifei.app.server.rooms.seen import seen_from
from zhaifei.app.server.rooms.written import read, written
from zhaifei.game.bids import challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset

POINTS = Goal("points", 2)
ANN_IS_OUT_FIRST = 2
"""The seed of a match for dice in which the first of three players is out after half of it."""


def room_of(*names: str, players: int = 3, goal: Goal = POINTS) -> tuple[Room, list[str]]:
    room = Room(new_code(), preset("zhaifei", players=players), goal)
    return room, [room.join(name) for name in names]


def play(room: Room, steps: int = 1) -> None:
    """Let whoever is in turn take a plain action."""
    for _ in range(steps):
        assert room.round is not None
        room.act(room.round.turn, plain_action(room.round), room.step)


def test_a_secret_opens_one_seat() -> None:
    room, (ann, bob) = room_of("Ann", "Bob")
    assert (room.seat_of(ann), room.seat_of(bob), room.seat_of("")) == (0, 1, None)
    assert ann not in written(room)


def test_who_may_join() -> None:
    room, _ = room_of("Ann", "Bob")
    for name in ("Ann", "", "\u202e \n", "x" * 17):
        with pytest.raises(ZhaifeiError):
            room.join(name)
    room.join(" <b>\u200bZoe ")
    assert room.seats[2].name == "<b>Zoe"
    with pytest.raises(ZhaifeiError, match="all seats"):
        room.join("Max")


def test_only_the_host_starts_and_the_program_fills_the_table() -> None:
    room, _ = room_of("Ann", "Bob", players=4)
    with pytest.raises(ZhaifeiError, match="only Ann"):
        room.start(1)
    room.start(0)
    assert [seat.decider for seat in room.seats] == [None, None, *PROGRAM[:2]]
    for too_late in (lambda: room.start(0), lambda: room.join("Zoe")):
        with pytest.raises(ZhaifeiError, match="begun"):
            too_late()


def test_only_the_player_in_turn_acts_and_only_once() -> None:
    room, _ = room_of("Ann", "Bob", players=2)
    with pytest.raises(ZhaifeiError, match="moved on"):
        room.act(0, 0, 0)
    room.start(0)
    assert room.round is not None
    turn, before = room.round.turn, written(room)
    for seat, action, step in (
        (1 - turn, 50, 0),  # not in turn
        (turn, challenge_action(room.rules), 0),  # nothing to challenge
        (turn, 10**9, 0),
        (turn, -2, 0),
        (turn, 50, 1),  # another step
    ):
        with pytest.raises(ZhaifeiError):
            room.act(seat, action, step)
    assert written(room) == before
    play(room)
    with pytest.raises(ZhaifeiError, match="moved on"):
        room.act(turn, 50, 0)  # sent again after a lost connection


def test_each_sees_their_own_dice_until_the_settlement() -> None:
    room, _ = room_of("Ann", "Bob")
    room.start(0)
    assert room.round is not None
    hands = room.round.hands
    for seat in range(3):
        seen = seen_from(room, seat, ())["match"]["hands"]
        assert seen == [[*hand] if one == seat else [] for one, hand in enumerate(hands)]
    play(room, 2)
    assert room.round is None
    assert seen_from(room, 1, ())["match"]["hands"] == [[*hand] for hand in hands]


def test_the_next_round_waits_for_everybody_present() -> None:
    room, _ = room_of("Ann", "Bob", goal=Goal("rounds", 5))
    room.start(0)
    play(room, 2)
    room.get_ready(0, {0, 1}, room.step)
    assert room.round is None
    room.get_ready(1, {0, 1}, room.step)
    ended, dealt = room.step, room.round
    assert dealt is not None
    room.get_ready(0, {0, 1}, ended)  # Ann tapped twice
    assert room.round is dealt
    assert not room.seats[0].ready
    play(room, 2)
    room.get_ready(1, {0, 1}, ended)  # and so did Bob, whose network is slow
    assert not room.seats[1].ready
    with pytest.raises(ZhaifeiError):
        room.get_ready(0, {0, 1}, room.step + 1)
    room.get_ready(0, {0}, room.step)  # Bob's phone is off
    assert room.round is not None


@pytest.mark.parametrize(
    ("name", "goal"),
    [("zhaifei", POINTS), ("zhaifei", Goal("rounds", 3)), ("knockout", Goal("dice", 0))],
)
def test_a_match_has_an_end_and_can_be_played_again(name: str, goal: Goal) -> None:
    room = Room(new_code(), preset(name, players=3), goal)
    room.join("Ann")
    room.start(0)
    while not room.is_over:
        assert room.match is not None
        if room.round is None:
            room.get_ready(0, {0}, room.step)
        play(room)
    with pytest.raises(ZhaifeiError):
        room.get_ready(0, {0}, room.step)
    room.start(0)
    assert room.step == 0
    assert room.ended == []


def test_goals_that_cannot_be() -> None:
    for name, goal in (
        ("zhaifei", Goal("dice", 0)),
        ("knockout", POINTS),
        ("zhaifei", Goal("points", 0)),
        ("zhaifei", Goal("rounds", 10**6)),
    ):
        with pytest.raises(ZhaifeiError):
            Room(new_code(), preset(name, players=3), goal)


def test_the_program_stands_in_for_who_leaves_or_is_missing() -> None:
    room, _ = room_of("Ann", "Bob")
    room.start(0)
    with pytest.raises(ZhaifeiError, match="Bob is at the table"):
        room.stand_in(1, {0, 1})
    for nobody in (2, 9, -1):
        with pytest.raises(ZhaifeiError):
            room.stand_in(nobody, {0})
    room.stand_in(1, {0})
    assert room.seats[1].decider == PROGRAM[0]
    room.come_back(1)
    assert room.seats[1].decider is None
    room.leave(0)
    assert (room.host, room.seats[0].decider) == (1, PROGRAM[0])


def to_the_end(room: Room) -> Iterator[Room]:
    """Play a match, and yield the room before each step."""
    while not room.is_over:
        yield room
        if room.round is None:
            room.get_ready(0, {0}, room.step)
        else:
            play(room)


def test_rounds_are_sent_only_once_the_match_is_over() -> None:
    room, _ = room_of("Ann", "Bob", goal=Goal("rounds", 4))
    for _ in range(2):  # also after a match before
        room.start(0)
        for _ in to_the_end(room):
            for seat in range(3):
                match = seen_from(room, seat, ())["match"]
                assert match["rounds"] == []
                if match["ending"] is None:
                    assert [one for one, hand in enumerate(match["hands"]) if hand] == [seat]
        hands = [[list(hand) for hand in one.hands] for one in room.ended]
        for seat in range(3):
            rounds = seen_from(room, seat, ())["match"]["rounds"]
            assert [one["hands"] for one in rounds] == hands
            assert [*rounds[3]["history"], rounds[3]["ending"]] == [*room.ended[3].actions]


def test_what_the_program_did_for_who_was_away_is_told_apart() -> None:
    room, _ = room_of("Ann", "Bob", goal=Goal("rounds", 6))
    room.start(0)
    movers: list[list[int]] = []
    for _ in to_the_end(room):
        if len(room.ended) == 3:
            room.come_back(1)
        elif room.ended and not room.seats[1].away:
            room.stand_in(1, {0})
        if room.round is not None:
            if not room.actions:
                movers.append([])
            movers[-1].append(room.round.turn if room.seats[1].away else -1)
        assert written(read(written(room))) == written(room)
    rounds = seen_from(room, 1, ())["match"]["rounds"]
    places = [[place for place, seat in enumerate(one) if seat == 1] for one in movers]
    assert [one["program"] for one in rounds] == places
    assert any(places)
    assert places[0] == places[3] == []


def test_a_match_in_which_all_people_are_out_can_be_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dice = "zhaifei.app.server.rooms.room.fresh_random"
    monkeypatch.setattr(dice, lambda: np.random.default_rng(ANN_IS_OUT_FIRST))
    room = Room(new_code(), preset("knockout", players=3), Goal("dice", 0))
    room.join("Ann")
    room.start(0)
    for _ in to_the_end(room):
        assert room.match is not None
        assert room.may_hurry == (room.match.dice[0] == 0)
        if room.may_hurry:
            break
        with pytest.raises(ZhaifeiError, match="all people are out"):
            room.hurry()
    assert room.round is None
    before = len(room.ended)
    room.hurry()
    assert read(written(room)).hurries
    while not room.is_over:
        play(room)
    assert len(room.ended) > before + 1
    with pytest.raises(ZhaifeiError, match="all people are out"):
        room.hurry()
    room.start(0)
    assert not room.hurries


@pytest.mark.parametrize("steps", range(6))
def test_what_is_kept_goes_on_where_it_was(steps: int) -> None:
    room, (ann, _) = room_of("Ann", "Bob", goal=Goal("rounds", 9))
    room.start(0)
    for _ in range(steps):
        if room.round is None:
            room.get_ready(0, {0}, room.step)
        play(room)
    again = read(written(room))
    assert written(again) == written(room)
    assert again.seat_of(ann) == 0
    for seat in range(3):
        assert seen_from(again, seat, ()) == seen_from(room, seat, ())


def test_codes_differ() -> None:
    assert len({new_code() for _ in range(1000)}) == 1000
