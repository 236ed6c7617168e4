"""The lock of a run: one process at a time, released by the system when the process ends."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.command_line import LONG, ROOT
from zhaifei.game.errors import ZhaifeiError
from zhaifei.policies.training import run_lock
from zhaifei.policies.training.forked_write import CAN_FORK
from zhaifei.policies.training.run_lock import LockHeld, lock_path, locked

_HOLD = """
import sys
from pathlib import Path
from zhaifei.policies.training.run_lock import locked
with locked(Path(sys.argv[1]), print):
    if "WRITES" in sys.argv:
        from zhaifei.policies.training.forked_write import ForkedWrite
        child = ForkedWrite(lambda: sys.stdin.read())
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(out: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends; with WRITES it has a child that
    never ends to write."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(out), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def no_warning(error: ZhaifeiError) -> None:
    raise AssertionError(error)


def hold(out: Path) -> None:
    with locked(out, no_warning):
        pass


def test_a_second_process_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    out = tmp_path / "policy.safetensors"
    with holder(out) as process:
        with pytest.raises(LockHeld) as caught:
            hold(out)
        said = str(caught.value)
        assert said.startswith(f"process {process.pid} on {os.uname().nodename} has been writing")
        assert f"{out} since 20" in said
        assert ": zhaifei " in said


def test_a_process_that_ends_releases_the_lock_and_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "policy.safetensors"
    with holder(out) as process:
        process.communicate()
        assert [*tmp_path.iterdir()] == []
    hold(out)
    assert [*tmp_path.iterdir()] == []


def test_a_process_that_is_killed_releases_the_lock(tmp_path: Path) -> None:
    out = tmp_path / "policy.safetensors"
    with holder(out) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert lock_path(out).exists()
        hold(out)
    assert [*tmp_path.iterdir()] == []


def test_a_run_that_fails_releases_the_lock(tmp_path: Path) -> None:
    out = tmp_path / "policy.safetensors"
    with pytest.raises(ZeroDivisionError), locked(out, no_warning):
        raise ZeroDivisionError
    assert [*tmp_path.iterdir()] == []


def test_policies_have_a_lock_each_and_links_that_of_the_file_they_point_to(tmp_path: Path) -> None:
    one, other, link = tmp_path / "a", tmp_path / "a.safetensors", tmp_path / "link"
    link.symlink_to(one)
    with locked(one, no_warning), locked(other, no_warning), pytest.raises(LockHeld):
        hold(link)


def test_a_lock_file_that_was_removed_while_it_was_opened_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who held the lock before removes its file; somebody else may have opened that already."""
    out, plain, opened = tmp_path / "policy.safetensors", run_lock.lock, []

    def removed_once(file: object, *, wait: bool) -> str | None:
        if not opened:
            lock_path(out).unlink()
        opened.append(file)
        return plain(file, wait=wait)  # type: ignore[arg-type]

    monkeypatch.setattr(run_lock, "lock", removed_once)
    with locked(out, no_warning):
        monkeypatch.undo()
        with pytest.raises(LockHeld):
            hold(out)
    assert len(opened) == 2


@pytest.mark.skipif(not CAN_FORK, reason="children are forked on Linux only")
def test_a_child_that_writes_a_checkpoint_ends_with_its_parent_and_so_does_the_lock(
    tmp_path: Path,
) -> None:
    out = tmp_path / "policy.safetensors"
    with holder(out, "WRITES") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        end = time.monotonic() + LONG
        while True:
            with suppress(LockHeld):
                hold(out)
                break
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.mark.parametrize("content", ["", "{", "[]", json.dumps({"process": "x"})])
def test_whoever_writes_into_a_lock_file_changes_no_lock(tmp_path: Path, content: str) -> None:
    out = tmp_path / "policy.safetensors"
    with locked(out, no_warning):
        lock_path(out).write_text(content)
        with pytest.raises(LockHeld, match=f"^another process is writing {out}$"):
            hold(out)


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK])
def test_where_there_are_no_locks_a_run_is_warned_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    out, warnings = tmp_path / "policy.safetensors", []
    with locked(out, warnings.append):
        pass
    (warning,) = warnings
    assert str(warning).startswith(f"{out} cannot be locked: {os.strerror(number)}; start no other")
    assert [*tmp_path.iterdir()] == []
