"""House rules: the switches that players add to a variant, and their names in options.

Each switch sets one field of `game.rules.Rules`, which describes its effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message


class Conversion(StrEnum):
    """Which of a 飞 bid and a 斋 bid is stronger if `zhai_weight` makes their counts equal."""

    BY_FACE = "by_face"
    """The bid with the higher face; with equal faces neither."""
    HALF = "half"
    """The 斋 bid. So 斋 with half the count, rounded up, follows 飞 whatever the face, and 飞 with
    double the count plus one follows 斋."""
    DOUBLE = "double"
    """The 飞 bid. So 飞 with double the count follows 斋 whatever the face, and 斋 with more than
    half the count follows 飞."""


class Straight(StrEnum):
    """How a straight (顺子) counts: a hand whose dice all show different faces."""

    COUNTS = "counts"
    """Its dice count like all dice."""
    NOTHING = "nothing"
    """Its dice count towards no bid."""
    ROLLED_AGAIN = "rolled_again"
    """The hand is rolled again until it is no straight."""


class HouseError(ZhaifeiError):
    """Raised for a house rule that does not exist, or that is given twice."""


class Switch(NamedTuple):
    """A house rule, with the texts that describe it."""

    field: str
    """The field of `Rules` that it sets."""
    value: Any
    """The value of the field; None stands for the number in the option."""
    called: Message
    """Its name after "with" in the description of rules."""
    does: Message
    """One line about it for `zhaifei rules`."""


FIRST_COUNT = "first-count"
NUMBER = "N"
SWITCHES: Mapping[str, Switch] = {
    "ones-highest": Switch(
        "ones_highest",
        True,
        Message("ones highest"),
        Message("ones are the highest face where bids are compared"),
    ),
    "conversion=half": Switch(
        "conversion",
        Conversion.HALF,
        Message("斋 for half"),
        Message(
            "斋 of half the count, rounded up, follows 飞 whatever the face; back to 飞 takes "
            "double plus one"
        ),
    ),
    "conversion=double": Switch(
        "conversion",
        Conversion.DOUBLE,
        Message("飞 for double"),
        Message(
            "飞 of double the count follows 斋 whatever the face; back to 斋 takes more than half"
        ),
    ),
    "zhai-stays": Switch(
        "zhai_stays",
        True,
        Message("斋 to the end"),
        Message("after a 斋 bid, only 斋 bids follow"),
    ),
    "ones-end-fei": Switch(
        "ones_end_fei",
        True,
        Message("no 飞 after ones"),
        Message("once a bid has named ones, only 斋 bids follow, to the end of the round"),
    ),
    "straight=nothing": Switch(
        "straight",
        Straight.NOTHING,
        Message("straights worth nothing"),
        Message("a hand of which every die shows another face counts towards no bid"),
    ),
    "straight=rolled-again": Switch(
        "straight",
        Straight.ROLLED_AGAIN,
        Message("straights rolled again"),
        Message("a hand of which every die shows another face is rolled again"),
    ),
    "five-alike": Switch(
        "five_alike",
        True,
        Message("one more for five alike"),
        Message("a hand whose dice all show one face counts one die more"),
    ),
    f"{FIRST_COUNT}={NUMBER}": Switch(
        "first_count",
        None,
        Message("openings from a count of {count}", count=NUMBER),
        Message("a round opens with a count of at least {count}", count=NUMBER),
    ),
}
"""The house rules by name, in the order of listing."""


def read_house(names: Iterable[str]) -> dict[str, Any]:
    """Return the fields of `Rules` that the house rules `names` set. Raise HouseError."""
    fields: dict[str, Any] = {}
    for name in names:
        field, value = _read(name)
        if field in fields:
            raise HouseError("{name!r} is given twice, or with another value", name=name)
        fields[field] = value
    return fields


def _read(name: str) -> tuple[str, Any]:
    plain = name.strip().lower().replace("_", "-").replace(":", "=")
    counted = re.fullmatch(rf"{FIRST_COUNT}=([0-9]{{1,3}})", plain)
    if counted is not None:
        return "first_count", int(counted[1])
    switch = SWITCHES.get(plain)
    if switch is None or switch.value is None:
        raise HouseError(
            "{name!r} is not a house rule; there are {known}", name=name, known=", ".join(SWITCHES)
        )
    return switch.field, switch.value


def house_names(fields: Mapping[str, Any]) -> dict[str, Message]:
    """Return the house rules that set `fields` to these values, as descriptions by name, in the
    order of SWITCHES: the inverse of `read_house`."""
    named = {}
    for name, switch in SWITCHES.items():
        value = fields.get(switch.field)
        if switch.value is None and value is not None:
            called = Message("openings from a count of {count}", count=value)
            named[f"{FIRST_COUNT}={value}"] = called
        elif value is not None and value == switch.value:
            named[name] = switch.called
    return named
