"""An opponent for `benchmarks/reading.py`: it stays on the face of the last bid, whatever it
holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class Stays:
    """Raises the face that the last bidder named."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid of more than 60% of all dice; 斋 counts double."""
        last = cast("Bid", seen.current_bid)
        return last.count * (1 + last.mode) > 0.6 * sum(seen.dice_counts)

    def make_bid(self, seen: View) -> Bid:
        """Make the weakest raise that names the face of the last bid."""
        last = seen.current_bid
        same = [bid for bid in seen.legal_bids if last is None or bid.face == last.face]
        return (same or seen.legal_bids)[0]
