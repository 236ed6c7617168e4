"""Compact strategies as files store them: blocks of records, deflated.

Most of a large table follows from the rest: contexts from the tree of histories, hands that play
from those that played the move before, the last share of a hand from the others. The remainder is
coded record by record (`solver.tables.node_coding`) into eight streams. A table with full recall
has a block for the start of a round, a block for each first bid of stored histories, and a block
for each two first bids of many stored histories. Each block holds the histories that begin with its
bids, except those that have a block of their own. So a query about one history reads little more
than it needs. Other tables have a single block, and their contexts are stored separately.

    steps    [1] int64: the steps of a probability of 1
    blocks   [block, 5 + 2 * streams] int64: its first and second bid, -1 for none; how many nodes,
             rows and entries the block has; and for each stream its bytes in the file, and its
             bytes inflated.
    packed   [byte] the streams, block after block, each compressed by zlib
    context  [byte] [node] int64 compressed likewise, if contexts do not follow from a tree

`listed` and `ahead` are as wide as the rules need, little-endian. Bits fill bytes from the lowest.

A node takes about 16 bytes in the file; with all contexts and shares it would take 72.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.machine.memory import room
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.inflating import inflated, misfit, verify_room
from zhaifei.solver.tables.node_coding import (
    STREAMS,
    WRONG_ACTION,
    WRONG_SHARES,
    Coding,
    Streams,
    Tree,
    begin,
    decode,
    encode,
    new_coding,
)
from zhaifei.solver.tables.recall import RecallTables
from zhaifei.solver.tables.storing import empty_rows
from zhaifei.solver.tables.strategy_table import (
    STEPS,
    StrategyTable,
    StrategyTableError,
    dtype_of,
    sparse_table,
    verify_rows,
    verify_start,
    wrong_probabilities,
)
from zhaifei.solver.tables.tree_links import Links, links_of

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

PACKED = ("steps", "blocks", "packed")
"""Arrays of every file; if the histories form no tree, there is also "context"."""
_CONTEXT = "context"
_NONE = -1
_LEVEL = 6
_BIDS, _COUNTS = 2, 3
"""The numbers of columns of `blocks` for bids and for counts, before the columns of the streams."""
_MANY_NODES = 1 << 13
"""Two first bids have a block of their own if at least this many nodes begin with them."""
_OF_NODE, _OF_ROW, _OF_ENTRY = 32, 24, 8
"""Bytes that a node, a row and an entry take while they are put in order."""


_NUMBERS = ("listed", "ahead", "leads", "coarse")
"""The streams of numbers; the others are bits."""
_MOST_PARTS = 6
"""The most parts that are kept; a request for another part reads the whole table."""

Bids = tuple[int, ...]
"""The first bids of a round."""


class _BlockStart(NamedTuple):
    """The start of a block."""

    start: Ints
    """[n] the places of its first records."""
    depth: int
    """How many bids come before the first records."""
    nodes: Ints
    """[node] the nodes of the block."""
    records: int
    """How many records the block has: nodes and gaps."""


class _Coded(NamedTuple):
    """A coded block to write."""

    counts: tuple[int, int, int]
    """How many nodes, rows and entries it has."""
    deflated: list[bytes]
    """[stream] the compressed bytes."""
    sizes: list[int]
    """For each stream, its bytes compressed and inflated."""


class _Block(NamedTuple):
    """A row of `blocks`."""

    bids: Bids
    """The bids with which all its histories begin."""
    counts: tuple[int, ...]
    """How many nodes, rows and entries it has."""
    sizes: tuple[int, ...]
    """[stream] bytes in the file."""
    inflated: tuple[int, ...]
    """[stream] bytes when inflated."""


def _dtypes(bids: BidTables) -> dict[str, np.dtype[Any]]:
    """Return the dtype of each stream's numbers; streams of bits are stored as bytes."""
    actions = bids.claimed.size + bids.endings
    wide = {"listed": 4 * actions + 3, "ahead": actions}
    return {name: np.min_scalar_type(wide.get(name, 0)).newbyteorder("<") for name in STREAMS}


def _coding(bids: BidTables, recall: RecallTables, steps: int) -> Coding:
    return new_coding(recall.code[0], bids, steps)


# Packing


