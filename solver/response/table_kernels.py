"""Kernels of the search for a best response to a strategy table.

`solver.response.table_search` explains what they compute and why it is right. The search is depth
first over the public tree, for all own hands at once, with an explicit stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.solver.bidding import settled_at, settled_if, stake_of, state_at
from zhaifei.solver.bounds import NEVER
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import ShowdownTables, accumulate, count_listed, pay
from zhaifei.solver.tables.normalised import NormalisedTable
from zhaifei.solver.tables.rows import read_row
from zhaifei.solver.tables.strategy_table import NO_NODE, node_after

NO_RAISE = -1
NO_REPLY = -1
NO_KIND = -1
REFUTED = -1.0
"""Stands for the promise of a raise that no hand can gain by, or of a reply that needs no
opening."""
DONE = -2.0
"""Stands for the promise of a raise that is already in the bounds, or is illegal."""


# Arrays


class SearchStack(NamedTuple):
    """The stack of one search. A frame is a node where the responder moves. Axes `bid` and `reply`
    are as long as there are bids; `own` is how many dice of the own hand count."""

    history: NDArray[np.int64]
    """[bid] all bids so far; the history of the frame at `depth` is the first
    `root_length + 2 * depth` bids."""
    root_length: NDArray[np.int64]
    """[1] how many bids the history of the root has."""
    depth: NDArray[np.int64]
    """[1] the top frame; -1 when the search is over."""
    opened: NDArray[np.int64]
    """[1] nodes opened."""
    fault: NDArray[np.int64]
    """[1] 1 once the policy has made an illegal bid."""
    support: NDArray[np.int64]
    """[depth] how many hands the policy may hold."""
    hand: NDArray[np.int64]
    """[depth, place] which hands these are: a few dozen once the policy has bid twice."""
    reach: NDArray[np.float64]
    """[depth, place] the reach of each listed hand."""
    held: NDArray[np.float64]
    """[depth, hand] a threshold: values up to it do not matter."""
    floor: NDArray[np.float64]
    """[depth, hand] the larger of `held` and `lower`."""
    lower: NDArray[np.float64]
    """[depth, hand] a lower bound of the node's value."""
    upper: NDArray[np.float64]
    """[depth, hand] an upper bound of the endings and of the finished raises."""
    prior: NDArray[np.float64]
    """[hand] the prior of the responder's hands."""
    node: NDArray[np.int64]
    """[depth, bid] the policy's node after the raise."""
    called: NDArray[np.float64]
    """[depth, bid, own] what the policy's endings after the raise pay: T_b."""
    raised: NDArray[np.float64]
    """[depth, bid] the mass that replies to the raise with another raise."""
    promise: NDArray[np.float64]
    """[depth, bid] the promise of the raise, or REFUTED, or DONE."""
    current: NDArray[np.int64]
    """[depth] the raise that is open, or NO_RAISE."""
    raise_lower: NDArray[np.float64]
    """[depth, hand] a lower bound of the open raise."""
    raise_upper: NDArray[np.float64]
    """[depth, hand] an upper bound of the open raise."""
    slack: NDArray[np.float64]
    """[depth, hand] how far `raise_upper` is above the floor, at least 0."""
    entered: NDArray[np.int64]
    """[depth] the reply that led to the next frame."""
    replies: NDArray[np.int64]
    """[depth] how many replies to the open raise there are."""
    reply_row: NDArray[np.int64]
    """[depth, reply] the row of the policy's table that has the reply."""
    reply_mass: NDArray[np.float64]
    """[depth, reply] the mass of the reply."""
    reply_called: NDArray[np.float64]
    """[depth, reply, own] what challenging the reply earns."""
    reply_promise: NDArray[np.float64]
    """[depth, reply] the promise of the reply, or REFUTED."""
    choice: NDArray[np.int16]
    """[depth, hand] the action that earns `lower`."""
    mark: NDArray[np.int64]
    """[depth] how many records there were when the open raise was opened."""
    recorded: NDArray[np.int64]
    """[1] how many records there are."""
    record_length: NDArray[np.int64]
    """[record] how many bids lead to each recorded node. Records are of closed nodes; without room
    for any, none are stored."""
    record_history: NDArray[np.int16]
    """[record, bid] the bids that lead to each recorded node."""
    record_choice: NDArray[np.int16]
    """[record, hand] the action that earns the node's lower bound."""
    tails: NDArray[np.float64]
    """[kind + 1, dice + 1] scratch: the mass with at least 0, 1, ... dice that count. The last row
    is for a part of the reach."""
    own: NDArray[np.float64]
    """[kind, own] scratch: a value for hands with `own` dice that count."""
    own_action: NDArray[np.int16]
    """[kind, own] scratch: the action that earns the value in `own`."""
    played: NDArray[np.float64]
    """[hand] scratch: a row of the policy's table."""


