"""Messages to users, independent of the language they are shown in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from pathlib import PurePath
from typing import Any

SHOWN = 200
"""The most characters of a value that a message shows, since typed text and file contents may be
longer than any screen."""


class Message:
    """An English text and the values that it names in braces, kept apart so that `app.locale` can
    translate it. Values may be messages themselves. `str` returns the English text, with only the
    beginning of long values.
    """

    def __init__(self, text: str, /, **values: Any) -> None:
        self.text, self.values = text, values

    def filled(self, **values: Any) -> Message:
        """Return the same text with other values."""
        found = copy(self)
        found.values = values
        return found

    def __str__(self) -> str:
        return fill(self.text, self.values)

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.text, self.values) == (other.text, other.values)

    def __hash__(self) -> int:
        return hash(str(self))


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return `text` with `values` in place of the names in braces, each cut as by `shown`."""
    if not values:
        return text
    return text.format(**{name: shown(value) for name, value in values.items()})


def shown(value: object) -> object:
    """Return an object that formats like `value`, cut after SHOWN characters. Paths stay whole,
    since systems bound them, and so do messages, whose values are cut."""
    whole = isinstance(value, PurePath | Message)
    if whole or isinstance(getattr(value, "message", None), Message):  # an error
        return value
    return _Beginning(value)


def beginning(text: str) -> str:
    """Return `text`, or its first SHOWN characters and an ellipsis."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


class _Beginning:
    """A value that formats as `shown` describes."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = beginning(value) if isinstance(value, str) else value

    def __format__(self, spec: str) -> str:
        if isinstance(self._value, str):
            return format(self._value, spec)
        return self._cut(lambda value: format(value, spec))

    def __repr__(self) -> str:
        if not isinstance(self._value, str):
            return self._cut(repr)
        # Text is cut before it is quoted, so that the quotation marks are shown. Each unprintable
        # character may take up to ten.
        quoted = repr(self._value)
        return quoted if len(quoted) <= 2 * SHOWN else repr(f"{self._value[: SHOWN // 10]}…")

    def _cut(self, write: Callable[[object], str]) -> str:
        try:
            return beginning(write(self._value))
        except ValueError:  # an integer with more digits than Python converts
            return f"<{type(self._value).__name__}>"
