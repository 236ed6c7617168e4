"""The base of every error that a user, rather than a programmer, can cause."""

from __future__ import annotations

from typing import Any


class ZhaifeiError(ValueError):
    """A request that cannot be met; its message is one line fit for a user.

    `text` may name `values` in braces; it is kept apart from them so that `app.locale` can say
    the same in another language. As a string the error is in English.
    """

    def __init__(self, text: str, /, **values: Any) -> None:
        super().__init__(text.format(**values) if values else text)
        self.text, self.values = text, values
