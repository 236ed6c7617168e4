"""Trends over the matches that were kept, and what leads from them to the review."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.web.test_page import REVIEWED, WHEN
from tests.web.visitor import Visitor

GRADES = "return JSON.parse(localStorage.getItem('zhaifei.grades'))"
OLD = {
    "begun": "2026-01-01T03:04:05.000Z",
    "rules": "zhaifei",
    "seats": [None, "policy"],
    "points": [1, 3],
    "rounds": 4,
}
"""A match of which the result alone was kept."""


def keep(visitor: Visitor, name: str, value: Any) -> None:
    script = "localStorage.setItem(arguments[0], arguments[1])"
    visitor.run(script, f"zhaifei.{name}", json.dumps(value))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_trends_lead_to_the_decisions_behind_them(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    keep(visitor, "records", [REVIEWED, OLD])
    visitor.open("records")
    visitor.tap("a[href='#/trends']")
    visitor.until(lambda: visitor.number(".trends .paper") == 5)
    kept = visitor.run(GRADES)
    assert [*kept] == [REVIEWED["begun"]]
    kinds = [(one["round"], one["kind"], one["grade"]) for one in kept[REVIEWED["begun"]]]
    assert kinds == [(1, "opening", "never"), (2, "challenge", "never")]
    visitor.look_at("trends", language)
    visitor.tap("a[href='#/trends/kind/challenge']")
    visitor.until(lambda: visitor.number(".judged a") == 1)
    visitor.look_at("trends-decisions", language)
    visitor.tap(".judged a")
    visitor.until(lambda: visitor.find("#round-2"))
    assert visitor.run("return location.hash") == f"#/review/{WHEN}/2"
    visitor.until(lambda: visitor.run("return scrollY") > 0)


def test_a_match_is_reviewed_once(visitor: Visitor) -> None:
    """What was kept of it stands without its rounds; matches that were deleted are forgotten."""
    visitor.open(language="en")
    bid = {"mode": "zhai", "count": 3, "face": 2}
    once: dict[str, Any] = {"round": 4, "kind": "later", "bid": bid, "place": 1}
    once |= {"said": "bid", "grade": "sometimes"}
    keep(visitor, "records", [REVIEWED, OLD])
    grades = {OLD["begun"]: [once], "2025-01-01T00:00:00.000Z": [once]}
    keep(visitor, "grades", grades)
    visitor.open("trends/mode/zhai")
    visitor.until(lambda: REVIEWED["begun"] in visitor.run(GRADES))
    assert {*visitor.run(GRADES)} == {REVIEWED["begun"], OLD["begun"]}
    visitor.tap(".foot button")
    visitor.until(lambda: visitor.number(".judged a:not([href])") == 1)


def test_trends_of_nothing(visitor: Visitor) -> None:
    visitor.open("trends", language="en")
    visitor.until(lambda: visitor.find(".trends .empty a"))
    visitor.open("trends/kind/nonsense")
    visitor.until(lambda: visitor.find(".trends .paper"))
