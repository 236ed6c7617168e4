"""The user's directories for data and for caches."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path, user_data_path

from zhaifei.game.errors import ZhaifeiError

_PATHS = {"cache": user_cache_path, "data": user_data_path}


class NoUserDirectory(ZhaifeiError):
    """The user has no such directory, and none can be created."""


def user_directory(kind: Literal["cache", "data"]) -> Path:
    """Return the user's directory for our caches or data, which may not exist yet. Raise
    NoUserDirectory if neither the environment nor the system knows the user's home."""
    unknown = NoUserDirectory("you have no home directory: HOME is not set")
    try:
        path = Path(_PATHS[kind]("zhaifei", appauthor=False))
    except RuntimeError as error:
        raise unknown from error
    if not path.is_absolute():  # without a home, earlier versions of platformdirs return ~/.cache
        raise unknown
    return path


def make_data_directory() -> Path:
    """Return the user's directory for data, created if necessary. Raise NoUserDirectory."""
    try:
        directory = user_directory("data")
        directory.mkdir(parents=True, exist_ok=True)
    except (NoUserDirectory, OSError) as error:
        raise NoUserDirectory(
            "there is no directory for results: {error}; name a file with --out", error=error
        ) from error
    return directory
