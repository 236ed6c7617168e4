"""Files written completely or not at all, and the check whether they can be."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from solver import atomic_files
from solver.atomic_files import StorageError, verify_writable, write_text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a file.zhaifei"


def test_what_killed_writers_left_is_removed_but_not_what_others_write_now(path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    names = [f".{path.name}.{process}.tmp" for process in (ended.pid, os.getppid(), "x")]
    others = [f".{path.name}x.{ended.pid}.tmp", f"{path.name}.{ended.pid}.tmp"]
    for name in (*names, *others):
        path.with_name(name).write_bytes(b"part of it")
    write_text(path, "new")
    assert sorted(os.listdir(path.parent)) == sorted([path.name, *names[1:], *others])


def test_nothing_is_left_where_flushing_fails_or_someone_interrupts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, seen in ((OSError(errno.EIO, "Input/output error"), StorageError),
                        (KeyboardInterrupt(), KeyboardInterrupt)):  # fmt: skip

        def fail(descriptor, error=error):
            raise error

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(seen):
            write_text(path, "new")
        assert os.listdir(path.parent) == []


def test_places_that_cannot_be_written_are_named_before_anything_is_done(
    path: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "nowhere" / "file"
    below_a_file = path / "file"
    path.write_bytes(b"")
    for place, reason in (
        (missing, f"there is no directory {missing.parent}"),
        (below_a_file, f"there is no directory {path}"),
        (tmp_path, "it is a directory"),
    ):
        for write in (verify_writable, lambda place: write_text(place, "new")):
            with pytest.raises(StorageError) as caught:
                write(place)
            assert str(caught.value) == f"cannot write {place}: {reason}"


def test_a_directory_in_which_no_file_can_be_made_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(atomic_files.tempfile, "NamedTemporaryFile", fail)
    with pytest.raises(StorageError, match=r"cannot write .*: Permission denied"):
        verify_writable(path)


def test_asking_whether_a_place_can_be_written_changes_nothing(path: Path) -> None:
    verify_writable(path)
    assert os.listdir(path.parent) == []
    path.write_bytes(b"old")
    verify_writable(path)
    assert path.read_bytes() == b"old"
