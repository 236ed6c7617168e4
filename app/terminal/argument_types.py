"""Define parameter types of command options, and parse their input.

Texts are parsed in time linear in their length. Errors quote only the beginning of a long text.
"""

from __future__ import annotations

import errno
import math
import os
import re
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from zhaifei.app.locale import explain, say
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.texts import verify_length
from zhaifei.policies.play.seeds import verify_seed

MOST = 10**18
"""The highest count: it fits into 64 bits, and no computer counts as far."""


class ArgumentError(ZhaifeiError):
    """Raised for text that is not a value of an option."""


def parse_count(text: str) -> int:
    """Return the positive whole number that `text` denotes: digits, also grouped (10_000_000) or
    with an exponent (1e7). Raise ArgumentError, or TextTooLong."""
    verify_length(text)
    with suppress(ValueError):
        if 0.0 < float(text) < math.inf:  # float has checked the grammar
            exact = Decimal(text)
            if 1 <= exact <= MOST and exact == int(exact):
                return int(exact)
    raise ArgumentError(
        "{text!r} is not a positive whole number of at most 1e18, like 1e7", text=text
    )


_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}
# Possessive quantifiers: a matched digit is never tried again in another way.
_PART = re.compile(r"([0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)([hms])")


def parse_dice(text: str) -> int | tuple[int, int]:
    """Return the dice of each player that `text` denotes, or the dice of each of two players if a
    comma separates two numbers. `Rules` decides which numbers are allowed. Raise ArgumentError, or
    TextTooLong."""
    verify_length(text)
    with suppress(ValueError):
        match [int(part) for part in re.split("[,，]", text)]:
            case [dice]:
                return dice
            case [first, second]:
                return first, second
    raise ArgumentError(
        "{text!r} is not a number of dice, like 5, or one for each of two players, like 5,3",
        text=text,
    )


def parse_duration(text: str) -> float:
    """Return the seconds that `text` denotes: positive numbers with units, like 90s, 10m, 1.5h or
    1h30m, or one number alone. Raise ArgumentError, or TextTooLong."""
    verify_length(text)
    written = text.strip().lower()
    if re.fullmatch(r"[0-9.]+", written):
        written += "s"
    place, seconds = 0, 0.0
    while part := _PART.match(written, place):
        place, seconds = part.end(), seconds + float(part[1]) * _UNITS[part[2]]
    if place == 0 or place < len(written) or seconds == math.inf:
        raise ArgumentError("{text!r} is not a duration, like 90s, 10m or 1h30m", text=text)
    if seconds == 0.0:
        raise ArgumentError("duration must be positive, not {text!r}", text=text)
    return seconds


def parse_points(text: str) -> float:
    """Return the positive number of penalty points that `text` denotes, like 0.05 or 5e-2. Raise
    ArgumentError, or TextTooLong."""
    verify_length(text)
    with suppress(ValueError):
        if 0.0 < (points := float(text)) < math.inf:
            return points
    raise ArgumentError("{text!r} is not a positive number of points, like 0.05", text=text)


class Count(click.ParamType):  # type: ignore[type-arg]
    """A positive whole number, also written 1e7 or 10_000_000."""

    name = "count"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return `value` as an int. Raise BadParameter if it is invalid."""
        try:
            return parse_count(str(value))
        except ZhaifeiError as error:
            self.fail(explain(error), param, ctx)


class MatchSeed(click.ParamType):  # type: ignore[type-arg]
    """The seed of a match, a whole number as `verify_seed` has it."""

    name = "integer"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return `value` as an int. Raise BadParameter if it is invalid."""
        seed: int = click.INT.convert(value, param, ctx)
        try:
            verify_seed(seed)
        except ZhaifeiError as error:
            self.fail(explain(error), param, ctx)
        return seed


class Dice(click.ParamType):  # type: ignore[type-arg]
    """A number of dice, or the numbers of two players, as in 5,3."""

    name = "dice"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | tuple[int, int]:
        """Return `value` as one number or two. Raise BadParameter if it is invalid."""
        try:
            return parse_dice(str(value))
        except ZhaifeiError as error:
            self.fail(explain(error), param, ctx)


class Points(click.ParamType):  # type: ignore[type-arg]
    """A positive number of penalty points."""

    name = "points"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return `value` as a float. Raise BadParameter if it is invalid."""
        try:
            return parse_points(str(value))
        except ZhaifeiError as error:
            self.fail(explain(error), param, ctx)


class Duration(click.ParamType):  # type: ignore[type-arg]
    """Seconds, also written 90s, 10m, 1.5h or 1h30m."""

    name = "duration"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return `value` in seconds. Raise BadParameter if it is invalid."""
        if isinstance(value, float):
            return value
        try:
            return parse_duration(str(value))
        except ZhaifeiError as error:
            self.fail(explain(error), param, ctx)


class TimeLimit(Duration):
    """A duration, or 0."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return `value` in seconds. Raise BadParameter if it is invalid."""
        if str(value).strip() == "0":
            return 0.0
        return super().convert(value, param, ctx)


class Width(click.FloatRange):
    """A finite number of at least 0."""

    def __init__(self) -> None:
        super().__init__(0)

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return `value` as a float. Raise BadParameter if it is invalid."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):  # NaN is in every range
            self.fail(say("{number} is not a finite number", number=number), param, ctx)
        return number


class File(click.Path):
    """A path, or the name of a player."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: Any, ctx: Any) -> Path:
        """Return `value` as a Path. Raise BadParameter if no file can have this name."""
        try:
            if not str(value).strip():
                raise ArgumentError("a file needs a name, not {path!r}", path=str(value))
            _verify_openable(value)
        except ArgumentError as error:
            self.fail(explain(error), param, ctx)
        return Path(os.fsdecode(super().convert(value, param, ctx)))


def _verify_openable(path: str | os.PathLike[str]) -> None:
    """Raise ArgumentError for a path that no file on this system can have."""
    try:
        os.stat(path)
    except ValueError as error:  # the path holds characters that no file name may have
        raise ArgumentError(
            "no file can be called {path!r}: {why}", path=str(path), why=str(error)
        ) from error
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise ArgumentError(
                "no file can be called {path!r}: {why}", path=str(path), why=error.strerror
            ) from error
