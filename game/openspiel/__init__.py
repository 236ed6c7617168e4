"""The OpenSpiel game `python_zhaifei`: one round, from the roll to the challenge, or a match of
several.

Importing this package registers the game: `pyspiel.load_game("python_zhaifei(players=3,dice=2)")`.
Actions are those of `game.bids`. A chance outcome is the index of a hand in `game.hands.hands`, or
a seat if the first starter of a match is drawn.
"""

from game.openspiel.game import (
    DEFAULTS,
    GAME_TYPE,
    ZhaifeiGame,
    load_game,
    longest_round,
    parameters,
    parameters_of,
    rules_from,
)
from game.openspiel.observer import ZhaifeiObserver
from game.openspiel.round import RoundSoFar
from game.openspiel.state import ZhaifeiState

__all__ = [
    "DEFAULTS",
    "GAME_TYPE",
    "RoundSoFar",
    "ZhaifeiGame",
    "ZhaifeiObserver",
    "ZhaifeiState",
    "load_game",
    "longest_round",
    "parameters",
    "parameters_of",
    "rules_from",
]
