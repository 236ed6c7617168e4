"""Messages to users, independent of the language they are shown in."""

from __future__ import annotations

from typing import Any


class Message:
    """An English text and the values that it names in braces, kept apart so that `app.locale` can
    translate it. Values may be messages themselves. `str` gives the English text.
    """

    def __init__(self, text: str, /, **values: Any) -> None:
        self.text, self.values = text, values

    def __str__(self) -> str:
        return self.text.format(**self.values) if self.values else self.text

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.text, self.values) == (other.text, other.values)

    def __hash__(self) -> int:
        return hash(str(self))
