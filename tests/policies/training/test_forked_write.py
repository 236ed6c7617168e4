"""Files written by a forked child: what it writes, what it tells, and how it ends."""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from tests.command_line import LONG, environment
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.training.forked_write import CAN_FORK, ForkedWrite, Killed
from zhaifei.solver.files.atomic_files import StorageError

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="only Linux tells children of their parents")


class Gate:
    """What a child waits at until its parent lets it through."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()

    def wait(self) -> None:
        os.read(self._reading, 1)

    def open(self) -> None:
        os.write(self._writing, b" ")


def test_a_child_writes_what_was_there_when_it_was_forked(tmp_path: Path) -> None:
    array, gate = np.arange(100_000), Gate()

    def write() -> None:
        gate.wait()
        (tmp_path / "file").write_bytes(array.tobytes())

    forked = ForkedWrite(write)
    child, before = forked._child, array.tobytes()
    array[:] = -1
    assert not forked.ended
    gate.open()
    assert forked.wait() is None
    assert (tmp_path / "file").read_bytes() == before
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)  # it has been waited for


def test_that_a_child_has_ended_is_seen(tmp_path: Path) -> None:
    forked = ForkedWrite(lambda: None)
    while not forked.ended:
        os.sched_yield()
    assert forked.wait() is None


@pytest.mark.skipif(
    resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 2048, reason="few files may be open"
)
def test_that_a_child_has_ended_is_seen_where_many_files_are_open(tmp_path: Path) -> None:
    with ExitStack() as stack:
        for _ in range(1024):
            stack.enter_context((tmp_path / "file").open("wb"))
        forked = ForkedWrite(lambda: None)
        while not forked.ended:
            os.sched_yield()
        assert forked.wait() is None


@pytest.mark.parametrize(
    "error",
    [
        StorageError("cannot write {path}: {why}", path=Path("p.safetensors"), why="No space left"),
        ZhaifeiError("{error}!", error=ZhaifeiError("{a} of {b}", a=1, b=2)),
        MemoryError(),
    ],
)
def test_what_a_child_raises_is_returned(error: Exception) -> None:
    def write() -> None:
        raise error

    found = ForkedWrite(write).wait()
    assert type(found) is type(error)
    assert str(found) == str(error)
    if isinstance(error, ZhaifeiError):
        assert found.text == error.text
        assert {k: str(v) for k, v in found.values.items()} == {
            k: str(v) for k, v in error.values.items()
        }


def test_an_error_that_is_ours_is_raised_with_its_trace() -> None:
    with pytest.raises(RuntimeError, match=r"ZeroDivisionError(.|\n)* by zero"):
        ForkedWrite(lambda: 1 / 0).wait()


def test_a_child_that_is_killed_is_told_of() -> None:
    killed = ForkedWrite(lambda: os.kill(os.getpid(), signal.SIGKILL)).wait()
    assert isinstance(killed, Killed)


def test_signals_that_end_programs_do_not_end_a_child(tmp_path: Path) -> None:
    """A terminal sends Ctrl-C to the child, too. Afterwards this process hears them as before."""

    def write() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(os.getpid(), number)
        (tmp_path / "file").write_text("whole")

    assert ForkedWrite(write).wait() is None
    assert (tmp_path / "file").read_text() == "whole"
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)


def test_a_child_can_be_stopped() -> None:
    forked = ForkedWrite(Gate().wait)
    child = forked._child
    forked.stop()
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def test_a_child_that_cannot_be_forked_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError("too many processes")

    monkeypatch.setattr(os, "fork", refuse)
    descriptors = os.listdir("/proc/self/fd")
    with pytest.raises(OSError, match="too many processes"):
        ForkedWrite(lambda: None)
    assert os.listdir("/proc/self/fd") == descriptors
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, ())


ENDS_FIRST = """
import os, time
from zhaifei.policies.training.forked_write import ForkedWrite
def write():
    print(os.getpid(), flush=True)
    time.sleep(3600)
ForkedWrite(write).wait()
"""


def test_a_child_ends_with_its_parent() -> None:
    command = [sys.executable, "-c", ENDS_FIRST]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment())
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    end = time.monotonic() + LONG
    while _runs(child):
        assert time.monotonic() < end
        os.sched_yield()


def _runs(process: int) -> bool:
    """Whether it is there, and not only waited for by whoever adopted it."""
    try:
        state = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return False
    return state not in (b"Z", b"X")
