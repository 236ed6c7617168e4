"""Matches for dice in a real browser: played offline to the end, and seen by many on a phone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from selenium import webdriver

from tests.web.conftest import serving
from tests.web.visitor import Visitor

MATCH = "return JSON.parse(localStorage.getItem('zhaifei.match'))"
ROUNDS = f"{MATCH}?.results.length"
"""How many rounds of the match are over."""
DECLINE = "[data-action='-1']:enabled"
BEGUN = "2026-01-02T03:04:05.000Z"
DICE = {"kind": "dice", "number": 5}
REVIEWED = {
    "begun": BEGUN,
    "rules": "knockout",
    "seats": [None, "policy", "honest"],
    "goal": DICE,
    "points": [4, 5, 5],
    "rounds": 2,
    "log": [
        {"opener": 1, "hands": [[2, 3], [4], [5]], "history": [4, -1, -1, 9], "ending": 20},
        {"opener": 0, "hands": [[3], [], [2]], "history": [6], "ending": 10},
    ],
}
"""The last rounds of a match in which you let a bid stand, then open with two threes."""


def sit_down(visitor: Visitor, rules: int, players: int) -> None:
    """Begin a match by the rules at this place of the list."""
    visitor.go("new")
    visitor.until_rules_are_offered()
    visitor.tap(".choice:nth-of-type(3) button", rules)
    visitor.tap(".choice:first-of-type button", players - 2)
    visitor.tap(".stuck .main")
    visitor.until(lambda: visitor.find(".ring"))


def decide(visitor: Visitor) -> None:
    """Let a bid stand if asked to, challenge what is left, or open with the lowest bid."""
    before = visitor.run(MATCH)
    ways = DECLINE, ".challenges .main:enabled", ".cell.legal"
    visitor.tap(next(one for one in ways if visitor.find(one)))
    visitor.until(lambda: visitor.run(MATCH) != before)


def go_on(visitor: Visitor) -> None:
    """Go on to the next round, or skip the rest of the match once you are out."""
    over, skip = visitor.run(ROUNDS), ".ways .second:enabled"
    visitor.tap(skip if visitor.find(skip) else ".ways .main:enabled")
    # Once you are out, ways are shown in the next round, too.
    visitor.until(lambda: not visitor.find(".ways") or visitor.run(ROUNDS) != over)


def test_a_whole_match_offline(browser: webdriver.Chrome, site: Path, tmp_path: Path) -> None:
    with serving(site) as address:
        visitor = Visitor(browser, address, tmp_path)
        visitor.open(language="en")
        browser.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
        visitor.until(lambda: visitor.run("return navigator.serviceWorker.controller !== null"))
        sit_down(visitor, 4, 3)
    asked = False
    shown = f"{DECLINE}, .challenges .main:enabled, .cell.legal, .ways button:enabled"
    while not visitor.find(".match-over"):
        visitor.until(lambda: visitor.find(shown))
        if visitor.find(".match-over"):
            break
        if visitor.find(".ways"):
            go_on(visitor)
        else:
            asked = asked or bool(visitor.find(DECLINE))
            decide(visitor)
    assert asked
    (record,) = json.loads(visitor.run("return localStorage.getItem('zhaifei.records')"))
    assert record["goal"] == DICE
    assert sorted(record["points"])[1:] == [5, 5]
    assert len(record["log"]) == record["rounds"] == sum(record["points"])
    assert visitor.errors() == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_many_at_the_table(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    sit_down(visitor, 4, 8)
    visitor.until(lambda: visitor.find(f"{DECLINE}, .cell.legal, .round-end"))
    if visitor.find(".cell.legal"):
        decide(visitor)
        visitor.until(lambda: visitor.find(f"{DECLINE}, .round-end"))
    if visitor.find(DECLINE):
        visitor.tap(".hint")
        visitor.until(lambda: visitor.find(".hint-line"))
        assert visitor.hidden() == []
        visitor.look_at("dice-asked", language)
    leave(visitor)
    visitor.until(lambda: visitor.find(".watching"))
    assert visitor.hidden() == []
    visitor.look_at("dice-watching", language)
    visitor.tap(".watching .second")
    visitor.until(lambda: visitor.find(".match-over"))
    assert visitor.hidden() == []
    visitor.look_at("dice-over", language)
    (record,) = json.loads(visitor.run("return localStorage.getItem('zhaifei.records')"))
    assert sorted(record["points"])[1:] == [5] * 7


def leave(visitor: Visitor) -> None:
    """Go on with a match in which you are out. On another screen nobody moves meanwhile."""
    visitor.go("records")
    visitor.until(lambda: visitor.find(".empty"))
    match = visitor.run(MATCH)
    hands = [[], *([1, 3, 3] for _ in match["hands"][1:])]
    gone = {"hands": hands, "points": [5, *[2] * 7], "history": [], "ending": None, "opener": 1}
    kept = json.dumps({**match, **gone})
    visitor.run("localStorage.setItem('zhaifei.match', arguments[0])", kept)
    visitor.open("play")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_review_of_a_match_for_dice(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    visitor.run("localStorage.setItem('zhaifei.records', arguments[0])", json.dumps([REVIEWED]))
    visitor.open("records")
    visitor.tap(".record .second")
    visitor.until(lambda: visitor.find(".review-sum b") and visitor.number(".reviewed > li") == 2)
    visitor.look_at("dice-review", language)
    visitor.open("trends")
    visitor.until(lambda: visitor.find(".empty a"))  # dice are no points
