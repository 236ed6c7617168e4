"""A cache of computed values, limited by the memory that they take."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Values by key, of at most `most` bytes in all. The least recently used values are dropped
    first; the newest is never dropped."""

    def __init__(self, most: int) -> None:
        self._most, self.size = most, 0
        self._found: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: Key) -> Value | None:
        """Return the value of `key`, or None if the cache does not hold one."""
        if key not in self._found:
            return None
        self._found.move_to_end(key)
        return self._found[key][0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Keep `value`, which takes `size` bytes, and replace an earlier value of the same key."""
        _, replaced = self._found.pop(key, (None, 0))
        self._found[key] = value, size
        self.size += size - replaced
        while self.size > self._most and len(self._found) > 1:
            _, (_, forgotten) = self._found.popitem(last=False)
            self.size -= forgotten