# Kernels: settling challenges


@hot_kernel
def count_reach(
    game: ShowdownTables, work: SearchStack, depth: int, kind: int, tails: NDArray[np.float64]
) -> None:
    """Write into `tails` [dice + 1] the mass of hands with at least 0, 1, ... dice that count."""
    hands, reach, support = work.hand[depth], work.reach[depth], work.support[depth]
    count_listed(hands, reach, support, game.matches[kind], tails)
    accumulate(tails)


@hot_kernel
def count_part(
    game: ShowdownTables,
    opponent: NormalisedTable,
    work: SearchStack,
    depth: int,
    node: int,
    kind: int,
) -> None:
    """Write the tails of a part of the reach into the last row of `work.tails`. The part is played
    by the row of `node` in `work.played`."""
    tails, played = work.tails[-1], work.played
    tails[:] = 0.0
    matches, hands, reach = game.matches[kind], work.hand[depth], work.reach[depth]
    scale = opponent.scale[min(node, opponent.scale.shape[0] - 1)]
    for place in range(work.support[depth]):
        hand = hands[place]
        tails[matches[hand]] += reach[place] * (played[hand] * scale[hand])
    accumulate(tails)


@hot_kernel
def take_part(
    opponent: NormalisedTable, work: SearchStack, depth: int, node: int, row: int
) -> None:
    """Give the next frame the part of the reach that plays `row` of `node`."""
    hands, reach = work.hand[depth], work.reach[depth]
    played = work.played
    read_row(opponent.table, node, row, played)
    scale = opponent.scale[min(node, opponent.scale.shape[0] - 1)]
    support = 0
    for place in range(work.support[depth]):
        hand = hands[place]
        part = reach[place] * (played[hand] * scale[hand])
        if part > 0.0:
            work.hand[depth + 1, support] = hand
            work.reach[depth + 1, support] = part
            support += 1
    work.support[depth + 1] = support


# Kernels: opening a node


@hot_kernel
def state_now(game: ShowdownTables, work: SearchStack, depth: int) -> int:
    """Return the state of the bidding that the frame at `depth` faces."""
    return state_at(game, work.history, work.root_length[0] + 2 * depth)


@hot_kernel
def open_node(
    game: ShowdownTables, opponent: NormalisedTable, work: SearchStack, depth: int
) -> None:
    """Fill the frame at `depth` from its reach, its `held` and the history."""
    work.opened[0] += 1
    work.current[depth] = NO_RAISE
    state = state_now(game, work, depth)
    for kind in range(game.matches.shape[0]):
        count_reach(game, work, depth, kind, work.tails[kind])
    end_now(game, work, depth)
    list_raises(game, opponent, work, depth, state)
    weigh_raises(game, opponent, work, depth, state)
    secure(game, work, depth, state)
    shortlist(game, work, depth, state)


