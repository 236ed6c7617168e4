"""Seeds of matches, which determine all dice and all numbers that the players draw."""

from __future__ import annotations

import secrets

from zhaifei.game.errors import ZhaifeiError

_BITS = 128
"""The bits of a seed. Nobody can try all seeds of this size against the dice that were shown."""
MOST_SEED = 2**_BITS - 1
"""The highest seed."""


def verify_seed(seed: int) -> None:
    """Raise ZhaifeiError unless `seed` is one."""
    if not 0 <= seed <= MOST_SEED:
        raise ZhaifeiError(
            "{seed} is not a seed: it must be a whole number from 0 to 2^128 - 1", seed=seed
        )


def drawn_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(_BITS)
