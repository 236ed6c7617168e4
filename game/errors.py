"""The base of every error that a user, rather than a programmer, can cause."""

from __future__ import annotations

from typing import Any

from game.messages import Message


class ZhaifeiError(ValueError):
    """A request that cannot be met; its message is one line fit for a user.

    The `message` keeps text and values apart, so that `app.locale` can explain the error in another
    language. As a string the error is in English.
    """

    def __init__(self, text: str, /, **values: Any) -> None:
        self.message = Message(text, **values)
        super().__init__(str(self.message))

    @property
    def text(self) -> str:
        """The English text, with names of values in braces."""
        return self.message.text

    @property
    def values(self) -> dict[str, Any]:
        """The values that the text names."""
        return self.message.values