@hot_kernel
def pay_ending(game: ShowdownTables, work: SearchStack, depth: int, ending: int) -> int:
    """Write into `work.own` what the `ending` earns the responder, and return the kind of bid that
    it settles; return NO_KIND if it is illegal."""
    turn = work.root_length[0] + 2 * depth
    made = settled_at(game, work.history, turn, ending)
    if made.cost == 0:
        return NO_KIND
    kind = int(game.kind[made.bid])
    pay(made.claimed, work.tails[kind], stake_of(made, turn), work.own[kind])
    return kind


@hot_kernel
def end_now(game: ShowdownTables, work: SearchStack, depth: int) -> None:
    """Set both bounds to the most that an ending earns."""
    lower, upper, held = work.lower[depth], work.upper[depth], work.held[depth]
    floor, choice = work.floor[depth], work.choice[depth]
    for hand in range(lower.size):
        lower[hand] = NEVER
        choice[hand] = game.claimed.size
    for ending in range(game.back.size):
        kind = pay_ending(game, work, depth, ending)
        if kind == NO_KIND:
            continue
        earned, matches = work.own[kind], game.matches[kind]
        for hand in range(lower.size):
            if earned[matches[hand]] > lower[hand]:
                lower[hand] = earned[matches[hand]]
                choice[hand] = game.claimed.size + ending
    for hand in range(lower.size):
        upper[hand] = lower[hand]
        floor[hand] = max(lower[hand], held[hand])


@hot_kernel
def list_raises(
    game: ShowdownTables, opponent: NormalisedTable, work: SearchStack, depth: int, state: int
) -> None:
    """List the raises in `state`: whether each is legal, and the policy's node after it."""
    length, node = work.root_length[0] + 2 * depth, NO_NODE
    for bid in range(game.first_raise[state], game.claimed.size):
        work.promise[depth, bid] = 0.0 if game.legal[state, bid] else DONE
        work.history[length] = bid
        node = node_after(opponent.table, work.history, length + 1, node)
        work.node[depth, bid] = node


@hot_kernel
def weigh_raises(
    game: ShowdownTables, opponent: NormalisedTable, work: SearchStack, depth: int, state: int
) -> None:
    """Compute for each raise what the policy's endings after it pay, and the mass that replies."""
    table, turn = opponent.table, work.root_length[0] + 2 * depth
    for bid in range(game.first_raise[state], game.claimed.size):
        if work.promise[depth, bid] == DONE:
            continue
        kind, node = game.kind[bid], work.node[depth, bid]
        whole, called = work.tails[kind], work.called[depth, bid]
        if node == NO_NODE:
            work.raised[depth, bid] = 0.0
            made = settled_if(game, bid, 0, turn + 1)
            pay(made.claimed, whole, stake_of(made, turn), called)
            continue
        row, left, paid = table.end_row[node] - 1, whole[0], work.own[0]
        for own in range(called.size):
            called[own] = 0.0
        while row >= table.first_row[node]:
            ending = int(table.action[row]) - game.claimed.size
            if not 0 <= ending < game.back.size:
                break
            made = settled_if(game, bid, ending, turn + 1)
            read_row(table, node, row, work.played)
            count_part(game, opponent, work, depth, node, kind)
            tails = work.tails[-1]
            pay(made.claimed, tails, stake_of(made, turn), paid)
            for own in range(called.size):
                called[own] += paid[own]
            left -= tails[0]
            row -= 1
        work.raised[depth, bid] = max(0.0, left)


@hot_kernel
def secure(game: ShowdownTables, work: SearchStack, depth: int, state: int) -> None:
    """Raise `lower` and `floor` to what raises earn if the policy wins after every reply."""
    best, action = work.own, work.own_action
    best[:] = NEVER
    for bid in range(game.first_raise[state], game.claimed.size):
        if work.promise[depth, bid] == DONE:
            continue
        kind = game.kind[bid]
        for own in range(best.shape[1]):
            earned = work.called[depth, bid, own] - game.most_cost * work.raised[depth, bid]
            if earned > best[kind, own]:
                best[kind, own] = earned
                action[kind, own] = bid
    lower, choice, floor = work.lower[depth], work.choice[depth], work.floor[depth]
    for kind in range(best.shape[0]):
        matches = game.matches[kind]
        for hand in range(lower.size):
            if best[kind, matches[hand]] > lower[hand]:
                lower[hand] = best[kind, matches[hand]]
                choice[hand] = action[kind, matches[hand]]
    for hand in range(lower.size):
        floor[hand] = max(lower[hand], floor[hand])


