"""Rounds of two players with one die each, small enough for searches that try everything."""

from functools import cache

import numpy as np

from zhaifei.game.bidding import legal_endings, states_after
from zhaifei.game.bids import domain, settled_by
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rounds import count_dice
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.tree_cfr import TreeCFR
from zhaifei.solver.tables.recall import FULL

RULES = Rules.of(players=2, dice=1, faces=2)
HANDS = len(hands(RULES))
PRIOR = probabilities(RULES)
BIDS = len(domain(RULES))

History = tuple[int, ...]


@cache
def legal(history: History) -> tuple[int, ...]:
    bids = np.array([history], dtype=np.int64)
    raises = bid_tables(RULES).legal[states_after(RULES, bids)[0]]
    return tuple(np.flatnonzero(np.append(raises, legal_endings(RULES, bids)[0])).tolist())


@cache
def payoff(history: History, action: int, mine: int, other: int, place: int) -> float:
    bids = [domain(RULES)[bid] for bid in history]
    ended = settled_by(RULES, bids, action - BIDS)
    assert ended is not None
    true = count_dice(RULES, bids[-1], [hands(RULES)[mine], hands(RULES)[other]]) >= bids[-1].count
    i_bid = (len(history) - 1) % 2 == place
    return 1.0 if true == i_bid else -1.0


@cache
def solved() -> TablePolicy:
    """Nearly an equilibrium."""
    solver = TreeCFR(RULES)
    for _ in range(300):
        solver.advance()
    return TablePolicy(RULES, FULL, solver.strategy())


@cache
def table(history: History) -> np.ndarray:
    """[hand, action] what the table plays."""
    return solved().strategy([domain(RULES)[bid] for bid in history])
