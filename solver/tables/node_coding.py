"""The nodes of a compact strategy table as one stream of bits: encoding and decoding.

Nodes come depth first, so contexts follow. A *record* is a node, or a gap between nodes (see
`solver.tables.tree_links`). Where contexts do not form a tree, records are the nodes in their
order. `_code_actions` and `_code_hands` say what a record holds, for both directions:

1. Whether the node has a challenge of the last bid, which takes what the other actions leave.
2. The actions that are played there or lead to further records: for each its distance from the
   action before, or from the last bid, and which of the two it is.
3. Whether all hands that play have played the player's move before. With hardly an exception that
   is so, and then only those hands are coded.
4. A set of *kinds* of bids. Hands that count alike for these kinds play alike
   (`solver.hand_classes`), and are coded as one class.
5. For each class: whether it plays any of the actions, whether it also challenges, and which of
   the actions it plays.
6. For each class that plays: in how many binary zeros all its shares end, and the shares without
   these zeros. If the class does not challenge, the last share is what the others leave.

Each bit is coded in a context (`solver.tables.range_coding`): what was seen before in the record
and in records that lead there, and how often the class comes there if players play the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables
from zhaifei.solver.hand_classes import codes_of
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.showdown import showdown_tables
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.range_coding import (
    CONTEXTS_OF_NUMBER,
    Coder,
    code_bit,
    code_digits,
    code_number,
    is_beyond,
    room_left,
)
from zhaifei.solver.tables.strategy_table import StrategyTable

Ints = NDArray[np.int64]

PLAYED, ON = 1, 2
"""Flags of an action. PLAYED: some hand plays it. ON: a record follows it."""
CODED, WRONG_SHARES, WRONG_ACTION, FULL = 0, 1, 2, 3
"""Outcomes of encoding. FULL: the buffer may be too short for another record."""

_DEPTHS, _LISTED, _SELDOM, _ROWS, _COUNTS = 8, 8, 48, 3, 5
"""How many depths, numbers of actions, reaches, numbers of rows and numbers of dice contexts tell
apart. The last ones stand for all beyond."""
_KINDS = 64
_ZERO_DIGITS, _LEFT_DIGITS, _TOLD_DIGITS = 4, 17, 4
"""The digits of a number of zeros; the most digits of a share, and those with contexts by the
digits before."""
_POPULAR = 5
_ROOT_OF_HALF = 0.7071067811865476

_SIZES = (
    2 * _DEPTHS,  # rests
    2 * _DEPTHS * _LISTED,  # more
    2 * CONTEXTS_OF_NUMBER,  # ahead
    4 * 2,  # played
    4 * 2 * _DEPTHS,  # on
    _DEPTHS,  # within
    8 * _KINDS,  # kinds
    4 * _ROWS * _SELDOM,  # plays
    3 * _ROWS * _SELDOM,  # calls
    3 * 2 * _COUNTS * _ROWS * _POPULAR,  # which
    _SELDOM << _ZERO_DIGITS,  # zeros
    _LEFT_DIGITS * 3 << _TOLD_DIGITS,  # upper digits of shares
    _LEFT_DIGITS * _LEFT_DIGITS,  # lower digits of shares
)
(
    _OF_RESTS,
    _OF_MORE,
    _OF_AHEAD,
    _OF_PLAYED,
    _OF_ON,
    _OF_WITHIN,
    _OF_KINDS,
    _OF_PLAYS,
    _OF_CALLS,
    _OF_WHICH,
    _OF_ZEROS,
    _OF_UPPER,
    _OF_LOWER,
    CONTEXTS,
) = accumulate(_SIZES, initial=0)
"""The first context of each group, and the number of contexts."""


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
    reach: NDArray[np.float64]
    """[depth, hand] how often the player who moves comes here with the hand, by the deal and their
    own moves. 0 for hands that have not played their move before."""
    kinds: Ints
    """[depth] the set of kinds of the record."""
    place: Ints
    """[depth] the place of the record in the tree, for encoding."""
    here: Ints
    """[3] the depth of the first records; and, for encoding, the depth of the record to come, or
    -1, and how many starts have begun."""


class Record(NamedTuple):
    """One record."""

    action: Ints
    """[listed] the actions."""
    lead: Ints
    """[listed] their flags."""
    flags: Ints
    """[3] whether the node has a challenge of the last bid; whether all hands that play have played
    the player's move before; and the set of kinds."""
    may: Ints
    """[place] the hands that may play."""
    of: Ints
    """[place] the class of each of these hands, in the order of their first hands."""
    first: Ints
    """[class] its first hand."""
    seldom: Ints
    """[class] how seldom the class comes here: its reach is about 2**(-seldom / 2)."""
    reach: NDArray[np.float64]
    """[class] how often the class comes here."""
    share: NDArray[np.int64]
    """[class, row] the shares of each class."""
    left: Ints
    """[class] what they leave for a challenge."""
    dense: NDArray[np.int64]
    """[row, hand] the shares of each hand, for encoding. All are 0 between records."""


