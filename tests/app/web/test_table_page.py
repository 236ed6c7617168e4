"""The page for real dice: taps, and what they show."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.app.web.drawn_pages import Answers, DrawnPage, new_visitor, on_page, refused
from zhaifei.app.web.asking import advise_at_table, learn_from, read_at_table
from zhaifei.app.web.real_table import OWN, RealTable, bid_grid
from zhaifei.app.web.table_html import below_html, middle_html, said_html
from zhaifei.app.web.table_page import show
from zhaifei.app.web.taps import offered_in
from zhaifei.app.web.visitor import Visitor
from zhaifei.game.bids import State, action_of, domain
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset
from zhaifei.policies.advice.table import (
    PeopleAdviser,
    TableAdvice,
    TableQuestion,
    advise_table,
    read_table,
)
from zhaifei.policies.play.records import kept_matches, read_match


@cache
def people(rules: Rules) -> PeopleAdviser:
    return PeopleAdviser(rules, None)


ALONE = {
    advise_at_table: lambda policy, asked: advise_table(people(asked.rules), None, asked),
    read_at_table: lambda policy, asked: read_table(people(asked.rules), asked),
    learn_from: lambda policy, rules, played: people(rules).shown(rules, played),
}
"""Without any policy: hands are read from the bids."""


@pytest.fixture
def visitor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Visitor:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return new_visitor(Answers(ALONE))


async def sit(page: DrawnPage, players: int = 4, starter: int = 3, dice: str = "11346") -> None:
    for name in (f"players {players}", f"starter {starter}", "sit"):
        await page.tap(name)
    for face in dice:
        await page.tap(f"die {OWN} {face}")


def table_of(page: DrawnPage) -> RealTable:
    table: RealTable = page.visitor.models["table"]
    return table


async def bid(page: DrawnPage, text: str) -> None:
    rules = table_of(page).rules
    await page.tap(f"bid {[str(one) for one in domain(rules)].index(text)}")


def test_a_round_takes_as_many_taps_as_it_has_bids(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        assert "turn of seat 4" in page.words
        await bid(page, "飞5×6")
        assert [str(one) for one in table_of(page).bids] == ["飞5×6"]
        assert "飞5×6 is true:" in page.words
        await bid(page, "飞6×6")
        assert "turn of seat 2" in page.words
        await page.tap("challenge 1")
        assert "bid by you, challenged by seat 2" in page.words
        await page.tap(f"lost {OWN}")
        assert "bid by you, challenged by seat 2" in page.words, (
            "nobody is rushed to the next round"
        )
        await page.tap("next")
        assert "you · points 1" in page.words
        assert "tap your dice" in page.words

    on_page(show, "/table", scenario, visitor)


def test_dice_of_others_stay_open_while_they_are_added(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        await bid(page, "飞5×6")
        await page.tap("challenge 1")
        assert "<details" in page.html
        for tap in ("die 1 2", "die 1 3", "drop 1 2", f"lost {OWN}"):
            await page.tap(tap)
            assert '<details class="z-card" open>' in page.html, tap
        await page.tap("next")
        await bid(page, "飞5×6")
        await page.tap("challenge 1")
        assert '<details class="z-card">' in page.html

    on_page(show, "/table", scenario, visitor)


def test_what_to_do_is_large_and_marked(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        await bid(page, "飞5×6")
        huge = re.search(r'class="z-huge">([^<]+)<', page.html)
        assert huge is not None
        assert huge[1] == "飞6×6"
        (advised,) = re.findall(r'z-advised"[^>]*data-tap="([^"]+)"', page.html)
        assert advised == f"bid {[str(one) for one in domain(table_of(page).rules)].index(huge[1])}"

    on_page(show, "/table", scenario, visitor)


def test_how_likely_the_bid_is_comes_before_what_to_do(tmp_path: Path) -> None:
    def fails(policy: object, question: TableQuestion) -> TableAdvice:
        if question.turn == OWN:
            raise ZhaifeiError("nobody knows what to do")
        return read_table(people(question.rules), question)

    async def scenario(page: DrawnPage) -> None:
        await sit(page, players=2, starter=1)
        assert "nobody knows" in await refused(bid(page, "飞4×5"))
        assert "your turn 飞4×5 is true:" in page.words

    on_page(show, "/table", scenario, new_visitor(Answers({**ALONE, advise_at_table: fails})))


def test_wrong_taps_are_taken_back(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        before = page.words
        await bid(page, "飞5×6")
        assert page.words != before
        await page.tap("undo")
        assert page.words == before

    on_page(show, "/table", scenario, visitor)


def test_only_what_is_legal_is_offered(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        assert "challenge 1" not in page.offered
        assert "bid 0" not in page.offered
        for hostile in ("bid 0", "bid -1", "bid", "leave 3", "<script>", None, 7, {"a": []}):
            for taps in page.taps:
                assert taps.tap(hostile) is None
        assert table_of(page).bids == ()

    on_page(show, "/table", scenario, visitor)


def test_higher_bids_take_one_tap_more(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        rules = table_of(page).rules
        high = f"bid {len(domain(rules)) - 1}"
        assert high not in page.offered
        await page.tap("more")
        await page.tap(high)
        assert page.offered >= {"challenge 1", "undo"}
        assert not any(name.startswith("bid ") for name in page.offered)

    on_page(show, "/table", scenario, visitor)


def test_how_a_player_bids_changes_what_is_believed(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        await bid(page, "飞7×6")
        shown = []
        for _ in range(3):
            await page.tap("tell 3")
            shown.append(re.findall(r"飞7×6 is true: (\d+)%", page.words)[0])
        careful, bluffs, unknown = map(int, shown)
        assert careful > unknown > bluffs

    on_page(show, "/table", scenario, visitor)


def test_what_rounds_have_shown_is_said(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        for _ in range(8):
            await page.tap("start 3") if "start 3" in page.offered else None
            await bid(page, "飞8×6")
            await page.tap("challenge 1")
            for face in (2, 2, 3, 3, 4):
                await page.tap(f"die 3 {face}")
            await page.tap("lost 3")
            await page.tap("next")
        assert re.search(r"bluffs a lot \(\d\d%\) · rounds seen: 8", page.words)

    on_page(show, "/table", scenario, visitor)


def test_a_record_is_kept_and_grows(visitor: Visitor) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        await bid(page, "飞5×6")
        await page.tap("keep")
        (path,) = kept_matches()
        assert read_match(path).rounds[0].losses is None
        await page.tap("challenge 1")
        await page.tap("lost 0")
        await page.tap("next")
        await bid(page, "飞5×6")
        assert [one.losses for one in read_match(path).rounds] == [(1, 0, 0, 0)]
        await page.tap("leave")
        assert "players" in page.words
        assert kept_matches() == [path]

    on_page(show, "/table", scenario, visitor)


def test_a_table_is_still_there_when_the_page_is_opened_again(visitor: Visitor) -> None:
    async def first(page: DrawnPage) -> None:
        await sit(page)
        await bid(page, "飞5×6")

    async def second(page: DrawnPage) -> None:
        assert "飞5×6 is true:" in page.words

    on_page(show, "/table", first, visitor)
    on_page(show, "/table", second, visitor)


def test_in_chinese(tmp_path: Path) -> None:
    async def scenario(page: DrawnPage) -> None:
        await sit(page)
        await bid(page, "飞5×6")
        assert re.search(r"[a-z]{3,}", page.words) is None, page.words

    on_page(show, "/table", scenario, new_visitor(Answers(ALONE), "zh"))


@pytest.mark.parametrize("players", [2, 8])
def test_each_button_says_what_it_is(players: int) -> None:
    table = RealTable(preset("zhaifei", players=players, jump_challenge=players == 8))
    table.add_die(OWN, 3)
    row = bid_grid(table.rules, State())[0]
    table.bid(next(one for one in row.bids if one is not None))
    html = said_html(table, None) + middle_html(table, None, 4) + below_html(table, kept=False)
    for button in re.findall(r"<button[^>]*>.*?</button>", html):
        assert "aria-label" in button or re.sub(r"<[^>]*>", "", button).strip()
    assert offered_in(html) >= {f"bid {action_of(table.rules, one)}" for one in row.bids[2:] if one}
