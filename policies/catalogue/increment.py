"""The named players of the variants `increment` and `published`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from zhaifei.game.messages import Message
from zhaifei.game.parts import Raising
from zhaifei.game.rules import Rules, preset, preset_name
from zhaifei.policies.players.decider import Decider
from zhaifei.policies.players.increment import CallerBreaker, RandomCaller, TrueProbabilityCaller
from zhaifei.policies.players.q_player import as_published, q_player

_DATA = Path(__file__).parents[1] / "data"
Q_VALUES = _DATA / "q-learner.safetensors"
"""The action values of the shipped Q-learner in `increment`, for four players with six dice
each."""
PUBLISHED_Q_VALUES = _DATA / "q-learner-as-published.safetensors"
"""The action values of the shipped Q-learner in `published`."""

_PLAYERS: dict[str, Callable[[Rules, np.random.Generator], Decider]] = {
    "random-caller": lambda rules, random: RandomCaller(random),
    "true-probability": lambda rules, random: TrueProbabilityCaller(random),
    "q-learner": lambda rules, random: q_player(
        PUBLISHED_Q_VALUES if as_published(rules) else Q_VALUES, rules, random, "q-learner"
    ),
    "caller-breaker": lambda rules, random: CallerBreaker(rules),
}
NAMES = tuple(_PLAYERS)


def descriptions() -> dict[str, Message]:
    """Return a one-line description of each player, by name."""
    return {
        "random-caller": Message(
            "tosses a coin whether to challenge, and otherwise names any face: it bluffs always"
        ),
        "true-probability": Message(
            "challenges a bid as often as it is false, given its own dice; otherwise raises to the "
            "face of which it holds most"
        ),
        "q-learner": Message(
            "a tabular Q-learner, taught by 5,000 matches against random callers when to "
            "challenge; names any face in half of its raises, otherwise the one of which it "
            "holds most"
        ),
        "caller-breaker": Message(
            "increment only: the exact best response to random callers, nobody wins more matches "
            "against three"
        ),
    }


def names_for(rules: Rules) -> list[str]:
    """Return the names of the players that play by `rules`; the list is empty for rules of another
    kind."""
    if not rules.loses_dice or rules.bidding.raising is not Raising.ONE_MORE:
        return []
    variant = preset_name(rules)
    plays = {
        # It was trained with no other number of dice.
        "q-learner": variant is not None and rules == preset(variant),
        "caller-breaker": not (rules.bidding.forced_opening or rules.bidding.unbounded),
    }
    return [name for name in NAMES if plays.get(name, True)]


def increment_decider(name: str, rules: Rules, random: np.random.Generator) -> Decider:
    """Return the player of this name, a member of NAMES, which draws from `random`. Raise
    ZhaifeiError if it does not play by `rules`."""
    return _PLAYERS[name](rules, random)
