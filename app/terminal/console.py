"""Consoles, durations, warnings and progress, shared by all commands."""

from __future__ import annotations

import math
import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from zhaifei.app.locale import say
from zhaifei.app.terminal.kept_kernels import warn_if_not_kept
from zhaifei.game.errors import ZhaifeiError

_SECONDS_BETWEEN_LINES = 10.0


def new_console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Return a console that prints texts verbatim, without markup or highlighting; a quiet one
    prints nothing."""
    return Console(stderr=stderr, quiet=quiet, highlight=False, markup=False)


def clock(seconds: float) -> str:
    """Return a duration like 0:09 or 1:02:03, or a question mark if it is not finite."""
    if not math.isfinite(seconds):
        return "?"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def quoted(path: Path) -> str:
    """Return a path quoted for a shell, even a path with bytes that are not text."""
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        escaped = text.replace("\\", r"\\").replace("'", r"\'")
        return f"$'{os.fsencode(escaped).decode('utf-8', 'backslashreplace')}'"
    return shlex.quote(text)


def warn(console: Console) -> Callable[[ZhaifeiError], None]:
    """Return a function that prints a warning on `console`."""
    return lambda error: console.print(say("warning: {error}", error=error), style="yellow")


class LiveLine:
    """A line of progress. On a terminal it is updated in place; elsewhere a new line is printed at
    once and then every ten seconds. Commands that compute show such a line, so it also warns if the
    kernels that are compiled first cannot be kept."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began, self._next_line, self.has_shown = time.monotonic(), 0.0, False
        self._bar = Progress(
            BarColumn(bar_width=20),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(say("starting (first run: compiling)"), total=None)

    def __enter__(self) -> LiveLine:
        warn_if_not_kept()
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Remove the line, so that results can be printed; `show` starts a new one."""
        if self._console.is_terminal:
            self._bar.stop()

    def show(self, text: str, done: int = 0, goal: int | None = None) -> None:
        """Show `text`; `done` and `goal` fill the bar if they are known."""
        self._bar.update(self._task, description=text, completed=done, total=goal)
        now, self.has_shown = time.monotonic(), True
        if self._console.is_terminal:
            self._bar.start()
        elif now >= self._next_line:
            self._console.print(f"{clock(now - self._began)}  {text}", soft_wrap=True)
            self._next_line = now + _SECONDS_BETWEEN_LINES


class EarlyResult:
    """A part of the result, printed before the rest if there is progress to show: then the rest
    takes seconds."""

    def __init__(self, console: Console, line: LiveLine) -> None:
        self._console, self._line, self._text = console, line, ""

    def know(self, text: str) -> None:
        """Print `text`, or keep it until there is progress to show."""
        self._text = text
        if self._line.has_shown:
            self._print()

    def show(self, progress: str) -> None:
        """Show `progress`, after what is known."""
        self._print()
        self._line.show(progress)

    def _print(self) -> None:
        text, self._text = self._text, ""
        if text:
            self._line.stop()
            self._console.print(text, soft_wrap=True)
