"""The streams that commands print to: they may lack characters, and may fail at any time.

While a command runs, `Output` replaces sys.stdout and sys.stderr by its own streams. Characters
that their encoding lacks are replaced by readable substitutes. If stdout cannot be written, a
command whose only product is its output ends with OutputFailed; a command that
`goes_on_without_output` continues silently. A failing stderr is never a reason to end.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import select
import sys
import threading
from types import TracebackType
from typing import Any, TextIO

_READABLE = "zhaifei.readable"
"""The name under which Python registers `_readable`."""
_PLAIN = {
    "跳开": "jump",
    "飞": "f",
    "斋": "z",
    "×": "x",
    "±": "+-",
    "·": "|",
    "–": "-",
    "→": ">",
    "█": "#",
    "●": "o",
    "─": "-",
    "│": "|",
    "┌": "+",
    "┐": "+",
    "└": "+",
    "┘": "+",
}
"""Substitutes for words and characters of the English output. 飞 and 斋 may also be typed like
this."""
_REPLACED = re.compile("|".join([*_PLAIN, "."]), re.DOTALL)
"""What is replaced at once: a word, or else any character."""
_ESCAPED = range(0xDC80, 0xDD00)
"""Surrogates by which Python represents bytes of a path that are not text."""
_STANDARD = 3
"""The number of standard streams; their file descriptors are smaller."""


class OutputFailed(Exception):
    """Raised if the output of a command cannot be written, and the command has no other product."""


class Output:
    """The streams of a command, in a `with` block."""

    def __enter__(self) -> Output:
        self._before = sys.stdout, sys.stderr
        self._sinks = _Sink(sys.stdout, needed=True), _Sink(sys.stderr, needed=False)
        streams = [_stream(*pair) for pair in zip(self._before, self._sinks, strict=True)]
        sys.stdout, sys.stderr = self._streams = streams
        return self

    def finish(self) -> OSError | None:
        """Write what has not been written yet. Return the error of stdout, or None."""
        goes_on_without_output()
        for stream in self._streams:
            stream.flush()
        return self._sinks[0].failure

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        sys.stdout, sys.stderr = self._before


def goes_on_without_output() -> None:
    """Let the running command continue if stdout fails from now on, because it has something to
    save."""
    sink = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(sink, _Sink):
        sink.needed = False


def occupy_closed_streams() -> None:
    """Open the null device in place of closed standard streams. Otherwise files opened later would
    take their places and receive the output of C libraries."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) < _STANDARD:
            pass
        os.close(descriptor)


class _Sink(io.RawIOBase):
    """Passes bytes on to a stream until it fails, and drops the rest."""

    def __init__(self, stream: TextIO | None, *, needed: bool) -> None:
        self.needed = needed
        """Whether to raise OutputFailed if the stream fails."""
        self.failure: OSError | None = None
        try:
            if stream is None:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            stream.flush()
        except OSError as error:
            self.failure = error
        buffer = getattr(stream, "buffer", None)
        self._below: Any = getattr(buffer, "raw", buffer)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        open_below = self._below is not None and not self._below.closed
        return open_below and bool(self._below.isatty())

    def fileno(self) -> int:
        if self._below is None:
            raise io.UnsupportedOperation
        return int(self._below.fileno())

    def write(self, data: Any) -> int:
        while self.failure is None:
            try:
                written: int | None = self._below.write(data)
            except OSError as error:
                self.failure = error
            else:
                if written is not None:
                    return written
                select.select([], [self._below], [])  # wait, because a non-blocking stream does not
        # Not in a thread that draws progress, where nobody would catch it.
        if self.needed and threading.current_thread() is threading.main_thread():
            raise OutputFailed from self.failure
        return len(data)


def _stream(before: TextIO | None, sink: _Sink) -> TextIO:
    """Return a stream that writes to `sink` with the encoding of `before`. Return `before` itself
    if it has no byte buffer, as streams in memory."""
    if before is not None and not hasattr(before, "buffer"):
        return before
    return io.TextIOWrapper(
        io.BufferedWriter(sink),
        encoding=getattr(before, "encoding", "utf-8"),
        errors=_READABLE,
        line_buffering=True,
    )


def _readable(error: UnicodeError) -> tuple[str, int]:
    """Return the substitutes for characters that an encoding lacks, and the end of these
    characters. See codecs.register_error."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return _REPLACED.sub(_substitute, lacking), error.end


def _substitute(found: re.Match[str]) -> str:
    lacking = found[0]
    if lacking in _PLAIN:
        return _PLAIN[lacking]
    if ord(lacking) in _ESCAPED:
        return rf"\x{ord(lacking) - 0xDC00:02x}"
    return lacking.encode("ascii", "backslashreplace").decode()


codecs.register_error(_READABLE, _readable)