class Slots(NamedTuple):
    """A hash table of classes by the codes of their hands."""

    code: Ints
    """[slot]"""
    first: Ints
    """[slot] the place of the first hand with this code."""
    stamp: Ints
    """[slot] the last stamp with which the slot was filled."""
    now: Ints
    """[1] the stamp of the current table. Slots with other stamps are empty."""


class Scratch(NamedTuple):
    """Scratch for one record."""

    bid: Ints
    """[row] the action of each row."""
    chosen: Ints
    """[place] the rows that a class plays."""
    popular: Ints
    """[row] how many classes have played the row so far."""
    played: Ints
    """[row] whether the last class that played played the row: 0 or 1, or 2 if there was none."""
    code: Ints
    """[place] a code of how the hand that may play counts for some kinds."""
    class_of: Ints
    """[place of a first hand] the number of its class."""
    slots: Slots


class Coding(NamedTuple):
    """Data that encoding and decoding share."""

    code: Ints
    """[bid + 1] what each bid adds to a context."""
    players: int
    plain: int
    """The number of bids that are no doubles; the doubles follow them."""
    hands: int
    steps: int
    most: int
    """The most bytes that a record takes."""
    prior: NDArray[np.float64]
    """[player, hand]"""
    kind: Ints
    """[bid]"""
    matches: NDArray[np.int8]
    """[kind, hand] how many dice of the hand count."""
    codes: NDArray[np.int64]
    """[kind, hand] as `solver.hand_classes.codes_of` returns. The last kind, which no bid has,
    tells hands apart that count alike for all bids."""
    order: Ints
    """[kind] the kinds in the order in which encoding tries to do without them: after the last one,
    those first for which the fewest dice count, since they divide hands finest."""
    frames: Frames
    record: Record
    scratch: Scratch


