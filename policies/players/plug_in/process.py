"""The process in which a strategy file runs: start it, send questions, receive answers, end it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO

from zhaifei.game.rules import Rules
from zhaifei.policies.players.plug_in.answers import LONGEST_LINE, ProcessFault
from zhaifei.solver.machine.system import POSIX

_ENDING_SECONDS = 5.0
"""Seconds that the supervisor may take to end what the worker has started before the supervisor is
killed. The file may have stopped the supervisor again."""


class PlugInProcess:
    """One run of the worker. The worker and the processes that it started end with the program at
    the latest; Ctrl-C does not reach them."""

    def __init__(self, path: Path, rules: Rules) -> None:
        """Ask the worker to load the file at an absolute path. Raise ProcessFault if the worker
        cannot be started."""
        self._sent = self._received = 0
        self._questions: SimpleQueue[bytes | None] = SimpleQueue()
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        self._expected: SimpleQueue[int | None] = SimpleQueue()
        module = "zhaifei.policies.players.plug_in.supervisor"
        try:
            self._process = subprocess.Popen(
                # -P: do not import modules from the current directory by accident.
                [sys.executable, "-P", "-m", module, str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Sets are in the same order each time.
                env={**os.environ, "PYTHONHASHSEED": "0"},
                start_new_session=True,
            )
            self.end = weakref.finalize(self, _end, self._process, self._questions, self._expected)
            # Threads read and write, so that neither side ever waits for the other to read.
            for target, arguments in (
                (_write, (self._process.stdin, self._questions)),
                (_read, (self._process.stdout, self._expected, self._answers)),
            ):
                Thread(target=target, args=arguments, daemon=True).start()
        except (OSError, RuntimeError) as error:  # no more descriptors, processes or threads
            raise ProcessFault("its process cannot be started: {error}", error=error) from error
        self.send([{"path": str(path), "rules": rules.to_dict()}])

    def send(self, messages: Iterable[Mapping[str, object]]) -> None:
        """Number the messages and send them, without waiting until the process reads them."""
        lines = [
            json.dumps({"number": number, **message})
            for number, message in enumerate(messages, self._sent)
        ]
        self._sent += len(lines)
        self._expected.put(len(lines))
        self._questions.put("".join(f"{line}\n" for line in lines).encode())

    def receive(self, seconds: float) -> tuple[int, bytes]:
        """Return the number of the next message and the line that should answer it. Raise
        ProcessFault if no line arrives in time."""
        try:
            line = self._answers.get(timeout=seconds)
        except Empty:
            raise ProcessFault("no answer within {seconds:g} s", seconds=seconds) from None
        if line.endswith(b"\n"):
            self._received += 1
            return self._received - 1, line
        if len(line) == LONGEST_LINE:
            raise ProcessFault(
                "its process wrote a line of more than {most:,} bytes", most=LONGEST_LINE
            )
        self.end()  # the process has ended, or is about to
        raise _end_of(self._process.returncode)


def _end_of(code: int) -> ProcessFault:
    """Return the fault for a process that ended with `code`: its exit code or, if negative, the
    signal that killed it."""
    if code >= 0:
        return ProcessFault("its process ended with exit code {code}", code=code)
    try:
        name = f"{signal.Signals(-code).name} ({-code})"
    except ValueError:  # real-time signals have no names
        name = str(-code)
    return ProcessFault("its process was killed by signal {signal}", signal=name)


def _write(pipe: IO[bytes], texts: SimpleQueue[bytes | None]) -> None:
    with suppress(OSError), pipe:
        for text in iter(texts.get, None):
            pipe.write(text)
            pipe.flush()


def _read(pipe: IO[bytes], expected: SimpleQueue[int | None], lines: SimpleQueue[bytes]) -> None:
    """Read as many lines as messages were sent; further output of the process waits in the pipe. A
    line that is too long is cut, and a line without an end is the last."""
    with pipe:
        for count in iter(expected.get, None):
            for _ in range(count):
                line = pipe.readline(LONGEST_LINE)
                lines.put(line)
                if not line.endswith(b"\n"):
                    return


def _end(
    process: subprocess.Popen[bytes],
    questions: SimpleQueue[bytes | None],
    expected: SimpleQueue[int | None],
) -> None:
    """End the process and all processes that it started."""
    questions.put(None)
    expected.put(None)
    if process.poll() is None:
        process.terminate()
        if POSIX:
            process.send_signal(signal.SIGCONT)  # in case the file has stopped it
        try:
            process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
