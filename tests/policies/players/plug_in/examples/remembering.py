"""Remembers its own dice of every round, and supposes that the dice come again in the same order
when it sits in the other one of the first two seats. It plays among players who challenge any bid.
"""

from zhaifei.game.chances import chance
from zhaifei.game.legal import legal_bids_with


class Remembering:
    def __init__(self):
        self.seat = None
        self.dice = {0: [], 1: []}  # [round] its own, by seat, since it sat down there
        self.before = []  # the same, of the last time that it sat in this seat
        self.known = ()

    def remember(self, seen):
        """Store the own dice, and set `known` to the dice that the other seat should have."""
        if seen.seat != self.seat:
            self.seat, self.before = seen.seat, self.dice[seen.seat]
            self.dice[seen.seat] = []
        own, other = self.dice[seen.seat], self.dice[1 - seen.seat]
        place = len(own)
        own.append(seen.dice)
        # In the first seat the other dice may be those of the last deal: single dice do not tell.
        same = len(seen.dice) > 1 and self.before[place : place + 1] == [seen.dice]
        again = seen.seat == 1 or same
        self.known = other[place] if again and place < len(other) else ()

    def chance(self, seen, bid):
        others = sum(seen.dice_counts) - len(seen.dice) - len(self.known)
        return chance(seen.rules, bid, seen.dice + self.known, others)

    def challenge_bid(self, seen):
        # Where dice are lost, the question comes twice: the second time with bids to choose from.
        if not (seen.rules.loses_dice and seen.legal_bids):
            self.remember(seen)
        raises = legal_bids_with(seen.rules, seen.state, sum(seen.dice_counts))
        best = max((self.chance(seen, bid) for bid in raises), default=0.0)
        return 1.0 - self.chance(seen, seen.current_bid) >= best

    def make_bid(self, seen):
        if not seen.history:
            self.remember(seen)
        return max(seen.legal_bids, key=lambda bid: self.chance(seen, bid))
