"""The information sets that MCCFR has reached, with their regrets and average strategies.

A *node* is a context (see `solver.tables.recall`) for all hands. Its actions are *slots*, in order:
the fallback (a challenge, or at the start of a round the weakest opening), then the raises, then
the challenges of 跳开. A slot gets a *row*, which holds a regret and an average for each hand, once
some hand has reason to play the action. Until then only the largest regret over hands is kept.
About four slots in five never get a row.

Kernels never add to the table while threads share it: they request nodes and rows, which
`InfoSets.grow` adds between batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import NO_BID, BidTables, is_plain
from zhaifei.solver.files.state import SAFE, StateError, array_of, verify_between, verify_names
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.machine.memory import lengthen, within_memory
from zhaifei.solver.showdown import ONE, TINY, ZERO
from zhaifei.solver.tables.recall import RecallTables, can_end_in

EMPTY = -1
NO_ROW = -1
ILLEGAL = np.float32(-np.inf)
"""The top regret of an illegal slot: some bids above the weakest opening may not open a round, and
early in a round there are few bids to challenge."""

_WRITING = 0.25
"""The bytes that making and writing a policy takes for each byte of the arrays here. A row has 8
bytes a hand, the strategy at most 1, and its packed form usually a tenth of a byte."""

_MIXER = 0x9E3779B97F4A7C1


class InfoSetTable(NamedTuple):
    """The information sets in the form that kernels read. The first axis of each array grows;
    `used` says how much of it is in use."""

    bids: BidTables
    recall: RecallTables
    bucket_context: NDArray[np.int64]
    """[bucket] an open-addressing hash table of contexts, EMPTY where free; its size is a power of
    2."""
    bucket_node: NDArray[np.int64]
    """[bucket] the node of the context."""
    last: NDArray[np.int64]
    """[node] the last bid, or NO_BID."""
    context: NDArray[np.int64]
    """[node] the context."""
    first_slot: NDArray[np.int64]
    """[node] the first slot of the node."""
    scale: NDArray[np.float32]
    """[node, hand] 1 over the sum of positive regrets, or 0 where no regret is positive. A slot is
    played with probability `max(regret, 0) * scale`."""
    fallback: NDArray[np.float32]
    """[node, hand] the probability of slot 0: as above, or 1 where no regret is positive."""
    row: NDArray[np.int64]
    """[slot] the row of the slot, or NO_ROW."""
    top: NDArray[np.float32]
    """[slot] the largest regret over hands, or an upper bound of it if the slot has no row."""
    regret: NDArray[np.float32]
    """[row, hand] weighted counterfactual regrets."""
    average: NDArray[np.float32]
    """[row, hand] sums of reach-weighted strategies."""
    used: NDArray[np.int64]
    """[3] nodes, slots and rows in use."""


@hot_kernel
def base_bid(bids: BidTables, last: int) -> int:
    """Return the bid to which slot numbers are added: slot s > 0 of a node after `last` stands for
    the bid `base_bid + s`. At the start of a round slot 0 stands for a bid, too."""
    first: int = bids.first_raise[last + 1]
    return first if last == NO_BID else first - 1


@hot_kernel
def raises_end(bids: BidTables, last: int) -> int:
    """Return the slot after the raises. With 跳开 it is the challenge of the bid before the
    last."""
    return bids.claimed.size - base_bid(bids, last)


@hot_kernel
def slot_count(bids: BidTables, last: int) -> int:
    """Return the number of slots of a node after `last`, illegal slots included."""
    return raises_end(bids, last) + bids.endings - 1


@hot_kernel
def action_in(bids: BidTables, last: int, slot: int) -> int:
    """Return the action of `game.bids` that `slot` stands for."""
    if slot == 0 and last != NO_BID:
        return bids.claimed.size
    if slot < raises_end(bids, last):
        return base_bid(bids, last) + slot
    return bids.claimed.size + 1 + slot - raises_end(bids, last)


@hot_kernel
def _bucket_of(contexts: NDArray[np.int64], context: int) -> int:
    """Return the bucket that holds `context`, or the free bucket where it belongs."""
    mask = contexts.size - 1
    mixed = np.int64(context) * _MIXER
    mixed = (mixed ^ (mixed >> 32)) * _MIXER  # lets high bits decide the bucket, too
    bucket = int((mixed ^ (mixed >> 32)) & mask)
    while contexts[bucket] != context and contexts[bucket] != EMPTY:
        bucket = (bucket + 1) & mask
    return bucket


@hot_kernel
def find(table: InfoSetTable, context: int) -> int:
    """Return the node of `context`, or EMPTY."""
    bucket = _bucket_of(table.bucket_context, context)
    node: int = table.bucket_node[bucket] if table.bucket_context[bucket] == context else EMPTY
    return node


@hot_kernel
def node_after(table: InfoSetTable, context: int, last: int) -> int:
    """Return the node of a history with this `context` and `last` bid, or EMPTY. Contexts of full
    recall are almost always unique, but legality must never depend on their uniqueness."""
    node = find(table, context)
    return node if node != EMPTY and table.last[node] == last else EMPTY


@kernel
def _enter(table: InfoSetTable, context: int, node: int) -> None:
    bucket = _bucket_of(table.bucket_context, context)
    table.bucket_context[bucket] = context
    table.bucket_node[bucket] = node


@kernel
def _add_node(table: InfoSetTable, context: int, last: int, challengeable: int) -> None:
    """Append a node with a row for its fallback only. The arrays must have room."""
    bids = table.bids
    node, slot, row = table.used[0], table.used[1], table.used[2]
    actions = slot_count(bids, last)
    table.context[node] = context
    table.last[node] = last
    table.first_slot[node] = slot
    table.row[slot : slot + actions] = NO_ROW
    table.row[slot] = row
    table.fallback[node] = 1.0
    if last == NO_BID:
        for action in range(raises_end(bids, last)):
            if not bids.legal[0, base_bid(bids, last) + action]:
                table.top[slot + action] = ILLEGAL
    for distance in range(max(2, challengeable + 1), bids.endings + 1):
        table.top[slot + raises_end(bids, last) + distance - 2] = ILLEGAL
    table.used[0] += 1
    table.used[1] += actions
    table.used[2] += 1
    _enter(table, context, node)


@kernel
def _add_missing(table: InfoSetTable, wanted: NDArray[np.int64]) -> None:
    """Add nodes for the `wanted` [n, 3] that have none; `InfoSets.grow` describes the columns."""
    for place in range(wanted.shape[0]):
        if find(table, wanted[place, 0]) == EMPTY:
            _add_node(table, wanted[place, 0], wanted[place, 1], wanted[place, 2])


@kernel
def _add_rows(table: InfoSetTable, wanted: NDArray[np.int64]) -> None:
    """Give the slots `wanted` [n] a row if they have none. Their regrets start at 0, not below,
    because a slot requests a row once it is worth playing."""
    for slot in wanted:
        if table.row[slot] == NO_ROW:
            table.row[slot] = table.used[2]
            table.top[slot] = 0.0
            table.used[2] += 1


@kernel
def _enter_all(table: InfoSetTable, nodes: int) -> None:
    for node in range(nodes):
        _enter(table, table.context[node], node)


# Tables that were saved


def verify_info_sets(table: InfoSetTable) -> None:
    """Raise StateError unless `table` can have grown: contexts differ, each slot and row belongs to
    one node, and numbers are in range. Buckets, `scale` and `fallback` are not read."""
    nodes, slots, rows = (int(used) for used in table.used)
    bids, last, context = table.bids, table.last[:nodes], table.context[:nodes]
    verify_between("last", last, NO_BID, bids.claimed.size - 1)
    verify_between("row", table.row[:slots], NO_ROW, rows - 1)
    fault = _first_fault(table, np.zeros(rows, dtype=np.bool_))
    if fault != EMPTY:
        raise StateError("the saved information set {number} is broken", number=fault)
    if context[0] != 0 or np.unique(context).size != nodes:
        raise StateError("the saved contexts contain duplicates")
    broken = np.flatnonzero((context < 0) | ~can_end_in(table.recall, context, last))
    if broken.size:
        raise StateError("the saved information set {number} is broken", number=broken[0])
    verify_between("top", table.top[:slots], -np.inf, SAFE)
    verify_between("regret", table.regret[:rows], -SAFE, SAFE)
    verify_between("average", table.average[:rows], 0.0, SAFE)


@kernel
def _first_fault(table: InfoSetTable, taken: NDArray[np.bool_]) -> int:
    """Return a node whose slots do not follow from the last bids, or whose rows another slot
    shares, or EMPTY. Last bids and rows must be in range. `taken` [row] is scratch, filled with
    False."""
    bids, slots = table.bids, table.used[1]
    slot = 0
    for node in range(table.used[0]):
        last = table.last[node]
        actions = slot_count(bids, last)
        if table.first_slot[node] != slot or slot + actions > slots or table.row[slot] == NO_ROW:
            return node
        if (last == NO_BID) != (node == 0):
            return node
        for action in range(actions):
            row, illegal = table.row[slot + action], table.top[slot + action] == ILLEGAL
            if not illegal and table.top[slot + action] < -SAFE:
                return node
            raises = action < raises_end(bids, last)
            opens = last != NO_BID or not raises or bids.legal[0, base_bid(bids, last) + action]
            if raises and illegal == opens:
                return node
            if row != NO_ROW:
                if illegal or taken[row]:
                    return node
                taken[row] = True
        slot += actions
    return EMPTY if slot == slots and np.all(taken) else 0


@kernel
def _derive(table: InfoSetTable) -> None:
    """Compute `scale`, `fallback` and the `top` of slots with a row from the regrets."""
    for node in range(table.used[0]):
        slot, actions = table.first_slot[node], slot_count(table.bids, table.last[node])
        scale, fallback = table.scale[node], table.fallback[node]
        for hand in range(scale.size):
            scale[hand] = ZERO
        for place in range(slot, slot + actions):
            if table.row[place] == NO_ROW:
                continue
            regret = table.regret[table.row[place]]
            table.top[place] = regret.max()
            for hand in range(scale.size):
                scale[hand] += max(regret[hand], ZERO)
        regret = table.regret[table.row[slot]]
        for hand in range(scale.size):
            some = scale[hand] >= TINY
            scale[hand] = ONE / scale[hand] if some else ZERO
            fallback[hand] = max(regret[hand], ZERO) * scale[hand] if some else ONE


_PER_NODE = ("last", "context", "first_slot")
_DERIVED = ("scale", "fallback")
"""The arrays over nodes that follow from other arrays. Checkpoints of the first version hold them,
too."""
_PER_SLOT = ("row", "top")
_PER_ROW = ("regret", "average")


def verify_sampled(bids: BidTables) -> None:
    """Raise ZhaifeiError unless the rules are plain, as the numbering of slots and batches of hands
    require."""
    if not is_plain(bids):
        raise ZhaifeiError(
            "rules by which a stronger bid may be illegal, bids are doubled, or players have "
            "different numbers of dice, are not sampled: leave out --engine, --recall and "
            "--single-bid"
        )


_MOST = 2**40
"""More rows than any machine can hold."""


def _sizes(nodes: int, slots: int, rows: int) -> dict[str, int]:
    """Return the length of each array that grows."""
    return {
        **dict.fromkeys((*_PER_NODE, *_DERIVED), nodes),
        **dict.fromkeys(_PER_SLOT, slots),
        **dict.fromkeys(_PER_ROW, rows),
    }


class InfoSets:
    """An InfoSetTable that grows. It starts with the information set of the first bid."""

    def __init__(self, bids: BidTables, recall: RecallTables) -> None:
        """Raise ZhaifeiError for rules whose information sets cannot be numbered."""
        verify_sampled(bids)
        hands = bids.hands
        actions = bids.claimed.size + bids.endings
        self.table = InfoSetTable(
            bids=bids,
            recall=recall,
            bucket_context=np.full(1024, EMPTY, dtype=np.int64),
            bucket_node=np.zeros(1024, dtype=np.int64),
            last=np.zeros(256, dtype=np.int64),
            context=np.zeros(256, dtype=np.int64),
            first_slot=np.zeros(256, dtype=np.int64),
            scale=np.zeros((256, hands), dtype=np.float32),
            fallback=np.zeros((256, hands), dtype=np.float32),
            row=np.zeros(256 * actions, dtype=np.int64),
            top=np.zeros(256 * actions, dtype=np.float32),
            regret=np.zeros((1024, hands), dtype=np.float32),
            average=np.zeros((1024, hands), dtype=np.float32),
            used=np.zeros(3, dtype=np.int64),
        )
        _add_missing(self.table, np.array([[0, NO_BID, 0]], dtype=np.int64))

    def __len__(self) -> int:
        """Return the number of nodes in use."""
        return int(self.table.used[0])

    def grow(self, contexts: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        """Add nodes for `contexts` ([n, 3]: context, last bid, and how many bids may be challenged)
        and rows for `slots` ([n]). Nothing else may use the table meanwhile.

        Raises OutOfMemory and leaves the table as it was, also if no room would be left to write
        the strategy.
        """
        with within_memory(self._complaint()):
            contexts = np.unique(contexts, axis=0)
            slots = np.unique(slots)
            nodes, used_slots, rows = (int(used) for used in self.table.used)
            nodes += len(contexts)
            actions = self.table.bids.claimed.size + self.table.bids.endings
            used_slots += len(contexts) * actions
            rows += len(contexts) + len(slots)
            self._reserve(nodes, used_slots, rows, _WRITING)
            if 2 * nodes > self.table.bucket_context.size:
                self._rehash(2 * nodes)
        _add_missing(self.table, contexts)
        _add_rows(self.table, slots)

    def state(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays in use, by name, for checkpoints. They are views of memory that `grow`
        may free."""
        sizes = _sizes(*(int(used) for used in self.table.used))
        arrays = {
            name: getattr(self.table, name)[:size]
            for name, size in sizes.items()
            if name not in _DERIVED
        }
        return {**arrays, "used": self.table.used}

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        """Replace the contents by a saved `state`. Raise StateError if it is invalid; the table
        must then not be used."""
        state = {name: array for name, array in state.items() if name not in _DERIVED}
        verify_names(state, [*_PER_NODE, *_PER_SLOT, *_PER_ROW, "used"])
        used = array_of(state, "used", np.int64, 3)
        verify_between("used", used, 1, _MOST)
        nodes, slots, rows = used.tolist()
        arrays = {"used": used}
        for name, size in _sizes(nodes, slots, rows).items():
            target = getattr(self.table, name)
            if name not in _DERIVED:
                arrays[name] = array_of(state, name, target.dtype, size, *target.shape[1:])
        self._reserve(nodes, slots, rows)
        for name, array in arrays.items():
            target = getattr(self.table, name)
            target[: len(array)] = array
            target[len(array) :] = 0  # `grow` expects zeros
        verify_info_sets(self.table)
        for name in _DERIVED:
            getattr(self.table, name)[nodes:] = 0
        _derive(self.table)
        self._rehash(2 * nodes)

    def verify_requests(self, contexts: NDArray[np.int64], slots: NDArray[np.int64]) -> None:
        """Raise StateError unless `grow` can add these `contexts` and `slots`."""
        table = self.table
        bids = table.bids
        for column, (least, most) in enumerate(
            ((1, np.inf), (0, bids.claimed.size - 1), (0, bids.endings))
        ):
            if len(contexts):
                verify_between("new_contexts", contexts[:, column], least, most)
        if not can_end_in(table.recall, contexts[:, 0], contexts[:, 1]).all():
            raise StateError("the saved contexts contain duplicates")
        if len(slots):
            verify_between("new_slots", slots, 0, int(table.used[1]) - 1)
        if (table.top[slots] == ILLEGAL).any():
            raise StateError("the saved information set {number} is broken", number=len(self))

    def _reserve(self, nodes: int, slots: int, rows: int, beside: float = 0.0) -> None:
        """Lengthen the arrays to at least these sizes, in place where the system can."""
        sizes = _sizes(nodes, slots, rows)
        arrays = [getattr(self.table, name) for name in sizes]
        lengthen(arrays, list(sizes.values()), self._complaint(), beside=beside)

    def _complaint(self) -> ZhaifeiError:
        return ZhaifeiError(
            "the {number} information sets reached fill the memory that may be used; "
            "a recall that remembers less needs less",
            number=len(self),
        )

    def _rehash(self, least: int) -> None:
        size = 1 << (2 * least - 1).bit_length()
        self.table = self.table._replace(
            bucket_context=np.full(size, EMPTY, dtype=np.int64),
            bucket_node=np.zeros(size, dtype=np.int64),
        )
        _enter_all(self.table, len(self))
