"""The OpenSpiel game `python_zhaifei`: one round, from the roll to the challenge, or a match.

Importing this package registers the game: `pyspiel.load_game("python_zhaifei(players=3,dice=2)")`.
Actions are those of `game.bids`; under rules that allow challenges out of turn, one more action
declines to challenge. A chance outcome is the index of a hand in `game.hands.hands_of` for the
player's number of dice, or a seat if the first starter of a match is drawn.

Where dice are lost, a game is one round, or a whole match, until only one player has dice. An
invalid bid is not an action, even under rules by which it challenges the bid before it or costs a
die, so nobody ever forfeits. With two players nothing is lost by that: see
`game.positions.round_rules`. With more, one choice is missing. At a real table a player who has
declined, and must bid after all others have declined too, can still challenge by an invalid bid.
"""

from zhaifei.game.openspiel.game import (
    DEFAULTS,
    GAME_TYPE,
    ZhaifeiGame,
    load_game,
    longest_round,
    parameters,
    parameters_of,
    rules_from,
)
from zhaifei.game.openspiel.observer import ZhaifeiObserver
from zhaifei.game.openspiel.round import RoundSoFar, decline_action
from zhaifei.game.openspiel.state import ZhaifeiState

__all__ = [
    "DEFAULTS",
    "GAME_TYPE",
    "RoundSoFar",
    "ZhaifeiGame",
    "ZhaifeiObserver",
    "ZhaifeiState",
    "decline_action",
    "load_game",
    "longest_round",
    "parameters",
    "parameters_of",
    "rules_from",
]
