"""Rounds and matches of the OpenSpiel game as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from zhaifei.game.notation import format_action, format_hand
from zhaifei.game.openspiel.round import RoundSoFar, decline_action
from zhaifei.game.rules import Rules


@lru_cache(2**14)
def action_text(rules: Rules, action: int) -> str:
    """Return an action of a player as text: in the notation, or `decline`."""
    if rules.stakes.out_of_turn and action == decline_action(rules):
        return "decline"
    return format_action(rules, action)


def dice_text(current: RoundSoFar) -> str:
    """Return the hands by seat, `-` for hands not rolled yet, `out` for players without dice."""
    hands = [format_hand(hand) or "out" for hand in current.hands]
    return "/".join(hands + ["-"] * (current.rules.players - len(hands)))


def actions_text(current: RoundSoFar) -> list[str]:
    """Return a word for each action of the players, oldest first."""
    return [action_text(current.rules, action) for action in current.actions]


def match_text(
    earlier: Sequence[RoundSoFar], standing: tuple[str, Sequence[int]], current: RoundSoFar
) -> list[str]:
    """Return the words for the rounds before the current one, for the `standing` (the unit, and
    [seat] its number) and for the starter of the current round."""
    words = [_settled_text(played) for played in earlier]
    counted, numbers = standing
    words.append(f"{counted}:" + "/".join(map(str, numbers)))
    if current.starter is not None:
        words.append(f"starter:p{current.starter}")
    return words


def _settled_text(played: RoundSoFar) -> str:
    end = played.settlement
    assert end is not None, "an earlier round has ended"
    said = " ".join(actions_text(played))
    lost = "a die" if played.rules.loses_dice else end.cost
    return f"[p{played.starter} starts {dice_text(played)} {said}, p{end.loser} loses {lost}]"
