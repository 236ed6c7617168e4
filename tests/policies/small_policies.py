"""Policies small enough to check by hand: random ones, with every history written out."""

from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bids import (
    Bid,
    action_of,
    challenge_action,
    challengeable,
    domain,
    legal_bids,
    state_after,
)
from zhaifei.game.hands import Hand, hands
from zhaifei.game.rules import Rules
from zhaifei.policies.players.match_policy import MatchPolicy, solved_round
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.strategy_table import EXACT, STEPS, dense, strategy_table
from zhaifei.solver.value.matches import positions_of

History = tuple[Bid, ...]


def histories(rules: Rules, history: History = ()) -> list[History]:
    """Every history after which a player decides."""
    found = [history]
    for bid in legal_bids(rules, *state_after(rules, history)):
        found += histories(rules, (*history, bid))
    return found


def legal_actions(rules: Rules, history: History) -> list[int]:
    raises = legal_bids(rules, *state_after(rules, history))
    challenges = [
        challenge_action(rules, distance) for distance in challengeable(rules, len(history))
    ]
    if history and history[-1].doubled:
        challenges.append(challenge_action(rules) + 1)  # gives up
    return [action_of(rules, bid) for bid in raises] + challenges


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
        if dtype != EXACT:
            steps = 255 if dtype is np.uint8 else STEPS
            upto = np.rint(steps * np.cumsum(shares, axis=0))
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


def poor_match_policy(rules: Rules, passes: int) -> MatchPolicy:
    """Far from an equilibrium: a few passes over each round of the match."""
    rounds = {}
    for position in positions_of(rules):
        its, abstraction = solved_round(rules, position)
        training = TreeCFR(its, threads=1, abstraction=abstraction)
        for _ in range(passes):
            training.advance()
        record = {"value": 0.0, "exploitability": 0.0}
        rounds[position] = TablePolicy(
            its, "full", training.average(), record, abstraction=abstraction
        )
    return MatchPolicy(rules, rounds, {})


def mover(rules: Rules, history: History) -> int:
    """The player in turn: after a double it is one of the two whom it concerns."""
    doubles = len([bid for bid in history if bid.doubled])
    return (len(history) - doubles - doubles % 2) % rules.players


class Naive:
    """What a policy does and earns, one deal of hands at a time."""

    def __init__(self, policy: TablePolicy) -> None:
        self.policy, self.rules = policy, policy.rules
        self._played: dict[History, NDArray[np.float64]] = {}
        self._earned: dict[tuple[History, tuple[Hand, ...], int], NDArray[np.float64]] = {}

    def prior(self, *dealt: Hand) -> float:
        """Counted over all rolls, which are equally likely."""
        rolls = list(product(range(1, self.rules.faces + 1), repeat=self.rules.dice))
        return prod(
            sum(tuple(sorted(roll)) == hand for roll in rolls) / len(rolls) for hand in dealt
        )

    def plays(self, hand: Hand, history: History, action: int) -> float:
        if history not in self._played:
            self._played[history] = self.policy.strategy(history)
        return float(self._played[history][hands(self.rules).index(hand), action])

    def bids(self, hand: Hand, history: History, seat: int) -> float:
        """The probability that the player in that seat (0 opens) bids as in `history`."""
        share = 1.0
        for place in range(len(history)):
            if mover(self.rules, history[:place]) != seat:
                continue
            action = action_of(self.rules, history[place])
            share *= self.plays(hand, history[:place], action)
        return share

    def is_true(self, bid: Bid, *dealt: Hand) -> bool:
        dice = [face for hand in dealt for face in hand]
        wild = bid.mode == 0
        count = sum(
            face == bid.face or (wild and face == self.rules.counting.wild) for face in dice
        )
        return count >= bid.count

    def earns(self, history: History, dealt: tuple[Hand, ...], action: int) -> NDArray[np.float64]:
        """[seat] what each gets if the player in turn takes the action and all then play on;
        `dealt` is by seat."""
        key = history, dealt, action
        if key not in self._earned:
            self._earned[key] = self._earns(*key)
        return self._earned[key]

    def _earns(self, history: History, dealt: tuple[Hand, ...], action: int) -> NDArray[np.float64]:
        players, turn = self.rules.players, mover(self.rules, history)
        distance = action - challenge_action(self.rules) + 1
        if distance >= 1 and self.rules.stakes.doubled:
            level = history[-1].doubled
            bidder, cost = (
                (len(history) - level - 1) % players,
                (1, *self.rules.stakes.doubled)[level],
            )
            loser = (bidder + 1) % players if self.is_true(history[-1], *dealt) else bidder
            if distance == 2:  # gives up
                loser, cost = turn, 1
            return cost * np.where(np.arange(players) == loser, -1.0, 1 / (players - 1))
        if distance >= 1:
            bidder = (turn - distance) % players
            loser = turn if self.is_true(history[-distance], *dealt) else bidder
            return distance * np.where(np.arange(players) == loser, -1.0, 1 / (players - 1))
        raised = (*history, domain(self.rules)[action])
        hand, earned = dealt[mover(self.rules, raised)], np.zeros(players)
        for reply in legal_actions(self.rules, raised):
            if self.plays(hand, raised, reply) > 0.0:
                earned += self.plays(hand, raised, reply) * self.earns(raised, dealt, reply)
        return earned


def every_other_node(policy: TablePolicy) -> TablePolicy:
    """The table without every other node but the first."""
    table = policy.table
    kept = np.arange(0, table.context.size, 2)
    rows = [np.arange(table.first_row[node], table.end_row[node]) for node in kept]
    all_rows = np.concatenate(rows)
    fewer = strategy_table(
        table.recall,
        table.context[kept],
        np.cumsum([0, *map(len, rows)]),
        table.action[all_rows],
        dense(table, all_rows),
    )
    return TablePolicy(policy.rules, policy.recall, fewer)
