"""The nodes of a compact strategy table as streams of numbers and bits: encoding and decoding.

Nodes come depth first, so contexts follow. A *record* is a node, or a gap between nodes (see
`solver.tables.tree_links`). It lists the actions that are played there or lead to further records.
The hands that may play at a node are those that have played the player's move before. With hardly
an exception all that play there are among them, and then only they are coded. For each hand:

    plays   a bit: whether it plays any of the actions listed here, or only challenges
    which   a bit for each of these actions, if there are several; the last bit is left out if the
            others are 0
    calls   a bit: whether it also challenges
    coarse  the upper 8 bits of each share minus 1 step. The last share of a hand that does not
            challenge is left out: it is what the others leave
    fine    the lower bits

and for each record, before its hands:

    listed  the number of actions times 4, plus flags: see RESTS and WITHIN
    ahead   for each action, its distance from the action before, or from the last bid
    leads   for each action, flags: see PLAYED and ON

Where contexts do not form a tree, records are the nodes in their order, and all hands may play.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.strategy_table import StrategyTable

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

RESTS, WITHIN = 1, 2
"""Flags of a record. RESTS: it has a challenge of the last bid, which takes what the others leave.
WITHIN: all hands that play are among those that have played the player's move before."""
PLAYED, ON = 1, 2
"""Flags of an action. PLAYED: some hand plays it. ON: a record follows it."""
_NO_BID = -1
CODED, WRONG_SHARES, WRONG_ACTION = 0, 1, 2
"""Outcomes of encoding."""
_COARSE_BITS = 8

STREAMS = ("listed", "ahead", "leads", "plays", "which", "calls", "coarse", "fine")
_LISTED, _AHEAD, _LEADS, _PLAYS, _WHICH, _CALLS, _COARSE, _FINE = range(len(STREAMS))


class Streams(NamedTuple):
    """The coded records of one block, as the module's docstring describes them. `plays`, `which`,
    `calls` and `fine` are bits."""

    listed: NDArray[np.uint16]
    """[record]"""
    ahead: NDArray[np.uint16]
    """[action listed]"""
    leads: Bytes
    """[action listed]"""
    plays: Bytes
    which: Bytes
    calls: Bytes
    coarse: Bytes
    """[share]"""
    fine: Bytes
    at: Ints
    """[stream] how many numbers or bits have been written or read so far."""


class Frames(NamedTuple):
    """The state of a walk of the records, for each history on its path; axis `depth` counts
    bids."""

    context: Ints
    """[depth] the context of the history."""
    last: Ints
    """[depth] the last bid, or -1."""
    waiting: Ints
    """[depth] how many records that continue this history are still to come."""
    follower: NDArray[np.int64]
    """[depth, place, 3] the records that continue this history, the last one first: the action, and
    the first entry and the end of its row. Both are 0 if no hand plays the action."""
    own: Ints
    """[depth, 2] the first entry and the end of the row of the move made at this depth."""


class Scratch(NamedTuple):
    """Scratch for one record."""

    action: Ints
    """[listed] the actions."""
    lead: Ints
    """[listed] their flags."""
    number: Ints
    """[row] how many hands play the row."""
    hand: NDArray[np.int64]
    """[row, place] which hands play the row."""
    share: NDArray[np.int64]
    """[row, place] the share of each of these hands."""
    chosen: Ints
    """[place] the rows that a hand plays."""
    may: Ints
    """[place] the hands that may play."""


class Coding(NamedTuple):
    """Data that encoding and decoding share."""

    code: Ints
    """[bid + 1] what each bid adds to a context."""
    players: int
    plain: int
    """The number of bids that are no doubles; the doubles follow them."""
    hands: int
    steps: int
    fine_bits: int
    frames: Frames
    scratch: Scratch


