"""Signals that ask the program to end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP when a terminal closes.

Python turns SIGINT into a KeyboardInterrupt at whatever point the main thread has reached. Such a
signal can be lost in three ways. A shell that starts a program in the background makes it ignore
SIGINT, and Python does not change that. Destructors and weakref callbacks, of which imports and
numba have many, cannot raise. And some code catches every exception. So the exceptions that
`listen` raises notice when they are dropped, and have the signal sent again.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from queue import SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from zhaifei.solver.machine.system import HANG_UP, send_to_main_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[int, FrameType | None], object] | int | None

_PAUSE = 0.01
"""Seconds before a signal is sent again; the code that dropped its exception has probably ended by
then."""
_LONGEST_PAUSE = 1.0
"""Seconds within which a signal is sent again, even on a busy machine."""
_BY_SIGNAL = 128
"""Shells add this to the number of the signal that ended a program."""


class _Raised(BaseException):
    """A signal on its way up the stack. If it is dropped before `settle`, the signal is sent
    again."""

    dropped = False
    """Whether any signal was dropped."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number, self.settled = number, False

    def __del__(self) -> None:
        if not self.settled:
            _Raised.dropped = True
            _dropped.put(self.number)


class Interrupted(_Raised, KeyboardInterrupt):
    """Ctrl-C: whatever has results so far returns them."""


class Terminated(_Raised):
    """SIGTERM or SIGHUP: the program ends."""


_dropped: SimpleQueue[int] = SimpleQueue()  # the only queue that destructors may use


def listen() -> None:
    """From now on raise Interrupted or Terminated in the main thread for each signal. Call it at
    the start of a program: it changes the hooks of the process for good."""
    unraisable, uncaught = sys.unraisablehook, sys.excepthook
    sys.unraisablehook = lambda what: isinstance(what.exc_value, _Raised) or unraisable(what)
    sys.excepthook = lambda kind, error, trace: (
        os._exit(exit_code(error.number))  # while this begins, or while another signal is settled
        if isinstance(error, _Raised)
        else uncaught(kind, error, trace)
    )
    # With the hooks in place a signal may come; a dropped signal waits in the queue for the thread.
    for number in ending_signals():
        signal.signal(number, _raise)
    threading.Thread(target=_send_again, daemon=True).start()


def await_dropped() -> None:
    """If a signal's exception was dropped, wait for the signal to come again. Call it after an
    error: the error may be due to a callback from C that the signal interrupted."""
    if _Raised.dropped:
        time.sleep(_LONGEST_PAUSE)


def settle(error: BaseException | None) -> None:
    """Mark the signal that raised `error`, or an exception that led to it, as handled."""
    while error is not None:
        if isinstance(error, _Raised):
            error.settled = True
        error = error.__cause__ or error.__context__


def exit_code(number: int) -> int:
    """Return the exit code of a program that a signal ended, by the convention of shells: 130 for
    SIGINT."""
    return _BY_SIGNAL + number


def leave(code: int) -> NoReturn:
    """End the process with an exit code. After a signal, do not wait for threads that still compute
    or compile."""
    for number in ending_signals():
        signal.signal(number, signal.SIG_IGN)
    if code > _BY_SIGNAL:
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


class Stopping:
    """Whether somebody has asked a run to stop, in a `with` block.

    Up to `hold`, signals are handled as before the block. From then on the first signal of each
    kind is only noted, so that the run can save its state; a second one is handled as before.
    Outside the main thread, where Python delivers no signals, nothing is noted.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Handler] = {}

    def hold(self) -> None:
        """Begin to note signals."""
        if self._before or threading.current_thread() is not threading.main_thread():
            return
        self._before = {number: signal.getsignal(number) for number in ending_signals()}
        for number in self._before:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        signal.signal(number, self._before[number])

    def __enter__(self) -> Stopping:
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def ending_signals() -> list[signal.Signals]:
    """Return the signals that end the program. SIGHUP is not among them if it is ignored, as under
    nohup."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if HANG_UP is not None and signal.getsignal(HANG_UP) != signal.SIG_IGN:
        numbers.append(HANG_UP)
    return numbers


def _raise(number: int, frame: FrameType | None) -> None:
    raise Interrupted(number) if number == signal.SIGINT else Terminated(number)


def _send_again() -> None:
    while True:
        number = _dropped.get()
        time.sleep(_PAUSE)
        send_to_main_thread(number)
