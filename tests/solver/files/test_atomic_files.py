"""Files written completely or not at all, and the check whether they can be."""

import errno
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import BinaryIO

import pytest

from zhaifei.solver.files import atomic_files
from zhaifei.solver.files.atomic_files import (
    StorageError,
    verify_writable,
    write_atomically,
    write_text,
)

LONGEST = 255
"""Bytes of a file name, in the file systems that tests run on."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a file.zhaifei"


def refused(path: Path) -> str:
    """Why `path` cannot be written, by the check and by writing: in one line that names it."""
    before = sorted(path.parent.glob("*")) if path.parent.is_dir() else []
    said = []
    for do in (verify_writable, lambda path: write_text(path, "new")):
        with pytest.raises(StorageError) as caught:
            do(path)
        said.append(str(caught.value))
    after = sorted(path.parent.glob("*")) if path.parent.is_dir() else []
    assert after == before
    assert said[0] == said[1]
    beginning = f"cannot write {path}: "
    assert said[0].startswith(beginning)
    assert "\n" not in said[0]
    return said[0].removeprefix(beginning)


def temporary_of(path: Path) -> Path:
    """The temporary file while this process writes `path`."""
    seen = []
    write_atomically(path, lambda file: seen.append(file.name))
    return Path(seen[0])


def test_what_killed_writers_left_is_removed_but_not_what_others_write_now(path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    name = temporary_of(path).name
    beginning = name.partition(f"{os.getpid()}-")[0]
    orphan, lives, strange = (
        f"{beginning}{end}.tmp"
        for end in (
            f"{ended.pid}-{ended.pid}",
            f"{os.getppid()}-{os.getppid()}",
            "x",
        )
    )
    others = [
        temporary_of(path.with_name("other")).name.replace(str(os.getpid()), str(ended.pid)),
        f"{path.name}.{ended.pid}.tmp",
    ]
    path.with_name("other").unlink()
    for left in (orphan, lives, strange, name, *others):
        path.with_name(left).write_bytes(b"part of it")
    write_text(path, "new")
    assert sorted(os.listdir(path.parent)) == sorted([path.name, lives, strange, *others])


def test_nothing_is_left_where_flushing_fails_or_someone_interrupts(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, seen in (
        (OSError(errno.EIO, "Input/output error"), StorageError),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):

        def fail(descriptor: int, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(seen):
            write_text(path, "new")
        assert os.listdir(path.parent) == []


def test_the_first_error_is_told_where_cleaning_up_fails_too(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: BinaryIO) -> None:
        monkeypatch.setattr(Path, "unlink", unremovable)
        raise OSError(errno.ENOSPC, "No space left on device")

    def unremovable(path: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with pytest.raises(StorageError, match="No space left on device"):
        write_atomically(path, fail)


def test_an_error_without_a_text_of_the_system_is_told_as_it_is(path: Path) -> None:
    def fail(file: BinaryIO) -> None:
        raise OSError("the tape is torn")

    with pytest.raises(StorageError, match=r"cannot write .*: the tape is torn$"):
        write_atomically(path, fail)


def test_places_that_cannot_be_written_are_named_before_anything_is_done(
    path: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "nowhere" / "file"
    path.write_bytes(b"")
    assert refused(missing) == f"there is no directory {missing.parent}"
    assert refused(path / "file") == f"there is no directory {path}"
    assert refused(tmp_path) == "it is a directory"


def test_a_directory_in_which_no_file_can_be_made_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", fail)
    assert refused(path) == "Permission denied"


def test_asking_whether_a_place_can_be_written_changes_nothing(path: Path) -> None:
    verify_writable(path)
    assert os.listdir(path.parent) == []
    path.write_bytes(b"old")
    verify_writable(path)
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("character", ["x", "骰"])
def test_every_name_that_the_system_allows_can_be_written(tmp_path: Path, character: str) -> None:
    longest = character * (LONGEST // len(character.encode()))
    write_text(tmp_path / longest, "new")
    assert os.listdir(tmp_path) == [longest]
    verify_writable(tmp_path / longest)
    assert refused(tmp_path / (longest + character)) == os.strerror(errno.ENAMETOOLONG)


def test_threads_that_write_one_file_do_not_meet(path: Path) -> None:
    together = Barrier(4)

    def write(text: str) -> None:
        def fill(file: BinaryIO) -> None:
            together.wait()
            file.write(text.encode())
            together.wait()

        write_atomically(path, fill)

    texts = [letter * 100_000 for letter in "abcd"]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, texts))
    assert path.read_text() in texts
    assert os.listdir(path.parent) == [path.name]


def test_devices_pipes_and_sockets_are_refused(path: Path, tmp_path: Path) -> None:
    os.mkfifo(path)
    listening, bound = tmp_path / "socket", socket.socket(socket.AF_UNIX)
    bound.bind(os.path.relpath(listening))
    to_a_device = tmp_path / "link"
    to_a_device.symlink_to(os.devnull)
    for special in (path, listening, to_a_device):
        assert refused(special) == "it is a device, a pipe or a socket"
    bound.close()
    with pytest.raises(StorageError, match="it is a device, a pipe or a socket"):
        verify_writable(Path(os.devnull))


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays_and_what_it_points_to_is_written(
    tmp_path: Path, exists: bool
) -> None:
    (tmp_path / "far").mkdir()
    target, between, link = tmp_path / "far" / "file", tmp_path / "between", tmp_path / "link"
    between.symlink_to(Path("far") / "file")
    link.symlink_to("between")
    if exists:
        target.write_text("old")
    verify_writable(link)
    write_text(link, "new")
    assert (os.readlink(link), os.readlink(between)) == ("between", os.path.join("far", "file"))
    assert (target.read_text(), target.is_symlink()) == ("new", False)
    assert os.listdir(target.parent) == [target.name]


def test_links_that_lead_nowhere_are_refused(path: Path, tmp_path: Path) -> None:
    path.symlink_to(path.name)
    assert refused(path) == os.strerror(errno.ELOOP)
    lost = tmp_path / "lost"
    lost.symlink_to(tmp_path / "no" / "such")
    assert refused(lost) == f"there is no directory {tmp_path / 'no'}"


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o666])
def test_a_file_that_is_replaced_passes_on_its_mode(path: Path, mode: int) -> None:
    path.write_text("old")
    path.chmod(mode)
    write_text(path, "new")
    assert (path.stat().st_mode & 0o7777, path.read_text()) == (mode, "new")


def test_contents_are_never_more_readable_than_the_file_they_replace(path: Path) -> None:
    path.write_text("old")
    path.chmod(0o600)
    modes = []
    write_atomically(path, lambda file: modes.append(os.fstat(file.fileno()).st_mode & 0o777))
    assert modes == [0o600]


def test_a_temporary_name_that_someone_else_took_is_not_written_through(
    path: Path, tmp_path: Path
) -> None:
    """In a directory that all may write, anybody can guess the name."""
    treasure = tmp_path / "treasure"
    treasure.write_text("gold")
    temporary_of(path).symlink_to(treasure)
    write_text(path, "new")
    assert (treasure.read_text(), path.read_text()) == ("gold", "new")
    assert not path.is_symlink()


def test_the_directory_is_flushed_after_the_renaming(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed = []

    def note(descriptor: int) -> None:
        flushed.append((os.readlink(f"/proc/self/fd/{descriptor}"), path.exists()))

    monkeypatch.setattr(os, "fsync", note)
    write_text(path, "new")
    assert flushed[-1] == (str(path.parent), True)
    assert [exists for _, exists in flushed] == [False, True]


@pytest.mark.parametrize(("number", "told"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_directory_that_cannot_be_flushed_is_told_unless_none_can_be(
    path: Path, number: int, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        if path.exists():
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic_files.os, "fsync", fail)
    if told:
        with pytest.raises(StorageError, match=os.strerror(number)):
            write_text(path, "new")
    else:
        write_text(path, "new")
    assert path.read_text() == "new"
