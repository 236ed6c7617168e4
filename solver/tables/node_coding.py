"""The nodes of a compact strategy table as one stream of bits: what a record holds.

Nodes come depth first, so contexts follow. A *record* is a node, or a gap between nodes (see
`solver.tables.tree_links`). Where contexts do not form a tree, records are the nodes in their
order. `code_actions` and `code_hands` say what a record holds, for both directions:

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

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import step_kernel
from zhaifei.solver.tables.range_coding import (
    CONTEXTS_OF_NUMBER,
    Coder,
    code_bit,
    code_digits,
    code_number,
)
from zhaifei.solver.tables.record_classes import SELDOM
from zhaifei.solver.tables.records import LEFT_DIGITS, PLAYED, Coding

Ints = NDArray[np.int64]

_DEPTHS, _LISTED, _ROWS, _COUNTS = 8, 8, 3, 5
"""How many depths, numbers of actions, numbers of rows and numbers of dice contexts tell apart. The
last ones stand for all beyond."""
_KINDS = 64
_ZERO_DIGITS, _TOLD_DIGITS = 4, 4
"""The digits of a number of zeros, and those of a share with contexts by the digits before."""
_POPULAR = 5

_SIZES = (
    2 * _DEPTHS,  # rests
    2 * _DEPTHS * _LISTED,  # more
    2 * CONTEXTS_OF_NUMBER,  # ahead
    4 * 2,  # played
    4 * 2 * _DEPTHS,  # on
    _DEPTHS,  # within
    8 * _KINDS,  # kinds
    4 * _ROWS * SELDOM,  # plays
    3 * _ROWS * SELDOM,  # calls
    3 * 2 * _COUNTS * _ROWS * _POPULAR,  # which
    SELDOM << _ZERO_DIGITS,  # zeros
    LEFT_DIGITS * 3 << _TOLD_DIGITS,  # upper digits of shares
    LEFT_DIGITS * LEFT_DIGITS,  # lower digits of shares
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


@step_kernel
def code_actions(coding: Coding, coder: Coder, depth: int, listed: int) -> int:
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


@step_kernel
def list_rows(coding: Coding, listed: int) -> int:
    """List the actions that some hand plays; return how many."""
    record, rows = coding.record, 0
    for place in range(listed):
        if record.lead[place] & PLAYED:
            coding.scratch.bid[rows] = record.action[place]
            rows += 1
    return rows


@step_kernel
def code_kinds(coding: Coding, coder: Coder, depth: int) -> None:
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


@step_kernel
def pass_kinds_on(coding: Coding, depth: int) -> None:
    """Let a gap have the set of kinds of the record before it, as a context for those after."""
    kinds = coding.frames.kinds
    kinds[depth] = kinds[depth - 1] if depth > 0 else -1


@step_kernel
def code_hands(coding: Coding, coder: Coder, rows: int, classes: int) -> bool:
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
        known = many * SELDOM + seldom
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


@step_kernel
def _dice_for(coding: Coding, bid: int, hand: int) -> int:
    """Return how many dice of the hand count for a bid, as contexts tell them apart."""
    if bid >= coding.kind.size:
        return 0
    return min(int(coding.matches[coding.kind[bid], hand]), _COUNTS - 1)


@step_kernel
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


@step_kernel
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


@step_kernel
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
            context = _OF_LOWER + digits * LEFT_DIGITS + place
        node = 2 * node + code_bit(coder, context, (rest >> place) & 1)
    return node - (1 << digits) + 1
