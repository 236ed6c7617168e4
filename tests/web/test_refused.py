"""A bid that is not legal says why, to a finger and to keys, in a real browser."""

from __future__ import annotations

import json

import pytest

from tests.web.visitor import Visitor

MATCH = "return localStorage.getItem('zhaifei.match')"
WHY = "return document.querySelector('.why').innerText"
PLAYED = {
    "begun": "2026-01-02T03:04:05.000Z",
    "rules": "zhaifei",
    "players": 3,
    "seats": [None, "conservative", "aggressive"],
    "goal": {"kind": "points", "number": 3},
    "points": [0, 0, 0],
    "opener": 1,
    "hands": [[1, 2, 2, 5, 5], [2, 3, 3, 4, 6], [1, 1, 4, 6, 6]],
    "history": [36, 40],
    "ending": None,
    "results": [],
    "log": [],
}
"""A match in which a 飞 bid of six dice stands and it is your turn."""
TOLD = {
    "en": (
        "飞 takes 7 or more, or 6 of a higher face",
        "斋 takes 4 or more, or 3 of a higher face",
    ),
    "zh": ("叫飞至少要 7 个，或 6 个更大的点数", "叫斋至少要 4 个，或 3 个更大的点数"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_bid_that_is_not_legal_says_why(visitor: Visitor, language: str) -> None:
    fei, zhai = TOLD[language]
    visitor.open(language=language)
    visitor.run("localStorage.setItem('zhaifei.match', arguments[0])", json.dumps(PLAYED))
    visitor.open("play")
    visitor.until(visitor.until_asked)
    before = visitor.run(MATCH)
    visitor.tap(".cell:not(.legal)")
    visitor.until(lambda: visitor.run(WHY) == fei)
    assert visitor.hidden() == []
    visitor.look_at("not-legal", language)
    visitor.press("z")
    visitor.until(lambda: visitor.run(WHY) == "")
    visitor.tap(".cell:not(.legal)")
    visitor.until(lambda: visitor.run(WHY) == zhai)
    visitor.press("f")
    assert visitor.run(MATCH) == before
    visitor.tap(".cell.legal")
    visitor.until(lambda: visitor.run(MATCH) != before)
