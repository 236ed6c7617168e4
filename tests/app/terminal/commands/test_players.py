"""`zhaifei players`."""

import re

import pytest

from policies.catalogue import increment
from policies.catalogue.shipped import SHIPPED
from policies.players.rule_based import NAMES
from tests.command_line import succeeds


@pytest.mark.parametrize("language", ["en", "zh"])
def test_players_are_listed_with_what_they_do(language: str) -> None:
    out = succeeds("players", "--lang", language)
    assert re.findall(r"^ ([a-z-]+) ", out, re.MULTILINE) == [*NAMES, *SHIPPED, *increment.NAMES]
    assert re.search("^increment$", out, re.MULTILINE)
    assert ("never bluffs" in out) == (language == "en")
