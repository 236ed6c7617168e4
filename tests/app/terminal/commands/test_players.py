"""`zhaifei players`."""

import re

import pytest

from tests.command_line import succeeds
from zhaifei.policies.catalogue import increment
from zhaifei.policies.catalogue.shipped import SHIPPED
from zhaifei.policies.players.reader import NAME as READER
from zhaifei.policies.players.rule_based import NAMES


@pytest.mark.parametrize(
    ("language", "heading"),
    [("en", "increment and published only"), ("zh", "只限 increment 和 published")],
)
def test_players_are_listed_with_what_they_do(language: str, heading: str) -> None:
    out = succeeds("players", "--lang", language)
    everybody = [*NAMES, READER, *SHIPPED, *increment.NAMES]
    assert out.count("0.028%") == 1  # the share of matches, of knockout-2p
    assert re.findall(r"^ ([a-z][0-9a-z-]+) ", out, re.MULTILINE) == everybody
    assert heading in out.splitlines()
    assert ("never bluffs" in out) == (language == "en")
