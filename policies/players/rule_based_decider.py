"""Rule-based players that decide move by move: they apply the rules of
`policies.players.rule_based` to one hand. Out of turn they challenge by the same rule, as if they
were to bid next."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import Bid, State, action_of, counted, domain
from zhaifei.game.hands import Hand
from zhaifei.game.legal import legal_bids_with
from zhaifei.game.rules import Rules
from zhaifei.game.views import View
from zhaifei.policies.players.decider import Decider, TwoStepDecider
from zhaifei.policies.players.rule_based import (
    CHALLENGE,
    RULES,
    Situation,
    chances_of,
    gives_up_on,
)


def rule_based_decider(name: str, random: np.random.Generator) -> Decider:
    """Return the rule-based player of this name, a member of `policies.players.rule_based.NAMES`.
    Only the player `random` draws from the generator."""
    return RandomDecider(random) if name == "random" else RuleBasedDecider(name)


@dataclass(frozen=True)
class RuleBasedDecider(TwoStepDecider):
    """Plays by the rule in RULES with this name."""

    name: str

    def __str__(self) -> str:
        return self.name

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        last = view.current_bid
        if last is not None and last.doubled:
            likely = np.array([view.chance(last)])
            return not gives_up_on(view.rules, last, likely)[0]
        return self._raise(view) is None

    def make_bid(self, view: View) -> Bid | None:
        """See StrategyMethods."""
        return self._raise(view)

    def _raise(self, view: View) -> Bid | None:
        table = sum(view.dice_counts)
        return raise_by_rule(self.name, view.rules, view.dice, view.state, table)


@dataclass(frozen=True)
class RandomDecider(TwoStepDecider):
    """Takes every legal action with equal probability.

    It draws from the challenge and all other actions. If it does not challenge, it draws the other
    action again.
    """

    random: np.random.Generator

    def __str__(self) -> str:
        return "random"

    def challenge_bid(self, view: View) -> bool:
        """See StrategyMethods."""
        raises = legal_bids_with(view.rules, view.state, sum(view.dice_counts))
        others = len(raises) + view.can_give_up
        return int(self.random.integers(others + 1)) == others

    def make_bid(self, view: View) -> Bid | None:
        """See StrategyMethods."""
        choices = [*view.legal_bids, *([None] if view.can_give_up else [])]
        return choices[self.random.integers(len(choices))]


@lru_cache(maxsize=65_536)
def raise_by_rule(name: str, rules: Rules, hand: Hand, state: State, table: int) -> Bid | None:
    """Return the raise that the rule `name` makes with `hand`, or None if the rule challenges.

    The bidding is in `state`, and `table` dice are on the table.
    """
    bids = _raises(rules, state, table)
    if not bids:
        return None
    likely, own = _judged(rules, hand, table - len(hand))
    raises = _actions(rules, state, table)
    known = np.ones(1) if state.last is None else likely[action_of(rules, state.last)]
    chosen = int(RULES[name](Situation(known, likely[raises], own[raises]))[0])
    return None if chosen == CHALLENGE else bids[chosen]


@lru_cache(maxsize=4096)
def _actions(rules: Rules, state: State, table: int) -> NDArray[np.int64]:
    """Return [raise] int64, the actions of the legal raises."""
    return np.array([action_of(rules, bid) for bid in _raises(rules, state, table)], dtype=np.int64)


def _raises(rules: Rules, state: State, table: int) -> tuple[Bid, ...]:
    """Return the legal bids but for doubles, since the rules do not double."""
    return tuple(bid for bid in legal_bids_with(rules, state, table) if not bid.doubled)


@lru_cache(maxsize=16_384)
def _judged(rules: Rules, hand: Hand, others: int) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return [bid, 1] the probability that each bid is true, and [bid, 1] how many of the own dice
    count."""
    own = np.array([[counted(rules, bid, hand)] for bid in domain(rules)], dtype=np.int8)
    return chances_of(rules, own, others), own
