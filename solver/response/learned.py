"""Approximate best responses for any number of players, learned by sampling.

Use this engine where the certified intervals of `several_players` stay too wide: it gives only a
lower bound, but for any number of players. The learner's moves use the kernels of
`solver.cfr.traversal`; only the replies differ, which come from a table.

One seat learns with the traversals of `solver.cfr.traversal` while all others play a fixed strategy
table: MCCFR against fixed opponents (Timbers et al. 2020 learn a response in a similar way with a
network; here it is a table). The result is a strategy, so its value is a lower bound of the value
of a best response. How close the bound is is unknown: the learner is limited by its recall, and it
has only seen samples.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.rules import Rules
from zhaifei.game.tables import bid_tables
from zhaifei.solver.bidding import state_at
from zhaifei.solver.cfr.infosets import NO_ROW, InfoSets, InfoSetTable, slot_count
from zhaifei.solver.cfr.mccfr import average_strategy, deepest
from zhaifei.solver.cfr.traversal import (
    NO_RAISE,
    Workspace,
    add_ending_value,
    copy,
    draw,
    draw_hand,
    next_raise,
    prepare_own_move,
    scale_to_one,
    seed_traversal,
    start_line,
    workspace,
)
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import ZERO
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.rows import read_row, share_at
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable, node_of

_BATCH = 256
"""Traversals in a batch: nodes and rows are added between batches only."""


class SampledResponse:
    """A strategy for one seat that learns against `policy` in all others. It depends only on the
    arguments and on the number of calls of `advance`.

    Raises RecallError for a `recall` that cannot be read.
    """

    def __init__(
        self, rules: Rules, policy: StrategyTable, seat: int, recall: str, *, seed: int = 0
    ) -> None:
        self.policy, self.seat, self.seed = policy, seat, seed
        self.info_sets = InfoSets(bid_tables(rules), recall_tables(rules, recall))
        self.traversals = 0
        self._work = workspace(bid_tables(rules), deepest(rules))

    def advance(self) -> None:
        """Run one batch of traversals. Raises OutOfMemory."""
        work, stop = self._work, self.traversals + min(_BATCH, self.traversals + 1)
        sweep = (self.traversals, stop)
        learn(self.info_sets.table, self.policy, work, self.seat, self.seed, sweep)
        self.traversals = stop
        nodes, rows = work.requested
        self.info_sets.grow(work.new_contexts[:nodes], work.new_slots[:rows])
        work.requested[:] = 0

    def strategy(self) -> StrategyTable:
        """Return the pure strategy that takes each hand's action of largest regret so far."""
        choose_best(self.info_sets.table)
        return average_strategy(self.info_sets.table)


@hot_kernel
def sample_reply(
    policy: StrategyTable,
    work: Workspace,
    node: int,
    range_: NDArray[np.float32],
    raising: float,
    legal: tuple[int, int],
) -> int:
    """Draw the row of a raise from the mixture over the range. Return NO_RAISE if rounding left
    none to draw.

    `raising` is the mass that does not challenge. `legal` are the weakest legal raise and the end
    of the bids. Other actions are never drawn: a file may be damaged, and lines must end. The
    counterpart of `solver.cfr.traversal.sample_raise`.
    """
    hand = draw_hand(work, range_, raising)
    first, end = policy.first_row[node], policy.end_row[node]
    total = 0.0
    for row in range(first, end):
        if legal[0] <= policy.action[row] < legal[1]:
            total += share_at(policy, node, row, hand)
    left = draw(work.random) * total
    drawn = NO_RAISE
    for row in range(first, end):
        share = share_at(policy, node, row, hand)
        if legal[0] <= policy.action[row] < legal[1] and share > 0.0:
            drawn = row
            left -= share
            if left <= 0.0:
                break
    return drawn


@hot_kernel
def split(
    policy: StrategyTable,
    work: Workspace,
    node: int,
    row: int,
    range_: NDArray[np.float32],
    part: NDArray[np.float32],
) -> float:
    """Write the part of `range_` that plays the `row` of `node` into `part`; return its mass."""
    unit, played, mass = np.float32(policy.unit), work.scratch, ZERO
    read_row(policy, node, row, played)
    for hand in range(range_.size):
        part[hand] = range_[hand] * played[hand] * unit
        mass += part[hand]
    return float(mass)


