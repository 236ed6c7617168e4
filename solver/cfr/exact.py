"""The exact engine for small two-player variants: CFR+ on the full public tree.

Every bid history is a node of its own, so recall is perfect. Every iteration sweeps all hands of
both players, so nothing is sampled. The tree doubles with about every bid: `verify_small` says
which variants fit.

Where this differs from the papers (CFR+: Tammelin 2014; DCFR: Brown & Sandholm 2019; predictive
CFR+: Farina, Kroer & Sandholm 2021):

- In one iteration the opener and then the responder improve, each against the other's newest
  strategy, as in CFR+. The average takes in a strategy after its update, so the uniform initial
  strategy is not part of it.
- The average weights iteration t by t squared instead of t: CFR+ as DCFR_{inf,-inf,2}.
- Nodes that the other player cannot reach with any hand are skipped. Their regrets would not
  change, and their prediction stays the last one made.
- Regrets, averages and values are float64: an average of 10,000 iterations should be accurate to
  less than 1e-6, and float32 rounds each sum by up to 6e-8 of it.

Exploitability of each method after this many iterations:

| variant | iterations | CFR+ | average by t | DCFR_{1.5,0,2} | predictive |
|---|---|---|---|---|---|
| liars_dice | 10,000 | 1.3e-6 | 2.3e-6 | 1.4e-6 | 4.1e-5 |
| zhaifei, 1 die, 4 faces | 5,000 | 4.2e-6 | - | 1.5e-6 | 2.6e-7 |
| zhaifei, 1 die, 5 faces | 100 / 4,000 | 1.7e-3 / 1.0e-5 | - | - | 5.9e-3 / 1.1e-7 |
| zhaifei, 1 die | 100 / 1,000 | 1.7e-3 / 6.1e-5 | - | - | 5.8e-3 / 6.3e-6 |

Prediction settles down instead of circling, which is ten to a hundred times better in the long run.
But then replies to bids that the opener has dropped hardly change any more, and in liars_dice the
remaining error is in these replies. Hence prediction is an option. Discounting or capping regrets,
restarts, and predicting in only some iterations did not combine the advantages of both.

Units: values are penalty points per round that the player in question saves, so one player's value
is minus the other's. The opener is player 0 and acts at even depths, the responder is player 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.hands import hands, probabilities
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID, BidTables, bid_tables, is_plain
from zhaifei.solver.files.state import SAFE, array_of, verify_between, verify_names
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import settle_range
from zhaifei.solver.tables.recall import FULL, recall_tables
from zhaifei.solver.tables.strategy_table import StrategyTable, strategy_table

MEMORY_LIMIT = 1 << 30
"""The bytes that an `ExactSolver` may take: what a laptop can spare. `strategy` briefly takes about
half as much again."""

_TINY = np.finfo(np.float64).tiny
"""The least normal float64: the reciprocal of a smaller number may be infinite."""
_ARRAYS = 5
"""The number of [row, hand] arrays in a `Sweep`."""
_CHUNK = 50_000_000
"""The [row, hand] entries swept in one kernel call, less than a second's work: Ctrl-C is only
noticed between calls."""


class NotSmall(ZhaifeiError):
    """Raised for a variant that the exact engine does not solve; the message says why."""


class PublicTree(NamedTuple):
    """Every bid history after which a player decides, breadth first: a child's number is above its
    parent's, and children of a node are neighbours. Arrays are C-contiguous and read-only.

    Each node has a row for every action: first the challenge, then the raises from the weakest up.
    The root cannot challenge, so its first row stands for the roll. Hence the raise from node n to
    node c is row n + c, and row 0 leads to the root.
    """

    last: NDArray[np.int16]
    """[node] the last bid, NO_BID at the root."""
    parent: NDArray[np.int32]
    """[node] the history without its last bid; the root is its own parent."""
    first_row: NDArray[np.int32]
    """[node + 1] the rows of node n are `first_row[n]` to `first_row[n + 1]`, exclusive."""
    level: NDArray[np.int64]
    """[depth + 1] the nodes after `d` bids are `level[d]` to `level[d + 1]`, exclusive."""


class Sweep(NamedTuple):
    """The float64 arrays that an iteration reads and writes. `hand` is a hand of the player who
    acts, except in `value`. `value` and `tails` are scratch, since kernels do not allocate."""

    regret: NDArray[np.float64]
    """[row, hand] the regret of CFR+: what always playing the row would have gained, cut off at
    zero."""
    strategy: NDArray[np.float64]
    """[row, hand] the probability of the row, which sums to 1 over the rows of a node."""
    average: NDArray[np.float64]
    """[row, hand] the sum over iterations of `reach` times the iteration squared; row 0 stays
    zero."""
    reach: NDArray[np.float64]
    """[row, hand] the probability that the player holds the hand and plays every own action up to
    and including the row (a *plan*). Row 0 holds the probability of the hand, for both players.
    Rows without `mass` are out of date."""
    mass: NDArray[np.float64]
    """[row] the sum of `reach` over the hands."""
    value: NDArray[np.float64]
    """[row, hand] the counterfactual value of the row to the player being improved, for their own
    hand: weighted by the probability that the other holds any hand and plays to the row."""
    tails: NDArray[np.float64]
    """[count], of size dice + 2: the mass of the hands with at least `count` matching dice."""


class Exploitability(NamedTuple):
    """What best responses to a strategy earn, in penalty points per round."""

    opener: float
    """What the opener's best response to the responder's strategy earns."""
    responder: float
    """What the responder's best response to the opener's strategy earns."""

    @property
    def exploitability(self) -> float:
        """(BR1 + BR2) / 2: half the length of the interval that holds the value of the game."""
        return (self.opener + self.responder) / 2


# Sizes


def public_states(tables: BidTables) -> int:
    """Return the number of bid histories after which a player decides, the empty one included.

    They are counted without being listed: the number of continuations of a history depends on its
    last bid alone.
    """
    bids = tables.claimed.size
    after = [0] * (bids + 1)
    """[bid] the number of continuations that begin with `bid` or a later bid."""
    for bid in reversed(range(bids)):
        after[bid] = 1 + after[tables.first_raise[bid + 1]] + after[bid + 1]
    opens = np.flatnonzero(tables.legal[0])
    return 1 + sum(after[bid] - after[bid + 1] for bid in opens)


def memory_needed(rules: Rules) -> int:
    """Return the bytes that an `ExactSolver` of `rules` takes."""
    states = public_states(bid_tables(rules))
    rows = 2 * states - 1
    tree = states * (2 + 4 + 4)
    return tree + 8 * rows * (1 + _ARRAYS * len(hands(rules)))


def verify_small(rules: Rules) -> None:
    """Raise NotSmall if the exact engine cannot solve `rules`."""
    if rules.players != 2:
        raise NotSmall(
            "the exact engine is for two players; these rules have {players}",
            players=rules.players,
        )
    if not is_plain(bid_tables(rules)):
        raise NotSmall(
            "the exact engine is for rules by which every stronger bid is legal, no bid is doubled "
            "and both players have the same number of dice"
        )
    needed = memory_needed(rules)
    if needed > MEMORY_LIMIT:
        raise NotSmall(
            "the exact engine would need {needed:.3g} GiB for the {histories:.3g} bid histories "
            "of these rules; the limit is {limit:g} GiB",
            needed=needed / 2**30,
            histories=public_states(bid_tables(rules)),
            limit=MEMORY_LIMIT / 2**30,
        )


def is_small(rules: Rules) -> bool:
    """Return whether `verify_small` accepts `rules`."""
    try:
        verify_small(rules)
    except ZhaifeiError:
        return False
    return True


# The tree


def public_tree(tables: BidTables) -> PublicTree:
    """Return the tree of all bid histories; its size is `public_states`, so check that first."""
    lasts, parents, sizes = [np.array([NO_BID])], [np.array([0])], []
    nodes = 0
    while lasts[-1].size:
        raises, children = _next_level(tables, lasts[-1])
        sizes.append(raises)
        parents.append(np.repeat(np.arange(nodes, nodes + raises.size), raises))
        lasts.append(children)
        nodes += raises.size
    rows = 1 + np.concatenate(sizes)
    arrays = (
        np.concatenate(lasts).astype(np.int16),
        np.concatenate(parents).astype(np.int32),
        np.concatenate([[0], np.cumsum(rows)]).astype(np.int32),
        np.concatenate([[0], np.cumsum([level.size for level in sizes])]),
    )
    for array in arrays:
        array.setflags(write=False)
    return PublicTree(*arrays)


def _next_level(
    tables: BidTables, last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return [node] the number of raises after each of the bids `last`, and [child] these raises,
    node after node."""
    if last[0] == NO_BID:
        opens = np.flatnonzero(tables.legal[0])
        return np.array([opens.size]), opens
    weakest = tables.first_raise[last + 1]
    raises = tables.claimed.size - weakest
    start = np.cumsum(raises) - raises
    return raises, np.arange(raises.sum()) + np.repeat(weakest - start, raises)


