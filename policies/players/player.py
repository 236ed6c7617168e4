"""The protocols of players: at a table, and in thousands of rounds at once."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import action_of
from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hand_index
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.players.decider import Decider


class Player(Protocol):
    """A player who can sit down at a table. Errors and tables name the player by `str`."""

    @property
    def rules(self) -> Rules:
        """The variant that the player plays."""

    def sit(self, random: np.random.Generator) -> Decider:
        """Return a decider for one seat, which draws its random numbers from `random`. Raise
        ZhaifeiError if the player cannot be loaded."""


class BatchPlayer(Player, Protocol):
    """A player for penalty points who decides in many rounds at once, all with the same number of
    bids. Among three players or more, the same number of doubles (劈) ends the bids of all rounds.

    It knows only what one player of a round knows: the player's own hand and the bids. It must keep
    no memory between calls: measurements replay the same dice in other seats, so an object that
    remembers its hands would know the hands of others. Strategy files may remember
    (`policies.players.plug_in.memory`).
    """

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """Return [round] int64, the action in each of some rounds in which it is this player's
        turn.

        `hand` [round] is the index of the player's hand in `game.hands.hands`. `history`
        [round, bid] has the bids, oldest first, as actions of `game.bids`. `uniform` [round] has a
        number drawn from [0, 1) for each decision, the only randomness: equal arguments give equal
        actions.
        """


class Batched:
    """Base class of players who decide by `BatchPlayer.act` at a table too."""

    def sit(self: BatchPlayer, random: np.random.Generator) -> Decider:
        """See Player. Only the decisions of the seat draw from `random`."""
        return SeatedPlayer(self, random)


class SeatedPlayer:
    """A Decider for one seat, which asks a BatchPlayer."""

    def __init__(self, player: BatchPlayer, random: np.random.Generator) -> None:
        self._player, self._random = player, random

    def decide(self, view: View) -> int:
        """See Decider."""
        hand, history = question(view)
        return int(self._player.act(hand, history, self._random.random(1))[0])


def question(view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the hand [1] and the bids [1, bid] of a view, as a BatchPlayer is asked."""
    rules = view.rules
    bids = [action_of(rules, bid) for bid in view.bids]
    return np.array([hand_index(rules, view.dice)]), np.array([bids], dtype=np.int64)


class PlaysBy(Protocol):
    """An object that plays by certain rules. Errors name it by `str`."""

    @property
    def rules(self) -> Rules:
        """The variant that the object plays."""


def verify_rules(player: PlaysBy, rules: Rules) -> None:
    """Raise ZhaifeiError unless `player` plays by these rules."""
    if player.rules != rules:
        raise ZhaifeiError(
            "{name} plays by other rules: {its}, not {rules}",
            name=player,
            its=player.rules,
            rules=rules,
        )


PLAIN = "plain:"
"""The prefix of the name of a policy file whose table plays without reading."""


def short_name(one: object) -> str:
    """Return the name of a player at the table, for files without directory and suffix."""
    name = str(one)
    prefix = PLAIN if name.startswith(PLAIN) else ""
    return prefix + Path(name.removeprefix(PLAIN)).name.removesuffix(".safetensors")