@hot_kernel
def reply_of(
    policy: StrategyTable,
    table: InfoSetTable,
    work: Workspace,
    depth: int,
    seat: int,
    length: int,
    value: NDArray[np.float32],
) -> bool:
    """Let the player to move reply as `policy` does; return whether they raise. The counterpart of
    `solver.cfr.traversal.reply`."""
    bids = table.bids
    range_, leaves = work.ranges[depth, length % bids.players], work.ending
    node = node_of(policy, work.history, length)
    if node == NO_NODE:
        copy(range_, work.challenging)
        add_ending_value(bids, work, depth, seat, length, 0, value)
        return False
    raising = 1.0
    for hand in range(leaves.size):
        leaves[hand] = ZERO
    for row in range(policy.first_row[node], policy.end_row[node]):
        if bids.claimed.size <= policy.action[row] < bids.claimed.size + length:
            raising -= split(policy, work, node, row, range_, work.challenging)
            ending = policy.action[row] - bids.claimed.size
            add_ending_value(bids, work, depth, seat, length, ending, value)
            for hand in range(leaves.size):
                leaves[hand] += work.challenging[hand]
    if draw(work.random) >= raising:
        return False
    state = state_at(bids, work.history, length)
    legal = (bids.first_raise[state], bids.claimed.size)
    row = sample_reply(policy, work, node, range_, raising, legal)
    if row == NO_RAISE:
        return False
    mass = split(policy, work, node, row, range_, range_)
    if mass <= 0.0:
        return False
    scale_to_one(range_, mass)
    work.history[length] = policy.action[row]
    return True


@hot_kernel
def open_frame_against(
    table: InfoSetTable,
    policy: StrategyTable,
    work: Workspace,
    depth: int,
    seat: int,
    length: int,
    weight: float,
) -> bool:
    """Open a frame as `solver.cfr.traversal.open_frame` does, with replies from `policy`."""
    value = work.values[depth - 1, work.valued[depth - 1] - 1]
    value[:] = 0.0
    while length % table.bids.players != seat:
        if not reply_of(policy, table, work, depth, seat, length, value):
            return False
        length += 1
    return prepare_own_move(table, work, depth, seat, length, weight, value)


@kernel
def learn(
    table: InfoSetTable,
    policy: StrategyTable,
    work: Workspace,
    seat: int,
    seed: int,
    traversals: tuple[int, int],
) -> None:
    """Run the `traversals` (start, stop), stop exclusive, for `seat`. Regrets are weighted
    linearly, as in training."""
    for traversal in range(traversals[0], traversals[1]):
        weight = traversal + 1.0
        seed_traversal(work.random, seed, traversal)
        start_line(table.bids, work)
        depth = 1 if open_frame_against(table, policy, work, 1, seat, 0, weight) else 0
        while depth > 0:
            depth = next_raise(table, work, depth, seat, weight)
            length = work.length[depth] + 1
            if depth > 0 and open_frame_against(
                table, policy, work, depth + 1, seat, length, weight
            ):
                depth += 1


@kernel
def choose_best(table: InfoSetTable) -> None:
    """Write each hand's best action into the averages, which a response does not use otherwise. The
    best action has the largest regret, or is the fallback where no regret is positive."""
    hands = table.regret.shape[1]
    best = np.zeros(hands, dtype=np.int64)
    most = np.zeros(hands, dtype=np.float32)
    for node in range(table.used[0]):
        slot = table.first_slot[node]
        best[:] = table.row[slot]
        most[:] = 0.0
        for action in range(slot_count(table.bids, table.last[node])):
            row = table.row[slot + action]
            if row == NO_ROW:
                continue
            for hand in range(hands):
                table.average[row, hand] = 0.0
                if table.regret[row, hand] > most[hand]:
                    most[hand], best[hand] = table.regret[row, hand], row
        for hand in range(hands):
            table.average[best[hand], hand] = 1.0
