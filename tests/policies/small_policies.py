"""Policies small enough to check by hand: random ones, with every history written out."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

from game.bids import Bid, action_of, challenge_action, legal_bids
from game.hands import Hand, hands
from game.rules import Rules
from policies.table import TablePolicy
from solver.recall import recall_tables
from solver.strategy import strategy_table

History = tuple[Bid, ...]


def histories(rules: Rules, history: History = ()) -> list[History]:
    """Every history after which a player decides."""
    found = [history]
    for bid in legal_bids(rules, history[-1] if history else None):
        found += histories(rules, (*history, bid))
    return found


def legal_actions(rules: Rules, history: History) -> list[int]:
    raises = legal_bids(rules, history[-1] if history else None)
    return [action_of(rules, bid) for bid in raises] + [challenge_action(rules)] * bool(history)


def random_policy(
    rules: Rules, seed: int = 0, never: Bid | None = None, dtype: type[np.generic] = np.float32
) -> TablePolicy:
    """Full recall; each hand plays each legal action with a probability of its own, but `never`
    with none, unless nothing else is legal."""
    random = np.random.default_rng(seed)
    nodes: dict[int, tuple[list[int], NDArray[np.float64]]] = {}
    for history in histories(rules):
        actions = legal_actions(rules, history)
        if never is not None:
            actions = [a for a in actions if a != action_of(rules, never)] or actions
        shares = random.dirichlet(np.ones(len(actions)), len(hands(rules))).T
        if dtype is np.uint8:
            upto = np.rint(255 * np.cumsum(shares, axis=0))
            shares = np.diff(upto, axis=0, prepend=0)
        # A context with full recall is the set of bids made, one bit each.
        nodes[sum(1 << action_of(rules, bid) for bid in history)] = (actions, shares)
    ordered = [nodes[context] for context in sorted(nodes)]
    probability = np.concatenate([shares for _, shares in ordered])
    table = strategy_table(
        recall_tables(rules, "full"),
        np.array(sorted(nodes), dtype=np.int64),
        np.cumsum([0, *(len(actions) for actions, _ in ordered)]),
        np.concatenate([actions for actions, _ in ordered]).astype(np.int16),
        probability.astype(dtype),
    )
    return TablePolicy(rules, "full", table)


class Naive:
    """What a policy does and earns, one pair of hands at a time."""

    def __init__(self, policy: TablePolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._played: dict[History, NDArray[np.float64]] = {}

    def prior(self, hand: Hand) -> float:
        """Counted over all rolls, which are equally likely."""
        rolls = list(product(range(1, self.rules.faces + 1), repeat=self.rules.dice))
        return sum(tuple(sorted(roll)) == hand for roll in rolls) / len(rolls)

    def plays(self, hand: Hand, history: History, action: int) -> float:
        if history not in self._played:
            self._played[history] = self.policy.strategy(history)
        return float(self._played[history][hands(self.rules).index(hand), action])

    def bids(self, hand: Hand, history: History, seat: int) -> float:
        """The probability that the player in that seat (0 opens) bids as in `history`."""
        share = 1.0
        for place in range(seat, len(history), 2):
            action = action_of(self.rules, history[place])
            share *= self.plays(hand, history[:place], action)
        return share

    def is_true(self, bid: Bid, *dealt: Hand) -> bool:
        dice = [face for hand in dealt for face in hand]
        wild = bid.mode == 0
        count = sum(face == bid.face or (wild and face == self.rules.wild) for face in dice)
        return count >= bid.count

    def earns(self, history: History, own: Hand, other: Hand, action: int) -> float:
        """What the player in turn, who holds `own`, gets for `action` if both then play on."""
        if action == challenge_action(self.rules):
            return -1.0 if self.is_true(history[-1], own, other) else 1.0
        raises = legal_bids(self.rules, history[-1] if history else None)
        raised = (*history, next(bid for bid in raises if action_of(self.rules, bid) == action))
        return -sum(
            self.plays(other, raised, reply) * self.earns(raised, other, own, reply)
            for reply in legal_actions(self.rules, raised)
            if self.plays(other, raised, reply) > 0.0
        )
