"""Descent on NashConv: with several players, the last part of training.

With three or more players, the averages of regret matching may come nearer to an equilibrium only
slowly. Then training goes on by lowering NashConv itself. NashConv is the sum over players of what
their best responses earn, and this is a maximum of functions that are linear in each other player's
actions at a history. So a step is that of a projected subgradient method (Shor 1985, "Minimization
Methods for Non-Differentiable Functions"):

1. For each player, a walk finds their best response, within the tree, to the current strategy. It
   is softened: actions that lose little count nearly as much as the best one. So it does not jump
   from step to step where two actions are about equally good.
2. For each other player, a walk finds by how much each of their actions, at each history, lowers
   what this best response earns.
3. At each history and hand, probabilities move by these amounts, summed over the responders, times
   a step size. The amounts are divided by the probability with which the others come to the
   history, so that rare histories move as fast as others. Probabilities below zero become zero, and
   the others are divided by their sum.

Step size and softness are in proportion to NashConv: the step size to that of the current strategy
within the tree, the softness to that of the average in the whole game. Polyak (1969), "Minimization
of unsmooth functionals", chooses step sizes like this for a function whose least value is known, as
that of NashConv is; here the factor is constant. A response that loses little is enough for a step:
see the epsilon-subgradients in Bertsekas, Nedić & Ozdaglar (2003), "Convex Analysis and
Optimization".

NashConv is not convex with several players, so no theorem says where this ends. What is exact is
the measure: as in the passes before, the average is measured in the whole game whenever the tree
grows, and the best one is the result. benchmarks/tried.md has the figures.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.solver.cfr.own_tree import SolversTree
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.tree_descent import Search

_REGRET_PASSES = 250
"""The number of passes of regret matching before the descent."""
_RATE, _MOST = 0.5, 0.1
"""The step size, in probability per penalty point, for each point that the best responses earn
within the tree; and the largest step size."""
_SOFTNESS = 0.1
"""The loss of an action that counts 1/e among best responses, for each point of NashConv."""
_NONE = 1e-30
"""Avoids a division by zero."""


def steps_of_descent(passes: int, rules: Rules) -> int:
    """Return how many of the first `passes` passes are steps of a descent. There are none where
    regret matching alone gets as near to an equilibrium or nearer: benchmarks/tried.md."""
    descends = rules.players == 4 or (rules.players > 2 and rules.stakes.jump_challenge)
    return max(0, passes - _REGRET_PASSES) if descends else 0


def descend(
    tree: SolversTree,
    ranges: NDArray[np.float32],
    shares: NDArray[np.float32],
    nash_conv: float,
    step: Step,
) -> NDArray[np.float32]:
    """Run one step below the root, for a strategy whose last measured `nash_conv` was this.

    Return [child of the root, hand] what the `shares` there, which are probabilities, become; they
    still have to be divided by their sum. `ranges` are [player, hand]. Raise OutOfMemory.
    """
    players, softness = range(len(ranges)), _SOFTNESS * nash_conv
    mass = float(ranges[1:].sum(axis=1, dtype=np.float64).prod())
    tree.part.deal(ranges)
    tree.part.enter(ranges[0] * shares)
    earned = tree.gather(Search(0, 0, softness, step))
    best = soft_best(earned, softness * mass)
    in_tree = float(ranges[0] @ (best * earned).sum(axis=0))
    for player in players[1:]:
        earned = tree.gather(Search(player, player, softness, step))
        in_tree += float(ranges[player] @ earned.sum(axis=0))
    gain = np.zeros_like(shares)
    for walker, paid in permutations(players, 2):
        tree.part.enter(ranges[0] * (best if paid == 0 else shares))
        earned = tree.gather(Search(walker, paid, softness, step))
        if walker == 0:
            gain += (shares * earned).sum(axis=0) - earned
    rate = min(_RATE * max(in_tree, 0.0), _MOST)
    tree.descend(rate, step)
    scale = np.float32(rate / (mass * (len(ranges) - 1)))
    moved: NDArray[np.float32] = np.maximum(shares + scale * gain, np.float32(0.0))
    return moved


def soft_best(earned: NDArray[np.float32], loss: float) -> NDArray[np.float32]:
    """Return [action, hand] the probabilities of a best response to what actions `earned`
    [action, hand], where an action counts 1/e if it loses `loss`."""
    best: NDArray[np.float32] = np.exp((earned - earned.max(axis=0)) / np.float32(max(loss, _NONE)))
    best /= best.sum(axis=0)
    return best