def new_coding(code: Ints, bids: BidTables, steps: int) -> Coding:
    """Return the data for coding tables of the rules of `bids` whose probabilities have this number
    of `steps`. `code` [bid + 1] is what each bid adds to a context."""
    actions, hands = bids.claimed.size + bids.endings, bids.hands
    depths = code.size + bids.players + 1

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Coding(
        code,
        bids.players,
        bids.plain,
        hands,
        steps,
        max(0, (steps - 1).bit_length() - _COARSE_BITS),
        Frames(
            whole(depths),
            whole(depths),
            whole(depths),
            whole(depths, actions, 3),
            whole(depths, 2),
        ),
        Scratch(
            whole(actions),
            whole(actions),
            whole(actions),
            whole(actions, hands),
            whole(actions, hands),
            whole(actions),
            whole(hands),
        ),
    )


def begin(coding: Coding, moves: Sequence[tuple[int, int, int]]) -> int:
    """Prepare for records that follow these `moves` from the start of a round. A move is the bid,
    and the first entry and the end of the row that makes it. Return the number of moves."""
    frames = coding.frames
    frames.waiting[:] = frames.context[:1] = 0
    frames.last[0] = _NO_BID
    for depth, (bid, *entries) in enumerate(moves):
        frames.last[depth + 1], frames.own[depth] = bid, entries
        frames.context[depth + 1] = frames.context[depth] + coding.code[bid + 1]
    return len(moves)


# Bits


@hot_kernel
def _put(streams: Streams, stream: int, buffer: Bytes, bit: bool) -> None:
    place = streams.at[stream]
    if bit:
        buffer[place >> 3] |= np.uint8(1 << (place & 7))
    streams.at[stream] = place + 1


@hot_kernel
def _bits(buffer: Bytes, place: int, number: int) -> int:
    """Return `number` bits, 8 at most. Bits beyond the end are 0; `_all_read` notices the
    overrun."""
    byte, found = place >> 3, np.int64(0)
    if byte < buffer.size:
        found = np.int64(buffer[byte])
    if byte + 1 < buffer.size:
        found |= np.int64(buffer[byte + 1]) << 8
    return int((found >> (place & 7)) & ((1 << number) - 1))


@hot_kernel
def _coarse(buffer: Bytes, place: int) -> int:
    """Return a byte, 0 beyond the end."""
    return int(buffer[place]) if place < buffer.size else 0


# The hands that may play


@hot_kernel
def _list_hands(coding: Coding, hand: NDArray[np.uint16], depth: int, within: bool) -> int:
    """List the hands that may play in the record at `depth`; return how many. `hand` [entry] are
    the hands of the rows so far."""
    may, doubled = coding.scratch.may, coding.frames.last[depth] >= coding.plain
    before = depth - (2 if doubled else coding.players)  # two players alone go on after a double
    first, end = 0, 0
    if within and before >= 0:
        first, end = coding.frames.own[before]
    if first == end:
        for one in range(coding.hands):
            may[one] = one
        return coding.hands
    for place in range(end - first):
        may[place] = hand[first + place]
    return end - first


@hot_kernel
def _enter(coding: Coding, depth: int) -> int:
    """Go on to the next record. It continues the longest history, of at most `depth` bids, that
    still has records to come. Return how many bids the record has, or -1 if there are no more."""
    frames = coding.frames
    while depth >= 0 and frames.waiting[depth] == 0:
        depth -= 1
    if depth < 0:
        return -1
    frames.waiting[depth] -= 1
    action, first, end = frames.follower[depth, frames.waiting[depth]]
    frames.own[depth, 0], frames.own[depth, 1] = first, end
    frames.last[depth + 1] = action
    frames.context[depth + 1] = frames.context[depth] + coding.code[action + 1]
    return depth + 1


@hot_kernel
def _follow(coding: Coding, depth: int, action: int, first: int, end: int) -> None:
    """Add a record to come after `action`, whose row has the entries `first` to `end`."""
    frames = coding.frames
    follower = frames.follower[depth, frames.waiting[depth]]
    follower[0], follower[1], follower[2] = action, first, end
    frames.waiting[depth] += 1


