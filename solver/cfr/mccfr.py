"""MCCFR: batches of traversals over threads, and the average strategy that results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.bidding import bidding
from zhaifei.game.rules import Rules
from zhaifei.game.tables import NO_BID, bid_tables, longest_history
from zhaifei.solver.cfr.infosets import InfoSets, InfoSetTable, action_in, raises_end, slot_count
from zhaifei.solver.cfr.traversal import run_batch, workspace
from zhaifei.solver.files.state import StateError, array_of, verify_between
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.machine.threads import Threads
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.recall import recall_tables
from zhaifei.solver.tables.storing import empty_rows, store, write_row
from zhaifei.solver.tables.strategy_table import StrategyTable, dtype_of, sparse_table, steps_for

BATCH_PAIRS = 16_384
"""The approximate number of iterations in a batch, once training is under way: enough to keep
threads busy, few enough to stop soon."""
_REQUESTS = ("new_contexts", "new_slots")
"""The fields of a Workspace, in the order of their counts in its `requested`."""
NEVER_BELOW = 0.005
"""In compact tables, average probabilities below this are set to zero. This changes exploitability
by less than the noise of training, and makes files a fraction of the size."""

_MOST_SWEEPS = 10**12
"""More sweeps take longer than a life; the sum of their weights fits into float64."""


class MCCFR:
    """Training for one variant, recall and seed. With one thread the result depends on these alone.

    Raises RecallError, or ZhaifeiError for fewer than one thread.
    """

    def __init__(self, rules: Rules, recall: str, *, seed: int = 0, threads: int = 1) -> None:
        self._threads = Threads(threads)
        self.rules, self.recall, self.seed = rules, recall, seed
        self.bids = bid_tables(rules)
        self.info_sets = InfoSets(self.bids, recall_tables(rules, recall))
        self.sweeps = 0
        """The number of traversals so far for each player."""
        self._opener_value = np.zeros(2, dtype=np.float64)
        self._workspaces = [workspace(self.bids, deepest(rules)) for _ in range(threads)]

    @property
    def iterations(self) -> int:
        """The number of (own hand, opponent hand) pairs traversed for each player. A traversal
        carries all own hands against one sampled line of replies, and counts as one pair per own
        hand."""
        return self.sweeps * self.bids.hands

    @property
    def value(self) -> float:
        """The value of the round for the opener, averaged over iterations with the weights of the
        regrets; NaN before the first iteration."""
        total, weight = self._opener_value
        return float(total / weight) if weight else float("nan")

    def advance(self) -> None:
        """Run one batch, whose end depends only on the number of earlier sweeps.

        Raises OutOfMemory if there is no room for the requests of the batch. The requests are part
        of the state, and the next batch begins with them.
        """
        self._grow()
        largest = max(1, BATCH_PAIRS // self.bids.hands)
        stop, step = self.sweeps + min(largest, self.sweeps + 1), len(self._workspaces)
        values = np.zeros((step, 2), dtype=np.float64)

        def run(place: int) -> None:
            run_batch(
                self.info_sets.table,
                self._workspaces[place],
                self.seed,
                (self.sweeps + place, stop, step),
                values[place],
            )

        self._threads.run(run)
        for value in values:
            self._opener_value += value
        self.sweeps = stop
        self._grow()

    def _grow(self) -> None:
        requested = self._requested()
        if requested:
            self.info_sets.grow(requested["new_contexts"], requested["new_slots"])
            for work in self._workspaces:
                work.requested[:] = 0

    def _requested(self) -> dict[str, NDArray[np.int64]]:
        """Return the requests of all workspaces by field name, or an empty dict if there are no
        requests."""
        works = self._workspaces
        if not any(work.requested.any() for work in works):
            return {}
        return {
            name: np.concatenate([getattr(work, name)[: work.requested[kind]] for work in works])
            for kind, name in enumerate(_REQUESTS)
        }

    def strategy(self) -> StrategyTable:
        """Return the average strategy. Only actions that some hand plays have rows."""
        return average_strategy(self.info_sets.table)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return everything that training needs to continue, as the arrays themselves, not copies.
        Requests are included only if there was no memory for them."""
        progress = np.array([self.sweeps], dtype=np.int64)
        return {
            "sweeps": progress,
            "opener_value": self._opener_value,
            **self.info_sets.state(),
            **self._requested(),
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Continue from a `state` of the same rules, recall and seed. Raise StateError if it is
        invalid; the solver must then not be used."""
        sweeps = array_of(state, "sweeps", np.int64, 1)
        verify_between("sweeps", sweeps, 0, _MOST_SWEEPS)
        value = array_of(state, "opener_value", np.float64, 2)
        weight = sweeps[0] * (sweeps[0] + 1.0) / 2.0
        verify_between("opener_value", value[1], weight * 0.99, weight * 1.01)
        most = 2.0 * weight * self.bids.most_cost
        verify_between("opener_value", value[0], -most, most)
        own = ("sweeps", "opener_value", *_REQUESTS)
        self.info_sets.restore({name: array for name, array in state.items() if name not in own})
        self.sweeps = int(sweeps[0])
        self._opener_value[:] = value
        if any(name in state for name in _REQUESTS):
            self._restore_requests(state)

    def _restore_requests(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        contexts = array_of(state, "new_contexts", np.int64, None, 3)
        slots = array_of(state, "new_slots", np.int64, None)
        self.info_sets.verify_requests(contexts, slots)
        for kind, (name, requests) in enumerate(zip(_REQUESTS, (contexts, slots), strict=True)):
            parts = np.array_split(requests, len(self._workspaces))
            for work, part in zip(self._workspaces, parts, strict=True):
                room = getattr(work, name)
                if len(part) > len(room):
                    raise StateError("the saved state has more {name} than fit", name=name)
                room[: len(part)] = part
                work.requested[kind] = len(part)


def deepest(rules: Rules) -> int:
    """Return the depth that a workspace needs for the longest rounds."""
    return longest_history(bidding(rules).after) // rules.players + 3


def average_strategy(table: InfoSetTable) -> StrategyTable:
    """Return the average strategy of `table`. Only actions that some hand plays have rows."""
    nodes, _, rows = (int(used) for used in table.used)
    hands = table.regret.shape[1]
    steps = steps_for(rows, hands)
    order = np.argsort(table.context[:nodes])
    counted = empty_rows(nodes, rows, 0, dtype_of(steps))
    write_average(table, order, counted, steps)
    # Actions that nobody plays have no rows.
    used = int(counted.first_row[-1])
    written = empty_rows(nodes, used, int(counted.first_entry[used]), dtype_of(steps))
    write_average(table, order, written, steps)
    return sparse_table(table.recall, table.context[order], written, hands=hands, steps=steps)


@kernel
def normalised_average(
    table: InfoSetTable,
    slot: int,
    actions: int,
    never_below: float,
    probability: NDArray[np.float32],
) -> None:
    """Write the average strategy into `probability` [action, hand].

    Shares below `never_below` are dropped, unless the number of actions is so large that all shares
    may be below it. A hand that was never averaged plays its current strategy.
    """
    least = never_below if actions * never_below <= 1.0 else 0.0
    total = np.zeros(probability.shape[1], dtype=np.float32)
    positive = np.zeros(probability.shape[1], dtype=np.float32)
    probability[:] = 0.0
    for action in range(actions):
        row = table.row[slot + action]
        if row >= 0:
            total += table.average[row]
            positive += np.maximum(table.regret[row], np.float32(0.0))
    for action in range(actions):
        row = table.row[slot + action]
        if row < 0:
            continue
        for hand in range(total.size):
            if total[hand] > 0.0:
                share = table.average[row, hand] / total[hand]
                probability[action, hand] = share if share >= least else 0.0
            elif positive[hand] > 0.0:
                probability[action, hand] = (
                    max(table.regret[row, hand], np.float32(0.0)) / positive[hand]
                )
            elif action == 0:
                probability[action, hand] = 1.0
    for hand in range(total.size):
        probability[:, hand] /= probability[:, hand].sum()


@kernel
def write_average(table: InfoSetTable, order: NDArray[np.int64], out: Rows, steps: int) -> None:
    """Write the nodes in `order` into `out`, in units of 1/`steps`."""
    bids, hands = table.bids, table.regret.shape[1]
    never_below = 0.0 if steps == 1 else NEVER_BELOW
    exact = np.zeros((bids.claimed.size + bids.endings, hands), dtype=np.float32)
    stored = np.zeros((bids.claimed.size + bids.endings, hands), dtype=out.share.dtype)
    grain = np.ones(hands, dtype=np.int64)
    used = 0
    for place in range(order.size):
        node = order[place]
        last = table.last[node]
        actions = slot_count(bids, last)
        slots = exact[:actions]
        normalised_average(table, table.first_slot[node], actions, never_below, slots)
        store(slots, steps, grain, stored[:actions])
        # Actions ascend: the raises come first, then the challenge, which is slot 0.
        raises = raises_end(bids, last)
        for turn in range(actions):
            slot = turn
            if last != NO_BID and turn < raises:
                slot = (turn + 1) % raises
            if np.any(stored[slot] > 0):
                action = action_in(bids, last, slot)
                out.action[used] = action
                write_row(out, used, stored[slot], steps > 1 and action == bids.claimed.size)
                used += 1
        out.first_row[place + 1] = used
