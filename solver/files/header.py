"""The header of a file, or a record in it: fields whose types are checked where they are read."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from reprlib import repr as shortened
from typing import Any

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules

LARGEST = 2**63 - 1
"""The largest whole number that kernels can take."""


class HeaderError(ZhaifeiError):
    """A field that is missing, or not what it must be; the message names it."""


class Header(Mapping[str, Any]):
    """The fields of a JSON object that anybody may have written.

    As a mapping it gives values of any type, for what only stores or shows them. All other code
    reads a field by the method of the type it needs, which raises HeaderError unless the field has
    that type.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"Header({self._fields!r})"

    def text(self, name: str) -> str:
        """Return a text of one line, without control characters."""
        value = self._field(name)
        if not isinstance(value, str) or not value.isprintable():
            raise _unfit(name, value, ZhaifeiError("a text of one line"))
        return value

    def choice(self, name: str, choices: Collection[str]) -> str:
        """Return a text that is one of `choices`."""
        value = self._field(name)
        if not isinstance(value, str) or value not in choices:
            wanted = ZhaifeiError("one of {choices}", choices=", ".join(sorted(choices)))
            raise _unfit(name, value, wanted)
        return value

    def whole(self, name: str, least: int = 0, most: int = LARGEST) -> int:
        """Return a whole number from `least` to `most`."""
        value = self._field(name)
        if type(value) is not int or not least <= value <= most:
            wanted = ZhaifeiError("a whole number from {least} to {most}", least=least, most=most)
            raise _unfit(name, value, wanted)
        return value

    def number(self, name: str, least: float = -math.inf, most: float = math.inf) -> float:
        """Return a finite number from `least` to `most`."""
        value = self._field(name)
        if type(value) not in (int, float) or not math.isfinite(value):
            raise _unfit(name, value, ZhaifeiError("a finite number"))
        if not least <= value <= most:
            wanted = ZhaifeiError("a number from {least:g} to {most:g}", least=least, most=most)
            raise _unfit(name, value, wanted)
        return float(value)

    def record(self, name: str) -> Header:
        """Return a record: an object within the header."""
        value = self._field(name)
        if not isinstance(value, dict):
            raise _unfit(name, value, ZhaifeiError("a record"))
        return Header(value)

    def elements(self, name: str) -> tuple[Any, ...]:
        """Return the elements of a list, which may be of any type."""
        value = self._field(name)
        if not isinstance(value, list):
            raise _unfit(name, value, ZhaifeiError("a list"))
        return tuple(value)

    def records(self, name: str) -> tuple[Header, ...]:
        """Return the records of a list."""
        found = self.elements(name)
        if not all(isinstance(one, dict) for one in found):
            raise _unfit(name, found, ZhaifeiError("a list of records"))
        return tuple(map(Header, found))

    def wholes(self, name: str) -> tuple[int, ...]:
        """Return the whole numbers of a list, from 0 up."""
        found = self.elements(name)
        if not all(type(one) is int and 0 <= one <= LARGEST for one in found):
            raise _unfit(name, found, ZhaifeiError("a list of whole numbers"))
        return found

    def rules(self) -> Rules:
        """Return the rules in the field `rules`. Raise RulesError if they are invalid."""
        return Rules.from_dict(self.record("rules"))

    def _field(self, name: str) -> Any:
        if name not in self._fields:
            raise HeaderError("the header has no field {name!r}", name=name)
        return self._fields[name]


def _unfit(name: str, value: object, wanted: ZhaifeiError) -> HeaderError:
    return HeaderError(
        "{name} is {found}, not {wanted}", name=name, found=shortened(value), wanted=wanted
    )
