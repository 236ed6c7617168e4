"""Signals that ask the program to end: none is lost, whatever it does just then."""

import subprocess
import sys

import pytest

from tests.command_line import LONG, environment

LISTENING = """
import ctypes, os, signal, sys, threading, time, weakref
from zhaifei.policies import signals

class Thing:
    pass

def send(number=signal.SIGINT):
    os.kill(os.getpid(), number)
    for _ in range(1000):
        pass  # the handler runs at the latest now

signals.listen()
try:
    {code}
    for _ in range(1000):
        time.sleep(0.01)
    print("lost", flush=True)
except (KeyboardInterrupt, signals.Terminated) as error:
    signals.settle(error)
    print(type(error).__name__, flush=True)
    signals.leave(signals.exit_code(error.number))
"""
WHILE_IT_BEGINS = """
import os, signal, sys, threading
from zhaifei.policies import signals

start = threading.Thread.start

def send_and_start(thread):
    os.kill(os.getpid(), signal.{name})
    start(thread)

threading.Thread.start = send_and_start
signals.listen()
print("lost", flush=True)
"""
BEGUN = """
import os, signal, sys
signal.signal(signal.{name}, signal.{disposition})
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""
"""What a shell or nohup has a program do on a signal."""
SWALLOWED = {
    "weakref callback": "thing = Thing()\nkept = weakref.ref(thing, lambda _: send())\ndel thing",
    "destructor": "Thing.__del__ = lambda self: send()\nThing()",
    "callback from C": "ctypes.CFUNCTYPE(None)(send)()",
    "bare except": "try: send()\nexcept: pass",
    "twice": (
        "try: send()\nexcept: pass\n"
        "thing = Thing()\nkept = weakref.ref(thing, lambda gone: time.sleep(1))\ndel thing"
    ),
}
"""Code that drops the exception of a signal."""


def ended(code: str, *before: str) -> tuple[int, str, str]:
    """Run `code` in a process that listens to signals, with `run`."""
    source = LISTENING.replace("{code}", code.replace("\n", "\n    "))
    return run(*(before or (sys.executable, "-c")), source)


def run(*command: str) -> tuple[int, str, str]:
    """Run a process; return exit code, output and errors."""
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
        env=environment(),
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("code", SWALLOWED.values(), ids=SWALLOWED)
def test_a_signal_whose_exception_is_dropped_comes_again(code: str) -> None:
    assert ended(code) == (130, "Interrupted\n", "")


def test_a_signal_is_heard_where_the_shell_has_programs_ignore_it() -> None:
    """As it does in the background."""
    ignoring = BEGUN.format(name="SIGINT", disposition="SIG_IGN")
    assert ended("send()", sys.executable, "-c", ignoring) == (130, "Interrupted\n", "")


@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_other_signals_end_the_program_too(name: str, code: int) -> None:
    heeding = BEGUN.format(name=name, disposition="SIG_DFL")  # the tests may run under nohup
    found = ended(f"send(signal.{name})", sys.executable, "-c", heeding)
    assert found == (code, "Terminated\n", "")


def test_under_nohup_a_program_outlives_its_terminal() -> None:
    ignoring = BEGUN.format(name="SIGHUP", disposition="SIG_IGN")
    code = "send(signal.SIGHUP); print('goes on', flush=True); os._exit(0)"
    assert ended(code, sys.executable, "-c", ignoring) == (0, "goes on\n", "")


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_just_as_it_begins_to_listen_ends_the_program_silently(
    name: str, code: int
) -> None:
    """Starting a thread takes long where many processes are waiting."""
    assert run(sys.executable, "-c", WHILE_IT_BEGINS.format(name=name)) == (code, "", "")


def test_the_program_ends_without_waiting_for_its_threads() -> None:
    waiting = f"threading.Thread(target=time.sleep, args=({2 * LONG},)).start()"
    assert ended(f"{waiting}\nsend()") == (130, "Interrupted\n", "")


def test_a_signal_while_another_one_clears_up_ends_the_program() -> None:
    assert ended("try: send()\nfinally: send()") == (130, "Interrupted\n", "")


def test_a_signal_while_another_one_is_settled_ends_the_program_silently() -> None:
    assert ended("signals.settle = lambda error: send()\nsend()") == (130, "", "")
