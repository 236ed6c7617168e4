"""Policies that benchmarks train themselves."""

from __future__ import annotations

from zhaifei.game.rules import Rules
from zhaifei.policies.players.table_policy import TablePolicy
from zhaifei.solver.cfr.tree_cfr import TreeCFR

SMALLEST = Rules.of(dice=1, faces=3)


def trained(rules: Rules, passes: int) -> TablePolicy:
    """Return the average strategy of the growing tree after `passes` passes."""
    training = TreeCFR(rules)
    while training.passes < passes:
        training.advance()
    return TablePolicy(rules, "full", training.average())
