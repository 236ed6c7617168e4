"""Questions for advice over HTTP: what is refused in one line, and how much may be asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx2 as httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.app.server.advice.desk import (
    DECISION,
    HANDS,
    AtOnce,
    answered,
    app_with,
    ended,
    explored,
    lock,
    locked,
)
from zhaifei.app.pocket.rules_tables import every_rules
from zhaifei.app.server.advice.decisions import MOST_SEEN, Decision, Seen, question_of, rounds_of
from zhaifei.app.server.advice.rounds import Ended, played_of
from zhaifei.app.server.advice.routes import ASKS, AT_ONCE
from zhaifei.app.server.asked import LONGEST
from zhaifei.app.server.site import ADVICE
from zhaifei.game.bids import challenge_action, plain_bids
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import preset, preset_name

ROUND = ended("zhaifei", 2, "飞3×6")
CHALLENGE = challenge_action(preset("zhaifei"))

SEEN = {"opener": 1, "hands": [[], HANDS[1]], "history": [36], "ending": CHALLENGE}
"""A round that was seen at a table."""


class Idle(AtOnce):
    """Answers every question with nothing, once it may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        await self.may.wait()
        return {}

    run_behind = run


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(app_with(AtOnce())) as found:
        yield found


def test_how_many_functions_were_compiled_is_told(client: TestClient) -> None:
    assert answered(client, "/compiled", {}) == {"functions": 0}


def is_chinese(line: str) -> bool:
    return any(ord(one) > 0x2E80 for one in line)


def verify_refused(client: TestClient, path: str, question: dict[str, Any]) -> None:
    """The question is refused in one line, in the language that it asks for."""
    lines = set()
    for language in ("en", "zh"):
        answer = client.post(f"{ADVICE}{path}", json={**question, "language": language})
        assert answer.status_code == 400, answer.text
        assert answer.json().keys() == {"error"}
        lines.add(answer.json()["error"])
    assert not any("\n" in line for line in lines)
    assert len(lines) == 2, "both languages say the same"


@pytest.mark.parametrize(
    "fields",
    [
        {"rules": "nonsense"},
        {"rules": "knockout"},
        {"rules": 1},
        {"players": 1},
        {"players": 9},
        {"players": True},
        {"hand": [1, 1, 3, 4]},
        {"hand": [1, 1, 3, 4, 7]},
        {"hand": [1, 1, 3, 4, 10**30]},
        {"hand": "11346"},
        {"hand": [[1], 1, 3, 4, 6]},
        {"history": [-1]},
        {"history": [10**30]},
        {"history": [40, 3]},
        {"history": [CHALLENGE]},
        {"history": [1.5]},
        {"history": None},
        {"others": []},
        {"others": ["policy", "policy"]},
        {"others": ["/etc/passwd"]},
        {"others": [None]},
        {"seen": None},
        {"seen": [[]]},
        {"seen": [{}]},
        {"seen": [{**SEEN, "opener": 2}]},
        {"seen": [{**SEEN, "hands": [HANDS[0]]}]},
        {"seen": [{**SEEN, "hands": [[], HANDS[0][:3]]}]},
        {"seen": [{**SEEN, "history": [40, 3]}]},
        {"seen": [{**SEEN, "ending": CHALLENGE + 1}]},
        {"seen": [{**SEEN, "ending": 10**30}]},
        {"seen": [SEEN] * (MOST_SEEN + 1)},
    ],
)
def test_decisions_that_cannot_be(client: TestClient, fields: dict[str, Any]) -> None:
    verify_refused(client, "/decision", {**DECISION, **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"rules": "nonsense"},
        {"opener": 2},
        {"opener": -1},
        {"seat": 2},
        {"seat": "0"},
        {"hands": HANDS[:1]},
        {"hands": [HANDS[0], []]},
        {"hands": [HANDS[0], HANDS[1][:4]]},
        {"hands": HANDS[0]},
        {"hands": None},
        {"history": []},
        {"history": [40, 3]},
        {"ending": -2},
        {"ending": 40},
        {"ending": CHALLENGE + 1},
        {"ending": 10**30},
    ],
)
def test_rounds_that_cannot_be(client: TestClient, fields: dict[str, Any]) -> None:
    verify_refused(client, "/review", {**ROUND, **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"players": 9},
        {"held": [7]},
        {"held": [1, 1, 1, 1, 1, 1]},
        {"held": "11"},
        {"held": None},
        {"rules": "ktv", "held": [1, 2, 3, 4, 5]},
        {"history": [40, 3]},
        {"history": [CHALLENGE]},
    ],
)
def test_ranges_that_cannot_be(client: TestClient, fields: dict[str, Any]) -> None:
    verify_refused(client, "/range", {**explored("zhaifei", 2, "", ()), **fields})


