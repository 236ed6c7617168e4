"""A room in real browsers: two people and one program play a match, over a reload and a restart."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.app.server.rooms.table import app_with, beside, room_without_bob
from tests.app.server.served_app import app_served
from tests.web.chromium import PICTURES, chromium, programs
from tests.web.visitor import Visitor
from zhaifei.app.server.rooms import room as room_module
from zhaifei.app.server.rooms.store import Store

TITLES = {
    "knockout": {"en": "Knockout", "zh": "淘汰赛"},
    "classic": {"en": "Classic", "zh": "国际玩法"},
}
ASKED = ".cell.legal, .challenges button:enabled"
DECLINE = "[data-action='-1']:enabled"
OVER = ".round-end .main:enabled"
RECORDS = "return JSON.parse(localStorage.getItem('zhaifei.records'))"
GRADES = "return JSON.parse(localStorage.getItem('zhaifei.grades')) ?? {}"
FRIENDS = "return JSON.parse(localStorage.getItem('zhaifei.friends'))"
CUT_OFF = ("/view", "/files.json")
"""What may be asked for while the server goes."""
SEED = 7
SEATED = (
    "return [...document.querySelectorAll('.seat-name span:first-child')].map(e => e.innerText)"
)


@pytest.fixture
def other_browser() -> Iterator[webdriver.Chrome]:
    with chromium(programs()) as found:
        yield found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_match_of_two_people_and_the_program(
    browser: webdriver.Chrome,
    other_browser: webdriver.Chrome,
    tmp_path: Path,
    language: str,
) -> None:
    pictures = Path(os.environ.get(PICTURES) or tmp_path)
    store = tmp_path / "rooms.sqlite"
    with app_served(app_with(store)) as port:
        address = f"http://127.0.0.1:{port}/"
        ann, bob = (Visitor(one, address, pictures) for one in (browser, other_browser))
        for one in (ann, bob):
            one.open(language=language)
        code = open_room(ann, language)
        join(bob, code, language)
        ann.tap(".waiting-room .main")
        play_until_asked(ann, bob)
        ann.look_at("friends-play", language)
        ann.faults += ann.hidden()
        hand = dice(ann)
    ann.until(lambda: ann.find(".status [role=alert]"))  # the server is gone
    ann.picture(f"friends-lost-{language}")
    with app_served(app_with(store), port):
        ann.until(lambda: not ann.find(".status [role=alert]"))
        assert dice(ann) == hand
        ann.open(f"friends/{code}")
        ann.until(lambda: ann.find(ASKED))
        assert dice(ann) == hand
        play_to_the_end(ann, bob)
        ann.look_at("friends-over", language)
        bob.until(lambda: bob.find(".match-over"))
        review_own_decisions(ann, bob, code, language)
        ann.tap(".match-over .main")
        bob.until(lambda: bob.find(".pad"))
        bob.go("friends")
        bob.until(lambda: bob.find(f"a[href='#/friends/{code}']"))
        for one in (ann, bob):
            one.faults += [
                line for line in one.errors() if not any(path in line for path in CUT_OFF)
            ]  # it was restarted
            one.driver.get("about:blank")
    assert [*ann.faults, *bob.faults] == []


@pytest.mark.parametrize(("language", "rules"), [("en", "knockout"), ("zh", "classic")])
def test_a_match_for_dice(
    browser: webdriver.Chrome,
    other_browser: webdriver.Chrome,
    tmp_path: Path,
    language: str,
    rules: str,
) -> None:
    pictures = Path(os.environ.get(PICTURES) or tmp_path)
    with app_served(app_with(tmp_path / "rooms.sqlite")) as port:
        address = f"http://127.0.0.1:{port}/"
        ann, bob = (Visitor(one, address, pictures) for one in (browser, other_browser))
        for one in (ann, bob):
            one.open(language=language)
        code = open_room(ann, language, rules)
        join(bob, code, language)
        ann.tap(".waiting-room .main")
        play_until_asked(ann, bob)
        ann.look_at("friends-dice", language)
        ann.faults += ann.hidden()
        hand = dice(ann)
        ann.open(f"friends/{code}")
        ann.until(lambda: ann.find(ASKED))
        assert dice(ann) == hand
        ann.until(lambda: step(ann) or step(bob, DECLINE) or ann.find(".match-over"))
        bob.until(lambda: bob.find(".match-over"))
        ann.look_at("friends-dice-over", language)
        (own,), (other,) = (one.until(lambda one=one: one.run(RECORDS)) for one in (ann, bob))
        assert own["goal"] == other["goal"] == {"kind": "dice", "number": 5}
        assert sorted(own["points"]) == sorted(other["points"])
        assert sorted(own["points"])[1:] == [5, 5]
        ann.tap(".match-over a.second")
        ann.until(lambda: ann.find(".review-sum b"))
        assert ann.number(".reviewed > li") == own["rounds"]
        for one in (ann, bob):
            one.faults += one.errors()
            one.driver.get("about:blank")
    assert [*ann.faults, *bob.faults] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_who_is_out_watches(
    browser: webdriver.Chrome, other_browser: webdriver.Chrome, tmp_path: Path, language: str
) -> None:
    pictures = Path(os.environ.get(PICTURES) or tmp_path)
    room, secrets = room_without_bob()
    store = Store(tmp_path / "rooms.sqlite")
    store.save(room)
    store.close()
    with app_served(app_with(store.path)) as port:
        address = f"http://127.0.0.1:{port}/"
        ann, bob = (Visitor(one, address, pictures) for one in (browser, other_browser))
        for one, name, secret in zip((ann, bob), ("Ann", "Bob"), secrets, strict=True):
            one.open(language=language)
            kept = {"name": name, "seats": {room.code: secret}}
            one.run("localStorage.setItem('zhaifei.friends', arguments[0])", json.dumps(kept))
            one.open(f"friends/{room.code}")
        bob.until(lambda: bob.find(".round-end [role=status]"))
        assert "Ann" in bob.run("return document.querySelector('.round-end').innerText")
        bob.look_at("friends-out", language)
        ann.tap(OVER)
        bob.until(lambda: bob.find(".watching"))
        bob.look_at("friends-watching", language)
        bob.faults += bob.hidden()
        ann.until(lambda: step(ann) or bob.find(".match-over"))
        for one in (ann, bob):
            one.faults += one.errors()
            one.driver.get("about:blank")
    assert [*ann.faults, *bob.faults] == []


def test_a_round_with_a_player_who_learns(
    browser: webdriver.Chrome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_module, "drawn_seed", lambda: SEED)  # the dice follow from it
    with app_served(app_with(tmp_path / "rooms.sqlite", beside)) as port:
        ann = Visitor(browser, f"http://127.0.0.1:{port}/", tmp_path)
        ann.open("friends", language="en")
        ann.until_rules_are_offered()
        write(ann, ".field input", "Ann")
        ann.tap_text("Knockout")
        ann.until(lambda: ann.number(".choice") == 2)  # nobody learns where dice are lost
        ann.tap_text("Zhaifei")
        ann.tap(".choice-options button", 6)  # eight seats
        ann.tap_text("Players Who Learn")
        ann.until(lambda: ann.says("forget it after the match"))
        ann.look_at("friends-learning", "en")
        ann.tap("form .main")
        ann.until(lambda: ann.says("free, or a player who learns"))
        ann.tap(".waiting-room .main")
        ann.until(lambda: ann.number(".seat-name") == 7)
        ann.until(lambda: ann.run(SEATED) == ["Pupil"] * 7)
        ann.look_at("friends-learners", "en")
        ann.faults += ann.hidden()
        ann.until(lambda: step(ann) or ann.says("Round 2"))
        ann.faults += ann.errors()
        ann.driver.get("about:blank")
    assert ann.faults == []


def review_own_decisions(ann: Visitor, bob: Visitor, code: str, language: str) -> None:
    """Both have the match in their records, each from their own seat, and Ann reviews it."""
    (own,), (other,) = (one.until(lambda one=one: one.run(RECORDS)) for one in (ann, bob))
    assert own["begun"] == other["begun"]
    assert own["seats"][:2] == [None, "@<i>Bob</i>"]
    assert other["seats"] == [None, own["seats"][2], "@Ann"]
    assert len(own["log"]) == len(other["log"]) == own["rounds"]
    for mine, theirs in zip(own["log"], other["log"], strict=True):
        assert [*mine["hands"][1:], mine["hands"][0]] == theirs["hands"]
    ann.tap(".match-over a.second")
    ann.until(lambda: ann.find(".review-sum b"))
    assert ann.number(".reviewed > li") == own["rounds"]
    ann.look_at("friends-review", language)
    ann.until(lambda: own["begun"] in ann.run(GRADES))  # trends and the drill know them too
    ann.open(f"friends/{code}")
    ann.until(lambda: ann.find(".match-over"))
    assert ann.run(RECORDS) == [own]  # once


def open_room(visitor: Visitor, language: str, rules: str = "") -> str:
    """Open a room with three seats by these rules, by default by the usual ones."""
    visitor.tap("a[href='#/friends']")
    visitor.until_rules_are_offered()
    visitor.look_at("friends-open", language)
    write(visitor, ".field input", "Ann")
    visitor.tap(".choice-options button", 1)  # three seats
    if rules:
        visitor.tap_text(TITLES[rules][language])
        visitor.until(lambda: visitor.number(".choice") == 2)  # such matches have one end
        visitor.look_at("friends-open-dice", language)
    visitor.tap("form .main")
    visitor.until(lambda: visitor.find(".qr"))
    assert visitor.number(".sitting li") == 3
    assert len(visitor.run(FRIENDS)["seats"]) == 1  # choosing opened no room
    code: str = visitor.run("return document.querySelector('.room-code b').innerText")
    return code


def join(visitor: Visitor, code: str, language: str) -> None:
    visitor.go(f"friends/{code}")
    visitor.until(lambda: visitor.find(".field input"))
    visitor.look_at("friends-join", language)
    write(visitor, ".field input", "<i>Bob</i>")
    visitor.tap("form .main")
    visitor.until(lambda: visitor.find(".waiting-room"))
    visitor.look_at("friends-wait", language)


def write(visitor: Visitor, css: str, text: str) -> None:
    field = visitor.find(css)
    assert field is not None
    field.clear()
    field.send_keys(text)


def dice(visitor: Visitor) -> str:
    found: str = visitor.run("return document.querySelector('.own .dice').ariaLabel")
    return found


def play_until_asked(ann: Visitor, bob: Visitor) -> None:
    """Let Bob play until Ann is asked, if need be in a later round."""
    ann.until(lambda: ann.find(ASKED) or step(bob) or ann.run(_STEP, OVER))


def play_to_the_end(ann: Visitor, bob: Visitor) -> None:
    ann.until(lambda: step(ann) or step(bob) or ann.find(".match-over"))


def step(visitor: Visitor, *first: str) -> None:
    """Take the `first` action that is there, challenge, open with the lowest bid or go on, if this
    visitor is asked."""
    visitor.run(_STEP, *first, ".challenges .main:enabled", ".cell.legal", OVER)


_STEP = """
const found = [...arguments].map((css) => document.querySelector(css)).find(Boolean);
if (found) { found.click(); setTimeout(() => found.click(), 0); }
"""
"""Taps twice, as impatient people do: the second tap must do nothing."""
