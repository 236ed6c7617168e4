"""The classes of hands of a record: hands that count alike for its set of kinds of bids."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import step_kernel
from zhaifei.solver.tables.record_walk import row_before
from zhaifei.solver.tables.records import Coding, Slots

SELDOM = 48
"""How many reaches contexts tell apart. The last one stands for all below."""
_ROOT_OF_HALF = 0.7071067811865476


@step_kernel
def list_hands(coding: Coding, hand: NDArray[np.uint16], depth: int, within: int) -> int:
    """List the hands that may play in the record at `depth`; return how many. `hand` [entry] are
    the hands of the rows so far."""
    may, (first, end) = coding.record.may, row_before(coding, depth)
    if not within or first == end:
        for one in range(coding.hands):
            may[one] = one
        return coding.hands
    for place in range(end - first):
        may[place] = hand[first + place]
    return end - first


@step_kernel
def set_codes(coding: Coding, may: int, kinds: int) -> None:
    """Write the codes of the listed hands for a set of `kinds`."""
    code = coding.scratch.code
    for place in range(may):
        code[place] = 0
    for kind in coding.order:
        if (kinds >> kind) & 1:
            for place in range(may):
                code[place] += coding.codes[kind, coding.record.may[place]]


@step_kernel
def first_with(slots: Slots, code: int, place: int) -> int:
    """Return the first place that was looked up with this `code`, which may be `place` itself."""
    now, last = slots.now[0], slots.code.size - 1
    slot = (code ^ (code >> 11) ^ (code >> 23)) & last
    while slots.stamp[slot] == now and slots.code[slot] != code:
        slot = (slot + 1) & last
    if slots.stamp[slot] != now:
        slots.stamp[slot], slots.code[slot], slots.first[slot] = now, code, place
    return int(slots.first[slot])


@step_kernel
def list_classes(coding: Coding, may: int, depth: int) -> int:
    """Number the classes of the listed hands, which have equal codes, and note how seldom they come
    to `depth`; return how many there are."""
    record, scratch, found = coding.record, coding.scratch, 0
    reach = coding.frames.reach[depth]
    scratch.slots.now[0] += 1
    for place in range(may):
        first = first_with(scratch.slots, scratch.code[place], place)
        if first == place:
            scratch.class_of[place] = found
            record.first[found], record.reach[found] = record.may[place], 0.0
            found += 1
        group = scratch.class_of[first]
        record.of[place] = group
        record.reach[group] += reach[record.may[place]]
    for group in range(found):
        seldom = SELDOM - 1
        if record.reach[group] > 0.0:
            part, power = math.frexp(record.reach[group])
            seldom = min(max(2 - 2 * power - int(part >= _ROOT_OF_HALF), 0), seldom)
        record.seldom[group] = seldom
    return found
