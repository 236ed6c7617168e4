"""Buttons in the style of all pages."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from nicegui import ui

from zhaifei.app.web.visitor import Visitor
from zhaifei.app.web.waiting import Waiting


def act(
    visitor: Visitor, text: str, tapped: Callable[..., Any], *, primary: bool = False
) -> ui.button:
    """Return a button for an action; while the action takes time, the button says so."""
    button = ui.button(text, color=None).props("flat no-caps")
    if inspect.iscoroutinefunction(tapped):
        waiting = Waiting(visitor)

        async def done(*arguments: Any) -> None:
            button.props("loading aria-busy=true")
            try:
                with waiting.shown():
                    await tapped(*arguments)
            finally:
                button.props(remove="loading aria-busy")

        button.on_click(visitor.handler(done))
    else:
        button.on_click(visitor.handler(tapped))
    return button.classes("z-act z-primary" if primary else "z-act")


def choice(visitor: Visitor, text: str, tapped: Callable[..., Any]) -> ui.button:
    """Return a button for one of several choices; `choose` shows which was chosen."""
    button = ui.button(text, on_click=visitor.handler(tapped), color=None).props("flat no-caps")
    return button.classes("z-tap").props('aria-pressed="false"')


def choose(button: ui.button, chosen: bool) -> None:
    """Show whether this choice was chosen."""
    if chosen != ("z-chosen" in button.classes):
        button.classes(add="z-chosen" if chosen else "", remove="" if chosen else "z-chosen")
        button.props(f'aria-pressed="{str(chosen).lower()}"')


def reveal(element: ui.element, shown: bool) -> None:
    """Show or hide an element without moving it."""
    if shown != ("z-gone" not in element.classes):
        element.classes(add="" if shown else "z-gone", remove="z-gone" if shown else "")
