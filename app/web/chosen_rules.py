"""The rules that a visitor chose on a page, and how they are kept for the next visit."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from zhaifei.app.rules_questions import Answers, counts, questions
from zhaifei.app.web.games import OWN_RULES, POINTS
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.parts import verify_players

Kept = dict[str, Any]
"""Chosen rules as they are written to a file."""


@dataclass
class ChosenRules:
    """The choices that make rules."""

    games: ClassVar[tuple[str, ...]] = (*POINTS, OWN_RULES)
    """The names of rules to choose from."""
    game: str = POINTS[0]
    """One of `games`."""
    players: int = 2
    jump_challenge: bool = False
    answers: Answers = field(default_factory=Answers)
    """The answers that make the visitor's own rules."""

    def kept(self) -> Kept:
        """Return the choices as they are kept."""
        return {
            "game": self.game,
            "players": self.players,
            "jump_challenge": bool(self.jump_challenge),
            "counts": dict(self.answers.counts),
            "chosen": {name: list(given) for name, given in self.answers.chosen.items()},
        }

    def take_up(self, kept: Kept | None) -> None:
        """Choose what was kept; change nothing if it cannot be chosen on this page."""
        with suppress(AttributeError, KeyError, TypeError, ValueError, ZhaifeiError):
            vars(self).update(self._read(kept or {}))

    def _read(self, kept: Kept) -> dict[str, Any]:
        """Return the values of the fields that were kept. Raise an error if they are invalid."""
        game, players, jump = kept["game"], kept["players"], kept["jump_challenge"]
        verify_players(players)
        if game not in self.games or not isinstance(jump, bool):
            raise ValueError("no such rules")
        answers = Answers(players, _counts(players, kept["counts"]))
        answers.chosen = _chosen(answers, kept["chosen"])
        return {"game": game, "players": players, "jump_challenge": jump, "answers": answers}


def _counts(players: int, kept: dict[str, Any]) -> dict[str, int]:
    """Return the kept counts of openings. Raise ValueError."""
    asked = {one.name: one.most for one in counts(Answers(players))}
    for name, count in kept.items():
        if type(count) is not int or not 1 <= count <= asked.get(name, 0):
            raise ValueError("no such count")
    return dict(kept)


def _chosen(answers: Answers, kept: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the kept answers to the questions that are asked. Raise ValueError."""
    answers.chosen = {name: tuple(given) for name, given in kept.items()}
    asked = {one.name: {option for option, _ in one.options} for one in questions(answers)}
    found = {name: given for name, given in answers.chosen.items() if name in asked}
    if any(not asked[name].issuperset(given) for name, given in found.items()):
        raise ValueError("no such answer")
    return found
