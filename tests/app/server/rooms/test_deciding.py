"""The program's players: they exist for all rules of rooms, and a match goes on without them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from zhaifei.app.pocket.rules_tables import every_rules
from zhaifei.app.server.rooms import rooms as live_rooms
from zhaifei.app.server.rooms.deciding import decide, plain_action
from zhaifei.app.server.rooms.room import PROGRAM, Goal
from zhaifei.app.server.rooms.rooms import Rooms
from zhaifei.app.server.rooms.store import Store
from zhaifei.game.bids import challenge_action, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rounds import Round
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.names import player_names
from zhaifei.policies.play.playing import only_choice


def test_every_player_but_the_policy_is_known_by_name() -> None:
    for rules in every_rules():
        assert {*PROGRAM[1:]} <= {*player_names(rules)}


def test_a_decision_is_legal() -> None:
    round_ = Round(preset("zhaifei", players=3), [(1, 2, 3, 4, 5)] * 3)
    round_.take(decide("conservative", round_.view(), 7))


def test_who_can_only_challenge_is_not_asked() -> None:
    rules = preset("zhaifei", players=2)
    round_ = Round(rules, [(1, 2, 3, 4, 5)] * 2)
    assert only_choice(round_) is None
    assert domain(rules)[plain_action(round_)] == round_.legal_bids()[0]
    round_.bid(round_.legal_bids()[-1])
    assert only_choice(round_) == plain_action(round_) == challenge_action(rules)


async def refuses(*_: object) -> int:
    raise ZhaifeiError("too many questions are waiting; try again in a moment")


async def never(*_: object) -> int:
    await asyncio.sleep(3600)
    return 0


async def illegal(*_: object) -> int:
    return 0


@pytest.mark.parametrize("run", [refuses, never, illegal])
def test_a_match_goes_on_without_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.setattr(live_rooms, "LONGEST_THOUGHT", 0.01)

    async def meet() -> None:
        rooms = Rooms(Store(tmp_path / "rooms.sqlite"), run, thinks=0.0)
        code, ann = rooms.make(preset("zhaifei", players=8), Goal("rounds", 9), "Ann")
        rooms.act(code, ann, "start", -1, 0)
        seen = await rooms.see(code, ann, -1)
        while not (history := seen["match"]["history"]) and seen["match"]["opener"] != 0:
            seen = await rooms.see(code, ann, seen["version"])
        assert len(history) <= 1
        rooms.close()

    asyncio.run(meet())
