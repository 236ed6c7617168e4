"""Tables with real dice that were kept are reviewed in a real browser, for whoever showed dice."""

from __future__ import annotations

import json

import pytest

from tests.web.visitor import Visitor

OWN, NEXT = [1, 2, 2, 5, 5], [2, 3, 3, 4, 6]
CHALLENGE = 165
KEPT = {
    "begun": "2026-01-02T03:04:05.000Z",
    "rules": "zhaifei",
    "players": 3,
    "rounds": [
        {
            "opener": 0,
            "hands": [OWN, NEXT, [1, 1, 4, 6, 6]],
            "history": [36, 40, 90],
            "ending": CHALLENGE,
            "loser": 2,
        },
        {"opener": 2, "hands": [OWN, [], [6]], "history": [36], "ending": CHALLENGE, "loser": None},
        {"opener": 1, "hands": [OWN, [], []], "history": [36, 40], "ending": None, "loser": None},
    ],
}
"""Three rounds: all dice were shown, then nearly no others, and one that did not end."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_real_table_is_reviewed(visitor: Visitor, language: str) -> None:
    visitor.open(language=language)
    visitor.run("localStorage.setItem('zhaifei.tables', arguments[0])", json.dumps([KEPT]))
    visitor.open("records")
    visitor.look_at("records-table", language)
    visitor.tap(".record a.second")
    whole = "return document.querySelectorAll('.reviewed > li').length === 3"
    visitor.until(lambda: visitor.find(".review-sum b") and visitor.run(whole))
    assert visitor.number(".choice-options button") == 3
    visitor.look_at("table-review", language)
    own = graded(visitor)
    assert own[0] != ""
    visitor.tap(".choice-options button", 1)
    visitor.until(lambda: visitor.run(whole) and graded(visitor) != own)
    visitor.look_at("table-review-other", language)
    unseen = {"en": "Next Player: the dice were not seen.", "zh": "下家的骰子没亮。"}[language]
    assert graded(visitor)[1:] == [unseen, unseen]


def graded(visitor: Visitor) -> list[str]:
    """What is said of the decisions in each round."""
    script = "return [...document.querySelectorAll('.reviewed-grades')].map(one => one.innerText)"
    found: list[str] = visitor.run(script)
    return found
