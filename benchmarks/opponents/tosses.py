"""An opponent for `benchmarks/reading.py`: chance decides, and its dice do not matter."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class Tosses:
    """Challenges one bid in five, whatever it claims, and else makes one of the five weakest
    raises."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge in one case of five."""
        return random.random() < 0.2

    def make_bid(self, seen: View) -> Bid:
        """Make one of the five weakest raises."""
        return random.choice(seen.legal_bids[:5])
