"""An opponent for `benchmarks/reading.py`: it bluffs in a third of its bids."""

import random


class Bluffs:
    """Names any face in a third of its bids, else the one that its dice support best."""

    def challenge_bid(self, seen):
        """Challenge what is less than 35% likely."""
        return seen.probability < 0.35

    def make_bid(self, seen):
        """Make one of the eight weakest raises in a third of the bids, else the likeliest."""
        if random.random() < 1 / 3:
            return random.choice(seen.legal_bids[:8])
        return max(seen.legal_bids, key=seen.chance)
