"""Writing the nodes of a compact strategy table as coded records (`solver.tables.node_coding`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.tables.node_coding import (
    code_actions,
    code_hands,
    code_kinds,
    list_rows,
    pass_kinds_on,
)
from zhaifei.solver.tables.range_coding import Coder, room_left
from zhaifei.solver.tables.record_classes import first_with, list_classes, list_hands, set_codes
from zhaifei.solver.tables.record_walk import enter_reach, follow, go_on, turn_round
from zhaifei.solver.tables.records import ON, PLAYED, Coding
from zhaifei.solver.tables.strategy_table import StrategyTable

Ints = NDArray[np.int64]

CODED, WRONG_SHARES, WRONG_ACTION, FULL = 0, 1, 2, 3
"""Outcomes of encoding. FULL: the buffer may be too short for another record."""


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
        enter_reach(coding, table.hand, table.share, before)
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
        here = go_on(coding, here)
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
    enter_reach(coding, table.hand, table.share, depth)
    listed = _list_actions(table, tree, coding, depth)
    last = coding.frames.last[depth]
    for one in range(listed):
        if record.action[one] <= last:
            return WRONG_ACTION
        last = record.action[one]
    code_actions(coding, coder, depth, listed)
    rows = list_rows(coding, listed)
    if rows == 0:
        pass_kinds_on(coding, depth)
        return CODED
    within = list_hands(coding, table.hand, depth, 1)
    record.flags[1] = _are_all(coding, rows, within)
    may = list_hands(coding, table.hand, depth, record.flags[1])
    named = int(tree.named[place]) if place < tree.named.size else 0
    record.flags[2] = coding.frames.kinds[depth] = _needed_kinds(coding, rows, may, named)
    code_kinds(coding, coder, depth)
    classes = list_classes(coding, may, depth)
    add_up = _take_shares(coding, rows, may)
    code_hands(coding, coder, rows, classes)
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
            follow(coding, depth, int(record.action[listed]), int(first), int(end))
            child += 1
        record.lead[listed] = PLAYED * int(plays) + ON * int(goes_on)
        listed += 1
    turn_round(coding, depth)
    return listed


@hot_kernel
def _take_row(table: StrategyTable, coding: Coding, row: int, first: int, end: int) -> None:
    """Copy the entries from `first` to `end`, as the `row` of the record."""
    for entry in range(first, end):
        coding.record.dense[row, table.hand[entry]] = table.share[entry]


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
    set_codes(coding, may, needed)
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
        first = first_with(scratch.slots, code, place)
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
