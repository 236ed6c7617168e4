"""Cards of rules of thumb in a real browser."""

from __future__ import annotations

import pytest

from tests.web.visitor import Visitor

WORDS = "return document.querySelector('.card').innerText"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_card_for_each_number_of_players(visitor: Visitor, language: str) -> None:
    visitor.open("rules/zhaifei/4", language=language)
    visitor.tap("a[href='#/learn/card/4']")
    visitor.until(lambda: visitor.number(".card .trend") == 11)
    visitor.look_at("card", language)
    seen = {visitor.run(WORDS)}
    for players in (2, 3, 5, 6):
        link = f"a[href='#/learn/card/{players}']"
        visitor.tap(link)
        visitor.until(lambda link=link: visitor.find(f"{link}[aria-current]"))
        visitor.until(lambda: visitor.number(".card .trend") == 11)
        seen.add(visitor.run(WORDS))
        assert not visitor.too_wide()
    assert len(seen) == 5
    assert not any("{" in words or "undefined" in words for words in seen)


def test_the_way_back_from_a_card_is_the_lesson(visitor: Visitor) -> None:
    visitor.open("learn/card/9", language="en")
    visitor.until(lambda: visitor.number(".card .trend") == 11)
    visitor.tap(".bar a")
    visitor.until(lambda: visitor.find(".lift"))
