"""Rounds and matches of the OpenSpiel game as text."""

from __future__ import annotations

from collections.abc import Sequence

from game.notation import format_action, format_hand
from game.openspiel.round import RoundSoFar


def dice_text(current: RoundSoFar) -> str:
    """Return the hands by seat, `-` for those not rolled yet."""
    hands = [format_hand(hand) for hand in current.hands]
    return "/".join(hands + ["-"] * (current.rules.players - len(hands)))


def actions_text(current: RoundSoFar) -> list[str]:
    """Return a word for each action of the players, oldest first."""
    return [format_action(current.rules, action) for action in current.actions]


def match_text(
    earlier: Sequence[RoundSoFar], points: Sequence[int], current: RoundSoFar
) -> list[str]:
    """Return the words for the rounds before the current one, for the penalty points ([seat]) and
    for who starts the current round."""
    words = [_settled_text(played) for played in earlier]
    words.append("points:" + "/".join(map(str, points)))
    if current.starter is not None:
        words.append(f"starter:p{current.starter}")
    return words


def _settled_text(played: RoundSoFar) -> str:
    end = played.settlement
    assert end is not None, "an earlier round has ended"
    said = " ".join(actions_text(played))
    return f"[p{played.starter} starts {dice_text(played)} {said}, p{end.loser} loses {end.points}]"
