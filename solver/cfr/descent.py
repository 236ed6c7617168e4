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
that of NashConv is; here the factor is constant, and smaller with three players. A response that
loses little is enough for a step: see the epsilon-subgradients in Bertsekas, Nedić & Ozdaglar
(2003), "Convex Analysis and Optimization".

The way down is narrow and long: steps across it are larger than steps along it. So each step also
goes on a part of the way from the average to the current strategy, as in the heavy-ball method
(Polyak 1964, "Some methods of speeding up the convergence of iteration methods"). The average takes
the place of the step before, which would have to be kept; a step across hardly moves it.

NashConv is not convex with several players, so no theorem says where this ends. What is exact is
the measure: as in the passes before, the average is measured in the whole game whenever the tree
grows, and the best one is the result. benchmarks/tried.md has the figures.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.solver.cfr.own_tree import SolversTree
from zhaifei.solver.cfr.regret_matching import Step
from zhaifei.solver.cfr.tree_descent import Pace, Search

_REGRET_PASSES, _REGRET_PASSES_OF_THREE = 250, 900
"""The number of passes of regret matching before the descent, and with three players without 跳开:
there regret matching is faster than the descent at first."""
_RATE, _RATE_OF_THREE, _MOST = 0.5, 0.15, 0.1
"""The step size, in probability per penalty point, for each point that the best responses earn
within the tree, with four players or more and with three; and the largest step size."""
_SOFTNESS = 0.1
"""The loss of an action that counts 1/e among best responses, for each point of NashConv."""
_MOMENTUM, _MOST_AHEAD = 0.95, 0.5
"""The part of the latest steps that a step repeats; and the largest part of the way from the
average that it goes on."""
_NONE = 1e-30
"""Avoids a division by zero."""


def steps_of_descent(passes: int, rules: Rules) -> int:
    """Return how many of the first `passes` passes are steps of a descent. Training descends with
    three and four players and with 跳开, where regret matching is slow (benchmarks/tried.md)."""
    jumps = rules.stakes.jump_challenge
    if rules.players == 2 or (rules.players > 4 and not jumps):
        return 0
    late = rules.players == 3 and not jumps
    return max(0, passes - (_REGRET_PASSES_OF_THREE if late else _REGRET_PASSES))


class Strategy(NamedTuple):
    """The strategy from which a step goes on."""

    now: NDArray[np.float32]
    """[child of the root, hand] the probabilities with which it plays."""
    average: NDArray[np.float32]
    """[child of the root, hand] the same for the average of the strategies so far."""
    nash_conv: float
    """The NashConv of the average when it was last measured."""


def descend(
    tree: SolversTree,
    ranges: NDArray[np.float32],
    strategy: Strategy,
    steps: int,
    step: Step,
) -> NDArray[np.float32]:
    """Run the step with the number `steps`, from 1 on, below the root.

    Return [child of the root, hand] what the strategy there becomes, as probabilities that still
    have to be divided by their sum. `ranges` are [player, hand]. Raise OutOfMemory.
    """
    players, softness = range(len(ranges)), _SOFTNESS * strategy.nash_conv
    shares = strategy.now
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
    rate = _RATE_OF_THREE if len(players) == 3 else _RATE
    pace = Pace(min(rate * max(in_tree, 0.0), _MOST), ahead_at(steps))
    tree.descend(pace, step)
    scale = np.float32(pace.rate / (mass * (len(ranges) - 1)))
    change = scale * gain + np.float32(pace.ahead) * (shares - strategy.average)
    moved: NDArray[np.float32] = np.maximum(shares + change, np.float32(0.0))
    return moved


def ahead_at(steps: int) -> float:
    """Return the part of the way from the average that a step goes on, so that it repeats the part
    _MOMENTUM of the latest steps. With weights that rise with the fourth power, the average is a
    sixth of the `steps` old."""
    return min(6.0 * _MOMENTUM / steps, _MOST_AHEAD)


def soft_best(earned: NDArray[np.float32], loss: float) -> NDArray[np.float32]:
    """Return [action, hand] the probabilities of a best response to what actions `earned`
    [action, hand], where an action counts 1/e if it loses `loss`."""
    best: NDArray[np.float32] = np.exp((earned - earned.max(axis=0)) / np.float32(max(loss, _NONE)))
    best /= best.sum(axis=0)
    return best