# Kernels. They work in place; the slices of rows they are given are views.


@hot_kernel
def _into(tree: PublicTree, node: int) -> np.int64:
    """Return the row of the raise that leads to `node`; at the root, the row of the roll."""
    return np.int64(tree.parent[node] + node)


@hot_kernel
def _improve(
    regret: NDArray[np.float64],
    strategy: NDArray[np.float64],
    value: NDArray[np.float64],
    result: NDArray[np.float64],
    foresight: float,
) -> None:
    """Apply regret matching+ at one node (Tammelin 2014, section 2). Arrays are [action, hand].

    Add to `regret` what each action gains over `strategy`, and clip it at zero. Set `strategy` in
    proportion to it, or uniformly where the sum is zero or denormal. With a `foresight` of 1 the
    strategy is what regret matching would play if the same gain came once more (Farina 2021,
    algorithm 3). Write into `result` [hand] what the old strategy was worth. Most nodes have few
    actions, so the loop over hands is the outer one.
    """
    actions = value.shape[0]
    for hand in range(result.size):
        worth, total = 0.0, 0.0
        for action in range(actions):
            worth += strategy[action, hand] * value[action, hand]
        for action in range(actions):
            gain = value[action, hand] - worth
            regret[action, hand] = max(regret[action, hand] + gain, 0.0)
            strategy[action, hand] = max(regret[action, hand] + foresight * gain, 0.0)
            total += strategy[action, hand]
        some = total >= _TINY
        scale = 1.0 / total if some else 0.0
        rest = 0.0 if some else 1.0 / actions
        for action in range(actions):
            strategy[action, hand] = strategy[action, hand] * scale + rest
        result[hand] = worth