def new_coding(code: Ints, bids: BidTables, steps: int) -> Coding:
    """Return the data for coding tables of the rules of `bids` whose probabilities have this number
    of `steps`. `code` [bid + 1] is what each bid adds to a context."""
    actions, hands = bids.claimed.size + bids.endings, bids.hands
    depths, slots = code.size + bids.players + 1, 1 << (4 * hands).bit_length()
    tables = showdown_tables(bids)

    def whole(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return Coding(
        code,
        bids.players,
        bids.plain,
        hands,
        steps,
        4 * actions * (32 + hands * (_LEFT_DIGITS + 4)),
        tables.prior,
        bids.kind,
        tables.matches,
        _codes(tables.matches),
        np.append(len(tables.matches), np.argsort(tables.matches.sum(axis=1), kind="stable")),
        Frames(
            whole(depths),
            whole(depths),
            whole(depths),
            whole(depths, actions, 3),
            whole(depths, 2),
            np.zeros((depths, hands)),
            whole(depths),
            whole(depths),
            whole(3),
        ),
        Record(
            whole(actions),
            whole(actions),
            whole(3),
            whole(hands),
            whole(hands),
            whole(hands),
            whole(hands),
            np.zeros(hands),
            whole(hands, actions),
            whole(hands),
            whole(actions, hands),
        ),
        Scratch(
            whole(actions),
            whole(actions),
            whole(actions),
            whole(actions),
            whole(hands),
            whole(hands),
            Slots(whole(slots), whole(slots), whole(slots), whole(1)),
        ),
    )


def _codes(matches: NDArray[np.integer]) -> Ints:
    """Return `Coding.codes` for hands of which `matches` [kind, hand] dice count."""
    codes = codes_of(matches)
    alike = codes.sum(axis=0)
    before = np.tril(alike[:, np.newaxis] == alike, -1).sum(axis=1)
    return np.vstack([codes, before * (alike.max() + 1)])


def begin(coding: Coding, moves: Sequence[tuple[int, int, int]]) -> None:
    """Prepare for records that follow these `moves` from the start of a round. A move is the bid,
    and the first entry and the end of the row that makes it."""
    frames = coding.frames
    frames.waiting[:] = frames.context[:1] = 0
    frames.last[0] = NO_BID
    for depth, (bid, *entries) in enumerate(moves):
        frames.last[depth + 1], frames.own[depth] = bid, entries
        frames.context[depth + 1] = frames.context[depth] + coding.code[bid + 1]
    frames.kinds[: len(moves)] = (1 << len(coding.codes)) - 1
    frames.here[:] = len(moves), -1, 0


# The walk


@hot_kernel
def _moved_before(coding: Coding, depth: int) -> int:
    """Return the depth at which the player who moves at `depth` moved before; negative if they did
    not."""
    doubled = coding.frames.last[depth] >= coding.plain
    return depth - (2 if doubled else coding.players)  # two players alone go on after a double


@hot_kernel
def _row_before(coding: Coding, depth: int) -> tuple[int, int]:
    """Return the first entry and the end of the row of the move that the player who moves at
    `depth` made before; both are equal if there is none."""
    before = _moved_before(coding, depth)
    if before < 0:
        return 0, 0
    return int(coding.frames.own[before, 0]), int(coding.frames.own[before, 1])


@hot_kernel
def _enter_reach(
    coding: Coding,
    hand: NDArray[np.uint16],
    share: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float32],
    depth: int,
) -> None:
    """Compute how often each hand comes to `depth`. `hand` and `share` [entry] are the rows so
    far."""
    frames, before = coding.frames, _moved_before(coding, depth)
    first, end = _row_before(coding, depth)
    for one in range(coding.hands):
        frames.reach[depth, one] = (
            coding.prior[depth % coding.players, one] if first == end else 0.0
        )
    for entry in range(first, end):
        one = hand[entry]
        frames.reach[depth, one] = frames.reach[before, one] * (share[entry] / coding.steps)


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


# What a record holds, for both directions


@hot_kernel
def _code_actions(coding: Coding, coder: Coder, depth: int, listed: int) -> int:
    """Code the first part of the record; return how many actions it lists, or -1 if they cannot be
    right. For encoding `listed` is that number."""
    record, deep, last = coding.record, min(depth, _DEPTHS - 1), coding.frames.last[depth]
    rests = code_bit(coder, _OF_RESTS + deep, record.flags[0])
    record.flags[0] = rests
    more = _OF_MORE + (2 * deep + rests) * _LISTED
    found, lead = 0, 0
    while code_bit(coder, more + min(found, _LISTED - 1), int(found < listed)):
        if found >= record.action.size:
            return -1
        ahead = _OF_AHEAD + min(found, 1) * CONTEXTS_OF_NUMBER
        last += code_number(coder, ahead, record.action[found] - last)
        if last >= record.action.size:
            return -1
        played = _OF_PLAYED + 2 * lead + min(found, 1)
        on = record.lead[found] >> 1
        played = code_bit(coder, played, record.lead[found] & PLAYED)
        on = code_bit(coder, _OF_ON + (2 * lead + played) * _DEPTHS + deep, on)
        lead = played + 2 * on
        record.action[found], record.lead[found] = last, lead
        found += 1
    return found


@hot_kernel
def _code_kinds(coding: Coding, coder: Coder, depth: int) -> None:
    """Code whether all hands that play are among those that may, and the set of kinds."""
    record, frames = coding.record, coding.frames
    within = code_bit(coder, _OF_WITHIN + min(depth, _DEPTHS - 1), record.flags[1])
    parent = frames.kinds[depth - 1] if depth > 0 else -1
    before = frames.kinds[depth - 2] if depth > 1 else -1
    last = -1 if frames.last[depth] < 0 else coding.kind[frames.last[depth]]
    kinds, given = 0, record.flags[2]
    for kind in coding.order:
        known = 4 * int(kind == last) + 2 * ((parent >> kind) & 1) + ((before >> kind) & 1)
        kinds |= code_bit(coder, _OF_KINDS + 8 * kind + known, (given >> kind) & 1) << kind
    record.flags[1], record.flags[2] = within, kinds


