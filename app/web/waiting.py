"""Show what is going on while a visitor waits for an answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from zhaifei.app.locale import say, speaking
from zhaifei.app.web.visitor import Visitor
from zhaifei.app.web.workers import Workers


class Waiting(ui.label):
    """A line that says what is going on, and for how many seconds."""

    def __init__(self, visitor: Visitor) -> None:
        super().__init__()
        self._visitor = visitor
        self.classes("z-quiet z-gone").props('role="timer"')

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line as long as the block runs."""
        began = time.monotonic()

        def tick() -> None:
            with speaking(self._visitor.language):
                self.set_text(waiting_text(self._visitor.server.workers, began))

        tick()
        self.classes(remove="z-gone")
        with self:
            timer = ui.timer(1.0, tick, immediate=False)
        try:
            yield
        finally:
            timer.cancel()
            self.classes(add="z-gone")


def waiting_text(workers: Workers, began: float) -> str:
    """Return the text on what has been going on since `began`, on the clock of time.monotonic."""
    seconds = int(time.monotonic() - began)
    preparing = workers.preparing
    if preparing is None:
        return say("working it out: {seconds} s", seconds=seconds)
    step, steps = preparing
    return say(
        "getting ready, step {step} of {steps}; the first time takes a few minutes: {seconds} s",
        step=step,
        steps=steps,
        seconds=seconds,
    )
