"""Draw the frame of all pages: the header, the language, light and dark."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from nicegui import ui

from zhaifei.app.locale import LANGUAGES, say, say_message, speaking
from zhaifei.app.server.site import POCKET
from zhaifei.app.web.visitor import Visitor, current
from zhaifei.game.messages import Message

TITLE = "斋飞"
_SCRIPT = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
_TAGS: dict[str, Literal["zh-CN", "en-US"]] = {"zh": "zh-CN", "en": "en-US"}
"""The lang attribute of <html>."""
_NAMES = {"zh": "中文", "en": "English"}


def _places() -> dict[str, str]:
    return {
        "/": say("Play"),
        "/table": say("At the table"),
        "/explorer": say("Explorer"),
        "/records": say("Records"),
        f"{POCKET}/": say("New page"),
    }


def _words() -> str:
    """Return the messages of the script, as JavaScript."""
    lost = say("the server was started again: open its address with the token")
    return json.dumps({"lost": lost}).replace("<", "\\u003c")


@contextmanager
def frame(title: Message, place: str) -> Iterator[Visitor]:
    """Draw the frame of the page at `place`, in the language of the visitor, and yield the visitor;
    the block draws the page."""
    visitor = current()
    with speaking(visitor.language):
        _set_page(visitor)
        ui.page_title(f"{say_message(title)} · {TITLE}")
        root = visitor.server.settings.root_path
        ui.add_head_html(f'<link rel="stylesheet" href="{root}/style.css">')
        ui.add_body_html(f"<script>window.zhaifeiWords = {_words()};{_SCRIPT}</script>")
        with ui.element("header").classes("z-header"):
            _navigation(place)
            _switches(visitor)
        with ui.element("main").classes("z-main"):
            ui.html(say_message(title), sanitize=False, tag="h1").classes("sr-only")
            yield visitor


def _set_page(visitor: Visitor) -> None:
    """Set the language and the shade of this page only."""
    client = ui.context.client
    client.page = copy.copy(client.page)
    client.page.language = _TAGS[visitor.language]
    client.page.dark = visitor.dark
    client.content.classes("z-content")


def _navigation(place: str) -> None:
    with ui.element("nav").classes("z-nav").props(f'aria-label="{say("pages")}"'):
        for path, name in _places().items():
            link = ui.link(name, path).classes("z-link")
            if path == place:
                link.classes("z-here").props('aria-current="page"')


def _switches(visitor: Visitor) -> None:
    def speak(language: str) -> None:
        visitor.language = language
        ui.navigate.reload()

    def shade() -> None:
        # None follows the browser; then dark, light.
        visitor.dark = {None: True, True: False, False: None}[visitor.dark]
        darkness.value = visitor.dark
        shades.props(f'aria-label="{_shade(visitor)}"')
        ui.notify(_shade(visitor), position="top")

    darkness = ui.dark_mode(visitor.dark)
    with ui.element("div").classes("z-switches"):
        for language in LANGUAGES:
            if language != visitor.language:
                ui.button(_NAMES[language], on_click=partial(speak, language), color=None).props(
                    f'flat dense no-caps lang="{_TAGS[language]}"'
                )
        shades = ui.button("◐", on_click=visitor.handler(shade), color=None).props("flat dense")
        shades.props(f'aria-label="{_shade(visitor)}"')


def _shade(visitor: Visitor) -> str:
    return {
        None: say("light or dark: as the browser"),
        True: say("light or dark: dark"),
        False: say("light or dark: light"),
    }[visitor.dark]