@hot_kernel
def _code_hands(coding: Coding, coder: Coder, rows: int, classes: int) -> bool:
    """Code what the classes of hands play; return whether the shares are possible."""
    record, scratch, players, before = coding.record, coding.scratch, 0, 0
    for row in range(rows):
        scratch.popular[row], scratch.played[row] = 0, 2
    many, rests, called = min(rows, _ROWS) - 1, record.flags[0], 2
    for group in range(classes):
        share, seldom = record.share[group], record.seldom[group]
        number = 0
        for row in range(rows):
            number += share[row] > 0
        known = many * _SELDOM + seldom
        plays = code_bit(coder, _OF_PLAYS + 4 * known + before, int(number > 0))
        before = (2 * before + plays) & 3
        if not plays:
            for row in range(rows):
                share[row] = 0
            continue
        if rests:
            called = code_bit(coder, _OF_CALLS + 3 * known + called, int(record.left[group] > 0))
        number = _code_which(coding, coder, rows, group, players)
        players += 1
        if not _code_shares(coding, coder, number, share, seldom, called if rests else 0):
            return False
    return True


@hot_kernel
def _dice_for(coding: Coding, bid: int, hand: int) -> int:
    """Return how many dice of the hand count for a bid, as contexts tell them apart."""
    if bid >= coding.kind.size:
        return 0
    return min(int(coding.matches[coding.kind[bid], hand]), _COUNTS - 1)


@hot_kernel
def _code_which(coding: Coding, coder: Coder, rows: int, group: int, players: int) -> int:
    """Code which of the `rows` a class plays, and list them; return how many. `players` classes
    have played before. The shares of the other rows become 0."""
    scratch, share, number = coding.scratch, coding.record.share[group], 0
    for row in range(rows):
        plays = 1
        if rows > 1 and (row < rows - 1 or number > 0):
            popular = (_POPULAR - 1) * scratch.popular[row] // max(players, 1)
            known = _dice_for(coding, scratch.bid[row], coding.record.first[group])
            known = (known * 3 + scratch.played[row]) * _POPULAR + popular
            known = (known * _ROWS + min(number, _ROWS - 1)) * 2 + int(row == rows - 1)
            plays = code_bit(coder, _OF_WHICH + known, int(share[row] > 0))
        scratch.popular[row] += plays
        scratch.played[row] = plays
        if plays:
            scratch.chosen[number] = row
            number += 1
        else:
            share[row] = 0
    return number


@hot_kernel
def _code_shares(
    coding: Coding, coder: Coder, number: int, share: Ints, seldom: int, calls: int
) -> bool:
    """Code the shares [row] of a class in the `number` rows that it plays; return whether they are
    possible."""
    chosen, left, zeros = coding.scratch.chosen, coding.steps, 0
    coded = number if calls else number - 1
    if coded > 0:
        joined = 0
        for turn in range(coded):
            joined |= share[chosen[turn]]
        while joined > 0 and joined & 1 == 0:
            joined >>= 1
            zeros += 1
        zeros = code_digits(coder, _OF_ZEROS + (seldom << _ZERO_DIGITS), _ZERO_DIGITS, zeros)
    for turn in range(number):
        one = left
        if turn < coded:
            units = _code_units(coder, left >> zeros, coded - turn, share[chosen[turn]] >> zeros)
            one = units << zeros
        left -= one
        if one <= 0 or left < 0:
            return False
        share[chosen[turn]] = one
    return True


@hot_kernel
def _code_units(coder: Coder, left: int, turns: int, units: int) -> int:
    """Code a number of `units`, from 1 to `left`, when this many shares are to come; return it, or
    0 if nothing is left."""
    digits, node, rest = 0, 1, units - 1
    while (left - 1) >> digits > 0:
        digits += 1
    if left <= 0:
        return 0
    upper = _OF_UPPER + ((digits * 3 + min(turns, 3) - 1) << _TOLD_DIGITS)
    for place in range(digits - 1, -1, -1):
        context = upper + node
        if node >= 1 << _TOLD_DIGITS:
            context = _OF_LOWER + digits * _LEFT_DIGITS + place
        node = 2 * node + code_bit(coder, context, (rest >> place) & 1)
    return node - (1 << digits) + 1


# Classes of hands


