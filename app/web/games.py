"""The games that the page offers for penalty points: rules with a name, or a visitor's own."""

from __future__ import annotations

from dataclasses import replace

from zhaifei.app.locale import say
from zhaifei.app.rules_questions import Answers
from zhaifei.game.rules import Rules, house_of, preset, preset_name

POINTS = "zhaifei", "ktv", "southern", "northern"
"""The names of the rules for penalty points that the page offers: see `game.rules.PRESETS`."""
OWN_RULES = "own"
"""In place of a name of rules: the rules of the visitor's answers."""


def point_games() -> dict[str, str]:
    """Return what the rules for penalty points are called, by name."""
    names = say("penalty points"), say("bars (ktv)"), say("southern street"), say("northern street")
    return {**dict(zip(POINTS, names, strict=True)), OWN_RULES: say("rules of your own")}


def game_of(rules: Rules) -> str:
    """Return which rules for penalty points these are, or are most like."""
    name = preset_name(rules)
    return name if name in POINTS and not house_of(rules) else POINTS[0]


def rules_of(game: str, players: int, answers: Answers, *, jump: bool) -> Rules:
    """Return the rules of a named game, or those of the answers. Raise ZhaifeiError if the answers
    contradict each other."""
    if game == OWN_RULES:
        return replace(answers, players=players).rules()
    return preset(game, players=players, jump_challenge=jump)
