"""What a policy is: everything that plays, advises or is measured goes through this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid
from game.rules import Rules


class Policy(Protocol):
    """A strategy for every information set of one variant."""

    @property
    def rules(self) -> Rules:
        """The variant that it plays."""

    def strategy(self, history: Sequence[Bid]) -> NDArray[np.float64]:
        """What every hand does after the bids in `history`, oldest first.

        Returns [hand, action] float64, hands as in `game.hands.hands`, actions as in `game.bids`:
        the bids, then the challenge. Rows sum to 1 and are 0 for what the rules forbid. Raises
        IllegalBid if the history is not one.
        """
