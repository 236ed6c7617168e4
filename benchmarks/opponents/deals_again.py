"""An opponent for `benchmarks/learning.py`: it deals dice to the others many times, keeps the deals
in which each of them holds a die that they named, and counts."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, cast

from zhaifei.game.bids import counting_faces

if TYPE_CHECKING:
    from zhaifei.game.bids import Bid
    from zhaifei.game.views import View

DEALS = 60


class DealsAgain:
    """Takes an action by how often it would have lost in the deals that it imagines."""

    def challenge_bid(self, seen: View) -> bool:
        """Challenge if the bid is true in fewer deals than some raise is false in."""
        table, last = self._tables(seen), cast("Bid", seen.current_bid)
        true = self._share(seen, last, table)
        bids = [bid for bid in self._raises(seen) if not bid.doubled]
        return true < min((1.0 - self._share(seen, bid, table) for bid in bids), default=1.0) - 0.05

    def make_bid(self, seen: View) -> Bid:
        """Draw one of the three raises that are true in the most deals."""
        table = self._tables(seen)
        best = sorted(seen.legal_bids, key=lambda bid: -self._share(seen, bid, table))[:3]
        return random.choice(best)

    def _raises(self, seen: View) -> list[Bid]:
        return list(seen.legal_bids)[:12]

    def _share(self, seen: View, bid: Bid, table: list[Counter[int]]) -> float:
        faces = counting_faces(seen.rules, bid)
        return sum(sum(dice[face] for face in faces) >= bid.count for dice in table) / len(table)

    def _tables(self, seen: View) -> list[Counter[int]]:
        """Return how many dice on the table, own dice included, show each face, in each deal."""
        named: dict[int, set[int]] = {}
        for made in seen.history:
            named.setdefault(made.seat, set()).add(made.bid.face)
        return [self._dealt(seen, named) for _ in range(DEALS)]

    def _dealt(self, seen: View, named: dict[int, set[int]]) -> Counter[int]:
        dice, faces = list(seen.dice), range(1, seen.rules.faces + 1)
        for seat, number in enumerate(seen.dice_counts):
            if seat == seen.seat:
                continue
            rolls = ([random.choice(faces) for _ in range(number)] for _ in range(20))
            kept = (roll for roll in rolls if named.get(seat, set()) <= {*roll})
            dice += next(kept, [random.choice(faces) for _ in range(number)])
        return Counter(dice)