@hot_kernel
def _list_hands(coding: Coding, hand: NDArray[np.uint16], depth: int, within: int) -> int:
    """List the hands that may play in the record at `depth`; return how many. `hand` [entry] are
    the hands of the rows so far."""
    may, (first, end) = coding.record.may, _row_before(coding, depth)
    if not within or first == end:
        for one in range(coding.hands):
            may[one] = one
        return coding.hands
    for place in range(end - first):
        may[place] = hand[first + place]
    return end - first


@hot_kernel
def _set_codes(coding: Coding, may: int, kinds: int) -> None:
    """Write the codes of the listed hands for a set of `kinds`."""
    code = coding.scratch.code
    for place in range(may):
        code[place] = 0
    for kind in coding.order:
        if (kinds >> kind) & 1:
            for place in range(may):
                code[place] += coding.codes[kind, coding.record.may[place]]


@hot_kernel
def _first_with(slots: Slots, code: int, place: int) -> int:
    """Return the first place that was looked up with this `code`, which may be `place` itself."""
    now, last = slots.now[0], slots.code.size - 1
    slot = (code ^ (code >> 11) ^ (code >> 23)) & last
    while slots.stamp[slot] == now and slots.code[slot] != code:
        slot = (slot + 1) & last
    if slots.stamp[slot] != now:
        slots.stamp[slot], slots.code[slot], slots.first[slot] = now, code, place
    return int(slots.first[slot])


@hot_kernel
def _list_classes(coding: Coding, may: int, depth: int) -> int:
    """Number the classes of the listed hands, which have equal codes, and note how seldom they come
    to `depth`; return how many there are."""
    record, scratch, found = coding.record, coding.scratch, 0
    reach = coding.frames.reach[depth]
    scratch.slots.now[0] += 1
    for place in range(may):
        first = _first_with(scratch.slots, scratch.code[place], place)
        if first == place:
            scratch.class_of[place] = found
            record.first[found], record.reach[found] = record.may[place], 0.0
            found += 1
        group = scratch.class_of[first]
        record.of[place] = group
        record.reach[group] += reach[record.may[place]]
    for group in range(found):
        seldom = _SELDOM - 1
        if record.reach[group] > 0.0:
            part, power = math.frexp(record.reach[group])
            seldom = min(max(2 - 2 * power - int(part >= _ROOT_OF_HALF), 0), seldom)
        record.seldom[group] = seldom
    return found


# Encoding


class Tree(NamedTuple):
    """The tree of a table, as `solver.tables.tree_links.Links`. Without links the histories form no
    tree."""

    last: Ints
    first_child: Ints
    child: Ints
    named: Ints
    """[place] the set of kinds of the bids made at or below the place: a guess of the kinds by
    which hands play differently."""


@kernel
def encode(table: StrategyTable, tree: Tree, coding: Coding, start: Ints, coder: Coder) -> int:
    """Write the records at the places `start` [n] and, if the tree has links, all records below
    them. Call after `begin`, and again after FULL, when the coder has room. Return CODED, FULL,
    WRONG_SHARES if a hand's steps do not add up at some node, or WRONG_ACTION if an action is not
    above the last bid."""
    frames = coding.frames
    depth, here, begun = frames.here
    for before in range(depth):
        _enter_reach(coding, table.hand, table.share, before)
    while True:
        if here < 0:
            if begun == start.size:
                return CODED
            here = depth
            frames.place[here] = start[begun]
            begun += 1
        if room_left(coder) < coding.most:
            frames.here[1], frames.here[2] = here, begun
            return FULL
        outcome = _encode_record(table, tree, coding, here, coder)
        if outcome != CODED:
            return outcome
        here = _enter(coding, here)
        if here > 0:
            frames.place[here] = _child_of(tree, frames.place[here - 1], frames.last[here])


@hot_kernel
def _child_of(tree: Tree, place: int, bid: int) -> int:
    """Return the child of `place` to which `bid` leads."""
    child = tree.first_child[place]
    while tree.last[tree.child[child]] != bid:
        child += 1
    return int(tree.child[child])


