"""House rules: the switches that players add to a variant, and their names in options.

Each switch sets one field of `game.rules.Rules`, which describes its effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.messages import Message
from zhaifei.game.parts import FeiToZhai, FiveAlike, GivingUp, JumpCost, Straight, ZhaiToFei


class HouseError(ZhaifeiError):
    """Raised for a house rule that does not exist, or that is given twice."""


class Switch(NamedTuple):
    """A house rule, with the texts that describe it."""

    field: str
    """The field of `Rules` that it sets."""
    value: Any
    """The value of the field; None stands for the number or the numbers in the option."""
    called: Message
    """Its name after "with" in the description of rules."""
    does: Message
    """One line about it for `zhaifei rules`."""


NUMBER = "N"
"""What stands in the names of house rules for a number."""
STAKES = "N-N"
"""What stands in the names of house rules for one or more numbers of points."""
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
    "straight=by-wish": Switch(
        "straight",
        Straight.BY_WISH,
        Message("straights rolled again by wish"),
        Message("a straight is rolled again if its owner wishes (cannot be played yet)"),
    ),
    "five-alike": Switch(
        "five_alike",
        FiveAlike.ONE_MORE,
        Message("one more for five alike"),
        Message("a hand whose dice all show one face counts one die more"),
    ),
    "five-alike=pure": Switch(
        "five_alike",
        FiveAlike.TWO_IF_PURE,
        Message("two more for five alike without wild ones"),
        Message(
            "a hand whose dice all count towards a bid counts two more if they all show its face, "
            "otherwise one more"
        ),
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
    "jump-cost=one": Switch(
        "jump_cost",
        JumpCost.ONE,
        Message("one point for 跳开"),
        Message("跳开 costs one point, however far back the bid lies"),
    ),
    "jump-cost=two": Switch(
        "jump_cost",
        JumpCost.TWO,
        Message("two points for 跳开"),
        Message("跳开 costs two points, however far back the bid lies"),
    ),
    f"doubles={STAKES}": Switch(
        "doubled",
        None,
        Message("劈 {stakes}", stakes=STAKES),
        Message("劈 and 反劈 raise the stakes to these numbers of points, like 2 or 2-4"),
    ),
    "giving-up=half": Switch(
        "giving_up",
        GivingUp.HALF,
        Message("giving up for half"),
        Message("after 劈 or 反劈, giving up costs half the stakes"),
    ),
    "giving-up=forbidden": Switch(
        "giving_up",
        GivingUp.FORBIDDEN,
        Message("no giving up"),
        Message("after 劈 or 反劈, nobody may give up"),
    ),
}
"""The house rules by name, in the order of listing."""
WITHOUT = {
    "fei_to_zhai": Message(
        "斋 follows 飞 with more than half the count, or with half the count and a higher face"
    ),
    "zhai_to_fei": Message(
        "飞 follows 斋 with more than double the count, or with double the count and a higher face"
    ),
}
"""What holds between 飞 and 斋 without a house rule, by field."""


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
    name_, _, given = plain.rpartition("=")
    if plain == "doubles-by=anybody":
        raise HouseError("劈 out of turn (抢劈) cannot be played yet: only the next player doubles")
    counted, staked = (SWITCHES.get(f"{name_}={stands}") for stands in (NUMBER, STAKES))
    if counted is not None and re.fullmatch("[0-9]{1,3}", given):
        return counted.field, int(given)
    if staked is not None and re.fullmatch("[0-9]{1,3}(-[0-9]{1,3})*", given):
        return staked.field, tuple(map(int, given.split("-")))
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
            stakes = "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
            named[f"{name.partition('=')[0]}={stakes}"] = switch.called.filled(
                count=value, stakes=stakes
            )
        elif value is not None and value == switch.value:
            named[name] = switch.called
    return named
