"""An opponent for `benchmarks/reading.py`: it bluffs in a third of its bids."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class Bluffs:
    """Names any face in a third of its bids, otherwise the face that its dice support best."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid that is less than 35% likely."""
        return cast("float", seen.probability) < 0.35

    def make_bid(self, seen: View) -> Bid:
        """Make one of the eight weakest raises in a third of the bids, otherwise the most likely
        raise."""
        if random.random() < 1 / 3:
            return random.choice(seen.legal_bids[:8])
        return max(seen.legal_bids, key=seen.chance)
