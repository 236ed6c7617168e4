"""The base class of errors that a user, rather than a programmer, can cause."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from zhaifei.game.messages import Message


class ZhaifeiError(ValueError):
    """Raised for a request that cannot be met; its message is one line written for users.

    `message` keeps text and values apart, so that `app.locale` can translate it. `str` returns the
    English text.
    """

    def __init__(self, text: str, /, **values: Any) -> None:
        # The text is filled in only when needed: parsers try texts, and drop most errors.
        super().__init__(text)
        self.message = Message(text, **values)

    def __str__(self) -> str:
        return str(self.message)

    @property
    def text(self) -> str:
        """The English text, with the names of values in braces."""
        return self.message.text

    @property
    def values(self) -> dict[str, Any]:
        """The values that the text names."""
        return self.message.values


@contextmanager
def needing(packages: frozenset[str], error: ZhaifeiError) -> Iterator[None]:
    """Raise `error` if an import in the block fails because one of `packages` is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in packages:
            raise
        raise error from missing


def needing_openspiel() -> AbstractContextManager[None]:
    """Raise ZhaifeiError if an import in the block fails because OpenSpiel is not installed."""
    return needing(
        frozenset({"open_spiel", "pyspiel"}),
        ZhaifeiError("OpenSpiel is not installed: pip install open_spiel"),
    )
