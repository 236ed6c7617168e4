"""Compact strategies as files store them: blocks of coded records.

Most of a large table follows from the rest: contexts from the tree of histories, hands that play
from those that played the move before, the last share of a hand from the others. The remainder is
coded record by record (`solver.tables.node_coding`). A table with full recall has a block for the
start of a round, a block for each first bid of stored histories, and a block for each two first
bids of many stored histories. Each block holds the histories that begin with its bids, except those
that have a block of their own. So a query about one history reads little more than it needs. Other
tables have a single block, and their contexts are stored separately.

    steps    [1] int64: the steps of a probability of 1
    blocks   [block, 7] int64: its first and second bid, -1 for none; and how many records, nodes,
             rows, entries and bytes the block has
    packed   [byte] the blocks
    context  [byte] [node] int64 compressed by zlib, if contexts do not follow from a tree

A node of five dice takes about 10 bytes in the file; with all contexts and shares it would take 72.
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
from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.machine.memory import room
from zhaifei.solver.machine.small_calls import must_be_compiled
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.decoding import decode, decode_first
from zhaifei.solver.tables.encoding import FULL, WRONG_ACTION, WRONG_SHARES, Tree, encode
from zhaifei.solver.tables.inflating import inflated, misfit, verify_room
from zhaifei.solver.tables.node_coding import CONTEXTS
from zhaifei.solver.tables.range_coding import is_at_end, reader, take_all, take_written, writer
from zhaifei.solver.tables.recall import RecallTables
from zhaifei.solver.tables.records import Coding, begin, new_coding
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
_BIDS, _COUNTS = 2, 4
"""The numbers of columns of `blocks` for bids and for counts; one more is for the bytes."""
_BUFFERED = 1 << 20
"""The bytes that are coded at a time, besides those of one record."""
_MANY_NODES = 1 << 13
"""Two first bids have a block of their own if at least this many nodes begin with them."""
_OF_NODE, _OF_ROW, _OF_ENTRY = 32, 24, 8
"""Bytes that a node, a row and an entry take while they are put in order."""


_MOST_PARTS = 6
"""The most parts that are kept; a request for another part reads the whole table."""

Bids = tuple[int, ...]
"""The first bids of a round."""


class _BlockStart(NamedTuple):
    """The start of a block."""

    start: Ints
    """[n] the places of its first records."""
    nodes: Ints
    """[node] the nodes of the block."""
    records: int
    """How many records the block has: nodes and gaps."""


class _Coded(NamedTuple):
    """A coded block to write."""

    counts: tuple[int, int, int, int]
    """How many records, nodes, rows and entries it has."""
    coded: bytes


class _Block(NamedTuple):
    """A row of `blocks`."""

    bids: Bids
    """The bids with which all its histories begin."""
    counts: tuple[int, ...]
    """How many records, nodes, rows and entries it has."""
    size: int
    """Its bytes in the file."""


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
        [*begins, *[_NONE] * (_BIDS - len(begins)), *block.counts, len(block.coded)]
        for begins, block in blocks.items()
    ]
    packed = b"".join(block.coded for block in blocks.values())
    return {
        "steps": np.array([steps]),
        "blocks": np.array(rows),
        "packed": np.frombuffer(packed, np.uint8),
    }


def _coded_as_one(bids: BidTables, table: StrategyTable) -> _Coded:
    """Return the one block of a table whose histories form no tree."""
    coding = _coding(bids, table.recall, table.steps)
    nodes, none = np.arange(table.context.size), np.zeros(0, dtype=np.int64)
    begin(coding, ())
    root = _BlockStart(nodes, nodes, nodes.size)
    return _block(table, Tree(none, none, none, none), coding, root)


def _coded(
    bids: BidTables, table: StrategyTable, links: Links, wanted: Collection[Bids] | None = None
) -> Iterator[tuple[Bids, _Coded]]:
    """Yield each block, with the bids that it begins with. If `wanted` is given, yield only blocks
    whose bids, cut to the first, are in it."""
    coding = _coding(bids, table.recall, table.steps)
    places = _block_places(links)
    tree = _cut(links, np.array([*places.values()]), _kinds_named(links, bids.kind))
    rows: dict[Bids, range] = {}
    for begins, place in places.items():
        if place < table.context.size:
            rows[begins] = range(int(table.first_row[place]), int(table.end_row[place]))
        if wanted is not None and begins[:1] not in wanted:
            continue
        below = _below(tree.first_child, tree.child, place)
        begin(coding, _moves(table, rows, begins))
        root = _BlockStart(np.array([place]), below[below < table.context.size], below.size)
        yield begins, _block(table, tree, coding, root)


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


def _kinds_named(links: Links, kind: Ints) -> Ints:
    """Return [place] the set of kinds of the bids made at or below each place. `kind` [bid] is the
    kind of each bid."""
    named = np.where(links.last == NO_BID, 0, 1 << kind[links.last])
    _unite(links.first_child, links.child, _below(links.first_child, links.child, 0), named)
    return named


@kernel
def _unite(first_child: Ints, child: Ints, below: Ints, named: Ints) -> None:
    """Add to each set in `named` [place] the sets of the places below. `below` lists all places,
    children after their parents."""
    for place in below[::-1]:
        for index in range(first_child[place], first_child[place + 1]):
            named[place] |= named[child[index]]


def _cut(links: Links, places: Ints, named: Ints) -> Tree:
    """Return the tree without the links to these places."""
    kept = ~np.isin(links.child, places)
    before = np.append(0, np.cumsum(kept))
    return Tree(links.last, before[links.first_child], links.child[kept], named)


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


def _block(table: StrategyTable, tree: Tree, coding: Coding, root: _BlockStart) -> _Coded:
    """Return the block that begins at `root`, coded. Call after `begin`."""
    first, end = table.first_row[root.nodes], table.end_row[root.nodes]
    entries = table.first_entry[end] - table.first_entry[first]
    counts = root.records, first.size, int((end - first).sum()), int(entries.sum())
    coder, coded = writer(CONTEXTS, coding.most + _BUFFERED), b""
    while (outcome := encode(table, tree, coding, root.start, coder)) == FULL:
        coded += take_written(coder)
    if outcome == WRONG_SHARES:
        raise wrong_probabilities()
    if outcome == WRONG_ACTION:
        raise StrategyTableError("an action is not above the bid before it")
    return _Coded(counts, coded + take_all(coder))


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
        columns = _BIDS + _COUNTS + 1
        shapes = steps.shape == (1,) and blocks.ndim == 2 and blocks.shape[1] == columns
        whole = steps.dtype == blocks.dtype == np.int64 and packed.dtype == np.uint8
        if not (shapes and whole and packed.ndim == 1 and 1 < steps[0] <= STEPS):
            raise StrategyTableError("an array has the wrong type or number of axes")
        # Python's numbers are added without an overflow.
        self._steps, self._blocks = int(steps[0]), _blocks(blocks)
        begins = [block.bids for block in self._blocks]
        self._ends = [*accumulate(block.size for block in self._blocks)]
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
        self._known_starts: dict[tuple[int, ...], StrategyTable] = {}
        """The same for parts that have only the first record of each block."""

    @property
    def nodes(self) -> int:
        """Return the number of nodes, as the file states it."""
        return sum(block.counts[1] for block in self._blocks)

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
        if not below and self._have_starts(numbers, bids, len(history)) and self._is_slow():
            return self._starts(numbers)
        if len(self._parts) == _MOST_PARTS or len(numbers) == len(self._blocks):
            return self.whole
        self._parts[numbers] = self._read(numbers)
        return self._parts[numbers]

    def _have_starts(self, numbers: Sequence[int], bids: Bids, length: int) -> bool:
        """Return whether a history of this `length`, which begins with `bids`, and the histories
        that lead there are all at the start of one of these blocks, as far as they are stored."""
        return length < _BIDS or (length == _BIDS and self._blocks[numbers[-1]].bids == bids)

    def _is_slow(self) -> bool:
        """Return whether reading whole blocks takes seconds, since a kernel has to be compiled."""
        nothing = np.zeros(0, dtype=np.int64)
        coder = reader(CONTEXTS, self.arrays["packed"][:0])
        coding = _coding(self._bids, self.recall, self._steps)
        rows = empty_rows(0, 0, 0, dtype_of(self._steps))
        return must_be_compiled(decode, coder, coding, 0, nothing, rows, nothing)

    def _starts(self, numbers: tuple[int, ...]) -> StrategyTable:
        """Return the table of the first records of these blocks, which Python reads."""
        if numbers not in self._known_starts:
            self._known_starts[numbers] = self._read(numbers, starts=True)
        return self._known_starts[numbers]

    def _read(self, numbers: Sequence[int], *, starts: bool = False) -> StrategyTable:
        """Return the table of these blocks, the first of which is the start of a round; with
        `starts`, of their first records alone."""
        try:
            return self._table(numbers, starts=True) if starts else self._decoded(numbers)
        except StrategyTableError as error:
            raise self._complaint(error) from error

    def _decoded(self, numbers: Sequence[int]) -> StrategyTable:
        return self._table(numbers, starts=False)

    def _table(self, numbers: Sequence[int], *, starts: bool) -> StrategyTable:
        blocks, bids = [self._blocks[number] for number in numbers], self._bids
        nodes, rows, entries = (sum(block.counts[kind] for block in blocks) for kind in (1, 2, 3))
        verify_room(nodes * _OF_NODE + rows * _OF_ROW + entries * _OF_ENTRY, int(room()))
        out = empty_rows(nodes, rows, entries, dtype_of(self._steps))
        context, used = np.zeros(nodes, dtype=np.int64), np.zeros(3, dtype=np.int64)
        coding, rows_of = _coding(bids, self.recall, self._steps), dict[Bids, range]()
        for block, number in zip(blocks, numbers, strict=True):
            before = used.copy()
            begin(coding, _moves(out, rows_of, block.bids))
            end = self._ends[number]
            coder = reader(CONTEXTS, self.arrays["packed"][end - block.size : end])
            if starts:
                fits = decode_first(coder, coding, context, out, used)
            else:
                fits = decode(coder, coding, block.counts[0], context, out, used)
                fits &= is_at_end(coder) and (*(used - before).tolist(),) == block.counts[1:]
            if not fits:
                raise misfit()
            first = int(before[0])
            if first < used[0] and context[first] == coding.frames.context[len(block.bids)]:
                rows_of[block.bids] = range(*out.first_row[first : first + 2].tolist())
        context, out = context[: used[0]], _cut_rows(out, *used.tolist())
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


def _blocks(blocks: Ints) -> list[_Block]:
    """Return the rows of `blocks`. Raise StrategyTableError if a number is negative."""
    found = []
    for row in blocks.tolist():
        bids = tuple(bid for bid in row[:_BIDS] if bid != _NONE)
        numbers = row[_BIDS:]
        if bids != tuple(row[: len(bids)]) or min(*bids, *numbers) < 0:
            raise misfit()
        found.append(_Block(bids, tuple(numbers[:-1]), numbers[-1]))
    return found


def _cut_rows(out: Rows, nodes: int, rows: int, entries: int) -> Rows:
    """Return these numbers of nodes, rows and entries, the first ones."""
    return Rows(
        out.first_row[: nodes + 1],
        out.action[:rows],
        out.first_entry[: rows + 1],
        out.hand[:entries],
        out.share[:entries],
    )


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
