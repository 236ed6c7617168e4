"""Options whose value may be left out, as in `--cluster` and `--cluster 10.0.0.1:6379`.

click has such options too (`flag_value`), but reads `--cluster=-x` as `--cluster -x`, and complains
about an option that the user did not name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import click


class OptionalValue(click.Option):
    """An option that has the value `alone` if it is followed by an option or by nothing."""

    def __init__(self, *arguments: Any, alone: str, **others: Any) -> None:
        super().__init__(*arguments, **others)
        self.alone = alone


def with_values(parameters: Iterable[click.Parameter], arguments: list[str]) -> list[str]:
    """Return the `arguments` of a command line with the omitted values filled in."""
    alone = {
        name: parameter.alone
        for parameter in parameters
        if isinstance(parameter, OptionalValue)
        for name in parameter.opts
    }
    return [*_completed(alone, arguments)] if alone else arguments


def _completed(alone: dict[str, str], arguments: list[str]) -> Iterator[str]:
    for argument, following in pairwise([*arguments, "-"]):
        yield argument
        if argument in alone and following.startswith("-"):
            yield alone[argument]
