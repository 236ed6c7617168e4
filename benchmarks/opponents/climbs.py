"""An opponent for `benchmarks/reading.py`: it raises as little as it can, whatever it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class Climbs:
    """Raises as little as possible, and challenges late."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid of more than 60% of all dice; 斋 counts double."""
        last = cast("Bid", seen.current_bid)
        return last.count * (1 + last.mode) > 0.6 * sum(seen.dice_counts)

    def make_bid(self, seen: View) -> Bid:
        """Make the weakest raise."""
        return seen.legal_bids[0]
