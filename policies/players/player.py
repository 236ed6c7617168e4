"""The protocol of players, which take decisions in thousands of rounds at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.rules import Rules
from zhaifei.policies.players.policy import DrawingPolicy, Policy, drawn_by_query
from zhaifei.solver.tables.sampling import NO_ACTION


class Player(Protocol):
    """Decides in many rounds at once, all with the same number of bids.

    It knows only what one player of a round knows: the player's own hand and the bids. It must keep
    no memory between calls: measurements replay the same dice in other seats, so an object that
    remembers its hands would know the hands of others. Strategy files may remember
    (`policies.players.plug_in.memory`). Errors name the player by `str`.
    """

    @property
    def rules(self) -> Rules:
        """The variant that the player plays."""

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


@dataclass(frozen=True)
class PolicyPlayer:
    """Plays a policy: it draws each decision from the strategy of its hand."""

    policy: Policy
    name: str = "policy"

    def __str__(self) -> str:
        return self.name

    @property
    def rules(self) -> Rules:
        """See Player."""
        return self.policy.rules

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """See Player. Raise ZhaifeiError if the policy returns an invalid strategy."""
        if not isinstance(self.policy, DrawingPolicy):
            return drawn_by_query(self.policy, hand, history, uniform)
        action = self.policy.draw(hand, history, uniform)
        if (action == NO_ACTION).any():
            raise ZhaifeiError("{player} has hands without a strategy: it is damaged", player=self)
        return action


PLAIN = "plain:"
"""The prefix of the name of a policy file whose table plays without reading."""


def short_name(one: object) -> str:
    """Return the name of a player at the table, for files without directory and suffix."""
    name = str(one)
    prefix = PLAIN if name.startswith(PLAIN) else ""
    return prefix + Path(name.removeprefix(PLAIN)).name.removesuffix(".safetensors")
