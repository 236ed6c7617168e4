"""The page on which one plays, as a browser gets it."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from app.web.dice import die, spoken
from tests.app.web.browsing import Browser, Page, Served

CHALLENGES = ("challenge 飞1×2",)


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


async def finish(page: Page) -> None:
    """Play the round to its end: challenge, or open with the highest bid."""
    await page.until(lambda: is_over(page) or is_turn(page))
    if is_over(page):
        return
    challenge = next((one for one in labels(page) if one.startswith("challenge ")), None)
    if challenge is None:
        await page.bids("斋", 2, 3)
    else:
        await page.tap(challenge)
    await page.until(lambda: is_over(page))


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
            assert "on the table; one penalty point for" in page.words
            await page.tap("next round")
            await page.until(lambda: not is_over(page))

    before = {*served.records()}
    visit(served, scenario)
    (record,) = {*served.records()} - before
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert lines[0]["you"] == 1
    assert sum("loser" in line for line in lines) == 3
