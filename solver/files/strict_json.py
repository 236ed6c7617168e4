"""Parse untrusted JSON, within bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from zhaifei.game.errors import ZhaifeiError

MOST_CHARACTERS = 1_000_000
"""The longest text that is parsed."""
DEEPEST = 20
"""How deep objects and lists may be nested; our own files need five levels."""
_MOST_DIGITS = 40
"""The most digits of a whole number; states of random generators have 128 bits."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
"""A string, or an unterminated string, so that a search takes linear time."""
_BRACKET = re.compile(r"[\[\]{}]")


class StrictJsonError(ZhaifeiError):
    """A text that is not JSON, or exceeds the bounds of this module."""


def parse_object(text: str) -> dict[str, Any]:
    """Return the JSON object written in `text`, in time linear in its length.

    Numbers are as Python reads them: NaN and infinities are possible. Raise StrictJsonError if
    `text` is not an object, is longer than MOST_CHARACTERS, or is nested deeper than DEEPEST. Also
    raise it for a key that occurs twice in one object, a whole number of more than 40 digits, or
    half of a surrogate pair.
    """
    if len(text) > MOST_CHARACTERS or _nesting(text) > DEEPEST:
        raise StrictJsonError("the header is too long or nested too deep")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_int=_whole)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise StrictJsonError("the header is not text") from error
    except ValueError as error:
        if isinstance(error, StrictJsonError):
            raise
        raise StrictJsonError("the header is not JSON") from error
    if not isinstance(value, dict):
        raise StrictJsonError("the header is not JSON")
    return value


def _nesting(text: str) -> int:
    """Return the largest number of brackets that are open at once."""
    brackets = _BRACKET.findall(_STRING.sub("", text))
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0)


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise StrictJsonError("the header names {name!r} twice", name=name[:_MOST_DIGITS])
        found[name] = value
    return found


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise StrictJsonError(
            "the header has a number of more than {most} digits", most=_MOST_DIGITS
        )
    return int(digits)