@hot_kernel
def improve_player(
    tree: PublicTree, bids: BidTables, sweep: Sweep, player: int, foresight: float
) -> None:
    """Update `regret` and `strategy` at all nodes of `player` in one backward pass, against the
    `reach` of the other player. Values at nodes that the other does not reach are neither written
    nor read."""
    for depth in range(tree.level.size - 2, -1, -1):
        mine = depth % 2 == player
        for node in range(tree.level[depth], tree.level[depth + 1]):
            came = _into(tree, node) if mine else _into(tree, tree.parent[node])
            if sweep.mass[came] == 0.0:
                continue
            start, stop = max(tree.first_row[node], 1), tree.first_row[node + 1]
            result = sweep.value[_into(tree, node)]
            challenger = came if mine else start
            if node > 0 and sweep.mass[challenger] > 0.0:
                bid, sign = tree.last[node], -1.0 if mine else 1.0
                settle_range(
                    bids.claimed[bid],
                    bids.matches[bid],
                    sweep.reach[challenger],
                    sign,
                    sweep.tails,
                    sweep.value[start],
                )
            if mine:
                _improve(
                    sweep.regret[start:stop],
                    sweep.strategy[start:stop],
                    sweep.value[start:stop],
                    result,
                    foresight,
                )
            else:
                result[:] = 0.0
                for row in range(start, stop):
                    if sweep.mass[row] > 0.0:
                        for hand in range(result.size):
                            result[hand] += sweep.value[row, hand]


@hot_kernel
def plan_player(tree: PublicTree, sweep: Sweep, player: int, weight: float) -> None:
    """Compute `reach` and `mass` of `player` from their `strategy` in one forward pass, and add
    `weight` times `reach` to `average`."""
    for depth in range(player, tree.level.size - 1, 2):
        for node in range(tree.level[depth], tree.level[depth + 1]):
            before = _into(tree, tree.parent[node])
            reached = sweep.mass[before] > 0.0
            for row in range(max(tree.first_row[node], 1), tree.first_row[node + 1]):
                mass = 0.0
                if reached:
                    for hand in range(sweep.reach.shape[1]):
                        reach = sweep.reach[before, hand] * sweep.strategy[row, hand]
                        sweep.reach[row, hand] = reach
                        sweep.average[row, hand] += weight * reach
                        mass += reach
                sweep.mass[row] = mass


@hot_kernel
def iterate(
    tree: PublicTree, bids: BidTables, sweep: Sweep, first: int, stop: int, foresight: float
) -> None:
    """Run the iterations `first` to `stop`, exclusive; iterations count from 1."""
    for iteration in range(first, stop):
        for player in range(2):
            improve_player(tree, bids, sweep, player, foresight)
            plan_player(tree, sweep, player, float(iteration) ** 2)


