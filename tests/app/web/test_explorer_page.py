"""The page of the explorer: addresses, dice that are held, the map, locks."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from tests.app.web.drawn_pages import Answers, DrawnPage, new_visitor, on_page, refused
from zhaifei.app.web.asking import answer_locks, explore_position
from zhaifei.app.web.explorer import Position
from zhaifei.app.web.explorer_page import show
from zhaifei.app.web.games import OWN_RULES
from zhaifei.app.web.play_page import seat_of
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.bids import action_of, endings_after, legal_bids, state_after
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rules import preset
from zhaifei.policies.advice.advice import (
    ActionAdvice,
    Advice,
    Believed,
    Locked,
    RangeAdvice,
    Source,
)


def explored(policy: object, position: Position, seconds: float) -> RangeAdvice:
    """As if each hand chose among all bids alike."""
    rules, history = position.rules, position.history
    legal = [action_of(rules, bid) for bid in legal_bids(rules, *state_after(rules, history))]
    legal += endings_after(rules, history)
    every = len(hands(rules))
    shape = every, len(legal)
    return RangeAdvice(
        rules,
        np.arange(every),
        history,
        np.array(legal),
        strategy=np.full(shape, 1.0 / len(legal)),
        values=np.tile(np.linspace(1.0, -1.0, len(legal)), (every, 1)),
        errors=np.zeros(shape),
        chances=np.full((every, len(history[-1:])), 0.25),
        grounds=(Source.POLICY,) * every,
        own_on_path=np.ones(every, dtype=np.bool_),
        left_out=np.zeros(every, dtype=np.bool_),
        weights=np.array(probabilities(rules)),
        believed=Believed.POLICY,
        others=np.tile(probabilities(rules), (rules.players - 1, 1)),
    )


LOCKED = Advice(
    (1, 1, 3, 4, 6),
    (),
    (ActionAdvice("challenge", 1.0, 0.5, 0.0),),
    (),
    Locked("locks", (1,), "best-response", True, None),
)


INSTEAD: dict[Callable[..., Any], Callable[..., Any]] = {
    explore_position: explored,
    answer_locks: lambda policy, question: LOCKED,
}


@pytest.fixture
def visitor() -> Visitor:
    return new_visitor(Answers(INSTEAD))


def test_actions_go_on_to_other_positions(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        assert "opening the round" in page.words
        links = re.findall(r'<td><a class="" href="([^"]+)"', page.html)
        assert "explorer?players=2&amp;history=f3x2" in links
        assert len(links) == 12
        await page.tap("every")
        assert len(re.findall(r'<td><a class="" href=', page.html)) == 88

    on_page(show, "/explorer", scenario, visitor)


def test_an_address_is_a_position(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        assert "facing 飞6×6" in page.words
        assert "飞6×6 is true with probability 25.0%" in page.words
        assert "seat 3, in turn" in page.words
        assert "explorer?players=4&amp;history=f5x6&quot;" not in page.html
        assert 'href="explorer?players=4&amp;history=f5x6"' in page.html

    on_page(show, "/explorer?players=4&history=f5x6,f6x6", scenario, visitor)


@pytest.mark.parametrize(
    "address",
    [
        "players=99",
        "history=%3Cscript%3Ealert(1)%3C/script%3E",
        "hand=9",
        "players=2&history=f9",
        "history=" + "f3x6," * 5000,
        "players=%00",
        "hand=%F0%9F%8E%B2",
    ],
)
def test_a_hostile_address_is_refused_kindly(visitor: Visitor, address: str) -> None:
    async def scenario(page: DrawnPage) -> None:
        assert "this address does not name a position" in page.words
        assert "<script" not in page.html
        assert 'href="explorer?players=2"' in page.html
        assert visitor.server.workers.asked == []  # type: ignore[attr-defined]

    on_page(show, f"/explorer?{address}", scenario, visitor)


def test_dice_choose_hands(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await page.tap("hold 6")
        await page.tap("hold 6")
        assert "19.62% of the range" in page.words
        assert page.html.count("heat-faint") == 252 - 56
        await page.tap("hand 11346")
        assert page.html.count("heat-faint") == 251
        assert "answer best-response" in page.offered
        await page.tap("drop 6")
        assert page.html.count("heat-faint") == 252 - 6
        await page.tap("hand 11346")
        await page.tap("hand 11346")
        assert "heat-faint" not in page.html

    on_page(show, "/explorer", scenario, visitor)


def test_the_map_shows_each_player_and_each_action(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        assert page.html.count("heat-cell") == 252
        assert "the more often a hand bids like this" in page.words
        await page.tap("paint 飞4×6")
        assert "the more often a hand takes 飞4×6" in page.words
        assert "--heat:0.011" in page.html
        await page.tap("player 1")
        assert "--heat:1.000" in page.html

    on_page(show, "/explorer", scenario, visitor)


def test_locks_are_added_and_answered(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await page.tap("hold 6")
        await page.tap("paint 飞4×6")
        await page.tap("lock 50")
        assert (
            visitor.models["explorer"]
            .locks(preset("zhaifei"))
            .startswith("- after: start\n  hands: z1x6\n  mix: {飞4×6: 50%}\n")
        )
        assert "never counts" in await refused(page.tap("lock 50"))

    async def answer(page: DrawnPage) -> None:
        await page.tap("answer best-response")
        assert "challenge 100.0% +0.500" in page.words
        assert "locks of locks, by line: 1" in page.words
        assert "never bids like this" in page.words

    on_page(show, "/explorer", scenario, visitor)
    on_page(show, "/explorer?history=f4x6&hand=11346", answer, visitor)


def test_nothing_is_answered_without_locks(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        assert "nothing is locked" in await refused(page.tap("answer solve"))

    on_page(show, "/explorer?history=f4x6&hand=11346", scenario, visitor)


def test_locks_are_for_two_players(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await page.tap("paint 飞5×6")
        assert not any(name.startswith("lock") for name in page.offered)

    on_page(show, "/explorer?players=3", scenario, visitor)


def test_what_was_found_is_not_asked_again(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        assert "opening the round" in page.words

    for _ in range(2):
        on_page(show, "/explorer", scenario, visitor)
    assert len(visitor.server.workers.asked) == 1  # type: ignore[attr-defined]


def test_a_policy_that_is_missing_is_said() -> None:
    def missing(*arguments: object) -> RangeAdvice:
        raise ZhaifeiError("no policy is known for these rules: {command} makes one", command="x")

    async def scenario(page: DrawnPage) -> None:
        assert "no policy is known" in page.words

    on_page(
        show,
        "/explorer?players=4&jump=1",
        scenario,
        new_visitor(Answers({explore_position: missing})),
    )


def test_an_address_names_rules_and_doubles(visitor: Visitor) -> None:
    doubled, again = (quote(text, safe=",") for text in ("劈", "劈,反劈"))

    async def scenario(page: DrawnPage) -> None:
        assert "facing 飞3×6 劈" in page.words
        rules = "explorer?rules=southern&amp;players=2"
        assert f'<td><a class="" href="{rules}&amp;history=f3x6,{again}">反劈' in page.html
        assert "<td>give up</td>" in page.html
        for game in ("ktv", "northern"):
            assert f'href="explorer?rules={game}&amp;players=2"' in page.html
        assert f'class="z-touch z-chosen" href="{rules}">southern street' in page.html
        assert 'href="explorer?rules=southern&amp;players=3"' in page.html
        await page.tap("paint give up")
        await page.tap("lock 50")
        locks = visitor.models["explorer"].locks
        assert locks(preset("southern")) == "- after: 飞3×6 劈\n  mix: {give up: 50%}\n"
        assert locks(preset("zhaifei")) == ""

    on_page(show, f"/explorer?rules=southern&history=f3x6,{doubled}", scenario, visitor)


def test_ones_own_rules_are_a_tap_away(visitor: Visitor) -> None:
    choices = seat_of(visitor).choices
    choices.answers.chosen["doubles"] = ("doubles=2-4",)

    async def without(page: DrawnPage) -> None:
        assert "house=" not in page.html

    async def offered(page: DrawnPage) -> None:
        assert f'href="explorer?players=2&amp;house={quote("doubles=2-4")}"' in page.html
        assert "rules of your own" in page.words

    on_page(show, "/explorer", without, visitor)
    choices.game = OWN_RULES
    on_page(show, "/explorer", offered, visitor)


def test_in_chinese() -> None:
    async def scenario(page: DrawnPage) -> None:
        await page.tap("hold 6")
        await page.tap("paint 飞4×6")
        assert re.search(r"[a-z]{3,}", page.words.replace("English", "")) is None, page.words

    on_page(show, "/explorer?history=f3x6", scenario, new_visitor(Answers(INSTEAD), "zh"))
