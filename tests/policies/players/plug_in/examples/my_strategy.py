class MyStrategy:
    """Challenges what is unlikely, and else makes the likeliest raise."""

    def challenge_bid(self, seen):
        return seen.probability < 0.4

    def make_bid(self, seen):
        return max(seen.legal_bids, key=seen.chance)
