"""What a server works out for the page, in a real browser; a static site offers none of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

from tests.app.server.advice.desk import AtOnce, app_with
from tests.app.server.served_app import app_served
from tests.command_line import LONG
from tests.web.guests import visiting
from tests.web.test_page import LATER_IS_KEPT, REVIEWED, WHEN
from tests.web.visitor import WITHOUT_SERVICE_WORKER, Visitor
from zhaifei.app.server.advice.locks import lock_file

BUTTON = {"en": "Work It Out", "zh": "细算"}
COMPILING = {"en": "functions so far: {}", "zh": "已编译函数 {}"}
HAND = [1, 2, 2, 5, 5]
IS_IN_DIALOG = "return document.querySelector('dialog')?.innerText.includes(arguments[0])"
LOCK_FILE = "return document.querySelector('.lock-file')?.innerText"
PLAYED = {
    "begun": "2026-01-02T03:04:05.000Z",
    "rules": "zhaifei",
    "players": 3,
    "seats": [None, "conservative", "aggressive"],
    "goal": {"kind": "points", "number": 3},
    "points": [0, 0, 0],
    "opener": 1,
    "hands": [HAND, [2, 3, 3, 4, 6], [1, 1, 4, 6, 6]],
    "history": [36, 40],
    "ending": None,
    "results": [],
    "log": [],
}
"""A match in which it is your turn."""


AT_TABLE = {
    "rules": "zhaifei",
    "players": 3,
    "opener": 0,
    "begun": "2026-01-02T03:04:05.000Z",
    "taps": [
        *({"die": die, "seat": 0} for die in HAND),
        *({"act": action} for action in (36, 40, 46, 165)),
        *({"die": die, "seat": 2} for die in (1, 1, 6, 6, 6)),
        {"lost": 2},
        {"next": True},
        {"opens": 2},
        {"manner": "bluffs", "seat": 1},
        *({"die": die, "seat": 0} for die in HAND),
        {"act": 36},
    ],
}
"""A table in whose first round the player before you has shown dice; now it is your turn."""


class Overheard(AtOnce):
    """Keeps what is asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        self.asked.append(arguments[-1])
        return super().run(function, *arguments)

    run_behind = run


class Compiling(AtOnce):
    """Has compiled as many functions as it is told, and answers once it may."""

    def __init__(self) -> None:
        self.may, self.looked, self.number = threading.Event(), threading.Event(), 3

    @property
    def compiled(self) -> int:
        number = self.number  # the one of this look, whatever is set once it is known
        self.looked.set()
        return number

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return super().run(self._answer, function, *arguments)

    def _answer(self, function: Callable[..., Any], *arguments: Any) -> Any:
        assert self.may.wait(LONG)
        return function(*arguments)


@pytest.fixture
def workers() -> Overheard:
    return Overheard()


@pytest.fixture
def guest(browser: webdriver.Chrome, workers: Overheard, tmp_path: Path) -> Iterator[Visitor]:
    """Somebody who opens the page of a server, where it keeps nothing for offline; in the end no
    script has failed."""
    with (
        visiting(Visitor, browser, app_with(workers), tmp_path) as guest,
        guest.before_loading(WITHOUT_SERVICE_WORKER),
    ):
        yield guest


def keep(visitor: Visitor, name: str, value: object) -> None:
    script = "localStorage.setItem(arguments[0], arguments[1])"
    visitor.run(script, f"zhaifei.{name}", json.dumps(value))


