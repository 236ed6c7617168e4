"""An opponent for `benchmarks/learning.py`: it says 斋 wherever it can, with the face it holds most
of."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from zhaifei.game.parts import Mode

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class MostlyZhai:
    """Makes the weakest 斋 raise of the face it holds most of, and challenges what is less than 30%
    likely."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid that is less than 30% likely."""
        return cast("float", seen.probability) < 0.3

    def make_bid(self, seen: View) -> Bid:
        """Of the 斋 raises that are at least 25% likely make the one of the face it holds most of,
        the weakest of several; of all raises, if no 斋 raise is as likely."""
        zhai = [
            bid for bid in seen.legal_bids if bid.mode is Mode.ZHAI and seen.chance(bid) >= 0.25
        ]
        return max(zhai or seen.legal_bids, key=lambda bid: seen.dice.count(bid.face))