@hot_kernel
def _turn_round(coding: Coding, depth: int) -> None:
    """Reverse the records to come, so that they come in the order in which they were added."""
    follower, last = coding.frames.follower[depth], coding.frames.waiting[depth] - 1
    for place in range((last + 1) // 2):
        for field in range(3):
            one, other = follower[place, field], follower[last - place, field]
            follower[place, field], follower[last - place, field] = other, one


# Encoding


class Tree(NamedTuple):
    """The tree of a table, as `solver.tables.tree_links.Links`. Without links the histories form no
    tree."""

    last: Ints
    first_child: Ints
    child: Ints


@kernel
def encode(
    table: StrategyTable, tree: Tree, coding: Coding, start: Ints, depth: int, streams: Streams
) -> int:
    """Write the records at the places `start` [n], each after `depth` bids, and, if the tree has
    links, all records below them. Call after `begin`. Return CODED, WRONG_SHARES if a hand's steps
    do not add up at some node, or WRONG_ACTION if an action is not above the last bid."""
    frames = coding.frames
    places = np.zeros(frames.waiting.size, dtype=np.int64)
    for first in start:
        place, here = first, depth
        while here >= 0:
            places[here] = place
            outcome = _encode_record(table, tree, coding, place, here, streams)
            if outcome != CODED:
                return outcome
            here = _enter(coding, here)
            if here > 0:
                place = _child_of(tree, places[here - 1], frames.last[here])
    return CODED


@hot_kernel
def _child_of(tree: Tree, place: int, bid: int) -> int:
    """Return the child of `place` to which `bid` leads."""
    child = tree.first_child[place]
    while tree.last[tree.child[child]] != bid:
        child += 1
    return int(tree.child[child])


@hot_kernel
def _encode_record(
    table: StrategyTable, tree: Tree, coding: Coding, place: int, depth: int, streams: Streams
) -> int:
    """Write one record; return the outcome as `encode` does."""
    scratch, rest, rows = coding.scratch, table.recall.code.shape[1] - 1, 0
    challenges = False
    coding.frames.waiting[depth] = 0
    row, end_row = 0, 0
    if place < table.context.size:
        row, end_row = table.first_row[place], table.end_row[place]
    child, end_child = 0, 0
    if tree.child.size > 0:
        child, end_child = tree.first_child[place], tree.first_child[place + 1]
    listed, last = 0, coding.frames.last[depth]
    at = streams.at
    while row < end_row or child < end_child:
        if row < end_row and table.action[row] == rest:
            challenges = True
            row += 1
            continue
        action, lead = np.int64(rest * 2), 0
        first, end = np.int64(0), np.int64(0)
        if row < end_row:
            action = np.int64(table.action[row])
        if child < end_child:
            action = min(action, tree.last[tree.child[child]])
        if row < end_row and table.action[row] == action:
            lead |= PLAYED
            first, end = table.first_entry[row], table.first_entry[row + 1]
            scratch.number[rows] = end - first
            for entry in range(first, end):
                scratch.hand[rows, entry - first] = table.hand[entry]
                scratch.share[rows, entry - first] = table.share[entry]
            rows += 1
            row += 1
        if child < end_child and tree.last[tree.child[child]] == action:
            lead |= ON
            _follow(coding, depth, int(action), int(first), int(end))
            child += 1
        if action <= last:
            return WRONG_ACTION
        streams.ahead[at[_AHEAD]] = action - last
        streams.leads[at[_LEADS]] = lead
        at[_AHEAD] += 1
        at[_LEADS] += 1
        last, listed = action, listed + 1
    _turn_round(coding, depth)
    within = _are_within(coding, table.hand, rows, depth)
    flags = (RESTS if challenges else 0) | (WITHIN if within else 0)
    streams.listed[at[_LISTED]] = 4 * listed + flags
    at[_LISTED] += 1
    if rows == 0:
        return CODED
    may = _list_hands(coding, table.hand, depth, within)
    add_up = _encode_hands(coding, rows, may, challenges, streams)
    return CODED if add_up else WRONG_SHARES


@hot_kernel
def _are_within(coding: Coding, hand: NDArray[np.uint16], rows: int, depth: int) -> bool:
    """Return whether all hands of the rows in `coding.scratch` are among those that have played the
    player's move before."""
    may, scratch = _list_hands(coding, hand, depth, True), coding.scratch
    for row in range(rows):
        place = 0
        for one in range(scratch.number[row]):
            while place < may and scratch.may[place] < scratch.hand[row, one]:
                place += 1
            if place == may or scratch.may[place] != scratch.hand[row, one]:
                return False
    return True


@hot_kernel
def _encode_hands(coding: Coding, rows: int, may: int, challenges: bool, streams: Streams) -> bool:
    """Write what the listed hands play of the rows in `coding.scratch`; return whether each hand's
    steps add up."""
    scratch, steps = coding.scratch, coding.steps
    done = scratch.chosen
    for row in range(rows):
        done[row] = 0
    for place in range(may):
        hand, number, left = scratch.may[place], 0, steps
        for row in range(rows):
            if done[row] < scratch.number[row] and scratch.hand[row, done[row]] == hand:
                number += 1
                left -= scratch.share[row, done[row]]
        if left < 0 or (not challenges and left > 0):
            return False
        _put(streams, _PLAYS, streams.plays, number > 0)
        if number == 0:
            continue
        if challenges:
            _put(streams, _CALLS, streams.calls, left > 0)
        found, shares = 0, number - int(left == 0)
        for row in range(rows):
            plays = done[row] < scratch.number[row] and scratch.hand[row, done[row]] == hand
            if row < rows - 1 or (found > 0 and rows > 1):
                _put(streams, _WHICH, streams.which, plays)
            if not plays:
                continue
            if found < shares:
                share = scratch.share[row, done[row]] - 1
                streams.coarse[streams.at[_COARSE]] = share >> coding.fine_bits
                streams.at[_COARSE] += 1
                for bit in range(coding.fine_bits):
                    _put(streams, _FINE, streams.fine, (share >> bit) & 1 == 1)
            found += 1
            done[row] += 1
    return True


# Decoding


@kernel
def decode(
    streams: Streams, coding: Coding, depth: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Read all records, the first of them after `depth` bids. Write their nodes into `context`
    [node] and `out`, after the `used` [3] nodes, rows and entries. Call after `begin`. Return
    whether everything fits and nothing in the streams is left over."""
    frames, here = coding.frames, depth
    while streams.at[_LISTED] < streams.listed.size:
        if here < 0:
            here = depth  # for records that do not form a tree
        if here >= frames.waiting.size - 1:
            return False
        if not _decode_record(streams, coding, here, context, out, used):
            return False
        here = _enter(coding, here)
    return here < 0 and _all_read(streams)


@hot_kernel
def _all_read(streams: Streams) -> bool:
    at = streams.at
    return bool(
        at[_AHEAD] == streams.ahead.size
        and at[_AHEAD] == streams.leads.size
        and at[_COARSE] == streams.coarse.size
        and (at[_PLAYS] + 7) >> 3 == streams.plays.size
        and (at[_WHICH] + 7) >> 3 == streams.which.size
        and (at[_CALLS] + 7) >> 3 == streams.calls.size
        and (at[_FINE] + 7) >> 3 == streams.fine.size
    )


@hot_kernel
def _decode_record(
    streams: Streams, coding: Coding, depth: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Read one record and write its node, unless it is a gap; return whether it fits."""
    scratch, at = coding.scratch, streams.at
    head = np.int64(streams.listed[at[_LISTED]])
    at[_LISTED] += 1
    listed, challenges = int(head >> 2), bool(head & RESTS != 0)
    if at[_AHEAD] + listed > min(streams.ahead.size, streams.leads.size):
        return False
    last, rows, room = coding.frames.last[depth], 0, scratch.action.size
    for place in range(listed):
        last += np.int64(streams.ahead[at[_AHEAD] + place])
        if place >= room or last >= room:
            return False
        scratch.action[place] = last
        scratch.lead[place] = streams.leads[at[_AHEAD] + place]
        rows += scratch.lead[place] & PLAYED
    at[_AHEAD] += listed
    if rows > 0:
        may = _list_hands(coding, out.hand, depth, head & WITHIN != 0)
        if not _decode_hands(streams, coding, rows, may, challenges):
            return False
    return _write_node(coding, depth, listed, challenges, context, out, used)


@hot_kernel
def _decode_hands(streams: Streams, coding: Coding, rows: int, may: int, challenges: bool) -> bool:
    """Read what the listed hands play into `coding.scratch`; return whether the shares are
    possible."""
    scratch, at, fine_bits = coding.scratch, streams.at, coding.fine_bits
    which, calls, coarse, fine = at[_WHICH], at[_CALLS], at[_COARSE], at[_FINE]
    for row in range(rows):
        scratch.number[row] = 0
    for player in range(_decode_players(streams, coding, may)):
        left, chosen, challenged = coding.steps, 0, 0
        if challenges:
            challenged = _bits(streams.calls, calls, 1)
            calls += 1
        for row in range(rows):
            if row < rows - 1 or (chosen > 0 and rows > 1):
                which += 1
                if _bits(streams.which, which - 1, 1) == 0:
                    continue
            scratch.chosen[chosen] = row
            chosen += 1
        for turn in range(chosen):
            row, share = scratch.chosen[turn], left
            if turn < chosen - 1 + challenged:
                share = _coarse(streams.coarse, coarse) << fine_bits
                share += _bits(streams.fine, fine, fine_bits) + 1
                coarse += 1
                fine += fine_bits
            left -= share
            if share <= 0 or left < 0:
                return False
            scratch.hand[row, scratch.number[row]] = scratch.may[player]
            scratch.share[row, scratch.number[row]] = share
            scratch.number[row] += 1
    at[_WHICH], at[_CALLS], at[_COARSE], at[_FINE] = which, calls, coarse, fine
    return True


@hot_kernel
def _decode_players(streams: Streams, coding: Coding, may: int) -> int:
    """Keep only the listed hands that play; return how many. There is no branch, since half of the
    branches would be mispredicted."""
    hands, players, first = coding.scratch.may, 0, streams.at[_PLAYS]
    for place in range(may):
        hands[players] = hands[place]
        players += _bits(streams.plays, first + place, 1)
    streams.at[_PLAYS] = first + may
    return players


@hot_kernel
def _write_node(
    coding: Coding,
    depth: int,
    listed: int,
    challenges: bool,
    context: Ints,
    out: Rows,
    used: Ints,
) -> bool:
    """Write the record in `coding.scratch` as a node, unless it is a gap, and add the records to
    come. Return whether there is room and records follow only bids."""
    scratch, rest = coding.scratch, coding.code.size - 1
    frames, rows = coding.frames, 0
    first_row = used[1]
    frames.waiting[depth] = 0
    for place in range(listed):
        action, lead = scratch.action[place], scratch.lead[place]
        if challenges and action > rest:
            challenges = False
            if not _write_rest(out, used, rest):
                return False
        first = end = int(used[2])
        if lead & PLAYED:
            end = first + int(scratch.number[rows])
            if used[1] >= out.action.size or end > out.hand.size:
                return False
            for entry in range(first, end):
                out.hand[entry] = scratch.hand[rows, entry - first]
                out.share[entry] = scratch.share[rows, entry - first]
            out.action[used[1]] = action
            used[1], used[2] = used[1] + 1, end
            out.first_entry[used[1]] = end
            rows += 1
        if lead & ON:
            if action >= rest:
                return False
            _follow(coding, depth, int(action), first, end)
    _turn_round(coding, depth)
    if challenges and not _write_rest(out, used, rest):
        return False
    if used[1] > first_row:
        if used[0] >= context.size:
            return False
        context[used[0]] = frames.context[depth]
        used[0] += 1
        out.first_row[used[0]] = used[1]
    return True


@hot_kernel
def _write_rest(out: Rows, used: Ints, rest: int) -> bool:
    """Write the row of a challenge that takes what the other rows leave; return whether there is
    room."""
    if used[1] >= out.action.size:
        return False
    out.action[used[1]] = rest
    used[1] += 1
    out.first_entry[used[1]] = used[2]
    return True