@hot_kernel
def _encode_record(
    table: StrategyTable, tree: Tree, coding: Coding, depth: int, coder: Coder
) -> int:
    """Write one record; return the outcome as `encode` does."""
    record, place = coding.record, coding.frames.place[depth]
    _enter_reach(coding, table.hand, table.share, depth)
    listed = _list_actions(table, tree, coding, depth)
    last = coding.frames.last[depth]
    for one in range(listed):
        if record.action[one] <= last:
            return WRONG_ACTION
        last = record.action[one]
    _code_actions(coding, coder, depth, listed)
    rows = _list_rows(coding, listed)
    if rows == 0:
        _pass_kinds_on(coding, depth)
        return CODED
    within = _list_hands(coding, table.hand, depth, 1)
    record.flags[1] = _are_all(coding, rows, within)
    may = _list_hands(coding, table.hand, depth, record.flags[1])
    named = int(tree.named[place]) if place < tree.named.size else 0
    record.flags[2] = coding.frames.kinds[depth] = _needed_kinds(coding, rows, may, named)
    _code_kinds(coding, coder, depth)
    classes = _list_classes(coding, may, depth)
    add_up = _take_shares(coding, rows, may)
    _code_hands(coding, coder, rows, classes)
    return CODED if add_up else WRONG_SHARES


@hot_kernel
def _list_actions(table: StrategyTable, tree: Tree, coding: Coding, depth: int) -> int:
    """List the actions of a record, with their flags, and the records to come after them. Copy
    their rows. Return how many there are."""
    record, place, rest = coding.record, coding.frames.place[depth], coding.code.size - 1
    coding.frames.waiting[depth] = record.flags[0] = 0
    row, end_row, child, end_child = 0, 0, 0, 0
    if place < table.context.size:
        row, end_row = table.first_row[place], table.end_row[place]
    if tree.child.size > 0:
        child, end_child = tree.first_child[place], tree.first_child[place + 1]
    listed, rows = 0, 0
    while row < end_row or child < end_child:
        if row < end_row and table.action[row] == rest:
            record.flags[0] = 1
            row += 1
            continue
        plays = row < end_row
        goes_on = child < end_child
        if plays and goes_on:
            action, bid = np.int64(table.action[row]), tree.last[tree.child[child]]
            plays, goes_on = action <= bid, bid <= action
        first, end = np.int64(0), np.int64(0)
        if plays:
            record.action[listed] = table.action[row]
            first, end = table.first_entry[row], table.first_entry[row + 1]
            _take_row(table, coding, rows, first, end)
            rows, row = rows + 1, row + 1
        if goes_on:
            record.action[listed] = tree.last[tree.child[child]]
            _follow(coding, depth, int(record.action[listed]), int(first), int(end))
            child += 1
        record.lead[listed] = PLAYED * int(plays) + ON * int(goes_on)
        listed += 1
    _turn_round(coding, depth)
    return listed


@hot_kernel
def _take_row(table: StrategyTable, coding: Coding, row: int, first: int, end: int) -> None:
    """Copy the entries from `first` to `end`, as the `row` of the record."""
    for entry in range(first, end):
        coding.record.dense[row, table.hand[entry]] = table.share[entry]


@hot_kernel
def _list_rows(coding: Coding, listed: int) -> int:
    """List the actions that some hand plays; return how many."""
    record, rows = coding.record, 0
    for place in range(listed):
        if record.lead[place] & PLAYED:
            coding.scratch.bid[rows] = record.action[place]
            rows += 1
    return rows


@hot_kernel
def _pass_kinds_on(coding: Coding, depth: int) -> None:
    """Let a gap have the set of kinds of the record before it, as a context for those after."""
    kinds = coding.frames.kinds
    kinds[depth] = kinds[depth - 1] if depth > 0 else -1


@hot_kernel
def _are_all(coding: Coding, rows: int, may: int) -> int:
    """Return 1 if no other hands than the listed ones have shares, else 0."""
    dense, listed, found = coding.record.dense, 0, 0
    for row in range(rows):
        for place in range(may):
            listed += dense[row, coding.record.may[place]] > 0
        for hand in range(coding.hands):
            found += dense[row, hand] > 0
    return int(listed == found)


@hot_kernel
def _needed_kinds(coding: Coding, rows: int, may: int, named: int) -> int:
    """Return a set of kinds such that the listed hands that count alike for them play alike. It
    leaves out one kind after another, first those that are not `named`, as long as this is true.
    Set the codes of the listed hands for this set."""
    code, needed = coding.scratch.code, (1 << len(coding.codes)) - 1
    _set_codes(coding, may, needed)
    for turn in range(2):
        for kind in coding.order:
            if (named >> kind) & 1 == turn and _play_alike(coding, rows, may, kind):
                needed &= ~(1 << kind)
                for place in range(may):
                    code[place] -= coding.codes[kind, coding.record.may[place]]
    return needed


