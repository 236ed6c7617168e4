"""Seeds of matches: all dice follow from them, and whatever the players draw."""

from __future__ import annotations

import secrets

_BITS = 128
"""Nobody can try all seeds of this size against the dice that were shown so far."""
MOST_SEED = 2**_BITS - 1
"""The highest."""


def drawn_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(_BITS)
