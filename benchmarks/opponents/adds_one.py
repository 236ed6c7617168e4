"""An opponent for `benchmarks/reading.py`: it adds one die to the last bid, and counts dice instead
of chances."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class AddsOne:
    """Claims a die more than the last bid, of the face that it holds most of."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid of more than half of all dice; 斋 counts double."""
        last = cast("Bid", seen.current_bid)
        return last.count * (1 + last.mode) > 0.5 * sum(seen.dice_counts)

    def make_bid(self, seen: View) -> Bid:
        """Make the weakest raise that claims a die more in the same mode, of the face it holds most
        of; the weakest raise of all if there is none."""
        last, favourite = seen.current_bid, max(seen.dice, key=seen.dice.count)
        for bid in seen.legal_bids:
            if bid.face == favourite and (
                last is None or (bid.mode == last.mode and bid.count > last.count)
            ):
                return bid
        return seen.legal_bids[0]
