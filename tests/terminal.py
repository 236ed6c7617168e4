"""Runs the command line on a pseudo-terminal, for a person who types and looks."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from tests.command_line import LONG, environment

_QUIET_LOOKS = 25
"""So often in a row, half a second in all, a command must be found waiting, and not have run since:
what was typed before has arrived then. On a slow machine this takes longer by itself."""
_USER_TIME = 10
"""The place of utime in /proc/PID/stat after the state; stime follows."""
CTRL_C, CTRL_D = "\x03", "\x04"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][A-Z0-9]|\x1b[=>]|\r")


class Terminal:
    """A command on a terminal of its own; it is killed at the end of a `with` block."""

    def __init__(self, *arguments: object, columns: int = 80, **variables: str) -> None:
        self._own, other = pty.openpty()
        self._printed, self._seen = "", 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.resize(columns)
        variables = {"TERM": "xterm", **variables}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "zhaifei", *map(str, arguments)],
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=os.environ["HOME"],
            env={k: v for k, v in environment(**variables).items() if k != "COLUMNS"},
            start_new_session=True,
            # So that Ctrl-C is a signal to it. Tests start no threads.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(other)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._own)

    def resize(self, columns: int) -> None:
        """Give the terminal `columns` columns; SIGWINCH tells the program that runs on it."""
        fcntl.ioctl(self._own, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))

    def type(self, text: str) -> None:
        """Types; a line ends with a line break."""
        os.write(self._own, text.encode())

    def press(self, key: str) -> None:
        """Presses a key once the command surely waits for it: Python notices a signal that comes
        just before that only with the next key."""
        looks, before = 0, ""
        while looks < _QUIET_LOOKS:
            time.sleep(0.02)
            now = self._rest()
            looks = looks + 1 if now and now == before else 0
            before = now
        self.type(key)

    def _rest(self) -> str:
        """The processor time that the command has taken, while it waits for something; empty while
        it has something to do, or would if a busy machine let it."""
        _, _, status = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")
        state, *figures = status.split()
        return " ".join(figures[_USER_TIME : _USER_TIME + 2]) if state == "S" else ""

    def wait_for(self, text: str) -> str:
        """What was printed since the last call, up to this text, without colours."""
        end = time.monotonic() + LONG
        while text not in self._unseen():
            assert time.monotonic() < end, self._unseen()
            assert self._read(), f"ended without {text!r}: {self._unseen()!r}"
        found, _, _ = self._unseen().partition(text)
        self._seen += len(found) + len(text)
        return found + text

    def end(self) -> tuple[int, str]:
        """The exit code, and what was printed since the last call."""
        while self._read():
            pass
        return self.process.wait(timeout=LONG), self._unseen()

    def _unseen(self) -> str:
        return _ESCAPES.sub("", self._printed)[self._seen :]

    def _read(self) -> bool:
        """Reads what comes next; whether more may come."""
        ready, _, _ = select.select([self._own], [], [], LONG)
        assert ready, self._unseen()
        try:
            new = os.read(self._own, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self._printed += self._decoder.decode(new)
        return bool(new)
