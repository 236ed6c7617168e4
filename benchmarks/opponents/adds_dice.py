"""An opponent for `benchmarks/reading.py`: when it judges a bid, it adds a die for each earlier bid
on the same face."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class AddsDice:
    """Believes that a player who named a face holds one more die of it than chance would give."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid that seems less than 40% likely."""
        return self._chance(seen, cast("Bid", seen.current_bid)) < 0.4

    def make_bid(self, seen: View) -> Bid:
        """Make the raise that seems most likely, the weakest if several tie."""
        return max(seen.legal_bids, key=lambda bid: self._chance(seen, bid))

    def _chance(self, seen: View, bid: Bid) -> float:
        """Return the probability of `bid`, as if each earlier bid on its face had shown a die."""
        others = [made.bid for made in seen.history if made.seat != seen.seat]
        shown = sum(made.face == bid.face for made in others if made is not bid)
        if shown >= bid.count:
            return 1.0
        return seen.chance(type(bid)(bid.mode, bid.count - shown, bid.face))
