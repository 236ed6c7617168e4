"""What worker processes share: imported, once, in the process from which they are forked."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from app.web.thinking import loaded
from app.web.workers import PRELOADED
from game.errors import ZhaifeiError
from game.rules import preset

_named = os.environ.get(PRELOADED)
if _named is not None:
    with suppress(ZhaifeiError):  # whoever asks for it is told
        _policy = Path(_named) if _named else None
        loaded(_policy, preset("zhaifei") if _policy is None else None)