@hot_kernel
def shortlist(game: ShowdownTables, work: SearchStack, depth: int, state: int) -> None:
    """Set the promise of every raise; REFUTED if no hand can beat the floor by the raise."""
    least, floor = work.own, work.floor[depth]
    for kind in range(least.shape[0]):
        hands, first = game.sorted_hands[kind], game.first_place[kind]
        for own in range(least.shape[1]):
            smallest = -NEVER
            for place in range(first[own], first[own + 1]):
                smallest = min(smallest, floor[hands[place]])
            least[kind, own] = smallest
    for bid in range(game.first_raise[state], game.claimed.size):
        if work.promise[depth, bid] == DONE:
            continue
        kind, promise = game.kind[bid], REFUTED
        raised = game.most_cost * work.raised[depth, bid]
        for own in range(least.shape[1]):
            if work.called[depth, bid, own] + raised > least[kind, own]:
                promise = promise_of_raise(game, work, depth, bid)
                break
        work.promise[depth, bid] = promise


@hot_kernel
def promise_of_raise(game: ShowdownTables, work: SearchStack, depth: int, bid: int) -> float:
    """Return the promise of a raise: by how much, averaged over own hands, opening it can move what
    matters. Return REFUTED if no hand can beat the floor by the raise."""
    called, raised = work.called[depth, bid], game.most_cost * work.raised[depth, bid]
    matches, floor = game.matches[game.kind[bid]], work.floor[depth]
    total = 0.0
    for hand in range(floor.size):
        excess = called[matches[hand]] + raised - floor[hand]
        total += work.prior[hand] * max(0.0, min(excess, 2.0 * raised))
    return total if total > 0.0 else REFUTED


# Kernels: steps of the search


@hot_kernel
def choose_raise(game: ShowdownTables, work: SearchStack, depth: int, cut: float) -> int:
    """Return the most promising raise that is worth opening, or NO_RAISE."""
    state = state_now(game, work, depth)
    while True:
        best, most = NO_RAISE, cut
        for bid in range(game.first_raise[state], game.claimed.size):
            if work.promise[depth, bid] > most:
                best, most = bid, work.promise[depth, bid]
        if best == NO_RAISE:
            return NO_RAISE
        # The floor may have risen since the promise was computed.
        work.promise[depth, best] = promise_of_raise(game, work, depth, best)
        if work.promise[depth, best] > cut:
            return best


@hot_kernel
def open_raise(
    game: ShowdownTables,
    opponent: NormalisedTable,
    work: SearchStack,
    depth: int,
    bid: int,
    cut: float,
) -> None:
    """Make `bid` the open raise, with every reply to it challenged."""
    table, bids = opponent.table, game.claimed.size
    work.current[depth] = bid
    work.mark[depth] = work.recorded[0]
    work.history[work.root_length[0] + 2 * depth] = bid
    lower, upper = work.raise_lower[depth], work.raise_upper[depth]
    called, matches = work.called[depth, bid], game.matches[game.kind[bid]]
    slack, floor, share = work.slack[depth], work.floor[depth], 0.0
    raised = game.most_cost * work.raised[depth, bid]
    for hand in range(lower.size):
        lower[hand] = called[matches[hand]]
        upper[hand] = lower[hand] + raised
        slack[hand] = max(0.0, upper[hand] - floor[hand])
        share += work.prior[hand] if slack[hand] > 0.0 else 0.0
    node, replies = work.node[depth, bid], 0
    state = state_at(game, work.history, work.root_length[0] + 2 * depth + 1)
    work.replies[depth] = 0
    if node == NO_NODE:
        return
    for row in range(table.first_row[node], table.end_row[node]):
        reply = table.action[row]
        if reply >= bids and reply - bids < game.back.size and game.cost[bid, reply - bids] > 0:
            continue  # `called` contains this ending
        if not 0 <= reply < bids or not game.legal[state, reply]:
            work.fault[0] = 1
            return
        read_row(table, node, row, work.played)
        count_part(game, opponent, work, depth, node, game.kind[reply])
        tails = work.tails[-1]
        if tails[0] > 0.0:
            work.reply_row[depth, replies] = row
            challenge_reply(game, work, depth, replies, reply, tails)
            if 2.0 * game.most_cost * share * tails[0] > cut:
                promise = promise_of_reply(game, work, depth, replies, game.kind[reply])
                work.reply_promise[depth, replies] = promise
            replies += 1
    work.replies[depth] = replies


