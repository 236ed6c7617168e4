"""A button whose act takes time says so at once, and what is going on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from nicegui import ui

from tests.app.web.drawn_pages import Answers, DrawnPage, new_visitor, on_page
from zhaifei.app.web import thinking
from zhaifei.app.web.buttons import act
from zhaifei.app.web.frame import frame
from zhaifei.app.web.waiting import Waiting
from zhaifei.app.web.workers import PREPARING, Workers
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message


class Slow:
    """An act that ends when it is told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.fails = False

    async def tapped(self) -> None:
        await self.go.wait()
        if self.fails:
            raise ZhaifeiError("it went wrong")

    def show(self) -> None:
        with frame(Message("Play"), "/") as visitor:
            act(visitor, "act", self.tapped)


def line_of(page: DrawnPage) -> Waiting:
    (line,) = (one for one in page.client.elements.values() if isinstance(one, Waiting))
    return line


def button_of(page: DrawnPage) -> ui.button:
    buttons = (one for one in page.client.elements.values() if isinstance(one, ui.button))
    return next(one for one in buttons if one.text == "act")


async def while_it_runs(page: DrawnPage, slow: Slow) -> str:
    """What is said while the act runs; before and after nothing is."""
    line, button = line_of(page), button_of(page)
    assert "z-gone" in line.classes
    listener = next(iter(button._event_listeners.values()))
    with page.client:
        listener.handler(None)  # type: ignore[misc,arg-type]
    while "loading" not in button.props:
        await asyncio.sleep(0)
    assert "z-gone" not in line.classes
    said = line.text
    slow.go.set()
    while "loading" in button.props:
        await asyncio.sleep(0)
    assert "z-gone" in line.classes
    return said


@pytest.mark.parametrize("fails", [False, True])
def test_a_slow_act_is_busy_until_it_ends(fails: bool) -> None:
    said: list[str] = []

    async def run(page: DrawnPage) -> None:
        slow.fails = fails
        said.append(await while_it_runs(page, slow))

    slow = Slow()
    on_page(slow.show, "/", run, new_visitor(Answers({})))
    assert said == ["working it out: 0 s"]


def test_while_code_is_compiled_the_steps_are_told() -> None:
    said: list[str] = []

    async def run(page: DrawnPage) -> None:
        said.append(await while_it_runs(page, slow))

    answers, slow = Answers({}), Slow()
    answers.preparing = 2, 5
    on_page(slow.show, "/", run, new_visitor(answers))
    assert said[0].startswith("getting ready, step 2 of 5")


def test_every_step_of_the_preparation_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinking, "advise", lambda *asked: None)
    monkeypatch.setattr(thinking, "decide", lambda *asked: None)
    told: list[int] = []
    thinking.warm_up(None, told.append)
    assert told == [*range(1, PREPARING + 1)]


def test_workers_are_prepared_until_the_first_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zhaifei.app.web.workers.PRELOADED", "ZHAIFEI_NOTHING_IS_LOADED")
    workers = Workers(1)
    try:
        assert workers.preparing == (1, PREPARING)
        workers._progress.write_text("3 5")
        assert workers.preparing == (3, 5)
        asyncio.run(workers.start())
        assert workers.preparing is None
    finally:
        workers.stop()
    assert not workers._progress.parent.exists()
