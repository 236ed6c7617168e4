"""Reading coded records back into the nodes of a table (`solver.tables.node_coding`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import kernel, step_kernel
from zhaifei.solver.machine.small_calls import as_python
from zhaifei.solver.tables.arrays import Rows
from zhaifei.solver.tables.node_coding import (
    code_actions,
    code_hands,
    code_kinds,
    list_rows,
    pass_kinds_on,
)
from zhaifei.solver.tables.range_coding import Coder, is_beyond
from zhaifei.solver.tables.record_classes import list_classes, list_hands, set_codes
from zhaifei.solver.tables.record_walk import enter_reach, follow, go_on, turn_round
from zhaifei.solver.tables.records import ON, PLAYED, Coding

Ints = NDArray[np.int64]


@kernel
def decode(
    coder: Coder, coding: Coding, records: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Read this many `records`. Write their nodes into `context` [node] and `out`, after the `used`
    [3] nodes, rows and entries. Call after `begin`. Return whether everything fits."""
    frames = coding.frames
    depth, here = frames.here[0], frames.here[0]
    _enter_all(coding, out, depth)
    for _ in range(records):
        if here < 0:
            here = depth  # for records that do not form a tree
        if here >= frames.waiting.size - 1 or is_beyond(coder):
            return False
        if not _decode_record(coder, coding, here, context, out, used):
            return False
        here = go_on(coding, here)
    return bool(here < 0)


def decode_first(coder: Coder, coding: Coding, context: Ints, out: Rows, used: Ints) -> bool:
    """Read the first record alone, as `decode` does, but without compiling anything. Return whether
    everything fits."""
    return bool(as_python(_decode_first)(coder, coding, context, out, used))


def _decode_first(coder: Coder, coding: Coding, context: Ints, out: Rows, used: Ints) -> bool:
    depth = int(coding.frames.here[0])
    _enter_all(coding, out, depth)
    fits = _decode_record(coder, coding, depth, context, out, used)
    return fits and not is_beyond(coder)


@step_kernel
def _enter_all(coding: Coding, out: Rows, depth: int) -> None:
    """Compute how often each hand comes to each history before the first record, at `depth`."""
    for before in range(depth):
        enter_reach(coding, out.hand, out.share, before)


@step_kernel
def _decode_record(
    coder: Coder, coding: Coding, depth: int, context: Ints, out: Rows, used: Ints
) -> bool:
    """Read one record and write its node, unless it is a gap; return whether it fits."""
    record = coding.record
    enter_reach(coding, out.hand, out.share, depth)
    listed = code_actions(coding, coder, depth, 0)
    if listed < 0:
        return False
    rows, may = list_rows(coding, listed), 0
    if rows == 0:
        pass_kinds_on(coding, depth)
    else:
        code_kinds(coding, coder, depth)
        coding.frames.kinds[depth] = record.flags[2]
        may = list_hands(coding, out.hand, depth, record.flags[1])
        set_codes(coding, may, record.flags[2])
        if not code_hands(coding, coder, rows, list_classes(coding, may, depth)):
            return False
    return _write_node(coding, depth, listed, may, context, out, used)


@step_kernel
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
            follow(coding, depth, int(action), first, end)
    turn_round(coding, depth)
    if challenges and not _write_rest(out, used, rest):
        return False
    if used[1] > first_row:
        if used[0] >= context.size:
            return False
        context[used[0]] = frames.context[depth]
        used[0] += 1
        out.first_row[used[0]] = used[1]
    return True


@step_kernel
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


@step_kernel
def _write_rest(out: Rows, used: Ints, rest: int) -> bool:
    """Write the row of a challenge that takes what the other rows leave; return whether there is
    room."""
    if used[1] >= out.action.size:
        return False
    out.action[used[1]] = rest
    used[1] += 1
    out.first_entry[used[1]] = used[2]
    return True
