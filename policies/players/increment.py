"""Players of `increment` and `published`, where each bid raises the count by one die: the opponents
of a published learner, and the best response to them.

The learner, tabular Q-learning, is in `policies.research.q_learning`. All follow D. Oehm 2018,
*Q-learning example with Liar's Dice in R*. "Random callers that always bluff" can be read in other
ways than `RandomCaller`: `benchmarks/increment_learner.py` measures more readings, and
docs/learners.md has the figures. The published program itself is played under the rules
`published`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import numpy as np

from zhaifei.game.bids import Bid
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.players.decider import TwoStepDecider
from zhaifei.solver.response.against_callers import MatchResponse, respond_to_callers, shapes


class RandomCaller(TwoStepDecider):
    """Challenges with probability CHALLENGES, and always bluffs: it names a random face."""

    CHALLENGES = 0.5
    """The probability of a challenge."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random

    def __str__(self) -> str:
        return "random-caller"

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        return bool(self._random.random() < self.CHALLENGES)

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return random_bid(view, self._random)


class TrueProbabilityCaller(TwoStepDecider):
    """Challenges with the probability that the bid is false, given only its own dice; otherwise
    raises to the face that most of its dice show."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random

    def __str__(self) -> str:
        return "true-probability"

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        return bool(self._random.random() >= cast(float, view.probability))

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        return best_supported_bid(view)


class CallerBreaker(TwoStepDecider):
    """The best response to random callers in all other seats.

    `solver.response.against_callers` computes it. The constructor raises as `respond_to_callers`
    does.
    """

    def __init__(self, rules: Rules) -> None:
        self._response = response_to_random_callers(rules)
        self._places = [_places(dice, rules.faces) for dice in range(rules.dice + 1)]

    def __str__(self) -> str:
        return "caller-breaker"

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        bid = cast(Bid, view.current_bid)
        ranked = _ranked(view)
        plan = self._response.plans[_table(view)]
        return bool(plan.challenges[bid.count, self._shape(view), ranked.index(bid.face)])

    def make_bid(self, view: View) -> Bid:
        """See StrategyMethods."""
        plan = self._response.plans[_table(view)]
        count = 0 if view.current_bid is None else view.current_bid.count
        face = _ranked(view)[plan.raises[count, self._shape(view)]]
        return next(bid for bid in view.legal_bids if bid.face == face)

    def _shape(self, view: View) -> int:
        """Return the index of the player's hand in `shapes`."""
        counts = tuple(view.dice.count(face) for face in _ranked(view))
        return self._places[len(view.dice)][counts]


def random_bid(view: View, random: np.random.Generator) -> Bid:
    """Return a legal bid, drawn uniformly."""
    return view.legal_bids[int(random.integers(len(view.legal_bids)))]


def best_supported_bid(view: View) -> Bid:
    """Return the legal bid on the face that most of the player's dice show, the weakest if several
    tie."""
    return max(view.legal_bids, key=lambda bid: view.dice.count(bid.face))


@lru_cache(maxsize=4)
def response_to_random_callers(rules: Rules) -> MatchResponse:
    """Return the best response to random callers in all other seats. The first call takes a second
    or two. Raise as `respond_to_callers` does."""
    return respond_to_callers(rules, RandomCaller.CHALLENGES)


@lru_cache
def _places(dice: int, faces: int) -> dict[tuple[int, ...], int]:
    counts = shapes(dice, faces).counts.tolist()
    return {tuple(shape): place for place, shape in enumerate(counts)}


def _table(view: View) -> tuple[int, ...]:
    """Return the number of dice of each player, from this player on in turn order."""
    return view.dice_counts[view.seat :] + view.dice_counts[: view.seat]


def _ranked(view: View) -> list[int]:
    """Return the faces, in descending order of how many of the player's dice show them."""
    return sorted(range(1, view.rules.faces + 1), key=view.dice.count, reverse=True)
