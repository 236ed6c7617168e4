"""Seeds of matches, which determine all dice and all numbers that the players draw."""

from __future__ import annotations

import secrets

_BITS = 128
"""The bits of a seed. Nobody can try all seeds of this size against the dice that were shown."""
MOST_SEED = 2**_BITS - 1
"""The highest seed."""


def drawn_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(_BITS)
