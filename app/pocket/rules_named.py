"""The rules that the page calls by a name: the presets, and what people's answers make of them."""

from __future__ import annotations

from zhaifei.app.pocket.rules_tables import BETWEEN, JUMP, PLAYERS, PRESETS, name_of
from zhaifei.app.rules_questions import STAKES
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules, preset

LONGEST = 300
"""Characters of a name; with every house rule it has fewer."""
_STAKES = {"", *STAKES}


def rules_named(name: str, players: int) -> Rules:
    """Return the rules that `rules_tables.name_of` calls by this name. Raise ZhaifeiError unless
    answers to the questions lead to them."""
    if len(name) > LONGEST or players not in PLAYERS:
        raise _unknown()
    base, *added = name.split(BETWEEN)
    jump = added[:1] == [JUMP]
    if base not in PRESETS:
        raise _unknown()
    try:
        rules = preset(base, players=players, jump_challenge=jump, house=added[jump:])
    except ZhaifeiError as error:
        raise _unknown() from error
    stakes = "-".join(map(str, rules.stakes.doubled))
    if stakes not in _STAKES or name_of(rules) != name:  # one name for the same rules
        raise _unknown()
    return rules


def sizes_of(name: str) -> list[int]:
    """Return the numbers of players for which there are rules of this name."""
    return [players for players in PLAYERS if _is_known(name, players)]


def _is_known(name: str, players: int) -> bool:
    try:
        rules_named(name, players)
    except ZhaifeiError:
        return False
    return True


def _unknown() -> ZhaifeiError:
    return ZhaifeiError("the page has no such rules")