@hot_kernel
def challenge_reply(
    game: ShowdownTables,
    work: SearchStack,
    depth: int,
    index: int,
    reply: int,
    tails: NDArray[np.float64],
) -> None:
    """Add what challenging the reply earns to the raise's lower bound."""
    called, matches = work.reply_called[depth, index], game.matches[game.kind[reply]]
    turn = work.root_length[0] + 2 * depth
    made = settled_if(game, reply, 0, turn + 2)
    pay(made.claimed, tails, stake_of(made, turn), called)
    lower = work.raise_lower[depth]
    for hand in range(lower.size):
        lower[hand] += called[matches[hand]]
    work.reply_mass[depth, index] = tails[0]
    work.reply_promise[depth, index] = REFUTED


@hot_kernel
def promise_of_reply(
    game: ShowdownTables, work: SearchStack, depth: int, index: int, kind: int
) -> float:
    """Return the promise of a reply: by how much, averaged over own hands, opening it can move what
    matters."""
    called, most = work.reply_called[depth, index], game.most_cost * work.reply_mass[depth, index]
    matches, slack = game.matches[kind], work.slack[depth]
    total = 0.0
    for hand in range(slack.size):
        total += work.prior[hand] * min(most - called[matches[hand]], slack[hand])
    return total


@hot_kernel
def choose_reply(
    game: ShowdownTables, opponent: NormalisedTable, work: SearchStack, depth: int, cut: float
) -> int:
    """Return the most promising reply that is worth opening, or NO_REPLY."""
    promise = work.reply_promise[depth]
    while True:
        best, most = NO_REPLY, cut
        for index in range(work.replies[depth]):
            if promise[index] > most:
                best, most = index, promise[index]
        if best == NO_REPLY:
            return NO_REPLY
        # The raise's upper bound may have fallen since the promise was computed.
        reply = opponent.table.action[work.reply_row[depth, best]]
        promise[best] = promise_of_reply(game, work, depth, best, game.kind[reply])
        if promise[best] > cut:
            promise[best] = REFUTED
            return best


@hot_kernel
def push(game: ShowdownTables, opponent: NormalisedTable, work: SearchStack, index: int) -> None:
    """Push a frame for a reply of the top frame. The caller opens the new frame."""
    depth = work.depth[0]
    row, most = work.reply_row[depth, index], game.most_cost * work.reply_mass[depth, index]
    node = work.node[depth, work.current[depth]]
    take_part(opponent, work, depth, node, row)
    floor, upper, held = work.floor[depth], work.raise_upper[depth], work.held[depth + 1]
    for hand in range(held.size):
        held[hand] = floor[hand] - (upper[hand] - most)
    work.history[work.root_length[0] + 2 * depth + 1] = opponent.table.action[row]
    work.entered[depth] = index
    work.depth[0] = depth + 1