@pytest.mark.parametrize(
    "locks",
    [
        [],
        None,
        [1],
        [{}],
        [lock("", (), 36, percent=0)],
        [lock("", (), 36, percent=101)],
        [lock("", (), -1)],
        [lock("", (), 10**30)],
        [lock("", (), CHALLENGE)],
        [lock("", (7,), 36)],
        [lock("飞4×6", (), 20)],
        [lock("", (), 36), lock("", (6,), 36)],
        [lock("", (), 36)] * 21,
    ],
)
def test_locks_that_cannot_be(client: TestClient, locks: Any) -> None:
    verify_refused(client, "/lock-file", {"rules": "zhaifei", "players": 2, "locks": locks})
    verify_refused(client, "/locked", locked("飞3×6", locks, "best-response"))


@pytest.mark.parametrize(
    "fields",
    [
        {"answer": "nothing"},
        {"answer": None},
        {"hand": [1, 1]},
        {"rules": "zhaifei", "players": 3},
        {"history": []},
    ],
)
def test_locked_decisions_that_cannot_be(client: TestClient, fields: dict[str, Any]) -> None:
    question = locked("飞3×6", [lock("", (6,), 36)], "best-response")
    verify_refused(client, "/locked", {**question, **fields})


@pytest.mark.parametrize("path", ["/decision", "/locked", "/lock-file", "/range", "/review"])
@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"[" * 2000, b"\xff\xfe", b"{}"])
def test_malformed_questions(client: TestClient, path: str, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post(ADVICE + path, content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json().keys() == {"error"}


@pytest.mark.parametrize("path", ["/decision", "/locked", "/lock-file", "/range", "/review"])
def test_huge_questions_and_other_kinds(client: TestClient, path: str) -> None:
    content = json.dumps(DECISION)
    plain = client.post(ADVICE + path, content=content, headers={"content-type": "text/plain"})
    assert plain.status_code == 400  # as a page of another origin may send it unasked
    assert client.post(ADVICE + path, data={"rules": "zhaifei"}).status_code == 400
    assert client.post(ADVICE + path, json={"rules": "x" * LONGEST}).status_code == 413
    assert client.get(ADVICE + path).status_code == 405


def test_the_longest_round_fits_into_a_question() -> None:
    for rules in every_rules():
        every = [*range(len(plain_bids(rules)))]
        question = ended(str(preset_name(rules)), rules.players, "", history=every, language="zh")
        assert len(json.dumps(question, separators=(",", ":"))) < LONGEST


def test_the_browsers_language_is_spoken_before_the_question_is_read(client: TestClient) -> None:
    answer = client.post(f"{ADVICE}/review", headers={"accept-language": "zh-CN,zh;q=0.9"})
    assert is_chinese(answer.json()["error"])


def test_the_server_offers_advice(client: TestClient) -> None:
    assert client.get("/data/server.json").json()["advice"] is True


def test_an_address_may_ask_so_often() -> None:
    workers = Idle()
    workers.may.set()
    with TestClient(app_with(workers)) as client:
        asked = [client.post(f"{ADVICE}/decision", json=DECISION) for _ in range(int(ASKS[0]) + 2)]
    assert asked[int(ASKS[0]) - 1].status_code == 200
    assert asked[-1].status_code == 429
    assert asked[-1].json() == {"error": "too many questions; try again in a moment"}


def test_an_address_has_a_few_questions_open_at_once() -> None:
    async def ask_often() -> list[int]:
        workers = Idle()
        transport = httpx.ASGITransport(app_with(workers))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            asked = [
                asyncio.ensure_future(client.post(f"{ADVICE}/review", json=ROUND))
                for _ in range(AT_ONCE + 1)
            ]
            (refused,), _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            assert refused.result().status_code == 429
            workers.may.set()
            answers = await asyncio.gather(*asked)
            again = await client.post(f"{ADVICE}/review", json=ROUND)
        return [answer.status_code for answer in (*answers, again)]

    assert sorted(asyncio.run(ask_often())) == [200] * (AT_ONCE + 1) + [429]


WHOLE = st.integers(-3, 300) | st.integers()
LISTS = st.lists(WHOLE, max_size=12).map(tuple)
RULES = st.sampled_from([preset("ktv"), preset("southern", players=3)])
NAMES = st.lists(st.sampled_from(["", "policy", "honest"]) | st.text(max_size=9), max_size=3)


HANDS_OF = st.lists(LISTS, max_size=4).map(tuple)
ROUNDS_SEEN = st.lists(st.builds(Seen, WHOLE, HANDS_OF, LISTS), max_size=2).map(tuple)


@given(st.builds(Decision, RULES, LISTS, LISTS, NAMES.map(tuple), ROUNDS_SEEN))
def test_decisions_are_verified_before_they_are_worked_on(asked: Decision) -> None:
    with suppress(ZhaifeiError):
        assert len(rounds_of(asked)) == len(asked.seen)
    with suppress(ZhaifeiError):
        question = question_of(asked)
        assert question.turn == 0
        assert len(question.hand) == asked.rules.dice


@given(st.builds(Ended, RULES, WHOLE, HANDS_OF, LISTS, WHOLE))
def test_rounds_are_verified_before_they_are_worked_on(asked: Ended) -> None:
    with suppress(ZhaifeiError):
        assert played_of(asked).losses is not None
