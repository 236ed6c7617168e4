"""For which rules and policies a player can learn how the others play."""

from __future__ import annotations

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules


def verify_learnable(rules: Rules, *, remembers_all: bool = True) -> None:
    """Raise ZhaifeiError unless a player can learn on top of a policy for `rules`. It must
    remember all bids, no bid may be doubled (劈), and rounds must be for penalty points."""
    if rules.loses_dice:
        raise ZhaifeiError("no player can learn yet where dice are lost")
    if rules.stakes.doubled:
        raise ZhaifeiError("no player can learn yet where bids may be doubled (劈)")
    if not remembers_all:
        raise ZhaifeiError("only policies that remember all bids learn how the others play")
