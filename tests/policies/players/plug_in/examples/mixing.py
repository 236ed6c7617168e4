"""A strategy that mixes: it challenges the more, the less likely the bid is true."""


class Mixing:
    def challenge_bid(self, seen):
        return seen.probability < 0.5

    def make_bid(self, seen):
        return seen.legal_bids[0]

    def probabilities(self, seen):
        if seen.current_bid is None:
            return dict.fromkeys(seen.legal_bids, 1 / len(seen.legal_bids))
        if not seen.legal_bids:
            return {"challenge": 1}
        weakest, strongest = seen.legal_bids[0], str(seen.legal_bids[-1])
        half = seen.probability / 2
        return {"challenge": 1 - half, weakest: half / 2, strongest: half / 2}
