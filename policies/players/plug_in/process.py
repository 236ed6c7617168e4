"""The process in which a strategy file runs: start it, send questions, receive answers, end it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from game.errors import ZhaifeiError
from game.rules import Rules


class Fault(ZhaifeiError):
    """The reason why a decision was lost."""


class PlugInProcess:
    """One run of the worker. It and the processes that it started end with the program at the
    latest; Ctrl-C does not reach them."""

    def __init__(self, path: Path, rules: Rules) -> None:
        root = Path(__file__).parents[3]
        places = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._process = subprocess.Popen(
            # -P: what lies in the current directory is not imported by accident.
            [sys.executable, "-P", "-m", "policies.players.plug_in.worker"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace",
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(places),
                "PYTHONHASHSEED": "0",  # sets are in the same order each time
            },
            start_new_session=True,
        )  # fmt: skip
        # Threads read and write, so that neither side ever waits for the other to read.
        self._questions: SimpleQueue[str | None] = SimpleQueue()
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self.end = weakref.finalize(self, _end, self._process, self._questions)
        for target, pipe, queue in (
            (_write, self._process.stdin, self._questions),
            (_read, self._process.stdout, self._answers),
        ):
            Thread(target=target, args=(pipe, queue), daemon=True).start()
        self.send([{"path": str(path.resolve()), "rules": rules.to_dict(), "parent": os.getpid()}])

    def send(self, messages: Iterable[object]) -> None:
        """Send messages without waiting for the process to read them."""
        self._questions.put("".join(f"{json.dumps(message)}\n" for message in messages))

    def receive(self, number: int, seconds: float) -> dict[str, Any]:
        """Return the answer to the question with this number. Raise Fault if none arrives in
        time."""
        try:
            line = self._answers.get(timeout=seconds)
        except Empty:
            raise Fault("no answer within {seconds:g} s", seconds=seconds) from None
        if line is None:
            self.end()  # ends the processes that it started, too
            raise Fault("its process ended with exit code {code}", code=self._process.returncode)
        with suppress(ValueError):
            answer = json.loads(line)
            # A process that has been forked answers twice.
            if isinstance(answer, dict) and answer.get("number") == number:
                return answer
        raise Fault("its process wrote something that is not an answer")


def _write(pipe: IO[str], texts: SimpleQueue[str | None]) -> None:
    with suppress(OSError), pipe:
        for text in iter(texts.get, None):
            pipe.write(text)
            pipe.flush()


def _read(pipe: IO[str], lines: SimpleQueue[str | None]) -> None:
    with pipe:
        for line in pipe:
            lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[str], questions: SimpleQueue[str | None]) -> None:
    """End the process and all processes that it started."""
    questions.put(None)
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
