"""Tokens that are drawn for a server whose owner has set none.

The token of the last server is kept in the user's data directory, readable by the user alone. A
server that is started again at the same place within a day has the same token, so that whoever has
entered goes on.
"""

from __future__ import annotations

import json
import secrets
import time
from contextlib import suppress
from pathlib import Path

from zhaifei.game.errors import ZhaifeiError
from zhaifei.solver.files.atomic_files import write_text
from zhaifei.solver.machine.user_directories import user_directory

DAY = 86_400.0
"""Seconds for which a drawn token is kept."""
_FILE = "web-token.json"
_BYTES = 16


def drawn_token(place: str) -> str:
    """Return the token of a server at `place`, its host and port: the one that was drawn there in
    the last day, or a new one."""
    token = _kept(place) or secrets.token_urlsafe(_BYTES)
    _keep(place, token)
    return token


def _kept(place: str) -> str | None:
    with suppress(OSError, ValueError, TypeError, KeyError, ZhaifeiError):
        path = _path()
        kept = json.loads(path.read_text(encoding="utf-8"))
        token = kept["token"]
        if kept["place"] == place and isinstance(token, str) and len(token) > _BYTES:
            return token if path.stat().st_mtime > time.time() - DAY else None
    return None


def _keep(place: str, token: str) -> None:
    """Keep a token, if a file can be written that nobody else reads."""
    with suppress(OSError, ZhaifeiError):
        path = _path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        write_text(path, json.dumps({"place": place, "token": token}))


def _path() -> Path:
    """Return the file. Raise NoUserDirectory if there is no data directory."""
    return user_directory("data") / _FILE
