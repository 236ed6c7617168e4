"""The page on which one plays, as a browser gets it."""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, Iterator

import pytest

from tests.app.web.browsing import Browser, Page, Served, said
from tests.command_line import Solved
from tests.policies.play.attacks import computed
from zhaifei.app.said import say_grade
from zhaifei.app.web.dice import die
from zhaifei.game.notation import format_hand
from zhaifei.policies.play.record_lines import format_match
from zhaifei.policies.play.record_text import parse_rounds
from zhaifei.policies.play.records import read_match
from zhaifei.policies.review.grades import Grade


def visit(served: Served, scenario: Callable[[Page], Awaitable[None]], language: str = "en") -> str:
    """Play a scenario on a page of a new visitor; return all that the server has sent."""

    async def run() -> str:
        async with Browser(served.address, language) as browser, browser.page() as page:
            await scenario(page)
            return "\n".join(browser.traffic)

    return asyncio.run(run())


async def begin(page: Page) -> None:
    await page.tap("at once") if page.find("at once") else None
    await page.tap("start")
    await page.tap("at once")


def is_over(page: Page) -> bool:
    return page.find("next round") is not None


ONE_DIE, FIVE_DICE = ("斋", 2, 3), ("斋", 10, 6)
"""The highest bids."""


async def finish(page: Page, highest: tuple[str, int, int] = ONE_DIE) -> None:
    """Play the round to its end: challenge, or open with the highest bid or with any other."""
    await page.until(lambda: is_over(page) or is_turn(page))
    if is_over(page):
        return
    if not may_challenge(page):
        await page.bids(*highest)
        await page.until(lambda: is_over(page) or may_challenge(page))
    if not is_over(page):
        await page.tap(next(iter(may_challenge(page))))
    await page.until(lambda: is_over(page))


async def lose(page: Page) -> None:
    """Lose a round of two players with five dice each: name the highest bid of `knockout`."""
    await page.until(lambda: is_turn(page))
    await page.bids("飞", 10, 6)
    await page.until(lambda: is_over(page))


async def next_round(page: Page) -> None:
    """Go on, and wait until nothing is shown any more of the round that is over."""
    number = int(re.findall(r"\bround (\d+)", page.words)[0]) + 1
    await page.tap("next round")
    await page.until(lambda: not is_over(page) and f"round {number}" in page.words)


def may_challenge(page: Page) -> list[str]:
    return [one for one in labels(page) if one.startswith("challenge ")]


async def come_to_turn(page: Page) -> None:
    """Play until the person decides."""
    while True:
        await page.until(lambda: is_over(page) or is_turn(page))
        if is_turn(page):
            return
        await next_round(page)


async def come_to_open(page: Page) -> None:
    """Play until the person opens a round."""
    await come_to_turn(page)
    while "you open" not in page.words:
        await finish(page)
        await next_round(page)
        await come_to_turn(page)


def is_turn(page: Page) -> bool:
    return "your turn" in page.words or "you open" in page.words


def labels(page: Page) -> list[str]:
    found = (one["props"].get("label", "") for _, one in page.shown() if one["tag"] == "q-btn")
    return [*found]


