"""Rooms whose empty seats are taken by players who learn from round to round."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.server.rooms.table import MADE, Guest, app_with, as_asked
from zhaifei.app.server.rooms import deciding
from zhaifei.app.server.rooms.room import LEARNER, PROGRAM, Goal, Room
from zhaifei.app.server.rooms.store import Store
from zhaifei.app.server.rooms.written import read, written
from zhaifei.game.bids import action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rounds import Round
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.learners import learner_for
from zhaifei.policies.catalogue.names import player_named
from zhaifei.policies.play.playing import only_choice
from zhaifei.policies.play.sat_through import Played
from zhaifei.policies.players.decider import Remembers

ROUNDS = 6
WITH_LEARNERS = {
    "rules": "ktv",
    "players": 2,
    "goal": {"kind": "rounds", "number": ROUNDS},
    "company": "learning",
}


@contextmanager
def served(store: Path) -> Iterator[TestClient]:
    """Serve rooms anew: what the workers knew is forgotten."""
    deciding._learners.clear()
    with TestClient(app_with(store, as_asked)) as client:
        yield client


def play(guest: Guest, rounds: int) -> None:
    """Bid low and challenge high bids until this number of rounds has ended."""
    rules = preset("ktv", players=2)
    while True:
        seen = guest.see_until(is_asked)
        match = seen["match"]
        if match["ending"] is not None:
            if len(match["results"]) == rounds:
                return
            guest.act("ready", step=seen["step"])
        else:
            guest.act("action", number=next_of(rules, match["history"]), step=seen["step"])


def is_asked(seen: Any) -> bool:
    """Return whether the only person is in turn, or the round has ended."""
    match = seen["match"]
    return match["ending"] is not None or (match["opener"] + len(match["history"])) % 2 == 0


def next_of(rules: Rules, history: list[int]) -> int:
    """Return the lowest bid, or a challenge after two bids."""
    round_ = Round(rules, [(1, 1, 2, 3, 4)] * 2)
    for bid in history:
        round_.take(bid)
    if len(history) > 1 or not round_.legal_bids():
        return challenge_action(rules)
    return action_of(rules, round_.legal_bids()[0])


def test_after_a_restart_it_decides_as_who_sat_through_the_match(tmp_path: Path) -> None:
    store = tmp_path / "rooms.sqlite"
    with served(store) as client:
        ann = Guest(client)
        ann.make(**WITH_LEARNERS)
        ann.act("start")
        play(ann, ROUNDS // 2)
    with served(store) as client:
        ann = Guest(client, ann.code, ann.secret)
        ann.act("ready", step=ann.see()["step"])
        play(ann, ROUNDS)
        seats = [one["player"] for one in ann.see()["seats"]]
    kept = Store(store)
    room = kept.find(ann.code)
    kept.close()
    assert seats == ["", LEARNER]
    assert room is not None
    assert len(room.ended) == ROUNDS
    assert decisions(room) == [
        action for one in room.ended for action in taken_by_choice(room.rules, one)
    ]


def taken_by_choice(rules: Rules, ended: Any) -> Iterator[int]:
    """Yield what seat 1 did where there was a choice."""
    round_ = Round(rules, ended.hands, ended.starter)
    for action in ended.actions:
        if round_.turn == 1 and only_choice(round_) is None:
            yield action
        round_.take(action)


def decisions(room: Room) -> list[int]:
    """Return what a learner does who sits through the match in seat 1."""
    player = player_named(learner_for(room.rules), room.rules)
    learner = player.sit(np.random.default_rng([room.learning, 1]))
    assert isinstance(learner, Remembers)
    found = []
    for one in room.ended:
        round_ = Round(room.rules, one.hands, one.starter)
        for action in one.actions:
            if round_.turn == 1 and only_choice(round_) is None:
                found.append(learner.decide(round_.view()))
            round_.take(action)
        learner.remember(round_, 1)
    return found


def test_a_worker_answers_questions_of_any_match_in_any_order() -> None:
    rules, hands = preset("ktv", players=2), ((1, 1, 2, 3, 4), (2, 2, 3, 3, 5))
    round_ = Round(rules, hands)
    first = round_.view()
    round_.take(action_of(rules, round_.legal_bids()[0]))
    round_.take(challenge_action(rules))
    rounds = [Played(0, hands, (action_of(rules, round_.history[0]), challenge_action(rules)))]
    action = deciding.decide_as_learner(0, (), first)
    later = deciding.decide_as_learner(0, rounds, first)
    for seed in range(1, deciding._LEARNERS + 1):
        deciding.decide_as_learner(seed, (), first)
        assert len(deciding._learners) <= deciding._LEARNERS
    assert (0, 0) not in deciding._learners
    assert deciding.decide_as_learner(0, rounds, first) == later
    assert deciding.decide_as_learner(0, (), first) == action


@pytest.mark.usefixtures("places")
@pytest.mark.parametrize(
    ("rules", "players", "why"),
    [
        ("knockout", 2, "dice are lost"),
        ("ktv~doubles=2", 2, "doubled"),
        ("ktv", 3, "no policy is known"),
    ],
)
def test_where_nobody_can_learn_it_is_refused(
    tmp_path: Path, rules: str, players: int, why: str
) -> None:
    with served(tmp_path / "rooms.sqlite") as client:
        goal = {"kind": "dice" if rules == "knockout" else "points", "number": 3}
        asked = {"rules": rules, "players": players, "goal": goal, "name": "Ann"}
        refused = Guest(client).ask("/", 400, **asked, company="learning")["error"]
        assert why in refused
        assert "\n" not in refused
        assert Guest(client).ask("/", **asked)["code"]
        offered = Guest(client).ask("/companies", rules=rules, players=players)
        assert offered == {"companies": ["mixed"]}


def test_where_somebody_can_learn_it_is_offered(tmp_path: Path) -> None:
    with served(tmp_path / "rooms.sqlite") as client:
        for rules, players in (("zhaifei", 2), ("zhaifei", 8), ("ktv", 2)):
            offered = Guest(client).ask("/companies", rules=rules, players=players)
            assert offered == {"companies": ["mixed", "learning"]}
        for company in ("nobody", 7):
            Guest(client).ask("/", 400, **{**MADE, "company": company})


def test_who_takes_empty_seats_is_kept_and_older_rooms_are_read() -> None:
    room = Room("ABCDEF", preset("ktv", players=3), Goal("points", 2), company="learning")
    room.join("Ann")
    room.start(0)
    again = read(written(room))
    assert (again.company, again.learning) == ("learning", room.learning)
    assert [one.player for one in again.seats] == ["", LEARNER, LEARNER]
    older = {
        name: value
        for name, value in json.loads(written(room)).items()
        if name not in ("company", "learning")
    }
    assert read(json.dumps(older)).company == "mixed"


def test_each_match_has_random_numbers_of_its_own() -> None:
    room = Room("ABCDEF", preset("ktv", players=2), Goal("rounds", 1), company="learning")
    room.join("Ann")
    seeds = set()
    for _ in range(2):
        room.start(0)
        seeds.add(room.learning)
        while room.round is not None:
            room.act(room.round.turn, deciding.plain_action(room.round), room.step)
    assert len(seeds) == 2


def test_the_policy_takes_the_seat_of_who_leaves() -> None:
    room = Room("ABCDEF", preset("ktv", players=3), Goal("points", 2), company="learning")
    for name in ("Ann", "Bob"):
        room.join(name)
    room.start(0)
    room.leave(1)
    assert [one.player for one in room.seats] == ["", PROGRAM[0], LEARNER]


def test_a_company_that_is_none() -> None:
    with pytest.raises(ZhaifeiError, match="mixed / learning"):
        Room("ABCDEF", preset("ktv", players=2), Goal("points", 2), company="none")  # type: ignore[arg-type]
