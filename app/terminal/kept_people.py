"""What the kept records show of people."""

from __future__ import annotations

from functools import cache

from zhaifei.app.terminal.console import new_console, warn
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.advice.remembered import read_forgotten, shown_by_name
from zhaifei.policies.advice.shown import PlayShown
from zhaifei.policies.advice.table import PeopleAdviser
from zhaifei.policies.catalogue.known import load_for
from zhaifei.policies.play.records import dated_matches, read_match


def remembered() -> dict[str, list[PlayShown]]:
    """Return {name: what each round has shown} of the people in all kept records. Records that
    cannot be read are told and left out. Raise ZhaifeiError."""
    tell, matches = warn(new_console(stderr=True)), []
    for written, path in dated_matches():
        try:
            matches.append((written, read_match(path, tell)))
        except ZhaifeiError as error:
            tell(error)
    return shown_by_name(_adviser, matches, read_forgotten())


@cache
def _adviser(rules: Rules) -> PeopleAdviser:
    """Return what advises in rounds by these rules, by the known policy for them if there is
    one."""
    try:
        policy = load_for(None, rules)[0].at(rules.dice_by_player)
    except ZhaifeiError:
        policy = None
    return PeopleAdviser(rules, policy)
