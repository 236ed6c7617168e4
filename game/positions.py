"""Positions of a match: the rounds that it can reach, as games of their own."""

from __future__ import annotations

from collections.abc import Sequence

from zhaifei.game.parts import RulesError
from zhaifei.game.rules import Rules, preset_name, with_dice
from zhaifei.game.views import View

Position = tuple[int, ...]
"""[player] the numbers of dice at the start of a round, from its opener on, without players who are
out."""


def position_of(view: View) -> Position:
    """Return the position at which the round of this view began."""
    opener = view.history[0].seat if view.history else view.seat
    dice = view.dice_counts[opener:] + view.dice_counts[:opener]
    return tuple(filter(None, dice))


def round_rules(rules: Rules, dice: Sequence[int]) -> Rules:
    """Return one round of a match of two as a game for one penalty point, which its loser takes.
    The players have `dice` [player], from the opener on. Raise RulesError if the round is not such
    a game.

    **The same game.** A round has one loser, whatever the rules. Two rules add nothing to the
    outcomes that a player can reach in it:

    - `out_of_turn`: after each bid only the other player is asked, and then bids next. Challenging,
      or declining and raising, are the two choices of a round for points.
    - `forfeits`: after a bid, an invalid bid challenges it, which is a choice that the player has
      anyway. As the first bid, an invalid bid loses the round whatever the dice are, and no other
      choice is worse.
    """
    if not rules.loses_dice:
        raise RulesError(
            "{rules} is not played for dice: its rounds are for penalty points", rules=rules
        )
    if rules.players != 2:
        raise RulesError(
            "matches for {players} players are not solved, only those for two",
            players=rules.players,
        )
    if rules.bidding.forced_opening or rules.bidding.unbounded:
        raise RulesError(
            "{rules} is not solved: the dice make the first bid, or counts have no bound",
            rules=preset_name(rules) or rules,
        )
    return with_dice(rules.changed(loses_dice=False), dice)


def rules_of_round(rules: Rules, dice: Sequence[int]) -> Rules:
    """Return the rules of a round in which the players have `dice` [player], from the opener on, as
    a game for penalty points: `rules` themselves or, where dice are lost, `round_rules`. Raise as
    `round_rules` does."""
    return round_rules(rules, dice) if rules.loses_dice else rules


def is_match(rules: Rules) -> bool:
    """Return whether the loser of a round by `rules` loses a die, so that rounds make up a match.
    Raise RulesError if such rounds are not games for a point."""
    return rules_of_round(rules, rules.dice_by_player) != rules