@hot_kernel
def _play_alike(coding: Coding, rows: int, may: int, kind: int) -> bool:
    """Return whether the listed hands with the same code play alike if the code does not count
    the `kind`."""
    record, scratch = coding.record, coding.scratch
    scratch.slots.now[0] += 1
    for place in range(may):
        code = scratch.code[place] - coding.codes[kind, record.may[place]]
        first = _first_with(scratch.slots, code, place)
        if first != place:
            for row in range(rows):
                if record.dense[row, record.may[first]] != record.dense[row, record.may[place]]:
                    return False
    return True


@hot_kernel
def _take_shares(coding: Coding, rows: int, may: int) -> bool:
    """Set what the classes of the listed hands play, and clear the rows. Return whether the steps
    of each class add up."""
    record, add_up = coding.record, True
    for place in range(may):
        group, hand, left = record.of[place], record.may[place], coding.steps
        for row in range(rows):
            record.share[group, row] = record.dense[row, hand]
            left -= record.dense[row, hand]
        record.left[group] = left
        add_up = add_up and left >= 0 and (left == 0 or record.flags[0] == 1)
    for row in range(rows):
        for hand in range(coding.hands):
            record.dense[row, hand] = 0
    return add_up


# Decoding


@kernel
def decode(
    coder: Coder, coding: Coding, records: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Read this many `records`. Write their nodes into `context` [node] and `out`, after the `used`
    [3] nodes, rows and entries. Call after `begin`. Return whether everything fits."""
    frames = coding.frames
    depth, here = frames.here[0], frames.here[0]
    for before in range(depth):
        _enter_reach(coding, out.hand, out.share, before)
    for _ in range(records):
        if here < 0:
            here = depth  # for records that do not form a tree
        if here >= frames.waiting.size - 1 or is_beyond(coder):
            return False
        if not _decode_record(coder, coding, here, context, out, used):
            return False
        here = _enter(coding, here)
    return bool(here < 0)


@hot_kernel
def _decode_record(
    coder: Coder, coding: Coding, depth: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Read one record and write its node, unless it is a gap; return whether it fits."""
    record = coding.record
    _enter_reach(coding, out.hand, out.share, depth)
    listed = _code_actions(coding, coder, depth, 0)
    if listed < 0:
        return False
    rows, may = _list_rows(coding, listed), 0
    if rows == 0:
        _pass_kinds_on(coding, depth)
    else:
        _code_kinds(coding, coder, depth)
        coding.frames.kinds[depth] = record.flags[2]
        may = _list_hands(coding, out.hand, depth, record.flags[1])
        _set_codes(coding, may, record.flags[2])
        if not _code_hands(coding, coder, rows, _list_classes(coding, may, depth)):
            return False
    return _write_node(coding, depth, listed, may, context, out, used)


@hot_kernel
def _write_node(
    coding: Coding, depth: int, listed: int, may: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Write the record as a node, unless it is a gap, and add the records to come. Return whether
    there is room and records follow only bids."""
    record, frames, rest = coding.record, coding.frames, coding.code.size - 1
    first_row, rows, challenges = used[1], 0, record.flags[0] == 1
    frames.waiting[depth] = 0
    for place in range(listed):
        action, lead = record.action[place], record.lead[place]
        if challenges and action > rest:
            challenges = False
            if not _write_rest(out, used, rest):
                return False
        first = end = int(used[2])
        if lead & PLAYED:
            if not _write_row(coding, int(action), rows, may, out, used):
                return False
            end = int(used[2])
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
def _write_row(coding: Coding, action: int, row: int, may: int, out: Rows, used: Ints) -> bool:
    """Write the `row` of an action; return whether there is room."""
    record, entry = coding.record, used[2]
    if used[1] >= out.action.size:
        return False
    for place in range(may):
        share = record.share[record.of[place], row]
        if share > 0:
            if entry >= out.hand.size:
                return False
            out.hand[entry], out.share[entry] = record.may[place], share
            entry += 1
    out.action[used[1]] = action
    used[1], used[2] = used[1] + 1, entry
    out.first_entry[used[1]] = entry
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
