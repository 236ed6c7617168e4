"""An opponent for `benchmarks/learning.py`: with some hands it plays a whole round as if it held
other dice."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from zhaifei.game.chances import chance

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View


class HalfBluffs:
    """With a hand whose dice add up to a multiple of three it pretends that its two highest dice
    show what its lowest die shows. It bids high on what it pretends, but challenges by what it
    holds."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge a bid that is less than 30% likely."""
        return cast("float", seen.probability) < 0.3

    def make_bid(self, seen: View) -> Bid:
        """Make the strongest raise that would be more likely than not with the dice it pretends to
        hold, or else the likeliest raise."""
        dice, others = self._pretended(seen), sum(seen.dice_counts) - len(seen.dice)
        likely = {bid: chance(seen.rules, bid, dice, others) for bid in seen.legal_bids}
        high = [bid for bid in seen.legal_bids if likely[bid] > 0.5]
        return high[-1] if high else max(seen.legal_bids, key=lambda bid: likely[bid])

    def _pretended(self, seen: View) -> tuple[int, ...]:
        if sum(seen.dice) % 3:
            return seen.dice
        return tuple(sorted((*seen.dice[:-2], seen.dice[0], seen.dice[0])))