def pack(bids: BidTables, table: StrategyTable) -> dict[str, NDArray[Any]]:
    """Return the arrays that store a compact `table` in a file.

    Raises StrategyTableError if a hand's shares do not sum to 1 at some node. In a table whose
    histories form a tree, also raises it if an action is not above the last bid.
    """
    links = links_of(bids, table) if table.recall.is_full else None
    if links is not None:
        return _arrays(table.steps, dict(_coded(bids, table, links)))
    contexts = zlib.compress(table.context.tobytes(), _LEVEL)
    return {
        **_arrays(table.steps, {(): _coded_as_one(bids, table)}),
        _CONTEXT: np.frombuffer(contexts, np.uint8),
    }


def pack_parts(
    bids: BidTables, parts: Iterable[tuple[Collection[int], StrategyTable]]
) -> dict[str, NDArray[Any]] | None:
    """Return what `pack` returns for a compact table with full recall that comes in parts, one
    after the other. Each part has the start of a round, and all nodes that begin with the first
    bids named with it. Each first bid is named once. Return None if the histories form no tree.
    Raises as `pack` does."""
    blocks: dict[Bids, _Coded] = {}
    steps = STEPS
    for openings, table in parts:
        links, steps = links_of(bids, table), table.steps
        if links is None:
            return None
        blocks |= _coded(bids, table, links, {(), *((opening,) for opening in openings)})
    return _arrays(steps, {begins: blocks[begins] for begins in sorted(blocks)})


def _arrays(steps: int, blocks: Mapping[Bids, _Coded]) -> dict[str, NDArray[Any]]:
    """Return the arrays that store these `blocks`, in the order given."""
    rows = [
        [*begins, *[_NONE] * (_BIDS - len(begins)), *block.counts, *block.sizes]
        for begins, block in blocks.items()
    ]
    packed = b"".join(b"".join(block.deflated) for block in blocks.values())
    return {
        "steps": np.array([steps]),
        "blocks": np.array(rows),
        "packed": np.frombuffer(packed, np.uint8),
    }


def _coded_as_one(bids: BidTables, table: StrategyTable) -> _Coded:
    """Return the one block of a table whose histories form no tree."""
    coding = _coding(bids, table.recall, table.steps)
    nodes, none = np.arange(table.context.size), np.zeros(0, dtype=np.int64)
    root = _BlockStart(nodes, begin(coding, ()), nodes, nodes.size)
    return _block(bids, table, Tree(none, none, none), coding, root)


def _coded(
    bids: BidTables, table: StrategyTable, links: Links, wanted: Collection[Bids] | None = None
) -> Iterator[tuple[Bids, _Coded]]:
    """Yield each block, with the bids that it begins with. If `wanted` is given, yield only blocks
    whose bids, cut to the first, are in it."""
    coding = _coding(bids, table.recall, table.steps)
    places = _block_places(links)
    tree = _cut(links, np.array([*places.values()]))
    rows: dict[Bids, range] = {}
    for begins, place in places.items():
        if place < table.context.size:
            rows[begins] = range(int(table.first_row[place]), int(table.end_row[place]))
        if wanted is not None and begins[:1] not in wanted:
            continue
        below = _below(tree.first_child, tree.child, place)
        depth = begin(coding, _moves(table, rows, begins))
        root = _BlockStart(np.array([place]), depth, below[below < table.context.size], below.size)
        yield begins, _block(bids, table, tree, coding, root)


def _block_places(links: Links) -> dict[Bids, int]:
    """Return the place at which each block begins, by the bids that lead there, in their order."""
    found: dict[Bids, int] = {(): 0}
    for opening in _children(links, 0):
        first_bid = int(links.last[opening])
        found[first_bid,] = opening
        for place in _children(links, opening):
            if _below(links.first_child, links.child, place).size >= _MANY_NODES:
                found[first_bid, int(links.last[place])] = place
    return found


def _children(links: Links, place: int) -> list[int]:
    first, end = links.first_child[place : place + 2]
    children: list[int] = links.child[first:end].tolist()
    return children


def _cut(links: Links, places: Ints) -> Tree:
    """Return the tree without the links to these places."""
    kept = ~np.isin(links.child, places)
    before = np.append(0, np.cumsum(kept))
    return Tree(links.last, before[links.first_child], links.child[kept])


@kernel
def _below(first_child: Ints, child: Ints, place: int) -> Ints:
    """Return the places at `place` and below."""
    found = np.empty(child.size + 1, dtype=np.int64)
    found[0], end, looked = place, 1, 0
    while looked < end:
        for index in range(first_child[found[looked]], first_child[found[looked] + 1]):
            found[end] = child[index]
            end += 1
        looked += 1
    return found[:end].copy()