def open_hint(visitor: Visitor, language: str) -> None:
    """Open the numbers of the hint in the match PLAYED."""
    visitor.open(language=language)
    keep(visitor, "match", PLAYED)
    visitor.open("play")
    visitor.until(visitor.until_asked)
    visitor.tap(".hint")
    visitor.tap(".hint-line")
    visitor.until(lambda: visitor.find("dialog .numbers"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_hint_is_worked_out_from_your_dice_alone(
    guest: Visitor, workers: Overheard, language: str
) -> None:
    open_hint(guest, language)
    guest.look_at("work-it-out", language)
    guest.tap_text(BUTTON[language])
    guest.until(lambda: guest.find("dialog .good"))
    guest.look_at("worked-out", language)
    among = values(guest)
    guest.tap("dialog .choice-options button", 1)
    guest.until(lambda: values(guest) not in ("", among))
    guest.tap("dialog .plain")
    assert [asked.hand for asked in workers.asked] == [tuple(HAND)] * 2
    assert [asked.others for asked in workers.asked] == [("conservative", "aggressive"), ("", "")]
    assert not any("hands" in asked._fields for asked in workers.asked)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_while_the_server_compiles_the_page_says_how_far_it_is(
    browser: webdriver.Chrome, tmp_path: Path, language: str
) -> None:
    workers = Compiling()
    with visiting(Visitor, browser, app_with(workers), tmp_path) as guest:
        open_hint(guest, language)
        guest.tap_text(BUTTON[language])
        guest.until(workers.looked.is_set)
        workers.number = 17
        guest.until(lambda: guest.says(COMPILING[language].format(17)))
        workers.number = 29
        guest.until(lambda: guest.says(COMPILING[language].format(29)))
        guest.look_at("compiling", language)
        workers.may.set()
        guest.until(lambda: guest.find("dialog .good"))
        assert not guest.says(COMPILING[language].format(""))
        guest.tap("dialog .plain")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_at_a_real_table_the_rounds_that_were_seen_count(
    guest: Visitor, workers: Overheard, language: str
) -> None:
    guest.open(language=language)
    keep(guest, "table", AT_TABLE)
    guest.open("table")
    guest.tap(".advice-now")
    guest.tap_text(BUTTON[language])
    guest.until(lambda: guest.number(".people-seen li") == 2)
    guest.look_at("table-worked-out", language)
    said, learned = guest.run(
        "return [...document.querySelectorAll('.people-seen li')].map(one => one.innerText)"
    )
    assert {"en": "Bluffs a Lot", "zh": "爱吹牛"}[language] in said
    assert {"en": "rounds seen: 1", "zh": "看过 1 局"}[language] in learned
    guest.tap("dialog .choice-options button", 1)
    guest.until(lambda: guest.find(".people-seen") is None)
    guest.until(lambda: guest.find("dialog .good"))
    guest.tap("dialog .plain")
    among, anybody = workers.asked
    assert among.others == ("bluffs", "")
    assert [(one.opener, one.hands[2]) for one in among.seen] == [(0, (1, 1, 6, 6, 6))]
    assert (anybody.others, anybody.seen) == (("", ""), ())


def values(visitor: Visitor) -> str:
    """Return what is worked out, "" before the answer is there."""
    script = "return document.querySelector('dialog .good')?.closest('table').innerText ?? ''"
    found: str = visitor.run(script)
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_position_of_the_explorer_is_worked_out(
    guest: Visitor, workers: Overheard, language: str
) -> None:
    guest.open("explore/zhaifei/2/40/hold=16", language=language)
    guest.until(lambda: guest.number(".hand-cell.marked") > 0)
    guest.tap_text(BUTTON[language])
    guest.until(lambda: guest.find(".worked-range .values"))
    guest.look_at("explore-worked-out", language)
    played = guest.number(".worked-range tbody tr")
    guest.tap(".worked-range .plain")
    guest.until(lambda: guest.number(".worked-range tbody tr") > played)
    guest.tap(".worked-range tbody a")
    guest.until(lambda: not guest.find(".worked-range") and guest.number(".others a") == 3)
    guest.tap(".explore .foot .second")
    guest.until(lambda: guest.find("dialog .cell.legal"))
    guest.look_at("explore-another-bid", language)
    guest.tap("dialog .shift button", 1)
    guest.run("[...document.querySelectorAll('dialog .cell.legal')].at(-1).click()")
    guest.until(lambda: guest.number(".others a") == 4)
    guest.tap_text(BUTTON[language])  # where the policy has no line, too
    guest.until(lambda: guest.find(".worked-range .values"))
    guest.look_at("explore-off-lines", language)
    assert [len(asked.history) for asked in workers.asked] == [1, 3]
    assert [asked.held for asked in workers.asked] == [(1, 6), ()]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_locks_are_answered(guest: Visitor, workers: Overheard, language: str) -> None:
    guest.open("explore/zhaifei/2//hold=6", language=language)
    guest.tap(".locks .second")
    guest.until(lambda: guest.find("dialog select"))
    guest.look_at("explore-lock", language)
    guest.tap("dialog .choice-options button", 2)
    guest.tap("dialog .main")
    guest.until(lambda: guest.number(".lock-list li") == 1)
    guest.tap(".legend a")
    guest.until(lambda: guest.number(".others a") == 2)
    for face in (1, 1, 3, 4, 6):
        before = guest.number(".held-die")
        guest.tap(".dice-to-hold button", face - 1)
        guest.until(lambda before=before: guest.number(".held-die") == before + 1)
    guest.open(guest.run("return location.hash").removeprefix("#/"))  # the address has it all
    guest.until(lambda: guest.number(".locks .foot .second") == 4)
    guest.tap(".locks .foot .second", 2)
    guest.until(lambda: guest.find(".worked-locks .good"))
    guest.look_at("explore-locked", language)
    guest.tap(".locks .foot .second", 1)
    guest.until(lambda: guest.run(LOCK_FILE))
    guest.look_at("explore-lock-file", language)
    (asked,) = workers.asked
    assert (asked.hand, asked.answer) == ((1, 1, 3, 4, 6), "best-response")
    assert guest.run(LOCK_FILE).strip() == lock_file(asked.rules, asked.locks).strip()
    guest.tap("dialog .plain")
    guest.tap(".lock-list .second")
    guest.until(lambda: not guest.find(".lock-list"))
    assert "lock=" not in guest.run("return location.hash")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_review_says_what_decisions_cost(guest: Visitor, language: str) -> None:
    guest.open(language=language)
    keep(guest, "records", [REVIEWED])
    guest.open(f"review/{WHEN}")
    guest.until(lambda: guest.find(".review-sum b"))
    assert guest.number(".reviewed > li") == 2
    unit = {"en": "cost", "zh": "亏"}[language]
    guest.until(lambda: guest.run(_ALL_TOLD, unit))
    guest.look_at("review-costs", language)
    guest.tap(".reviewed .wide")
    guest.tap(".retry .plain")
    guest.until(lambda: guest.find(".retry .worked"))
    guest.look_at("review-costs-answer", language)


_ALL_TOLD = """
const told = [...document.querySelectorAll(".reviewed-grades .differs")];
return told.length === 2 && told.every(one => one.innerText.includes(arguments[0]));
"""


def test_a_server_that_is_gone_leaves_what_the_page_knows(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    with app_served(app_with(AtOnce())) as port:
        visitor = Visitor(browser, f"http://127.0.0.1:{port}/", tmp_path)
        visitor.open(language="en")
        keep(visitor, "match", PLAYED)
        keep(visitor, "records", [REVIEWED])
        browser.execute_async_script("navigator.serviceWorker.ready.then(arguments[0])")
        visitor.until(lambda: visitor.run("return navigator.serviceWorker.controller !== null"))
        visitor.until(lambda: browser.execute_async_script(LATER_IS_KEPT))
        visitor.open("play")
        visitor.until(visitor.until_asked)
        visitor.tap(".hint")
        visitor.tap(".hint-line")
        visitor.until(lambda: visitor.run(IS_IN_DIALOG, BUTTON["en"]))
    visitor.tap_text(BUTTON["en"])
    visitor.until(lambda: visitor.run(IS_IN_DIALOG, "cannot be reached"))
    visitor.open(f"review/{WHEN}")
    visitor.until(lambda: visitor.find(".review-sum b"))
    assert visitor.number(".reviewed .differs") == 2
    assert visitor.errors() == []
    visitor.driver.get("about:blank")


def test_a_static_site_works_nothing_out(visitor: Visitor) -> None:
    open_hint(visitor, "en")
    assert BUTTON["en"] not in visitor.run("return document.querySelector('dialog').innerText")
