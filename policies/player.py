"""Who sits at the table: everything that takes decisions, for one hand or for thousands at once."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from game.rules import Rules


class Player(Protocol):
    """Decides for many rounds at once: rounds in step, so that all have as many bids.

    It is told nothing but what a player sees: the own hand and the bids.
    """

    @property
    def rules(self) -> Rules:
        """The variant that it plays."""

    def act(
        self,
        hand: NDArray[np.int64],
        history: NDArray[np.int64],
        uniform: NDArray[np.float64],
    ) -> NDArray[np.int64]:
        """[round] the action in each of some rounds, in which it is this player's turn.

        `hand` [round] is the place of the own hand in `game.hands.hands`; `history` [round, bid]
        the bids made, oldest first, as actions of `game.bids`; `uniform` [round] a number drawn
        from [0, 1) for each decision, the only randomness there is: equal arguments, equal actions.
        """
