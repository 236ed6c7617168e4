"""The named players of `increment`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from game.messages import Message
from game.rules import Rules
from policies.players.decider import Decider
from policies.players.increment import CallerBreaker, RandomCaller, TrueProbabilityCaller
from policies.players.q_player import QPlayer, load_values

Q_VALUES = Path(__file__).parents[1] / "data" / "q-learner.safetensors"
"""The action values of the shipped Q-learner, for four players with six dice each."""

_PLAYERS: dict[str, Callable[[Rules, np.random.Generator], Decider]] = {
    "random-caller": lambda rules, random: RandomCaller(random),
    "true-probability": lambda rules, random: TrueProbabilityCaller(random),
    "q-learner": lambda rules, random: QPlayer(load_values(Q_VALUES, rules), random),
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
            "challenge; names any face"
        ),
        "caller-breaker": Message(
            "the exact best response to random callers: nobody wins more matches against three"
        ),
    }


def increment_decider(name: str, rules: Rules, random: np.random.Generator) -> Decider:
    """Return the player of this name, one of NAMES, which draws from `random`. Raise ZhaifeiError
    if it does not play by `rules`."""
    return _PLAYERS[name](rules, random)