def _block(
    bids: BidTables, table: StrategyTable, tree: Tree, coding: Coding, root: _BlockStart
) -> _Coded:
    """Return the block that begins at `root`, coded."""
    first, end = table.first_row[root.nodes], table.end_row[root.nodes]
    rows, entries = end - first, table.first_entry[end] - table.first_entry[first]
    counts = first.size, int(rows.sum()), int(entries.sum())
    listed = counts[1] + root.records

    def bits(number: int) -> Bytes:
        return np.zeros(number // 8 + 1, dtype=np.uint8)

    streams = Streams(
        listed=np.zeros(root.records, dtype=np.uint16),
        ahead=np.zeros(listed, dtype=np.uint16),
        leads=np.zeros(listed, dtype=np.uint8),
        plays=bits(root.records * table.hands),
        which=bits(int((entries * rows).sum())),
        calls=bits(counts[2]),
        coarse=np.zeros(counts[2], dtype=np.uint8),
        fine=bits(counts[2] * coding.fine_bits),
        at=np.zeros(len(STREAMS), dtype=np.int64),
    )
    outcome = encode(table, tree, coding, root.start, root.depth, streams)
    if outcome == WRONG_SHARES:
        raise wrong_probabilities()
    if outcome == WRONG_ACTION:
        raise StrategyTableError("an action is not above the bid before it")
    deflated, sizes = [], []
    for (name, dtype), at in zip(_dtypes(bids).items(), streams.at.tolist(), strict=True):
        stream: NDArray[Any] = getattr(streams, name)
        written = stream[: at if name in _NUMBERS else (at + 7) // 8].astype(dtype)
        deflated.append(zlib.compress(written.tobytes(), _LEVEL))
        sizes += [len(deflated[-1]), written.nbytes]
    return _Coded(counts, deflated, sizes)


# Unpacking


class PackedTable:
    """A compact table in the arrays of a file; the parts that are requested are inflated and
    kept."""

    def __init__(
        self,
        bids: BidTables,
        recall: RecallTables,
        arrays: Mapping[str, NDArray[Any]],
        complaint: Callable[[StrategyTableError], ZhaifeiError] = lambda error: error,
    ) -> None:
        """Raise StrategyTableError if the arrays cannot come from such a file. Their contents are
        verified when they are read; `complaint` converts the errors that are then raised."""
        self.recall, self._bids, self.arrays = recall, bids, arrays
        self._complaint = complaint
        self._is_tree = _CONTEXT not in arrays
        if {*arrays} - {_CONTEXT} != {*PACKED}:
            raise StrategyTableError("the arrays in the file are not a packed strategy")
        steps, blocks, packed = (arrays[name] for name in PACKED)
        columns = _BIDS + _COUNTS + 2 * len(STREAMS)
        shapes = steps.shape == (1,) and blocks.ndim == 2 and blocks.shape[1] == columns
        whole = steps.dtype == blocks.dtype == np.int64 and packed.dtype == np.uint8
        if not (shapes and whole and packed.ndim == 1 and 1 < steps[0] <= STEPS):
            raise StrategyTableError("an array has the wrong type or number of axes")
        # Python's numbers are added without an overflow.
        self._steps, self._blocks = int(steps[0]), _blocks(blocks)
        begins = [block.bids for block in self._blocks]
        self._ends = [*accumulate(sum(block.sizes) for block in self._blocks)]
        """[block] the end of the block in `packed`."""
        if (
            begins[:1] != [()]
            or sorted({*begins}) != begins
            or not {one[:-1] for one in begins} <= {*begins}
            or max(max(one, default=0) for one in begins) >= bids.claimed.size
            or (len(begins) > 1 and not self._is_tree)
            or self._ends[-1] != packed.size
        ):
            raise misfit()
        self._parts: dict[tuple[int, ...], StrategyTable] = {}
        """The parts read so far, by the numbers of their blocks."""

    @property
    def nodes(self) -> int:
        """Return the number of nodes, as the file states it."""
        return sum(block.counts[0] for block in self._blocks)

    @cached_property
    def whole(self) -> StrategyTable:
        """Return the whole table. Raises StrategyTableError if the arrays do not describe a
        strategy for the rules, or if it does not fit into memory."""
        self._parts.clear()
        return self._read(range(len(self._blocks)))

    def part(self, history: Sequence[int], *, below: bool = False) -> StrategyTable:
        """Return a table that has all stored nodes of `history` and of the histories that lead
        there; with `below`, also of the histories that continue it. The table may have other nodes.
        Raises as `whole` does."""
        if "whole" in self.__dict__ or not self._is_tree:
            return self.whole
        bids = tuple(history[:_BIDS])
        numbers = tuple(
            number
            for number, block in enumerate(self._blocks)
            if block.bids == bids[: len(block.bids)] or (below and block.bids[: len(bids)] == bids)
        )
        for kept, table in self._parts.items():
            if {*numbers} <= {*kept}:
                return table
        if len(self._parts) == _MOST_PARTS or len(numbers) == len(self._blocks):
            return self.whole
        self._parts[numbers] = self._read(numbers)
        return self._parts[numbers]

    def _read(self, numbers: Sequence[int]) -> StrategyTable:
        """Return the table of these blocks, the first of which is the start of a round."""
        try:
            return self._decoded(numbers)
        except StrategyTableError as error:
            raise self._complaint(error) from error

    def _decoded(self, numbers: Sequence[int]) -> StrategyTable:
        blocks, bids = [self._blocks[number] for number in numbers], self._bids
        nodes, rows, entries = (sum(block.counts[kind] for block in blocks) for kind in range(3))
        room_left = int(room())
        needed = nodes * _OF_NODE + rows * _OF_ROW + entries * _OF_ENTRY
        verify_room(needed + sum(sum(block.inflated) for block in blocks), room_left)
        out = empty_rows(nodes, rows, entries, dtype_of(self._steps))
        context, used = np.zeros(nodes, dtype=np.int64), np.zeros(3, dtype=np.int64)
        coding, rows_of = _coding(bids, self.recall, self._steps), dict[Bids, range]()
        for block, number in zip(blocks, numbers, strict=True):
            before = used.copy()
            depth = begin(coding, _moves(out, rows_of, block.bids))
            if not decode(self._streams(number), coding, depth, context, out, used):
                raise misfit()
            if tuple((used - before).tolist()) != block.counts:
                raise misfit()
            first = int(before[0])
            if first < used[0] and context[first] == coding.frames.context[depth]:
                rows_of[block.bids] = range(*out.first_row[first : first + 2].tolist())
        if not self._is_tree:
            context = inflated(self.arrays[_CONTEXT], np.dtype("<i8"), nodes).astype(np.int64)
        table = sparse_table(
            self.recall,
            context,
            out,
            hands=bids.hands,
            steps=self._steps,
            order=np.argsort(context) if self._is_tree else None,
        )
        verify_start(table)
        verify_rows(bids, table)
        return table

    def _streams(self, number: int) -> Streams:
        """Return the inflated streams of a block."""
        block, found = self._blocks[number], []
        start = self._ends[number] - sum(block.sizes)
        for size, length, dtype in zip(
            block.sizes, block.inflated, _dtypes(self._bids).values(), strict=True
        ):
            if length % dtype.itemsize:
                raise misfit()
            packed = self.arrays["packed"][start : start + size]
            found.append(inflated(packed, dtype, length // dtype.itemsize))
            start += size
        listed, ahead, leads, *others = found
        at = np.zeros(len(STREAMS), dtype=np.int64)
        plays, which, calls, coarse, fine = others
        return Streams(
            listed.astype(np.uint16),
            ahead.astype(np.uint16),
            leads,
            plays,
            which,
            calls,
            coarse,
            fine,
            at,
        )


def _blocks(blocks: Ints) -> list[_Block]:
    """Return the rows of `blocks`. Raise StrategyTableError if a number is negative."""
    found = []
    for row in blocks.tolist():
        bids = tuple(bid for bid in row[:_BIDS] if bid != _NONE)
        numbers = row[_BIDS:]
        if bids != tuple(row[: len(bids)]) or min(*bids, *numbers) < 0:
            raise misfit()
        counts, sizes = numbers[:_COUNTS], numbers[_COUNTS:]
        found.append(_Block(bids, tuple(counts), tuple(sizes[::2]), tuple(sizes[1::2])))
    return found


def _moves(
    table: StrategyTable | Rows, rows: Mapping[Bids, range], bids: Bids
) -> list[tuple[int, int, int]]:
    """Return for each of the first `bids`: the bid, and the first entry and the end of the row that
    makes it, or 0 if there is none. `rows` has the rows of the histories before."""
    moves = []
    for depth, bid in enumerate(bids):
        first = end = 0
        for row in rows.get(bids[:depth], ()):
            if table.action[row] == bid:
                first, end = table.first_entry[row : row + 2].tolist()
        moves.append((bid, first, end))
    return moves
