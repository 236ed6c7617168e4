"""Limits on the length of typed texts."""

from __future__ import annotations

from zhaifei.game.errors import ZhaifeiError

LONGEST = 10_000
"""The most characters of a text that is parsed, more than the longest history of any rules takes.
Parsers take time linear in the length of their text, so this also bounds their time."""


class TextTooLong(ZhaifeiError):
    """Raised for a text of more than LONGEST characters."""


def verify_length(text: str) -> None:
    """Raise TextTooLong if `text` is too long to be parsed."""
    if len(text) > LONGEST:
        raise TextTooLong(
            "{text!r} is too long: it has {length:,} characters, and the limit is {most:,}",
            text=text,
            length=len(text),
            most=LONGEST,
        )
