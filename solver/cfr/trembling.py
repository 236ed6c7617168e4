"""Trembles of many players while regrets are improved.

With many players, regret matching cycles: a history that nobody reaches at present is not improved,
so its actions are out of date when somebody comes there again. So each player is improved against
others who now and then take an action of the tree at random, less and less often. Then every pass
improves the whole tree. Trembles are those of Selten (1975), "Reexamination of the perfectness
concept for equilibrium points in extensive games"; with CFR, see Farina, Kroer & Sandholm (2017),
"Regret minimization in behaviorally-constrained zero-sum games". Here, the player who is improved
does not tremble, averages do not, and the opening does not.
"""

from __future__ import annotations

import numpy as np

from zhaifei.solver.cfr.growing_tree import NONE, Tree
from zhaifei.solver.cfr.tree_walk import TreeWalk, is_fallback
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ONE, ZERO

_MANY_PLAYERS = 8
"""The number of players from which they tremble. With fewer, trembles lower NashConv little or not
at all (benchmarks/tried.md)."""
_MOST = 0.1
"""The probability of a tremble in the first passes."""
_STEADY = 20
"""The number of passes after which trembles become rarer, with one over the root of the passes."""


def tremble_at(passes: int, players: int) -> np.float32:
    """Return the probability of a tremble in the pass with the number `passes`, from 1 on."""
    trembles = _MOST * min(1.0, (_STEADY / passes) ** 0.5)
    return np.float32(trembles if players >= _MANY_PLAYERS else 0.0)


@hot_kernel
def tremble(tree: Tree, walk: TreeWalk, depth: int, probability: np.float32) -> None:
    """Let the player in turn at `depth` take each child of the node with the same part of the
    `probability`, and otherwise follow `walk.shares`, which are then probabilities."""
    node = walk.node[depth]
    scale = walk.scale[depth, : tree.classes.size[tree.partition[node]]]
    child, children = tree.first_child[node], ZERO
    while child != NONE:
        child, children = tree.sibling[child], children + ONE
    added, kept = probability / children, ONE - probability
    child, place = tree.first_child[node], 0
    while child != NONE:
        share, alone = walk.shares[depth, place], ONE if is_fallback(tree, child) else ZERO
        for group in range(scale.size):
            played = share[group] * scale[group] if scale[group] > ZERO else alone
            share[group] = kept * played + added
        child, place = tree.sibling[child], place + 1
    for group in range(scale.size):
        scale[group] = ONE
