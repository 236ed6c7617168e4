"""How much people may ask for."""

from __future__ import annotations

import time
from collections import OrderedDict


class Bucket:
    """Allows `burst` acts at once and then `rate` a second."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._left, self._at = burst, time.monotonic()

    def allows(self) -> bool:
        """Return whether one more act is allowed, without counting it."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        return self._left >= 1.0

    def take(self) -> bool:
        """Return whether one more act is allowed, and count it."""
        allowed = self.allows()
        self._left -= allowed
        return allowed


class Limit:
    """A bucket for each key, such as an address; of more than `most_keys` keys, those that were
    used longest ago are forgotten."""

    def __init__(self, burst: float, rate: float, most_keys: int = 2000) -> None:
        self._burst, self._rate, self._most_keys = burst, rate, most_keys
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Return whether one more act is allowed, without counting it."""
        bucket = self._buckets.get(key)
        return bucket is None or bucket.allows()

    def take(self, key: str) -> bool:
        """Return whether one more act is allowed, and count it."""
        bucket = self._buckets.pop(key, None) or Bucket(self._burst, self._rate)
        self._buckets[key] = bucket
        if len(self._buckets) > self._most_keys:
            self._buckets.popitem(last=False)
        return bucket.take()
