"""An opponent for `benchmarks/reading.py`: it names what it does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class Pretends:
    """Names the face of which it holds least, so that its bids tell the opposite of the truth."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid that is true with a probability below 15%."""
        return cast("float", seen.probability) < 0.15

    def make_bid(self, seen: View) -> Bid:
        """Of the ten weakest raises make one that names the face it holds least of, the weakest of
        several."""
        return min(seen.legal_bids[:10], key=lambda bid: seen.dice.count(bid.face))
