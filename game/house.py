"""House rules: the switches that players add to a variant, and their names in options.

Each switch sets one field of `game.rules.Rules`, which describes its effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.parts import FeiToZhai, Straight, ZhaiToFei


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


NUMBER = "N"
SWITCHES: Mapping[str, Switch] = {
    "ones-highest": Switch(
        "ones_highest",
        True,
        Message("ones highest"),
        Message("ones are the highest face where bids are compared"),
    ),
    "fei-to-zhai=flat": Switch(
        "fei_to_zhai",
        FeiToZhai.FLAT,
        Message("斋 as 飞"),
        Message("斋 follows 飞 with a higher count, or with the same count and a higher face"),
    ),
    "fei-to-zhai=one-less": Switch(
        "fei_to_zhai",
        FeiToZhai.ONE_LESS,
        Message("斋 for one less"),
        Message("斋 follows 飞 with at least one less, whatever the face"),
    ),
    "fei-to-zhai=half": Switch(
        "fei_to_zhai",
        FeiToZhai.HALF,
        Message("斋 for half"),
        Message("斋 follows 飞 with at least half the count, rounded up, whatever the face"),
    ),
    "fei-to-zhai=more-than-half": Switch(
        "fei_to_zhai",
        FeiToZhai.MORE_THAN_HALF,
        Message("斋 for more than half"),
        Message("斋 follows 飞 with more than half the count, whatever the face"),
    ),
    "fei-to-zhai=forbidden": Switch(
        "fei_to_zhai",
        FeiToZhai.FORBIDDEN,
        Message("飞 to the end"),
        Message("after a 飞 bid, only 飞 bids follow"),
    ),
    "zhai-to-fei=double": Switch(
        "zhai_to_fei",
        ZhaiToFei.DOUBLE,
        Message("飞 for double"),
        Message("飞 follows 斋 with at least double the count, whatever the face"),
    ),
    "zhai-to-fei=double-plus-one": Switch(
        "zhai_to_fei",
        ZhaiToFei.DOUBLE_PLUS_ONE,
        Message("飞 for double plus one"),
        Message("飞 follows 斋 with more than double the count, whatever the face"),
    ),
    "zhai-to-fei=plus-two": Switch(
        "zhai_to_fei",
        ZhaiToFei.PLUS_TWO,
        Message("飞 for two more"),
        Message("飞 follows 斋 with at least two more, whatever the face"),
    ),
    "zhai-to-fei=plus-players": Switch(
        "zhai_to_fei",
        ZhaiToFei.PLUS_PLAYERS,
        Message("飞 for as many more as there are players"),
        Message("飞 follows 斋 with the number of players more, whatever the face"),
    ),
    "zhai-to-fei=forbidden": Switch(
        "zhai_to_fei",
        ZhaiToFei.FORBIDDEN,
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
    f"first-count={NUMBER}": Switch(
        "first_count",
        None,
        Message("openings from a count of {count}", count=NUMBER),
        Message("a round opens with a count of at least {count}", count=NUMBER),
    ),
    f"first-zhai={NUMBER}": Switch(
        "first_zhai",
        None,
        Message("斋 openings from a count of {count}", count=NUMBER),
        Message("a 斋 bid that opens has a count of at least {count}", count=NUMBER),
    ),
    f"first-ones={NUMBER}": Switch(
        "first_ones",
        None,
        Message("openings on ones from a count of {count}", count=NUMBER),
        Message("a bid on ones that opens has a count of at least {count}", count=NUMBER),
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
    name_, _, number = plain.rpartition("=")
    counted = SWITCHES.get(f"{name_}={NUMBER}")
    if counted is not None and re.fullmatch("[0-9]{1,3}", number):
        return counted.field, int(number)
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
        if switch.value is None and value:
            called = switch.called.filled(count=value)
            named[name.replace(NUMBER, str(value))] = called
        elif value is not None and value == switch.value:
            named[name] = switch.called
    return named
