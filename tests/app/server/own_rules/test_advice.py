"""Advice, reviews and rooms by rules of one's own, which are called by their name."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.app.server.advice.desk import HAND
from tests.app.server.own_rules.desk import BAR, app_with
from zhaifei.app.pocket.rules_named import rules_named
from zhaifei.app.pocket.rules_tables import name_of
from zhaifei.app.server.advice.known import known
from zhaifei.app.server.asked import LONGEST
from zhaifei.app.server.own_rules import known as known_policies
from zhaifei.app.server.own_rules.known import own_policy
from zhaifei.app.server.own_rules.solving import Solving
from zhaifei.app.server.rooms.room import Goal, Room
from zhaifei.app.server.rooms.seen import seen_from
from zhaifei.app.server.rooms.written import read, written
from zhaifei.app.server.site import ADVICE
from zhaifei.game.bids import action_of, challenge_action, legal_bids, plain_bids
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.catalogue.known import default_path
from zhaifei.policies.players.table_policy import save_policy
from zhaifei.policies.training.solver_run import solved_round, solver_setup

MANY = "zhaifei~doubles=2"

pytestmark = pytest.mark.usefixtures("places")


def ask(path: str, status: int = 200, **question: Any) -> Any:
    with TestClient(app_with(Solving(shared=False))) as client:
        answer = client.post(f"{ADVICE}{path}", json=question)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_without_a_policy_advice_rests_on_the_bids() -> None:
    found = ask("/decision", rules=BAR, players=2, hand=HAND, history=[])
    assert found["ground"]["kind"] not in ("policy", "unreached")
    assert {one["action"] for one in found["actions"]} >= {found["best"], *found["equal"]}


def test_a_policy_that_was_solved_is_known_at_once() -> None:
    rules = rules_named(MANY, 8)
    ended = {"rules": MANY, "players": 8, "opener": 0, "hands": [HAND] * 8, "seat": 0}
    opening = action_of(rules, legal_bids(rules, None)[0])
    ended |= {"history": [opening], "ending": challenge_action(rules)}
    assert "no policy is known" in ask("/review", 400, **ended)["error"]
    policy = solved_round(solver_setup(rules, threads=1), iterations=1)
    save_policy(default_path(rules, make=True), policy)
    found = asyncio.run(own_policy(rules))
    assert found == default_path(rules)
    assert known(found, rules) is not None, "a worker does not stay with what it knew"
    assert asyncio.run(own_policy(preset("zhaifei"))) is None


def test_files_are_read_again_only_after_a_policy_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Rules] = []
    monkeypatch.setattr(known_policies, "known_record", asked.append)
    rules = preset("northern", players=3)
    path = default_path(rules, make=True)
    for _ in range(3):
        assert asyncio.run(own_policy(rules)) is None
    assert asked == [rules]
    path.write_bytes(b"")
    assert asyncio.run(own_policy(rules)) is None
    path.unlink()
    assert asked == [rules, rules]


@pytest.mark.parametrize("name", ["zhaifei~doubles=3", "zhaifei~", f"{BAR}~jump", "../etc"])
def test_what_is_no_name_is_refused_in_one_line(name: str) -> None:
    found = ask("/decision", 400, rules=name, players=2, hand=HAND, history=[])
    assert found == {"error": "the page has no such rules"}


def test_the_longest_round_of_the_longest_name_fits_into_a_question() -> None:
    house = "fei-to-zhai=flat", "zhai-to-fei=double-plus-one", "ones-highest", "five-alike=pure"
    more = "first-count=2", "first-zhai=1", "first-ones=3", "doubles=2-8", "giving-up=forbidden"
    rules = preset("zhaifei", players=8, house=[*house, *more])
    name = name_of(rules)
    every = [*range(len(plain_bids(rules)))]
    question = {"rules": name, "players": 8, "opener": 7, "hands": [HAND] * 8, "history": every}
    whole = {**question, "ending": 9999, "seat": 7, "language": "zh"}
    assert len(json.dumps(whole, separators=(",", ":"))) < LONGEST


def test_rooms_keep_the_rules(tmp_path: Path) -> None:
    room = Room("ABCDEF", rules_named(BAR, 3), Goal("points", 3))
    room.join("Ann")
    assert seen_from(room, 0, ())["rules"] == BAR
    assert read(written(room)).rules == room.rules
