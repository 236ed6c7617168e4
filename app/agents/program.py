"""A program that plays by text: it reads positions from its standard input and answers a line."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import TIMEOUT_MAX, Thread
from typing import IO

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.texts import LONGEST

_ENDING_SECONDS = 2.0
"""How long the program may take to end once its input is closed."""
_WAITING = 1
"""The most texts that wait to be read by either side."""


class ProgramError(ZhaifeiError):
    """Raised for a program that cannot be started, has ended or does not answer in time."""


class TextProgram:
    """A running program, in a `with` block. It gets each text followed by an empty line, and
    answers one line; a line longer than LONGEST characters is cut."""

    def __init__(self, command: str, seconds: float) -> None:
        """Start `command`, which is split as by a shell but run without one. An answer may take
        `seconds`. Raise ProgramError."""
        self._command, self._seconds = command, min(seconds, TIMEOUT_MAX)
        self._texts: Queue[str | None] = Queue(_WAITING)
        self._lines: Queue[str] = Queue(_WAITING)
        try:
            words = shlex.split(command)
            if not words:
                raise ProgramError("{command!r} names no program", command=command)
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
            )
        except ProgramError:
            raise
        except (OSError, ValueError, RuntimeError) as error:
            why = getattr(error, "strerror", None) or error
            raise ProgramError(
                "{command!r} cannot be started: {why}", command=command, why=str(why)
            ) from error
        # Threads read and write, so that neither side ever waits for the other to read.
        for target, arguments in (
            (_write, (self._process.stdin, self._texts)),
            (_read, (self._process.stdout, self._lines)),
        ):
            Thread(target=target, args=arguments, daemon=True).start()

    def __enter__(self) -> TextProgram:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def ask(self, text: str) -> str:
        """Return the program's answer to a text. Raise ProgramError."""
        try:
            self._texts.put(f"{text}\n\n", timeout=self._seconds)
            line = self._lines.get(timeout=self._seconds)
        except (Empty, Full):
            raise ProgramError(
                "{command!r} did not answer within {seconds:g} s",
                command=self._command,
                seconds=self._seconds,
            ) from None
        if not line:
            raise ProgramError("{command!r} ended before the match did", command=self._command)
        return line

    def close(self) -> None:
        """Close the input of the program, and end it if it does not end by itself."""
        with suppress(Full):
            self._texts.put_nowait(None)
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _write(pipe: IO[str], texts: Queue[str | None]) -> None:
    """Write texts to a pipe, and close it after None."""
    with suppress(OSError, ValueError), pipe:
        for text in iter(texts.get, None):
            pipe.write(text)
            pipe.flush()


def _read(pipe: IO[str], lines: Queue[str]) -> None:
    """Pass on the lines of a pipe, and an empty text at its end."""
    with suppress(OSError, ValueError), pipe:
        while line := pipe.readline(LONGEST):
            rest = line
            while rest and not rest.endswith("\n"):
                rest = pipe.readline(LONGEST)
            lines.put(line)
    lines.put("")
