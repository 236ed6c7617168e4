"""Rules of one's own bar in a real browser: by taps to advice, solved, kept, and offline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver

from tests.app.server.own_rules.desk import BAR, app_with, brief
from tests.app.server.served_app import app_served
from tests.web.guests import visiting
from tests.web.visitor import Visitor
from zhaifei.app.server.own_rules.solving import Solving
from zhaifei.game.rules import preset
from zhaifei.policies.catalogue.known import known_record

LINK = {"en": "Rules of Your Bar", "zh": "你们的规矩"}
MOST_TAPS = 10
FLAT, DOUBLE, DOUBLES = "fei_to_zhai", "zhai_to_fei", "doubles"
KEPT = "return JSON.parse(localStorage.getItem('zhaifei.own'))"
MATCH = "return JSON.parse(localStorage.getItem('zhaifei.match'))"

pytestmark = pytest.mark.usefixtures("places")


class Guest(Visitor):
    """A visitor who counts taps."""

    taps = 0

    def tap(self, css: str, place: int = 0) -> None:
        super().tap(css, place)
        self.taps += 1

    def answer(self, question: str, place: int) -> None:
        """Tap the answer at a place to a question, which is there after those before it."""
        self.tap(f"#{question} button:nth-of-type({place})")
        chosen = f"#{question} button:nth-of-type({place})[aria-pressed=true]"
        self.until(lambda: self.find(chosen))

    def taps_the_bar(self) -> None:
        """Answer that the bar plays flat 斋, double back, with 劈."""
        self.answer(FLAT, 2)
        self.answer(DOUBLE, 2)
        self.answer(DOUBLES, 2)
        self.until(lambda: self.find("#giving_up"))


@pytest.fixture
def guest(browser: webdriver.Chrome, tmp_path: Path) -> Iterator[Guest]:
    """Somebody who opens the page of a server; in the end no script has failed."""
    app = app_with(Solving(shared=False, command=brief))
    with visiting(Guest, browser, app, tmp_path) as guest:
        yield guest


@pytest.mark.parametrize("language", ["en", "zh"])
def test_by_ten_taps_from_a_bars_rules_to_advice_for_a_hand(guest: Guest, language: str) -> None:
    guest.open(language=language)
    guest.tap(".start-links a")
    guest.tap(".own-link")
    guest.taps_the_bar()
    guest.look_at("own", language)
    guest.tap(".stuck .main")
    guest.until(lambda: guest.find(".opponents"))
    guest.tap(".stuck .main")
    guest.until(guest.until_asked)
    guest.tap(".hint")
    guest.until(lambda: guest.find(".hint-line"))
    assert guest.taps <= MOST_TAPS
    assert guest.run(MATCH)["rules"] == BAR
    assert [one["name"] for one in guest.run(KEPT)] == [BAR]


def test_the_rules_are_there_wherever_presets_are(guest: Guest) -> None:
    guest.open(language="en")
    guest.go("own/table/4")
    guest.until(lambda: guest.find(f"#{FLAT}"))
    guest.taps_the_bar()
    guest.until(lambda: guest.find("input"))
    guest.run("const one = document.querySelector('input'); one.focus(); one.select()")
    guest.driver.switch_to.active_element.send_keys("斋楼")
    guest.tap(".stuck .main")
    guest.until(lambda: guest.run("return location.hash") == "#/table")
    for screen in ("table", "new", f"rules/{BAR}/4", "friends"):
        guest.open(screen)
        guest.until(lambda: guest.says("斋楼"))
    assert guest.run("return JSON.parse(localStorage.getItem('zhaifei.table')).rules") == BAR


def test_a_room_has_as_many_seats_as_the_rules_are_for(guest: Guest) -> None:
    guest.open(language="en")
    guest.go("own/new/3")
    guest.until(lambda: guest.find(f"#{FLAT}"))
    guest.tap("[aria-label='The first bid of a round, as 飞, at least'] button", 1)
    guest.until(lambda: guest.find("input"))
    guest.tap(".stuck .main")
    guest.until(lambda: guest.find(".opponents"))
    (own,) = guest.run(KEPT)
    assert (own["name"], own["sizes"]) == ("zhaifei~first-count=3", [3])
    guest.open("friends")
    chosen = "return document.querySelector('[aria-label=Seats] [aria-pressed=true]')?.innerText"
    guest.until(lambda: guest.run(chosen) == "3")


def test_contradictions_and_presets_are_told(guest: Guest) -> None:
    guest.open(language="en")
    guest.go("own/new/2")
    guest.answer(FLAT, 4)
    guest.answer(DOUBLE, 4)
    guest.until(lambda: guest.find("[role=alert]"))
    assert "go round for ever" in guest.run("return document.body.innerText")
    assert guest.find(".stuck .main:disabled")
    guest.answer(FLAT, 1)
    guest.answer(DOUBLE, 1)
    guest.until(lambda: guest.says("the rules Zhaifei"))
    guest.tap(".stuck .main")
    guest.until(lambda: guest.find(".opponents"))
    assert guest.run(KEPT) is None, "a preset needs no other name"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_rules_are_solved_and_the_policy_is_used_at_once(guest: Guest, language: str) -> None:
    guest.open(language=language)
    guest.go("own/explore/8")
    guest.answer(DOUBLES, 2)
    guest.until(lambda: guest.find(".solution button"))
    guest.look_at("own-unsolved", language)
    guest.tap(".solution button")
    guest.until(lambda: not guest.find(".solution button, progress"))
    guest.look_at("own-solved", language)
    guest.tap(".stuck .main")
    guest.until(lambda: guest.find(".hand-cells"))
    (own,) = guest.run(KEPT)
    assert (own["name"], own["solved"]) == ("zhaifei~doubles=2", [8])
    guest.look_at("own-explored", language)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_preset_without_a_policy_is_solved(guest: Guest, language: str) -> None:
    guest.open("rules/zhaifei/8", language=language)
    guest.driver.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
    guest.until(lambda: guest.run("return navigator.serviceWorker.controller !== null"))
    assert guest.find(".solution") is None  # it comes with a policy
    assert hardest(guest, "zhaifei")
    assert not hardest(guest, "ktv")
    guest.open("rules/ktv/8")
    guest.until(lambda: guest.find(".solution button"))
    guest.look_at("preset-unsolved", language)
    guest.tap(".solution button")
    guest.until(lambda: not guest.find(".solution button, progress"))
    guest.look_at("preset-solved", language)
    assert hardest(guest, "ktv")
    guest.open("explore/ktv/8")  # also as a page of its own, past what the service worker keeps
    guest.until(lambda: guest.find(".hand-cells"))
    record = known_record(preset("ktv", players=8))
    assert record is not None, "query finds it too"


def hardest(guest: Guest, rules: str) -> bool:
    """Return whether a new match by these rules for eight promises a strong opponent."""
    seats = [None, *["policy"] * 7]
    setup = {"rules": rules, "seats": seats, "goal": {"kind": "points", "number": 3}}
    guest.run("localStorage.setItem('zhaifei.setup', arguments[0])", json.dumps(setup))
    guest.open("new")
    guest.until_rules_are_offered()
    told = guest.run("return document.querySelector('.opponent').innerText")
    return "hardest" in told or "最难" in told


def test_rules_are_changed_and_deleted(guest: Guest) -> None:
    guest.open(language="en")
    guest.go("own/new/3")
    guest.until(lambda: guest.find(f"#{FLAT}"))
    guest.taps_the_bar()
    guest.tap(".stuck .main")
    guest.tap(".own-link")
    guest.until(lambda: guest.find(".others [aria-current]:last-child"))
    guest.look_at("own-kept", "en")
    guest.answer(DOUBLES, 1)
    guest.until(lambda: not guest.find("#giving_up"))
    guest.tap(".stuck .main")
    guest.until(lambda: guest.find(".opponents"))
    assert [one["name"] for one in guest.run(KEPT)] == [BAR.removesuffix("~doubles=2")]
    guest.tap(".own-link")
    guest.run("globalThis.confirm = () => true")
    guest.tap(".foot .plain")
    guest.until(lambda: guest.run(KEPT) == [])


def test_rules_that_were_loaded_play_on_without_the_server(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    with app_served(app_with(Solving(shared=False))) as port:
        guest = Guest(browser, f"http://127.0.0.1:{port}/", tmp_path)
        guest.open(language="en")
        browser.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
        guest.until(lambda: guest.run("return navigator.serviceWorker.controller !== null"))
        guest.go("own/new/3")
        guest.until(lambda: guest.find(f"#{FLAT}"))
        guest.taps_the_bar()
        guest.tap(".stuck .main")
        guest.until(lambda: guest.find(".opponents"))
        guest.tap(".stuck .main")
        guest.until(lambda: guest.find(".ring"))
    guest.open("play")
    guest.until(guest.until_asked)
    guest.play_round()
    guest.open("new")
    guest.until(lambda: guest.says("Our Bar"))
    assert guest.errors() == []
    guest.driver.get("about:blank")


def test_damaged_and_hostile_entries_count_for_nothing(guest: Guest) -> None:
    guest.open(language="en")
    for own in ([1], [{"name": BAR}], {"name": BAR}, "x"):
        guest.run("localStorage.setItem('zhaifei.own', arguments[0])", json.dumps(own))
        guest.open("new")
        guest.until_rules_are_offered()
    title = "<img src=x onerror=alert(1)>"
    own = {"name": BAR, "title": title, "sizes": [2], "solved": []}
    own["answers"] = {"players": 2, "counts": {}, "chosen": {}}
    guest.run("localStorage.setItem('zhaifei.own', arguments[0])", json.dumps([own]))
    guest.open("new")
    guest.until(lambda: guest.says(title))


def test_a_static_site_asks_for_no_rules(visitor: Visitor) -> None:
    visitor.open(language="en")
    visitor.go("new")
    visitor.until_rules_are_offered()
    assert not visitor.says(LINK["en"])
    visitor.go("own/new/2")
    visitor.until(lambda: visitor.says("Only a server"))
