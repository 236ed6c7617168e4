"""Parameter types of command options, and how their input is parsed."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from app.locale import say


class Count(click.ParamType):  # type: ignore[type-arg]
    """A positive whole number, also written 1e7 or 10_000_000."""

    name = "count"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return `value` as an int. Raises BadParameter."""
        try:
            number = float(str(value).replace("_", ""))
        except ValueError:
            number = math.nan
        if not (1 <= number < math.inf and number == int(number)):
            text = say("{value!r} is not a positive whole number, like 1e7", value=value)
            self.fail(text, param, ctx)
        return int(number)


class Duration(click.ParamType):  # type: ignore[type-arg]
    """Seconds, also written 90s, 10m, 1.5h or 1h30m."""

    name = "duration"
    _UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0}  # noqa: RUF012

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return `value` in seconds. Raises BadParameter."""
        if isinstance(value, float):
            return value
        text = str(value).strip().lower()
        if re.fullmatch(r"[0-9.]+", text):
            text += "s"
        parts = re.findall(r"([0-9]+\.?[0-9]*|\.[0-9]+)([hms])", text)
        if not parts or "".join(map("".join, parts)) != text:
            text = say("{value!r} is not a duration, like 90s, 10m or 1h30m", value=value)
            self.fail(text, param, ctx)
        seconds = sum(float(number) * self._UNITS[unit] for number, unit in parts)
        if seconds <= 0:
            self.fail(say("duration must be positive, not {value!r}", value=value), param, ctx)
        return seconds
