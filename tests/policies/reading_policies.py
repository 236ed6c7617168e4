"""Small policies that read off their lines, and how likely bids are by their definition."""

from collections.abc import Sequence

import numpy as np

from game.bids import Bid, action_of
from game.hands import Hand, hand_index
from game.rules import Mode, Rules
from policies.players.reading import FLOOR, POWER
from policies.players.reading_policy import RARE, SURPRISE, ReadingPolicy
from solver.tables.strategy_table import NO_NODE, node_of
from tests.policies.players import reading_twin as twin
from tests.policies.small_policies import every_other_node, random_policy

VARIANTS = (
    Rules(players=3, dice=1, faces=2),
    Rules(players=3, dice=1, faces=2, jump_challenge=True),
    Rules(players=4, dice=1, faces=2, modes=(Mode.ZHAI,)),
)


def policy_for(rules: Rules) -> ReadingPolicy:
    """A table without every other history; of the others self-play hardly comes to every third."""
    plain = every_other_node(random_policy(rules))
    reach = np.where(np.arange(plain.table.context.size) % 3 == 2, RARE / 2, 0.1)
    return ReadingPolicy(plain, reach)


def plays_table(policy: ReadingPolicy, history: Sequence[Bid]) -> bool:
    """Whether the table plays there."""
    bids = policy.plain.actions(history)
    node = node_of(policy.plain.table, bids, bids.size)
    return node != NO_NODE and bool(policy.reach[node] >= RARE)


def likelihood_of(policy: ReadingPolicy) -> twin.Likelihood:
    """The likelihood by its definition."""
    rules, plausible = policy.rules, twin.plausible(policy.rules, POWER, FLOOR)

    def likelihood(history: tuple[Bid, ...], bid: Bid, hand: Hand) -> float:
        played = 0.0
        if plays_table(policy, history):
            strategy = policy.plain.strategy(history)
            played = strategy[hand_index(rules, hand), action_of(rules, bid)]
        return (1.0 - SURPRISE) * played + SURPRISE * plausible(history, bid, hand)

    return likelihood