@hot_kernel
def respond(
    tree: PublicTree, bids: BidTables, sweep: Sweep, plan: NDArray[np.float64], player: int
) -> None:
    """Compute the best response of `player` to the other's `plan` [row, hand]. Leave its value for
    each hand in row 0 of `value`, and the values that it follows from in the other rows."""
    for depth in range(tree.level.size - 2, -1, -1):
        mine = depth % 2 == player
        for node in range(tree.level[depth], tree.level[depth + 1]):
            start, stop = max(tree.first_row[node], 1), tree.first_row[node + 1]
            into = _into(tree, node)
            if node > 0:
                bid, sign = tree.last[node], -1.0 if mine else 1.0
                settle_range(
                    bids.claimed[bid],
                    bids.matches[bid],
                    plan[into] if mine else plan[start],
                    sign,
                    sweep.tails,
                    sweep.value[start],
                )
            for hand in range(plan.shape[1]):
                result = sweep.value[start, hand]
                for row in range(start + 1, stop):
                    value = sweep.value[row, hand]
                    result = max(result, value) if mine else result + value
                sweep.value[into, hand] = result


@hot_kernel
def opener_value(
    tree: PublicTree, bids: BidTables, sweep: Sweep, plan: NDArray[np.float64]
) -> float:
    """Return what the opener wins if both players follow the `plan` [row, hand]."""
    total = 0.0
    value = sweep.value[0]
    for depth in range(1, tree.level.size - 1):
        sign = 1.0 if depth % 2 == 1 else -1.0
        for node in range(tree.level[depth], tree.level[depth + 1]):
            bidder, challenge = _into(tree, node), tree.first_row[node]
            bid = tree.last[node]
            settle_range(
                bids.claimed[bid], bids.matches[bid], plan[bidder], sign, sweep.tails, value
            )
            for hand in range(value.size):
                total += plan[challenge, hand] * value[hand]
    return total


# The solver