def test_a_match_is_played_and_recorded(served: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        for _ in range(3):
            await finish(page)
            await page.sees("on the table · one penalty point for")
            await next_round(page)

    before = {*served.records()}
    visit(served, scenario)
    (record,) = {*served.records()} - before
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert lines[0]["you"] == 1
    assert sum("loser" in line for line in lines) == 3


@pytest.fixture(scope="module")
def five_dice(full_game: Solved, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served("--policy", full_game.policy, data=tmp_path_factory.mktemp("data")) as server:
        yield server


@pytest.mark.parametrize("game", ["penalty points", "knockout: lose dice"])
def test_dice_of_others_are_not_sent_before_the_settlement(five_dice: Served, game: str) -> None:
    """In the last round the visitor also opens all pages that there are and exports the record, and
    somebody reads the file; the attack tries every number as the seed."""
    for_points = game == "penalty points"
    told, rounds = [], 5 if for_points else 2
    highest = FIVE_DICE if for_points else ("飞", 1, 6)

    async def scenario(page: Page) -> None:
        await page.tap(game)
        await begin(page)
        for number in range(1, rounds + 1):
            await page.until(lambda: is_over(page) or is_turn(page))
            in_time = not is_over(page)
            if number == rounds:
                await look_everywhere(page, five_dice)
            during = "\n".join(page.browser.traffic)
            if for_points or number == rounds:
                await finish(page, highest)
            else:  # so that the others keep five dice: the digits of four are found anywhere
                await lose(page)
            match = read_match(five_dice.records()[-1])
            hands = [played.hands for played in match.rounds]
            own, theirs = hands[-1]
            seen = [own, *(hand for settled in hands[:-1] for hand in settled)]
            if in_time and not any(format_hand(theirs) in format_hand(hand) for hand in seen):
                told.append(is_told(during, format_hand(theirs)))
                left = [played.dice for played in match.rounds]
                found = computed(match.rules, [one[0] for one in hands], during, scores=left)
                assert number < rounds or [one for one in found if one[1] == theirs] == []
                assert is_told("\n".join(page.browser.traffic), format_hand(theirs))
            if number < rounds:
                del page.browser.traffic[:]
                await next_round(page)

    visit(five_dice, scenario)
    assert told
    assert not any(told)


async def look_everywhere(page: Page, served: Served) -> None:
    """Add to the traffic what the other pages send, and the record as it is exported and kept."""
    path, browser = served.records()[-1], page.browser
    async with browser.page("/records") as records:
        await records.until(lambda: path.name in str(records.elements))
    async with browser.page(f"/review/{path.name}") as review:
        await review.tap("export the record")
        await review.until(lambda: review.downloads)
        browser.traffic.append(review.downloads[0].decode())
    browser.traffic.append(path.read_text())


def is_told(text: str, hand: str) -> bool:
    """Whether a hand is in what the server has sent: drawn, marked or not, spoken, or as
    numbers."""
    drawn = "".join(die(int(face)).replace('"', r"\\?\"") for face in hand)
    drawn = drawn.replace("z-die", "z-die(?: z-counts)?")
    separated = r"[^0-9a-zA-Z]{1,4}".join(hand)
    return (
        re.search(rf"{drawn}|(?<![0-9a-f-])(?:{hand}|{separated})(?![0-9a-f-])", text) is not None
    )


def test_a_hint_is_shown_and_goes_with_the_position(served: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        await come_to_turn(page)
        await page.tap("hint")
        await page.sees("probability", "value")
        if not page.may_tap("count 2"):
            return
        await page.tap("斋")
        assert "probability" in page.words  # nothing has been decided yet

    visit(served, scenario)


def test_a_tap_on_what_is_illegal_says_why(served: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        await come_to_open(page)  # after 斋2×1 there is no 飞 to be named
        assert not page.may_tap("face 1")  # 飞 names no ones
        await page.tap("face 1")
        await page.until(lambda: page.notes)
        assert "a 飞 bid names a face from 2 to 3" in page.notes[0]

    visit(served, scenario)


def test_in_practice_a_decision_is_taken_back(served: Served) -> None:
    async def scenario(page: Page) -> None:
        name, switch = next(
            (name, one)
            for name, one in page.shown()
            if one["tag"] == "q-toggle" and "practice" in said(one)
        )
        listener = switch["events"][0]["listener_id"]
        message = {"id": int(name), "client_id": page.id, "listener_id": listener, "args": ["true"]}
        await page.emit("event", message)
        await begin(page)
        await come_to_turn(page)
        await finish(page)
        await page.tap("take back")
        await page.until(lambda: is_turn(page))
        assert "review of the match" not in page.words

    before = served.records()
    visit(served, scenario)
    assert served.records() == before


def is_graded(words: str) -> bool:
    """Whether a decision is graded in these words: what was best has no cost to tell."""
    return any(say_grade(grade) in words for grade in Grade)


def test_reviews_come_after_the_round(served: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        await come_to_turn(page)
        await finish(page)
        await page.sees("your decisions")
        await page.until(lambda: is_graded(page.words.partition("your decisions")[2]))

    visit(served, scenario)


def test_the_language_is_each_visitors_own(served: Served) -> None:
    async def chinese(page: Page) -> None:
        assert '<html lang="zh-CN">' in page.text
        assert "对局" in page.words
        await page.tap("English")
        await page.until(lambda: any("history.go" in one for one in page.browser.traffic[1:]))
        async with page.browser.page("/") as again:
            assert '<html lang="en-US">' in again.text
            assert "start" in again.words

    async def english(page: Page) -> None:
        assert '<html lang="en-US">' in page.text

    visit(served, chinese, "zh-CN,zh;q=0.9,en;q=0.8")
    visit(served, english)


def test_a_round_goes_on_in_another_tab(served: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        await page.until(lambda: is_over(page) or is_turn(page))
        async with page.browser.page("/") as other:
            await finish(other)
            await page.until(lambda: is_over(page))
            assert is_over(other)

    visit(served, scenario)


def test_kept_matches_are_listed_reviewed_and_exported(served: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        for _ in range(3):
            await finish(page)
            await next_round(page)
        record = served.records()[-1].name
        async with page.browser.page("/records") as records:
            await records.until(lambda: record in str(records.elements))
        async with page.browser.page(f"/review/{record}") as review:
            await review.sees("luck and skill", "3 rounds;", "round 3 · one penalty point for")
            await review.tap("export the record")
            await review.until(lambda: review.downloads)
            lines = review.downloads[0].decode().splitlines()
            assert sum('"points"' in line for line in lines) == 3

    visit(served, scenario)


def test_records_with_any_name_of_any_length_and_with_bad_lines_are_listed_and_reviewed(
    served: Served,
) -> None:
    """The pages are there at once, and say that something is being read. The long record plays the
    same round again and again."""
    directory = served.data / "zhaifei" / "matches"
    directory.mkdir(parents=True, exist_ok=True)
    text = format_match(parse_rounds("2人 1骰 3面 先手1: f1x2 c; me=1: 1; 2: 2\n"))
    header, *lines = text.splitlines(keepends=True)
    (directory / os.fsdecode(b"0\xe9.jsonl")).write_text(text)
    (directory / "0 long.jsonl").write_text("".join([header, *lines * 5000]))
    (directory / "0 bad.jsonl").write_text(f"{text}spilt coffee\n")
    (directory / "0 none.jsonl").write_text("no record\n")

    async def scenario(page: Page) -> None:
        browser = page.browser
        async with browser.page("/records") as records:
            assert "looking for records" in records.text, "nothing has been read yet"
            await records.until(lambda: "parts of the record" in html_of(records))
            await records.until(lambda: "not read yet" not in html_of(records))
            shown = html_of(records)
        assert "line 1: this is not a JSON object" in shown
        assert 'href="review/0%5Cxdce9.jsonl"' in shown
        assert 'href="review/0%20long.jsonl"' in shown
        async with browser.page("/review/0%5Cxdce9.jsonl") as review:
            await review.sees("round 1 · one penalty point for")
        async with browser.page("/review/0%20bad.jsonl") as review:
            await review.sees("line 6: this is not a JSON object: this line is left out")
        async with browser.page("/review/0%20long.jsonl") as review:
            assert "the record is being read" in review.text
            await review.sees("round 1 · one penalty point for")

    visit(served, scenario)


def html_of(page: Page) -> str:
    return "\n".join(str(one.get("props", {}).get("innerHTML", "")) for _, one in page.shown())


def test_an_error_is_tried_again_before_the_answer_is_shown(five_dice: Served) -> None:
    async def scenario(page: Page) -> None:
        await begin(page)
        await come_to_open(page)
        await finish(page, FIVE_DICE)  # a blunder: all ten dice would have to be sixes
        await page.sees("your decisions", "blunder, cost")
        assert "probability" not in page.words
        await page.tap("try again")
        await page.until(lambda: page.find("count 10") or page.find("count 9"))
        await page.tap("show the answer")
        await page.sees("probability")

    visit(five_dice, scenario)


def test_nothing_comes_from_another_host(served: Served) -> None:
    async def scenario(page: Page) -> None:
        places = re.findall(r'(?:src|href)="([^"]+)"|@import url\("([^"]+)"\)', page.text)
        found = [one or other for one, other in places]
        assert "/style.css" in found
        assert [one for one in found if not re.match(r"/(?!/)", one)] == []
        for place in found:
            answer = await page.browser.http.get(f"{served.address}{place}")
            assert answer.status_code == 200, place
            assert "default-src 'self'" in answer.headers["content-security-policy"]
            if place.endswith(".css"):
                assert re.findall(r"url\([\"']?(?:\w+:)?//[^)]+", answer.text) == [], place

    visit(served, scenario)


def test_each_page_has_one_heading_and_says_where_one_is(served: Served) -> None:
    async def run() -> None:
        async with Browser(served.address) as browser:
            for path in ("/", "/table", "/explorer", "/records", "/review/nothing.jsonl"):
                async with browser.page(path) as page:
                    tags = [one.get("props", {}).get("tag") for one in page.elements.values()]
                    assert tags.count("h1") == 1, path
                    assert str(page.elements).count("'aria-current': 'page'") == 1, path

    asyncio.run(run())
