"""The directory where compiled kernels are stored.

`solver.machine.kernel_cache` notices another version of Python or numba, and a change of a kernel's
own file. It does not notice changes of what the kernel takes from other files: callees, and
constants, which numba freezes. So the cache lives in a directory named after a hash of all sources
that a kernel may import from, and any change starts a new directory. The directory is under
`NUMBA_CACHE_DIR` or else the user's cache directory, so installs may be read-only.
"""

from __future__ import annotations

import stat
import tempfile
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.machine.system import user_id
from zhaifei.solver.machine.user_directories import user_directory

PACKAGES = ("game", "solver")
"""Our packages that have kernels, or that kernels import from."""

_config: Any = numba.config  # its types differ between the versions we support


def digest_of_sources() -> str:
    """Return a hash of the names and contents of all files of PACKAGES, sub-packages included."""
    digest = blake2b(digest_size=8)
    root = Path(__file__).parents[2]
    for package in PACKAGES:
        for source in sorted((root / package).rglob("*.py")):
            name, content = source.relative_to(root).as_posix(), source.read_bytes()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class NotKept(ZhaifeiError):
    """The reason why compiled kernels are not stored on disk."""


def cache_directory() -> Path | None:
    """Return the directory where compiled kernels are stored, or None if there is none."""
    found = _directory_or_reason()
    return found if isinstance(found, Path) else None


def why_not_kept() -> NotKept | None:
    """Return the reason why compiled kernels are not stored, or None if they are."""
    found = _directory_or_reason()
    return found if isinstance(found, NotKept) else None


@lru_cache
def _directory_or_reason() -> Path | NotKept:
    """Return the first directory that can be written, or the reason why the first choice cannot.
    numba must not be left to discover that nothing can be written: it would turn to `__pycache__`,
    where kernels go stale."""
    name = digest_of_sources()
    reasons: list[Exception] = []
    for root in (_named_root, _users_root):
        try:
            directory = root() / name
            directory.parent.mkdir(parents=True, exist_ok=True)
            directory.mkdir(mode=0o700, exist_ok=True)
            _verify_private(directory)
            with tempfile.TemporaryFile(dir=directory) as probe:
                probe.write(b"room for a file, and for something in it")
            return directory
        except (OSError, ZhaifeiError) as error:
            reasons.append(error)
    return NotKept(
        "compiled code cannot be kept, so every command compiles again: {reason}; NUMBA_CACHE_DIR "
        "can name another directory",
        reason=reasons[0],
    )


def _named_root() -> Path:
    return Path(_config.CACHE_DIR).absolute() if _config.CACHE_DIR else _users_root()


def _users_root() -> Path:
    return user_directory("cache") / "numba"


def _verify_private(directory: Path) -> None:
    """Raise NotKept if another user could put files into `directory` or replace it: its contents
    are unpickled and run."""
    user = user_id()
    if user is None:
        return
    own, above = directory.lstat(), directory.parent.stat()
    if own.st_uid != user or above.st_uid not in (0, user):
        raise NotKept("{directory} belongs to another user", directory=directory)
    replaceable = above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX
    if replaceable or own.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise NotKept("other users can write to {directory}", directory=directory)
