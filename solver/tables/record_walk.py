"""The walk of the records of a packed table: which comes next, and which hands come there.

A walk begins with `solver.tables.records.begin`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.machine.jit import step_kernel
from zhaifei.solver.tables.records import Coding


@step_kernel
def moved_before(coding: Coding, depth: int) -> int:
    """Return the depth at which the player who moves at `depth` moved before; negative if they did
    not."""
    doubled = coding.frames.last[depth] >= coding.plain
    return depth - (2 if doubled else coding.players)  # two players alone go on after a double


@step_kernel
def row_before(coding: Coding, depth: int) -> tuple[int, int]:
    """Return the first entry and the end of a row: the player who moves at `depth` made the row's
    move before. Without such a move the first entry is the end."""
    before = moved_before(coding, depth)
    if before < 0:
        return 0, 0
    return int(coding.frames.own[before, 0]), int(coding.frames.own[before, 1])


@step_kernel
def enter_reach(
    coding: Coding,
    hand: NDArray[np.uint16],
    share: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float32],
    depth: int,
) -> None:
    """Compute how often each hand comes to `depth`. `hand` and `share` [entry] are the rows so
    far."""
    frames, before = coding.frames, moved_before(coding, depth)
    first, end = row_before(coding, depth)
    for one in range(coding.hands):
        frames.reach[depth, one] = (
            coding.prior[depth % coding.players, one] if first == end else 0.0
        )
    for entry in range(first, end):
        one = hand[entry]
        frames.reach[depth, one] = frames.reach[before, one] * (share[entry] / coding.steps)


@step_kernel
def go_on(coding: Coding, depth: int) -> int:
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


@step_kernel
def follow(coding: Coding, depth: int, action: int, first: int, end: int) -> None:
    """Add a record to come after `action`, whose row has the entries `first` to `end`."""
    frames = coding.frames
    follower = frames.follower[depth, frames.waiting[depth]]
    follower[0], follower[1], follower[2] = action, first, end
    frames.waiting[depth] += 1


@step_kernel
def turn_round(coding: Coding, depth: int) -> None:
    """Reverse the records to come, so that they come in the order in which they were added."""
    follower, last = coding.frames.follower[depth], coding.frames.waiting[depth] - 1
    for place in range((last + 1) // 2):
        for field in range(3):
            one, other = follower[place, field], follower[last - place, field]
            follower[place, field], follower[last - place, field] = other, one