class ExactSolver:
    """CFR+ on one variant. Raises NotSmall for rules that `verify_small` refuses."""

    def __init__(self, rules: Rules, predictive: bool = False) -> None:
        verify_small(rules)
        self.rules = rules
        self.predictive = predictive
        """Whether gains are predicted; the top of this file says when prediction pays."""
        self.iterations = 0
        """The number of iterations so far; in each both players improve."""
        self._bids = bid_tables(rules)
        self._tree = public_tree(self._bids)
        self._sweep = _new_sweep(rules, self._tree)
        self._plan_both()

    def run(self, iterations: int) -> None:
        """Run `iterations` more. The result does not depend on how they are split over calls."""
        chunk = max(1, _CHUNK // self._sweep.regret.size)
        stop = self.iterations + iterations
        while self.iterations < stop:
            until = min(self.iterations + chunk, stop)
            first, foresight = self.iterations + 1, float(self.predictive)
            iterate(self._tree, self._bids, self._sweep, first, until + 1, foresight)
            self.iterations = until

    @property
    def information_sets(self) -> int:
        """The number of information sets of the game: public states times hands."""
        return int(self._tree.last.size) * self._bids.hands

    def exploitability(self) -> Exploitability:
        """Return what best responses in the full game earn against the average strategy (before the
        first iteration: the uniform one). Exact but for rounding of about 1e-15."""
        plan, total = self._plan()
        values = []
        for player in range(2):
            respond(self._tree, self._bids, self._sweep, plan, player)
            values.append(float(self._sweep.reach[0] @ self._sweep.value[0]) / total)
        return Exploitability(*values)

    def value(self) -> float:
        """Return what the opener wins if both players follow the average strategy."""
        plan, total = self._plan()
        return float(opener_value(self._tree, self._bids, self._sweep, plan)) / total**2

    def strategy(self) -> StrategyTable:
        """Return the average strategy with full recall, in float32: its exploitability equals the
        solver's to about 1e-7.

        It leaves out actions that no hand plays, and histories that the player never reaches by
        their own strategy. At a history that only other hands reach, a hand challenges.
        """
        tree, recall = self._tree, recall_tables(self.rules, FULL)
        node = np.repeat(np.arange(tree.last.size), np.diff(tree.first_row))
        probability = _normalised(tree, node, self._plan()[0])
        played = np.flatnonzero(probability.any(axis=1))
        context = _contexts(tree, recall.code[0])[node[played]]
        action = _actions(tree, self._bids)[played]
        order = np.lexsort((action, context))
        contexts, first = np.unique(context[order], return_index=True)
        first_row = np.append(first, played.size)
        return strategy_table(
            recall, contexts, first_row, action[order], probability[played[order]]
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs to continue bit for bit. The arrays are the solver's own,
        which the next `run` changes, so store or copy them first."""
        return {
            "iterations": np.array(self.iterations, dtype=np.int64),
            "predictive": np.array(int(self.predictive), dtype=np.int64),
            **{name: getattr(self._sweep, name) for name in _STATE},
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the `state` of a solver of the same rules, with its `predictive`. If the
        state is invalid, raise StateError and change nothing."""
        verify_names(state, ("iterations", "predictive", *_STATE))
        iterations = array_of(state, "iterations", np.int64)
        predictive = array_of(state, "predictive", np.int64)
        shape = self._sweep.regret.shape
        arrays = {name: array_of(state, name, np.float64, *shape) for name in _STATE}
        verify_between("iterations", iterations, 0, _MOST_ITERATIONS)
        verify_between("predictive", predictive, 0, 1)
        _verify_sweep(self._tree, **arrays)
        for name, array in arrays.items():
            getattr(self._sweep, name)[:] = array
        self.iterations, self.predictive = int(iterations), bool(predictive)
        self._plan_both()

    def _plan(self) -> tuple[NDArray[np.float64], float]:
        """Return the average plan [row, hand], up to a factor, and the factor."""
        if self.iterations == 0:
            return self._sweep.reach, 1.0
        last = self.iterations
        return self._sweep.average, last * (last + 1) * (2 * last + 1) / 6

    def _plan_both(self) -> None:
        for player in range(2):
            plan_player(self._tree, self._sweep, player, 0.0)


_STATE = ("regret", "strategy", "average")
"""The fields of `Sweep` from which the other fields follow."""
_MOST_ITERATIONS = 10**9
"""More iterations take years; the sum of their weights is less than SAFE."""
_ROUNDING = 1e-6


def _verify_sweep(
    tree: PublicTree,
    regret: NDArray[np.float64],
    strategy: NDArray[np.float64],
    average: NDArray[np.float64],
) -> None:
    """Raise StateError unless these fields of a Sweep are sound: regrets and averages are not
    negative, and at every node each hand has a distribution."""
    verify_between("regret", regret, 0.0, SAFE)
    verify_between("average", average, 0.0, SAFE)
    verify_between("average", average[0], 0.0, 0.0)
    verify_between("strategy", strategy, 0.0, 1.0 + _ROUNDING)
    total = np.add.reduceat(strategy, np.maximum(tree.first_row[:-1], 1), axis=0)
    verify_between("strategy", total, 1.0 - _ROUNDING, 1.0 + _ROUNDING)


def _new_sweep(rules: Rules, tree: PublicTree) -> Sweep:
    """Return a Sweep with the uniform strategy. Row 0 is no action, and only its `reach` is
    used."""
    prior = probabilities(rules)
    shape = (int(tree.first_row[-1]), prior.size)
    actions = np.diff(tree.first_row)
    actions[0] -= 1
    regret, strategy, average, reach, value = (np.zeros(shape) for _ in range(_ARRAYS))
    mass, tails = np.zeros(shape[0]), np.zeros(rules.most_counted + 2)
    sweep = Sweep(regret, strategy, average, reach, mass, value, tails)
    sweep.strategy[1:] = np.repeat(1.0 / actions, actions)[:, np.newaxis]
    sweep.reach[0], sweep.mass[0] = prior, 1.0
    return sweep


def _normalised(
    tree: PublicTree, node: NDArray[np.int64], plan: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return [row, hand] the strategy of a `plan`; `node` is [row]. Where no hand can act, every
    row is zero; elsewhere a hand that cannot act challenges."""
    here = np.add.reduceat(plan, np.maximum(tree.first_row[:-1], 1), axis=0)
    absent = here == 0.0
    here[absent] = 1.0
    probability = np.empty(plan.shape, dtype=np.float32)
    np.divide(plan, here[node], out=probability, casting="same_kind")
    probability[0] = 0.0
    reached = ~absent.all(axis=1)
    probability[tree.first_row[:-1][reached]] += absent[reached]
    return probability


def _contexts(tree: PublicTree, code: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return [node] the context of each history: the sum of the codes [bid + 1] of its bids."""
    context = code[tree.last + 1]
    context[0] = 0
    for start, stop in zip(tree.level[1:-1], tree.level[2:], strict=True):
        context[start:stop] += context[tree.parent[start:stop]]
    return context


def _actions(tree: PublicTree, bids: BidTables) -> NDArray[np.int16]:
    """Return [row] the action of each row."""
    action = np.full(tree.first_row[-1], bids.claimed.size, dtype=np.int16)
    nodes = np.arange(tree.last.size)
    action[tree.parent[1:] + nodes[1:]] = tree.last[1:]
    return action
