"""A small policy of two players that remembers all bids, and bids that it never makes."""

from functools import cache

import numpy as np

from zhaifei.game.bids import domain
from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.tree_cfr import TreeCFR

RULES = Rules.of(dice=2, faces=3)


@cache
def blueprint(passes: int) -> TablePolicy:
    training = TreeCFR(RULES)
    while training.passes < passes:
        training.advance()
    return TablePolicy(RULES, "full", training.average())


def odd_history(plain: TablePolicy) -> tuple[int, ...]:
    """The likeliest opening, and the first raise that the policy never answers it with."""
    prior, bids = bid_tables(RULES).prior[0], domain(RULES)
    opening = int((prior @ plain.strategy(())).argmax())
    answers = prior @ plain.strategy([bids[opening]])
    first = bid_tables(RULES).first_raise[opening + 1]
    raises = np.flatnonzero(answers[first : len(bids)] < 1e-9) + first
    return opening, int(raises[0])
