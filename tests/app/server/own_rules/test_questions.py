"""Questions for the rules of a bar over HTTP: what is asked, what it leads to, what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.app.server.own_rules.desk import ANSWERS, BAR, answered, app_with
from zhaifei.app.pocket.rules_tables import PLAYERS
from zhaifei.app.server.asked import LONGEST
from zhaifei.app.server.own_rules.questions import answers_of, asked
from zhaifei.app.server.own_rules.routes import ASKS
from zhaifei.app.server.own_rules.solving import Solving
from zhaifei.app.server.site import OWN
from zhaifei.game.errors import ZhaifeiError


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(app_with(Solving(shared=False))) as found:
        yield found


def ask(client: TestClient, players: int = 2, language: str = "en", **given: Any) -> Any:
    fields = {"counts": {}, "chosen": {}, **given}
    return answered(client, "/questions", players=players, language=language, **fields)


def test_without_answers_the_usual_rules_are_told(client: TestClient) -> None:
    found = ask(client)
    assert (found["rules"], found["is_preset"], found["wrong"]) == ("zhaifei", True, None)
    assert [one["given"] for one in found["counts"]] == [3, 3, 3]
    assert [one["name"] for one in found["questions"]][-1] == "doubles"
    assert found["questions"][0]["given"] == [found["questions"][0]["options"][0]["value"]]
    assert len(found["told"]) > 4


def test_answers_lead_to_the_rules_of_a_bar(client: TestClient) -> None:
    found = ask(client, chosen=ANSWERS)
    assert (found["rules"], found["is_preset"]) == (BAR, False)
    assert found["sizes"] == [*PLAYERS]
    assert any("劈" in line for line in found["told"])
    assert found["questions"][-1]["name"] == "giving_up", "劈 leads to a further question"


def test_questions_are_in_the_language_that_is_asked_for(client: TestClient) -> None:
    english, chinese = (ask(client, 3, language) for language in ("en", "zh"))
    assert english["rules"] == chinese["rules"]
    for name in ("counts", "questions"):
        texts = [[one["asked"] for one in found[name]] for found in (english, chinese)]
        assert not {*texts[0]} & {*texts[1]}


def test_rules_with_counts_are_for_one_number_of_players(client: TestClient) -> None:
    found = ask(client, 3, counts={"first_count": 3})
    assert (found["rules"], found["sizes"]) == ("zhaifei~first-count=3", [3])
    assert [one["given"] for one in found["counts"]] == [3, 3, 3], "others begin as 飞 does"


def test_among_three_earlier_bids_may_be_challenged_instead_of_doubled(client: TestClient) -> None:
    found = ask(client, 3, chosen={"jump": ["jump"]})
    assert found["rules"] == "zhaifei~jump"
    assert found["questions"][-1]["name"] == "jump"


def test_answers_that_contradict_each_other_are_told_in_one_line(client: TestClient) -> None:
    circle = {"fei_to_zhai": ["fei-to-zhai=half"], "zhai_to_fei": ["zhai-to-fei=plus-two"]}
    found = ask(client, chosen=circle)
    assert found["rules"] is None
    assert "go round for ever" in found["wrong"]
    assert "\n" not in found["wrong"]


@pytest.mark.parametrize(
    "fields",
    [
        {"players": 1},
        {"players": 9},
        {"players": "2"},
        {"players": None},
        {"counts": None},
        {"counts": []},
        {"counts": {"first_count": 0}},
        {"counts": {"first_count": 11}},
        {"counts": {"first_count": True}},
        {"counts": {"first_count": "3"}},
        {"counts": {"none": 1}},
        {"chosen": []},
        {"chosen": {"doubles": "doubles=2"}},
        {"chosen": {"doubles": ["doubles=16"]}},
        {"chosen": {"doubles": [None]}},
        {"chosen": {"doubles": []}},
        {"chosen": {"doubles": ["doubles=2", "doubles=2-4"]}},
        {"chosen": {"hands": ["straight=by-wish"]}},
        {"chosen": {"fei_to_zhai": ["../etc/passwd"]}},
    ],
)
def test_answers_that_cannot_be(client: TestClient, fields: dict[str, Any]) -> None:
    question = {"players": 2, "counts": {}, "chosen": {}, **fields}
    lines = set()
    for language in ("en", "zh"):
        answer = client.post(f"{OWN}/questions", json={**question, "language": language})
        assert answer.status_code == 400, answer.text
        assert answer.json().keys() == {"error"}
        lines.add(answer.json()["error"])
    assert not any("\n" in line for line in lines)
    assert len(lines) == 2, "both languages say the same"


@pytest.mark.parametrize("path", ["/questions", "/solving", "/solve", "/stop"])
@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 2000, b"\xff\xfe", b"{}"])
def test_malformed_questions(client: TestClient, path: str, body: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post(OWN + path, content=body, headers=headers)
    assert answer.status_code == 400
    assert answer.json().keys() == {"error"}


@pytest.mark.parametrize("path", ["/questions", "/solving", "/solve", "/stop"])
def test_huge_questions_and_other_kinds(client: TestClient, path: str) -> None:
    content = json.dumps({"rules": BAR, "players": 2})
    plain = client.post(OWN + path, content=content, headers={"content-type": "text/plain"})
    assert plain.status_code == 400  # as a page of another origin may send it unasked
    assert client.post(OWN + path, json={"rules": "x" * LONGEST}).status_code == 413
    assert client.get(OWN + path).status_code == 405


def test_an_address_may_ask_so_often(client: TestClient) -> None:
    question = {"players": 2, "counts": {}, "chosen": {}}
    limit = int(ASKS[0])
    asked = [client.post(f"{OWN}/questions", json=question) for _ in range(limit + 9)]
    assert asked[limit - 1].status_code == 200
    assert 429 in {answer.status_code for answer in asked[limit:]}


def test_the_server_offers_own_rules(client: TestClient) -> None:
    assert client.get("/data/server.json").json()["own"] is True


NAMES = st.sampled_from(["fei_to_zhai", "ones", "hands", "jump", "doubles"]) | st.text(max_size=5)
VALUES = st.sampled_from(["", "jump", "doubles=2", "five-alike"]) | st.text(max_size=9) | st.none()
CHOSEN = st.dictionaries(NAMES, st.lists(VALUES, max_size=3) | VALUES, max_size=4)
COUNTS = st.dictionaries(st.sampled_from(["first_count", "first_ones", "x"]), st.integers(-1, 50))


@given(st.integers(0, 10), COUNTS | st.none(), CHOSEN | st.none())
def test_any_answers_are_refused_or_lead_to_rules(
    players: int, counts: object, chosen: object
) -> None:
    with suppress(ZhaifeiError):
        found = asked(answers_of(players, counts, chosen))
        assert (found["rules"] is None) == (found["wrong"] is not None)