@hot_kernel
def pop(game: ShowdownTables, work: SearchStack) -> None:
    """Close the top frame and replace the bounds of the unopened reply by the frame's."""
    close_node(game, work, work.depth[0])
    record(work, work.depth[0])
    depth = work.depth[0] - 1
    work.depth[0] = depth
    if depth < 0:
        return
    index = work.entered[depth]
    most, called = game.most_cost * work.reply_mass[depth, index], work.reply_called[depth, index]
    reply = work.history[work.root_length[0] + 2 * depth + 1]
    matches = game.matches[game.kind[reply]]
    lower, upper = work.raise_lower[depth], work.raise_upper[depth]
    slack, floor = work.slack[depth], work.floor[depth]
    for hand in range(lower.size):
        lower[hand] += work.lower[depth + 1, hand] - called[matches[hand]]
        upper[hand] += work.upper[depth + 1, hand] - most
        slack[hand] = max(0.0, upper[hand] - floor[hand])


@hot_kernel
def close_raise(work: SearchStack, depth: int) -> None:
    """Merge the bounds of the open raise into the bounds of the node."""
    bid, chosen = work.current[depth], False
    lower, upper, floor = work.lower[depth], work.upper[depth], work.floor[depth]
    raise_lower, raise_upper = work.raise_lower[depth], work.raise_upper[depth]
    choice = work.choice[depth]
    for hand in range(lower.size):
        if raise_lower[hand] > lower[hand]:
            lower[hand] = raise_lower[hand]
            choice[hand] = bid
            chosen = True
        upper[hand] = max(upper[hand], raise_upper[hand])
        floor[hand] = max(floor[hand], lower[hand])
    if not chosen:
        work.recorded[0] = work.mark[depth]  # no hand makes this raise
    work.promise[depth, bid] = DONE
    work.current[depth] = NO_RAISE


@hot_kernel
def close_node(game: ShowdownTables, work: SearchStack, depth: int) -> None:
    """Merge the raises that were not opened into the node's upper bound."""
    state = state_now(game, work, depth)
    upper, floor, refuted = work.upper[depth], work.floor[depth], False
    for bid in range(game.first_raise[state], game.claimed.size):
        if work.promise[depth, bid] == REFUTED:
            refuted = True
        elif work.promise[depth, bid] != DONE:
            called, matches = work.called[depth, bid], game.matches[game.kind[bid]]
            raised = game.most_cost * work.raised[depth, bid]
            for hand in range(upper.size):
                upper[hand] = max(upper[hand], called[matches[hand]] + raised)
    if refuted:
        for hand in range(upper.size):
            upper[hand] = max(upper[hand], floor[hand])


@hot_kernel
def record(work: SearchStack, depth: int) -> None:
    """Store the choices that earn the lower bound of a node, if there is room."""
    place = work.recorded[0]
    if place >= work.record_length.size:
        return
    work.recorded[0] = place + 1
    work.record_length[place] = work.root_length[0] + 2 * depth
    for bid in range(work.record_length[place]):
        work.record_history[place, bid] = work.history[bid]
    for hand in range(work.choice.shape[1]):
        work.record_choice[place, hand] = work.choice[depth, hand]


@hot_kernel
def advance(
    game: ShowdownTables, opponent: NormalisedTable, work: SearchStack, cut: float, until: int
) -> bool:
    """Search until `until` nodes have been opened; return whether the search is over. Raises and
    replies that promise at most `cut` are not opened. A larger cut in a later call ends the search
    sooner."""
    while work.depth[0] >= 0 and work.fault[0] == 0:
        depth = work.depth[0]
        if work.current[depth] == NO_RAISE:
            bid = choose_raise(game, work, depth, cut)
            if bid == NO_RAISE:
                pop(game, work)
            else:
                open_raise(game, opponent, work, depth, bid, cut)
            continue
        index = choose_reply(game, opponent, work, depth, cut)
        if index == NO_REPLY:
            close_raise(work, depth)
        elif work.opened[0] >= until:
            work.reply_promise[depth, index] = -NEVER  # the next call takes it first
            return False
        else:
            push(game, opponent, work, index)
            open_node(game, opponent, work, depth + 1)
    return True
