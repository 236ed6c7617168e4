"""What is remembered of visitors when a server is started again."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import socketio

from tests.app.web.browsing import Browser, Page, Served
from tests.app.web.drawn_pages import Answers, DrawnPage, on_page
from tests.app.web.test_play_page import begin, finish, next_round
from tests.command_line import Solved
from zhaifei.app.web import play_page, table_page
from zhaifei.app.web import sessions as module
from zhaifei.app.web.chosen_rules import ChosenRules
from zhaifei.app.web.games import OWN_RULES
from zhaifei.app.web.play_page import seat_of
from zhaifei.app.web.playing import Playing
from zhaifei.app.web.resuming import remember, resumed, setup_of
from zhaifei.app.web.seat import Seat
from zhaifei.app.web.sessions import DAY, Session, Sessions
from zhaifei.app.web.settings import Settings
from zhaifei.app.web.socket_guard import LOAD_ANEW
from zhaifei.app.web.visitor import Server, Visitor, Visitors
from zhaifei.game.bids import Bid, action_of, challenge_action
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import Mode
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import new_record, read_match, write_match

SESSION = Session("zh", True, ("a.jsonl", "b.jsonl"), "b.jsonl", None, None)

SETTINGS = Settings("127.0.0.1", 0, None, None, 1, None)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def files(home: Path) -> list[Path]:
    return [*home.rglob("*.json")]


# Files


def test_a_session_is_found_again_by_its_cookie_only(home: Path) -> None:
    Sessions("here").keep("secret", SESSION)
    assert Sessions("here").find("secret") == SESSION
    assert Sessions("here").find("another") is None
    assert Sessions("elsewhere").find("secret") is None


def test_files_do_not_tell_the_cookie(home: Path) -> None:
    Sessions("here").keep("secret", SESSION)
    (file,) = files(home)
    assert "secret" not in f"{file.name} {file.read_text()}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        "\0",
        '{"language": "en"}',
        json.dumps({**SESSION.__dict__, "language": "xx"}),
        json.dumps({**SESSION.__dict__, "records": [1]}),
        json.dumps({**SESSION.__dict__, "records": None}),
        json.dumps({**SESSION.__dict__, "playing": 3}),
        json.dumps({**SESSION.__dict__, "match_rules": 3}),
        json.dumps({**SESSION.__dict__, "table_rules": ["own"]}),
        json.dumps({**SESSION.__dict__, "more": 3}),
    ],
)
def test_a_damaged_file_is_none(home: Path, text: str) -> None:
    Sessions("here").keep("secret", SESSION)
    (file,) = files(home)
    file.write_text(text)
    assert Sessions("here").find("secret") is None


def test_old_sessions_are_forgotten(home: Path) -> None:
    Sessions("here").keep("secret", SESSION)
    (file,) = files(home)
    os.utime(file, (0, 0))
    assert Sessions("here").find("secret") is None
    Sessions("here").keep("another", SESSION)
    assert len(files(home)) == 1


def test_those_who_needed_a_token_are_forgotten_sooner(home: Path) -> None:
    Sessions("here").keep("secret", SESSION)
    (file,) = files(home)
    then = file.stat().st_mtime - 2 * DAY
    os.utime(file, (then, then))
    assert Sessions("here", DAY).find("secret") is None
    assert Sessions("here").find("secret") == SESSION
    assert Sessions("here", DAY).find("secret") == SESSION, "the visitor has come again"


def test_only_so_many_are_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_KEPT", 3)
    for number in range(6):
        Sessions("here").keep(str(number), SESSION)
        for place, file in enumerate(files(home)):
            assert place < 3, file
    assert Sessions("here").find("5") == SESSION


def test_where_nothing_can_be_written_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    Sessions("here").keep("secret", SESSION)
    assert Sessions("here").find("secret") is None


# Rules that were chosen


def came_again(visitor: Visitor) -> Visitor | None:
    """The visitor after the server was started again."""
    return Visitors(Server(visitor.server.settings, Answers({}), Sessions("here")), "en").find(
        visitor.secret
    )


def at_home(settings: Settings = SETTINGS) -> Visitor:
    return Visitor(Server(settings, Answers({}), Sessions("here")), "en")


async def choose_own(page: DrawnPage) -> None:
    for tap in ("count first_zhai 2", "choose fei_to_zhai 1", "choose doubles 2"):
        await page.tap(tap)


def test_rules_that_were_chosen_for_a_match_are_found_again() -> None:
    visitor = at_home()
    seat_of(visitor).choices.game = OWN_RULES
    on_page(play_page.show, "/", choose_own, visitor)
    again = came_again(visitor)
    assert again is not None
    rules = Rules.of(first_zhai=2, fei_to_zhai="flat", doubled=(2, 4))
    assert seat_of(again).chosen_rules() == rules

    async def same(page: DrawnPage) -> None:
        assert "choose giving_up 0" in page.offered
        await page.tap("choose doubles 0")

    on_page(play_page.show, "/", same, again)
    third = came_again(again)
    assert third is not None
    assert seat_of(third).chosen_rules() == rules.changed(doubled=())


def test_rules_that_were_chosen_for_a_table_are_found_again() -> None:
    visitor = at_home()

    async def choose(page: DrawnPage) -> None:
        for tap in ("players 3", "game southern"):
            await page.tap(tap)

    on_page(table_page.show, "/table", choose, visitor)
    again = came_again(visitor)
    assert again is not None
    seat_of(again)  # the other page leaves the rules of this one
    third = came_again(again)
    assert third is not None
    assert setup_of(third).table().rules == preset("southern", players=3)
    assert seat_of(third).chosen_rules() == Rules()


def test_who_chose_nothing_leaves_no_file(home: Path) -> None:
    async def look(page: DrawnPage) -> None:
        assert "rules" in page.words

    visitor = at_home()
    for show in (play_page.show, table_page.show):
        on_page(show, "/", look, visitor)
    assert files(home) == []
    assert came_again(visitor) is None


def test_who_came_in_with_the_token_is_known_after_a_restart(home: Path) -> None:
    """Their room goes on in the front end, which keeps nothing in the session."""
    settings = replace(SETTINGS, token="a-token")
    server = Server(settings, Answers({}), Sessions("here"))
    entered = Visitors(server, "en").welcome("zh")
    assert entered is not None
    again = came_again(entered)
    assert again is not None
    assert again.language == "zh"


def test_the_rules_of_a_named_policy_are_chosen_whatever_was_chosen_before() -> None:
    visitor = at_home()
    seat_of(visitor).choices.game = "ktv"
    remember(visitor, seat_of(visitor))
    named = replace(SETTINGS, rules=preset("southern"), policy=Path("mine"))
    visitor.server.settings = named
    again = came_again(visitor)
    assert again is not None
    assert seat_of(again).chosen_rules() == preset("southern")
    visitor.server.settings = SETTINGS
    third = came_again(visitor)
    assert third is not None
    assert seat_of(third).chosen_rules() == preset("ktv")


@pytest.mark.parametrize("doubled", [(2, 4), (2, 8)], ids=["chosen", "chosen anew"])
def test_a_match_that_is_taken_up_leaves_the_rules_that_made_it(doubled: tuple[int, ...]) -> None:
    """Rules of a match that were not chosen are those of a named game, the nearest."""
    visitor = at_home()
    seat = seat_of(visitor)
    seat.choices.game = OWN_RULES
    seat.choices.answers.chosen["doubles"] = ("doubles=2-4",)
    playing = seat.playing = Playing(Rules.of(doubled=doubled), 3, "honest")
    playing.record(None)
    playing.next_round()
    playing._take(action_of(playing.rules, Bid(Mode.FEI, 3, 2)))
    playing._take(challenge_action(playing.rules))
    seat.changed()
    playing.close()
    again = came_again(visitor)
    assert again is not None

    async def take_up(again: Visitor) -> Seat:
        return seat_of(again)

    found = asyncio.run(take_up(again))
    assert found.playing is not None
    assert found.playing.rules == playing.rules
    assert (found.choices.game == OWN_RULES) == (doubled == (2, 4))
    found.close()


@pytest.mark.parametrize(
    "changed",
    [
        {"game": "chess"},
        {"game": []},
        {"players": 9},
        {"players": "2"},
        {"jump_challenge": 1},
        {"counts": []},
        {"counts": {"first_count": 0}},
        {"counts": {"first_count": 11}},
        {"counts": {"first_count": True}},
        {"counts": {"dice": 3}},
        {"chosen": {"doubles": ["doubles=9-9-9-9"]}},
        {"chosen": {"doubles": 3}},
        {"chosen": {"doubles": [[]]}},
    ],
)
def test_rules_that_cannot_be_chosen_are_not_taken_up(changed: dict[str, object]) -> None:
    kept = {**ChosenRules("own").kept(), **changed}
    chosen = ChosenRules()
    chosen.take_up(kept)
    assert chosen == ChosenRules()
    chosen.take_up(ChosenRules("own").kept())
    assert chosen.game == "own"


# Matches

ENDED = "2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n先手1: f1x2 f1x3 c; me=1: 3; 2: 2\n"


def test_a_match_for_dice_is_taken_up_with_the_dice_left() -> None:
    rules = preset("knockout", players=2, dice=2)
    first = Playing(rules, 3, "honest")
    first.record(None)
    for _ in range(2):
        first.next_round()
        first._take(action_of(rules, Bid(Mode.FEI, 1, 2)))
        first._take(challenge_action(rules))
    assert first.recorder is not None
    first.close()
    playing, begun = resumed(first.recorder.path)
    assert not begun
    assert tuple(playing.rounds) == tuple(first.rounds)
    assert (playing.match.score, playing.match.starter) == (first.match.score, first.match.starter)
    assert sum(playing.match.score) == 2
    assert playing.match.is_over == first.match.is_over
    playing.close()


@pytest.mark.parametrize("more", ["", "先手2: f1x2 f1x3; me=1: 3; 2: 2\n"], ids=["ended", "begun"])
def test_a_match_is_taken_up_after_its_last_round(more: str) -> None:
    path, match = new_record(), parse_rounds(ENDED + more)
    write_match(path, match)
    playing, begun = resumed(path)
    assert begun == bool(more)
    assert tuple(playing.rounds) == match.rounds[:2]
    assert playing.match.score == match.score
    assert playing.match.played == 2
    loser = match.rounds[1].loser
    assert playing.match.starter == (1 if more else loser)
    playing.next_round()
    assert playing.number == 3
    playing.close()
    (again,) = path.parent.glob("*.jsonl")
    assert again == path
    assert read_match(path).rounds[:2] == match.rounds[:2]
    assert len(read_match(path).rounds) == 3


@pytest.mark.parametrize(
    "rounds",
    ["2人 1骰 3面 先手1: f1x2 c; me=1: 1; loser 2\n", "2人 1骰 3面 先手1: f1x2 c; 1: 1; 2: 2\n"],
    ids=["dice unknown", "nobody played"],
)
def test_a_match_that_is_not_whole_is_left_alone(rounds: str) -> None:
    path = new_record()
    write_match(path, parse_rounds(rounds))
    before = path.read_bytes()
    with pytest.raises(ZhaifeiError):
        resumed(path)
    assert path.read_bytes() == before
    assert [*path.parent.glob("*.jsonl")] == [path]


def test_the_dice_of_the_round_in_progress_are_others() -> None:
    """Whoever reads the record of a match in progress learns nothing of the dice to come."""
    playing = Playing(preset("zhaifei", players=3), 3, "honest")
    playing.record(None)
    playing.next_round()
    assert playing.recorder is not None
    assert playing.match.round is not None
    before = [tuple(hand) for hand in playing.match.round.hands]
    path = playing.recorder.path
    playing.recorder._decided = True  # so that the record stays
    playing.close()
    again, _ = resumed(path)
    again.next_round()
    assert again.seed > 2**64, "nobody can try all seeds"
    assert again.match.round is not None
    assert [tuple(hand) for hand in again.match.round.hands] != before
    again.close()


# The server


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_after_a_restart_a_page_is_loaded_anew_and_the_match_is_there(
    one_die: Solved, home: Path, number: signal.Signals
) -> None:
    def points(page: Page) -> list[str]:
        return sorted(line for line in page.words.splitlines() if re.search(r" · \d+$", line))

    async def before(first: Served, browser: Browser) -> tuple[Page, list[str]]:
        async with browser.page() as page:
            await begin(page)
            await finish(page)
            await next_round(page)
            shown = points(page)
            await asyncio.to_thread(first.send, number)
        return page, shown

    async def after(browser: Browser, old: Page, shown: list[str]) -> None:
        errors: list[dict[str, str]] = []
        old.socket.on("connect_error", errors.append)
        with pytest.raises(socketio.exceptions.ConnectionError):
            await old.connect()
        assert errors[0]["message"] == LOAD_ANEW
        async with browser.page() as page:
            await page.sees("round 2", "rolled anew")
            assert points(page) == shown

    async def run() -> None:
        with Served("--policy", one_die.policy, data=home) as first:
            async with Browser(first.address) as browser:
                old, shown = await before(first, browser)
                port = first.address.rpartition(":")[2]
                with Served("--policy", one_die.policy, "--port", port, data=home):
                    await after(browser, old, shown)

    asyncio.run(run())
