"""The rule-based player `probabilistic`, written once more."""


class Probabilistic:
    def challenge_bid(self, seen):
        return seen.probability < (0.25 if self.safe(seen) else 0.5)

    def make_bid(self, seen):
        return self.safe(seen) or max(seen.legal_bids, key=seen.chance)

    def safe(self, seen):
        """The cheapest bid that is at least 60% likely, if there is one."""
        return next((bid for bid in seen.legal_bids if seen.chance(bid) >= 0.6), None)
