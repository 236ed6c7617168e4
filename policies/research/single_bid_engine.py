"""The engine of the shipped player `single-bid`. Importing this module adds it to the engines that
a training run can drive."""

from __future__ import annotations

from zhaifei.game.rules import Rules
from zhaifei.policies.research.single_bid import RECALL, SingleBidCFR
from zhaifei.policies.training.engines import ENGINES, Setup
from zhaifei.policies.training.solver_run import verify_for_round


class SingleBidEngine(SingleBidCFR):
    """CFR in the game whose players remember only the last bid."""

    recall = RECALL
    nash_conv = float("nan")
    warning = None

    @property
    def iterations(self) -> int:
        """See Engine. A pass carries all pairs of hands, for each player in turn."""
        return self.passes * self.play.bids.hands**2

    @property
    def information_sets(self) -> int:
        """See Engine. Counts all information sets of such players, even those reached only by
        switching mode."""
        return len(self.play.likely[:-1]) * self.play.bids.hands

    def advance_towards(self, goal: int | None) -> None:
        """See Engine. Passes are whole, so the last one may exceed the goal."""
        self.advance()


def single_bid_setup(rules: Rules, seed: int | None = None) -> Setup:
    """Return the setup of a run for two players who remember only the last bid, and raise 飞 only
    to 飞 and 斋 only to 斋. The result does not depend on the seed. Raise ZhaifeiError for a
    match."""
    verify_for_round(rules, single_bid=True)
    return Setup(rules, "single-bid", RECALL, seed or 0, threads=1)


ENGINES["single-bid"] = lambda setup: SingleBidEngine(setup.rules)
