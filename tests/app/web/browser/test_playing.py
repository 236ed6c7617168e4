"""A match in a real browser: bids, a hint, reviews with a try, records and their export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.app.web.browser.chromium import LOOKS, PLAYED, Look, Screen, name_of
from tests.app.web.browser.conftest import Visit
from tests.app.web.browser.journeys import (
    begin,
    bid,
    finish,
    hint_shown,
    is_over,
    is_turn,
    open_round,
)

PHONE = LOOKS[0]


@pytest.mark.parametrize("look", PLAYED, ids=str)
def test_a_match_with_hint_review_and_record(visit: Visit, look: Look, tmp_path: Path) -> None:
    screen = visit(look)
    screen.open("/")
    screen.look_at("play-setup")
    begin(screen)
    open_round(screen)
    a_hint_is_shown(screen)
    finish(screen)
    a_decision_is_tried_again(screen)
    screen.tap_said("review of the match")
    screen.connected()
    screen.until(lambda: screen.find(screen.say("export the record")))
    the_match_is_reviewed(screen)
    exported = export(screen, tmp_path)
    assert json.loads(exported.read_text().splitlines()[0])["you"] == 1
    screen.tap_said("Records")
    screen.sees("points or dice left")
    screen.look_at("records")
    screen.tap_at(f'.z-table a[href="review/{exported.name}"]')
    screen.sees("luck and skill")
    screen.tap_said("Play")
    screen.tap_said("new match")
    screen.sees("a new match")


def a_hint_is_shown(screen: Screen) -> None:
    hint_shown(screen)
    screen.look_at("play-hint")


def a_decision_is_tried_again(screen: Screen) -> None:
    """The opening was a blunder: the answer stays hidden until a good one is found or asked for."""
    best = screen.say("probability")
    screen.until(lambda: screen.find(screen.say("try again")))
    assert best not in screen.words
    screen.tap_said("try again")
    bid(screen, "斋", 10, 5)  # as bad, whatever the dice are
    told = screen.say("{action}: {graded}", action="斋10×5", graded="\0")
    screen.until(lambda: told.partition("\0")[0] in screen.words)
    assert best not in screen.words
    screen.look_at("play-retry")
    screen.tap_said("show the answer")
    screen.until(lambda: best in screen.words)
    screen.look_at("play-review")


def the_match_is_reviewed(screen: Screen) -> None:
    screen.sees("luck and skill")
    if screen.find(screen.say("show all answers")) is not None:
        screen.tap_said("show all answers")
    screen.sees("the costliest decisions")
    screen.look_at("review")


def export(screen: Screen, directory: Path) -> Path:
    """Export the record, and return the file."""
    screen.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(directory)}
    )
    screen.tap_said("export the record")
    (record,) = screen.until(lambda: [*directory.glob("*.jsonl")])
    screen.until(lambda: record.read_text().endswith("\n"))
    assert record.name in [one.name for one in screen.served.records()]
    return record


def test_a_tap_on_an_illegal_bid_says_why(visit: Visit) -> None:
    screen = visit(PHONE)
    begin(screen)
    open_round(screen)
    screen.tap_said("count {count}", count=2)
    screen.until(lambda: screen.shown(".q-notification"))
    assert screen.find(screen.say("bid")) is not None, "nothing was chosen"


def test_jump_challenges_with_five_players(visit: Visit) -> None:
    screen = visit(Look("phone", "zh"))
    screen.open("/")
    screen.tap("5")
    screen.tap_said("跳开: bids before the last may be challenged")
    screen.tap_said("start")
    screen.tap_said("at once")
    screen.until(lambda: screen.shown(".z-seat"))
    assert len(screen.shown(".z-seat")) == 5
    screen.until(
        lambda: (
            is_over(screen)
            or screen.say("your turn") in screen.words
            or screen.find(screen.say("hint"))
        )
    )
    screen.look_at("play-five")


def test_language_and_light_are_switched_on_the_page(visit: Visit) -> None:
    screen = visit(PHONE)
    screen.open("/")
    root = "return document.documentElement.lang"
    assert screen.driver.execute_script(root) == "en-US"
    screen.tap("中文")
    screen.until(lambda: screen.driver.execute_script(root) == "zh-CN")
    screen.until(lambda: screen.find("English"))
    assert [one.text for one in screen.driver.find_elements(By.TAG_NAME, "h1")] != []
    dark = "return document.body.classList.contains('body--dark')"
    assert not screen.driver.execute_script(dark)
    screen.tap_at(".z-switches button:last-child")
    screen.until(lambda: screen.driver.execute_script(dark))


def test_a_match_is_begun_by_keyboard(visit: Visit) -> None:
    screen = visit(Look("desktop", "en"))
    screen.open("/")
    focus(screen, "start").send_keys(Keys.ENTER)
    screen.until(lambda: screen.find("at once"))
    focus(screen, "at once").send_keys(Keys.SPACE)
    screen.until(lambda: is_turn(screen))


def focus(screen: Screen, label: str):  # type: ignore[no-untyped-def]
    """Go on by the tabulator until something is in focus."""
    for _ in range(60):
        focused = screen.driver.switch_to.active_element
        if name_of(focused) == label:
            return focused
        focused.send_keys(Keys.TAB)
    raise AssertionError(f"{label} is out of reach")
