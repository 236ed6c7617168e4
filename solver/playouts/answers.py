"""Decisions after many histories at once, in compiled code."""

from __future__ import annotations

from zhaifei.solver.machine.jit import kernel
from zhaifei.solver.playouts.beliefs import Model, copy_seat
from zhaifei.solver.playouts.walk import Ints, Walk, bid_together, decide, mover


@kernel
def answer(model: Model, walk: Walk, history: Ints) -> None:
    """Write in `walk.action` [round] what the player in turn does after each `history`
    [round, bid], all with at least one bid. `walk.order` has the rounds sorted by their histories,
    so that the walk comes to each history once.

    All seats of a round are in `walk.dealt`, but only the hand, the style, the limit and the last
    number of the player in turn are read."""
    made, depth = history.shape[1], 0
    walk.next[0], walk.end[0] = 0, len(history)
    walk.own[:, :] = 1.0
    while depth >= 0:
        first = walk.next[depth]
        if first == walk.end[depth] or depth == made:
            depth -= 1
            if depth >= 0:
                copy_seat(walk.before, depth, walk.seats, mover(model, depth, walk.after[depth, 1]))
            continue
        bid, end = history[walk.order[first], depth], first + 1
        while end < walk.end[depth] and history[walk.order[end], depth] == bid:
            end += 1
        walk.next[depth] = end
        bid_together(model, walk, depth, depth, first, end, bid)
        depth += 1
        walk.next[depth], walk.end[depth] = first, end
        if depth == made:
            decide(model, walk, made, depth, first, end)
