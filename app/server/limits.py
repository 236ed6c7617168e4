"""How much people may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict

_MOST_KEYS = 2000


class Limit:
    """Allows each key, such as an address, `burst` acts at once and then `rate` a second."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How many acts were left, and when, by key; the key used last is the last."""

    def allows(self, key: str) -> bool:
        """Return whether one more act is allowed, without counting it."""
        return self._now(key) >= 1.0

    def take(self, key: str) -> bool:
        """Return whether one more act is allowed, and count it."""
        left = self._now(key)
        allowed = left >= 1.0
        self._left.pop(key, None)
        self._left[key] = left - allowed, time.monotonic()
        if len(self._left) > _MOST_KEYS:
            self._left.popitem(last=False)
        return allowed

    def _now(self, key: str) -> float:
        left, at = self._left.get(key, (self._burst, 0.0))
        return min(self._burst, left + (time.monotonic() - at) * self._rate)
