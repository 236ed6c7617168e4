"""What a best response earns against a fixed two-player policy: a certified interval.

The responder has perfect recall in the full game, whatever the policy remembers. All they know of
the policy's hand is its *reach*: for each hand, its probability times the probability that the
policy bids like this with it. With the reach `w` of total mass `m`, the value of a history where
the responder moves is, for each own hand `h` (values are not divided by `m`, so they add up),

    V(h) = max( C(h), max over raises b of  T_b(h) + sum over replies r of V_{b,r}(h) )

with `C`: challenge now; `T_b`: what the part of `w` that challenges `b` pays; `V_{b,r}`: the value
after the reply `r`, whose reach is `w` times its probability. The search is depth first, with an
explicit stack of frames, for all hands at once. What it may leave out, and why the result is still
a theorem, is this:

**Lower bound.** Every number in a `lower` vector is earned, or exceeded, by some strategy of the
responder with that hand: challenging (`C`), or raising and then, after each reply, playing on as
the reply's own lower bound says. A reply that is not opened is answered by challenging it at once;
if a raise is not opened, every reply to it is taken to lose (`T_b` minus the mass that replies).
An information set is one own hand and one public history, so the strategies for different hands
and after different replies can be put together.

**Upper bound.** Every number in an `upper` vector is at least `V(h)`: a payoff is at most 1, so
below a history no strategy earns more than the mass `m`. A reply that is not opened enters with
its mass, a raise that is not opened with `T_b` plus the mass that replies, and the upper bound of a
node is the maximum over the challenge and *all* raises, opened or not.

**What is left out.** `held` is what a node must be worth for it to matter: by less, the raise that
led there does not beat what is in hand at the node before, even if everything else in that raise
pays what it can at best. It decides what is opened and nothing else, with one exception: a raise
that can beat `floor = max(lower, held)` with no hand enters `upper` as `floor`, which is no less
than what it can pay. The *promise* of a raise or a reply is by how much, averaged over own hands,
opening it can move anything that matters; at most the cut, and it is not opened.

**Cut 0.** Then something is left out only if, with every own hand, its bounds coincide or it cannot
matter. By induction from the leaves, `lower` and `upper` of a node coincide wherever `upper` is
above `held`. At a root, what is held is a lower bound of the root itself; so there both are `V`.

**Rounding.** All sums are in float64, and the terms of a node are at most its mass `m` in size. A
node adds fewer than `4 * (hands + bids)` of them, so it errs by less than that times `m * eps`; the
masses of the nodes at one depth that a strategy reaches total at most 1, and so the result errs by
less than the sum over depths. Twice that widens it at either end.

**The policy measured** is that of the table, each hand's probabilities divided by their sum: their
rounding to float32 makes it another policy, not another value of the same one.

The walk over the public tree with all hands at once is that of Johanson et al. 2011, who compute
the exact value; bounds and cuts are ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from game.errors import ZhaifeiError
from game.tables import NO_BID, BidTables
from solver.bounds import Bounds
from solver.jit import hot_kernel
from solver.strategy import NO_NODE, StrategyTable, node_of

EXACT_GAP = 1e-9
"""Exploitability is called exact if its interval is narrower; see Rounding above."""
COARSEST, FINEST, CUT_RATIO = 0.02, 1e-14, 0.125
"""The cuts that `refine` goes through; below the finest come none."""
NODES_PER_CALL = 500
"""Nodes opened by one call of the kernel; between calls Python looks at the clock and at Ctrl-C."""

NO_RAISE = -1
NO_REPLY = -1
REFUTED = -1.0
"""In place of a promise: a raise that no hand can gain by, or a reply that needs no opening."""
DONE = -2.0
"""In place of a promise: a raise that is in the bounds already, or that the rules forbid."""
NEVER = -np.inf
"""In place of a value: the action is not there."""


class BestResponseError(ZhaifeiError):
    """A policy that no best response can be computed against."""


# Arrays


class Showdowns(NamedTuple):
    """The rules, laid out for settling challenges. A *kind* is a set of bids that count the same
    dice: those of one mode and face."""

    prior: NDArray[np.float64]
    """[hand] the probability of each hand."""
    kind: NDArray[np.int64]
    """[bid]"""
    matches: NDArray[np.int8]
    """[kind, hand] how many dice of the hand count."""
    sorted_hands: NDArray[np.int64]
    """[kind, place] the hands by how many of their dice count."""
    first_place: NDArray[np.int64]
    """[kind, dice + 2] where in `sorted_hands` those with that many dice begin."""
    claimed: NDArray[np.int64]
    """[bid]"""
    first_raise: NDArray[np.int64]
    """[last + 1]"""
    opens: NDArray[np.bool_]
    """[bid]"""


class Opponent(NamedTuple):
    """The policy, and what its rows are multiplied by so that each hand's sum to 1."""

    table: StrategyTable
    scale: NDArray[np.float64]
    """[node, hand], or [1, hand] where all nodes share it."""


class Work(NamedTuple):
    """The stack of one search. A frame is a node where the responder moves; axes `bid` and `reply`
    are as long as there are bids, and `own` is how many dice of the own hand count."""

    history: NDArray[np.int64]
    """[bid] all bids so far; the frame at `depth` sees the first `root_length + 2 * depth`."""
    root_length: NDArray[np.int64]
    """[1]"""
    depth: NDArray[np.int64]
    """[1] the top frame; -1 when the search is over."""
    opened: NDArray[np.int64]
    """[2] nodes opened, replies looked at."""
    fault: NDArray[np.int64]
    """[1] 1 once the policy has made a bid that the rules do not allow."""
    support: NDArray[np.int64]
    """[depth] how many hands the policy may hold."""
    hand: NDArray[np.int64]
    """[depth, place] which hands these are: a few dozen once it has bid twice."""
    reach: NDArray[np.float64]
    """[depth, place]"""
    held: NDArray[np.float64]
    """[depth, hand] values up to this do not matter."""
    floor: NDArray[np.float64]
    """[depth, hand] the larger of held and lower."""
    lower: NDArray[np.float64]
    """[depth, hand]"""
    upper: NDArray[np.float64]
    """[depth, hand] of the challenge and of the raises that are finished."""
    node: NDArray[np.int64]
    """[depth, bid] the policy's node after the raise."""
    called: NDArray[np.float64]
    """[depth, bid, own] T_b."""
    raised: NDArray[np.float64]
    """[depth, bid] the mass that replies to the raise with another."""
    promise: NDArray[np.float64]
    """[depth, bid] what opening the raise may gain, or REFUTED, or DONE."""
    current: NDArray[np.int64]
    """[depth] the raise that is open, or NO_RAISE."""
    raise_lower: NDArray[np.float64]
    """[depth, hand] bounds of the open raise."""
    raise_upper: NDArray[np.float64]
    """[depth, hand]"""
    slack: NDArray[np.float64]
    """[depth, hand] how far the open raise is above the floor, at least 0."""
    entered: NDArray[np.int64]
    """[depth] the reply that is the frame above."""
    replies: NDArray[np.int64]
    """[depth] how many replies to the open raise there are."""
    reply_row: NDArray[np.int64]
    """[depth, reply] the row of the policy's table."""
    reply_mass: NDArray[np.float64]
    """[depth, reply]"""
    reply_called: NDArray[np.float64]
    """[depth, reply, own] what challenging the reply earns."""
    reply_promise: NDArray[np.float64]
    """[depth, reply] what opening the reply may gain, or REFUTED."""
    tails: NDArray[np.float64]
    """[kind + 1, dice + 1] scratch: the mass with at least that many dice that count; the last
    row is for a part of the reach."""
    own: NDArray[np.float64]
    """[kind, own] scratch."""


# Kernels: settling challenges


@hot_kernel
def accumulate(tails: NDArray[np.float64]) -> None:
    """Turns the mass with exactly 0, 1, ... dice into that with at least as many, in place."""
    for dice in range(tails.size - 2, -1, -1):
        tails[dice] += tails[dice + 1]


@hot_kernel
def count_reach(
    game: Showdowns, work: Work, depth: int, kind: int, tails: NDArray[np.float64]
) -> None:
    """Writes into `tails` [dice + 1] the mass of hands with at least 0, 1, ... dice that count."""
    tails[:] = 0.0
    matches, hands, reach = game.matches[kind], work.hand[depth], work.reach[depth]
    for place in range(work.support[depth]):
        tails[matches[hands[place]]] += reach[place]
    accumulate(tails)


@hot_kernel
def count_part(
    game: Showdowns, opponent: Opponent, work: Work, depth: int, node: int, row: int, kind: int
) -> None:
    """Writes the tails of the part of the reach that plays `row` of `node` last in `work.tails`."""
    tails = work.tails[-1]
    tails[:] = 0.0
    matches, hands, reach = game.matches[kind], work.hand[depth], work.reach[depth]
    probability = opponent.table.probability[row]
    scale = opponent.scale[min(node, opponent.scale.shape[0] - 1)]
    for place in range(work.support[depth]):
        hand = hands[place]
        tails[matches[hand]] += reach[place] * (probability[hand] * scale[hand])
    accumulate(tails)


@hot_kernel
def take_part(opponent: Opponent, work: Work, depth: int, node: int, row: int) -> None:
    """Gives the frame above `depth` the part of the reach that plays `row` of `node`."""
    hands, reach = work.hand[depth], work.reach[depth]
    probability = opponent.table.probability[row]
    scale = opponent.scale[min(node, opponent.scale.shape[0] - 1)]
    support = 0
    for place in range(work.support[depth]):
        hand = hands[place]
        part = reach[place] * (probability[hand] * scale[hand])
        if part > 0.0:
            work.hand[depth + 1, support] = hand
            work.reach[depth + 1, support] = part
            support += 1
    work.support[depth + 1] = support


@hot_kernel
def write_called(
    game: Showdowns,
    bid: int,
    tails: NDArray[np.float64],
    sign: float,
    called: NDArray[np.float64],
) -> None:
    """Writes into `called` [own] what a challenge of `bid` pays its bidder, times `sign`: one
    player holds `own` dice that count, the other as many as `tails` says."""
    for own in range(called.size):
        missing = game.claimed[bid] - own
        true = tails[max(missing, 0)] if missing < tails.size else 0.0
        called[own] = sign * (2.0 * true - tails[0])


# Kernels: opening a node


@hot_kernel
def open_node(game: Showdowns, opponent: Opponent, work: Work, depth: int) -> None:
    """Fills the frame at `depth` from its reach, what is held, and the history."""
    work.opened[0] += 1
    work.current[depth] = NO_RAISE
    length = work.root_length[0] + 2 * depth
    last = work.history[length - 1] if length > 0 else NO_BID
    for kind in range(game.matches.shape[0]):
        count_reach(game, work, depth, kind, work.tails[kind])
    challenge(game, work, depth, last)
    weigh_raises(game, opponent, work, depth, last)
    secure(game, work, depth, last)
    shortlist(game, work, depth, last)


@hot_kernel
def challenge(game: Showdowns, work: Work, depth: int, last: int) -> None:
    """Sets both bounds to what challenging `last` earns."""
    lower, upper = work.lower[depth], work.upper[depth]
    if last == NO_BID:
        lower[:] = NEVER
        upper[:] = NEVER
        return
    kind = game.kind[last]
    called = work.own[kind]
    write_called(game, last, work.tails[kind], -1.0, called)
    matches = game.matches[kind]
    for hand in range(lower.size):
        lower[hand] = called[matches[hand]]
        upper[hand] = lower[hand]


@hot_kernel
def weigh_raises(game: Showdowns, opponent: Opponent, work: Work, depth: int, last: int) -> None:
    """For each raise: the policy's node, what its challenges pay, and the mass that replies."""
    table, bids = opponent.table, game.claimed.size
    length = work.root_length[0] + 2 * depth
    for bid in range(game.first_raise[last + 1], bids):
        if last == NO_BID and not game.opens[bid]:
            work.promise[depth, bid] = DONE
            continue
        work.promise[depth, bid] = REFUTED
        kind = game.kind[bid]
        whole, called = work.tails[kind], work.called[depth, bid]
        work.history[length] = bid
        node = node_of(table, work.history, length + 1)
        work.node[depth, bid] = node
        if node == NO_NODE:
            work.raised[depth, bid] = 0.0
            write_called(game, bid, whole, 1.0, called)
            continue
        row = table.first_row[node + 1] - 1
        if table.action[row] != bids:
            work.raised[depth, bid] = whole[0]
            called[:] = 0.0
            continue
        count_part(game, opponent, work, depth, node, row, kind)
        tails = work.tails[-1]
        work.raised[depth, bid] = max(0.0, whole[0] - tails[0])
        write_called(game, bid, tails, 1.0, called)


@hot_kernel
def secure(game: Showdowns, work: Work, depth: int, last: int) -> None:
    """Raises `lower` to what raises earn if every reply to them wins; sets `floor`."""
    best = work.own
    best[:] = NEVER
    for bid in range(game.first_raise[last + 1], game.claimed.size):
        if work.promise[depth, bid] == DONE:
            continue
        kind = game.kind[bid]
        for own in range(best.shape[1]):
            earned = work.called[depth, bid, own] - work.raised[depth, bid]
            best[kind, own] = max(best[kind, own], earned)
    lower, held, floor = work.lower[depth], work.held[depth], work.floor[depth]
    for kind in range(best.shape[0]):
        matches = game.matches[kind]
        for hand in range(lower.size):
            lower[hand] = max(lower[hand], best[kind, matches[hand]])
    for hand in range(lower.size):
        floor[hand] = max(lower[hand], held[hand])


@hot_kernel
def shortlist(game: Showdowns, work: Work, depth: int, last: int) -> None:
    """Sets the promise of every raise; those that beat the floor with no hand are refuted."""
    least, floor = work.own, work.floor[depth]
    for kind in range(least.shape[0]):
        hands, first = game.sorted_hands[kind], game.first_place[kind]
        for own in range(least.shape[1]):
            smallest = -NEVER
            for place in range(first[own], first[own + 1]):
                smallest = min(smallest, floor[hands[place]])
            least[kind, own] = smallest
    for bid in range(game.first_raise[last + 1], game.claimed.size):
        if work.promise[depth, bid] == DONE:
            continue
        kind = game.kind[bid]
        for own in range(least.shape[1]):
            if work.called[depth, bid, own] + work.raised[depth, bid] > least[kind, own]:
                work.promise[depth, bid] = promise_of_raise(game, work, depth, bid)
                break


@hot_kernel
def promise_of_raise(game: Showdowns, work: Work, depth: int, bid: int) -> float:
    """By how much, averaged over own hands, opening the raise can move what matters; REFUTED if
    it beats the floor with no hand."""
    called, raised = work.called[depth, bid], work.raised[depth, bid]
    matches, floor = game.matches[game.kind[bid]], work.floor[depth]
    total = 0.0
    for hand in range(floor.size):
        excess = called[matches[hand]] + raised - floor[hand]
        total += game.prior[hand] * max(0.0, min(excess, 2.0 * raised))
    return total if total > 0.0 else REFUTED


# Kernels: steps of the search


@hot_kernel
def choose_raise(game: Showdowns, work: Work, depth: int, cut: float) -> int:
    """The most promising raise that is worth opening, or NO_RAISE."""
    length = work.root_length[0] + 2 * depth
    last = work.history[length - 1] if length > 0 else NO_BID
    while True:
        best, most = NO_RAISE, cut
        for bid in range(game.first_raise[last + 1], game.claimed.size):
            if work.promise[depth, bid] > most:
                best, most = bid, work.promise[depth, bid]
        if best == NO_RAISE:
            return NO_RAISE
        # The floor may have risen since.
        work.promise[depth, best] = promise_of_raise(game, work, depth, best)
        if work.promise[depth, best] > cut:
            return best


@hot_kernel
def open_raise(
    game: Showdowns, opponent: Opponent, work: Work, depth: int, bid: int, cut: float
) -> None:
    """Makes `bid` the open raise, with every reply to it challenged."""
    table, bids = opponent.table, game.claimed.size
    work.current[depth] = bid
    work.history[work.root_length[0] + 2 * depth] = bid
    lower, upper = work.raise_lower[depth], work.raise_upper[depth]
    called, matches = work.called[depth, bid], game.matches[game.kind[bid]]
    slack, floor, share = work.slack[depth], work.floor[depth], 0.0
    for hand in range(lower.size):
        lower[hand] = called[matches[hand]]
        upper[hand] = lower[hand] + work.raised[depth, bid]
        slack[hand] = max(0.0, upper[hand] - floor[hand])
        share += game.prior[hand] if slack[hand] > 0.0 else 0.0
    node, replies = work.node[depth, bid], 0
    work.replies[depth] = 0
    if node == NO_NODE:
        return
    for row in range(table.first_row[node], table.first_row[node + 1]):
        reply = table.action[row]
        if reply == bids and row == table.first_row[node + 1] - 1:
            continue  # `called` has it
        if reply < game.first_raise[bid + 1] or reply >= bids:
            work.fault[0] = 1
            return
        count_part(game, opponent, work, depth, node, row, game.kind[reply])
        tails = work.tails[-1]
        if tails[0] > 0.0:
            work.reply_row[depth, replies] = row
            challenge_reply(game, work, depth, replies, reply, tails)
            if 2.0 * share * tails[0] > cut:
                promise = promise_of_reply(game, work, depth, replies, game.kind[reply])
                work.reply_promise[depth, replies] = promise
            replies += 1
    work.opened[1] += replies
    work.replies[depth] = replies


@hot_kernel
def challenge_reply(
    game: Showdowns,
    work: Work,
    depth: int,
    index: int,
    reply: int,
    tails: NDArray[np.float64],
) -> None:
    """Adds to the raise's lower bound what challenging the reply earns."""
    called, matches = work.reply_called[depth, index], game.matches[game.kind[reply]]
    write_called(game, reply, tails, -1.0, called)
    lower = work.raise_lower[depth]
    for hand in range(lower.size):
        lower[hand] += called[matches[hand]]
    work.reply_mass[depth, index] = tails[0]
    work.reply_promise[depth, index] = REFUTED


@hot_kernel
def promise_of_reply(game: Showdowns, work: Work, depth: int, index: int, kind: int) -> float:
    """By how much, averaged over own hands, opening the reply can move what matters."""
    called, mass = work.reply_called[depth, index], work.reply_mass[depth, index]
    matches, slack = game.matches[kind], work.slack[depth]
    total = 0.0
    for hand in range(slack.size):
        total += game.prior[hand] * min(mass - called[matches[hand]], slack[hand])
    return total


@hot_kernel
def choose_reply(game: Showdowns, opponent: Opponent, work: Work, depth: int, cut: float) -> int:
    """The most promising reply that is worth opening, or NO_REPLY."""
    promise = work.reply_promise[depth]
    while True:
        best, most = NO_REPLY, cut
        for index in range(work.replies[depth]):
            if promise[index] > most:
                best, most = index, promise[index]
        if best == NO_REPLY:
            return NO_REPLY
        # The raise may pay less than it seemed then.
        reply = opponent.table.action[work.reply_row[depth, best]]
        promise[best] = promise_of_reply(game, work, depth, best, game.kind[reply])
        if promise[best] > cut:
            promise[best] = REFUTED
            return best


@hot_kernel
def push(opponent: Opponent, work: Work, index: int) -> None:
    """Makes a reply of the top frame the new top frame, to be opened."""
    depth = work.depth[0]
    row, mass = work.reply_row[depth, index], work.reply_mass[depth, index]
    node = work.node[depth, work.current[depth]]
    take_part(opponent, work, depth, node, row)
    floor, upper, held = work.floor[depth], work.raise_upper[depth], work.held[depth + 1]
    for hand in range(held.size):
        held[hand] = floor[hand] - (upper[hand] - mass)
    work.history[work.root_length[0] + 2 * depth + 1] = opponent.table.action[row]
    work.entered[depth] = index
    work.depth[0] = depth + 1


@hot_kernel
def pop(game: Showdowns, work: Work) -> None:
    """Closes the top frame and puts its bounds in place of those of the unopened reply."""
    close_node(game, work, work.depth[0])
    depth = work.depth[0] - 1
    work.depth[0] = depth
    if depth < 0:
        return
    index = work.entered[depth]
    mass, called = work.reply_mass[depth, index], work.reply_called[depth, index]
    reply = work.history[work.root_length[0] + 2 * depth + 1]
    matches = game.matches[game.kind[reply]]
    lower, upper = work.raise_lower[depth], work.raise_upper[depth]
    slack, floor = work.slack[depth], work.floor[depth]
    for hand in range(lower.size):
        lower[hand] += work.lower[depth + 1, hand] - called[matches[hand]]
        upper[hand] += work.upper[depth + 1, hand] - mass
        slack[hand] = max(0.0, upper[hand] - floor[hand])


@hot_kernel
def close_raise(work: Work, depth: int) -> None:
    """Enters the bounds of the open raise into those of the node."""
    work.promise[depth, work.current[depth]] = DONE
    work.current[depth] = NO_RAISE
    for hand in range(work.lower.shape[1]):
        work.lower[depth, hand] = max(work.lower[depth, hand], work.raise_lower[depth, hand])
        work.upper[depth, hand] = max(work.upper[depth, hand], work.raise_upper[depth, hand])
        work.floor[depth, hand] = max(work.floor[depth, hand], work.lower[depth, hand])


@hot_kernel
def close_node(game: Showdowns, work: Work, depth: int) -> None:
    """Enters the raises that were not opened into the upper bound."""
    length = work.root_length[0] + 2 * depth
    last = work.history[length - 1] if length > 0 else NO_BID
    upper, floor, refuted = work.upper[depth], work.floor[depth], False
    for bid in range(game.first_raise[last + 1], game.claimed.size):
        if work.promise[depth, bid] == REFUTED:
            refuted = True
        elif work.promise[depth, bid] != DONE:
            called, matches = work.called[depth, bid], game.matches[game.kind[bid]]
            for hand in range(upper.size):
                most = called[matches[hand]] + work.raised[depth, bid]
                upper[hand] = max(upper[hand], most)
    if refuted:
        for hand in range(upper.size):
            upper[hand] = max(upper[hand], floor[hand])


@hot_kernel
def advance(game: Showdowns, opponent: Opponent, work: Work, cut: float, until: int) -> bool:
    """Searches until `until` nodes have been opened; whether the search is over. What promises at
    most `cut` is not opened; a larger cut in a later call ends the search sooner."""
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
            push(opponent, work, index)
            open_node(game, opponent, work, depth + 1)
    return True


@hot_kernel
def sum_rows(table: StrategyTable, sums: NDArray[np.float64]) -> None:
    """Writes into `sums` [node, hand] what the rows of each node add up to."""
    for node in range(sums.shape[0]):
        for hand in range(sums.shape[1]):
            sums[node, hand] = 0.0
        for row in range(table.first_row[node], table.first_row[node + 1]):
            for hand in range(sums.shape[1]):
                sums[node, hand] += table.probability[row, hand]


# Bounds


@dataclass(frozen=True)
class BestResponse:
    """What a best response earns in a round, in each seat, and what finding out took."""

    opener: Bounds
    """Where the responder makes the first bid."""
    responder: Bounds
    """Where the policy makes the first bid."""
    cut: float
    nodes: int
    """Histories opened so far."""
    replies: int
    """Replies of the policy looked at so far."""
    seconds: float

    @property
    def exploitability(self) -> Bounds:
        """The mean over seats."""
        return (self.opener + self.responder) / 2.0

    @property
    def exact(self) -> bool:
        """Whether nothing but rounding is left open."""
        return self.exploitability.gap < EXACT_GAP


# Search


class _Root:
    """A history where the responder first moves: bounds of each raise, which only get tighter."""

    def __init__(self, work: Work, game: Showdowns, reach: NDArray[np.float64], bid: int) -> None:
        """From `work` just after `_Search._start`; `bid` is the policy's opening, or NO_BID."""
        first = range(game.first_raise[bid + 1], game.claimed.size)
        legal = [place for place in first if bid != NO_BID or game.opens[place]]
        self.reach = reach
        self.bid = bid
        self.raises = np.array(legal, dtype=np.int64)
        """[raise] the bids that may follow."""
        own = game.matches[game.kind[self.raises]]
        called = np.take_along_axis(work.called[0, self.raises], own, axis=1)
        raised = work.raised[0, self.raises][:, np.newaxis]
        self.lower = called - raised
        """[raise, hand]"""
        self.upper = called + raised
        """[raise, hand]"""
        # No raise is closed yet, so this is the challenge alone.
        self.challenge = work.upper[0].copy()
        """[hand]"""
        self.prior = game.prior

    def held(self) -> NDArray[np.float64]:
        """[hand] a lower bound of the value."""
        held: NDArray[np.float64] = self.lower.max(axis=0, initial=NEVER)
        np.maximum(held, self.challenge, out=held)
        return held

    def bounds(self) -> Bounds:
        """Of the value, averaged over hands."""
        upper = np.maximum(self.challenge, self.upper.max(axis=0, initial=NEVER))
        return Bounds(float(self.prior @ self.held()), float(self.prior @ upper))

    def promises(self) -> NDArray[np.float64]:
        """[raise] by how much, averaged over hands, a closer look can move what matters."""
        gain = np.minimum(self.upper - self.lower, self.upper - self.held())
        return np.asarray(gain.clip(min=0.0) @ self.prior)

    def tighten(self, place: int, work: Work) -> None:
        """Enters what a finished search of one raise has found."""
        self.lower[place] = np.maximum(self.lower[place], work.lower[0])
        self.upper[place] = np.minimum(self.upper[place], work.upper[0])


class _Search:
    """All roots of a policy, and the workspace that they take turns in."""

    def __init__(self, tables: BidTables, table: StrategyTable) -> None:
        if tables.players != 2:
            raise BestResponseError(
                f"best responses are to two-player policies; these rules are for {tables.players}"
            )
        self.game = showdowns(tables)
        self.opponent = opponent(tables, table)
        self.work = workspace(self.game)
        # With no frame this does nothing, but is compiled before the clock starts.
        self.work.depth[0] = -1
        advance(self.game, self.opponent, self.work, 0.0, 0)
        self.began = time.monotonic()
        self.margin = _margin(self.work)
        self.opener = [self._root(self.game.prior, NO_BID)]
        self.responder = [self._root(*opening) for opening in self._openings()]

    def _openings(self) -> Iterator[tuple[NDArray[np.float64], int]]:
        """What the policy opens with, and the reach of each."""
        table = self.opponent.table
        for row in range(table.first_row[0], table.first_row[1]):
            bid = int(table.action[row])
            if not (0 <= bid < self.game.opens.size and self.game.opens[bid]):
                raise BestResponseError(f"the policy opens with action {bid}; that is no first bid")
            scale = self.opponent.scale[0]
            yield self.game.prior * (table.probability[row] * scale), bid

    def _root(self, reach: NDArray[np.float64], bid: int) -> _Root:
        self._start(reach, bid)
        return _Root(self.work, self.game, reach, bid)

    def _start(self, reach: NDArray[np.float64], bid: int) -> None:
        """Makes a root the only frame, opened, with nothing held elsewhere."""
        work, (support,) = self.work, reach.nonzero()
        work.history[0] = bid
        work.root_length[0] = 0 if bid == NO_BID else 1
        work.depth[0] = 0
        work.support[0] = support.size
        work.hand[0, : support.size] = support
        work.reach[0, : support.size] = reach[support]
        work.held[0] = NEVER
        open_node(self.game, self.opponent, work, 0)

    def _start_raise(self, bid: int, held: NDArray[np.float64], cut: float) -> None:
        """After `_start`: opens `bid` and no other, with `held` in hand."""
        work = self.work
        work.promise[0] = DONE
        work.lower[0] = work.upper[0] = NEVER
        work.held[0] = work.floor[0] = held
        open_raise(self.game, self.opponent, work, 0, bid, cut)

    def sweep(self, cut: float, deadline: float = np.inf) -> None:
        """Searches every raise at a root that promises more than `cut`. Once `deadline` (of the
        monotonic clock) has passed, what is left keeps the bounds it has."""
        for root in (*self.opener, *self.responder):
            left = np.ones(root.raises.size, dtype=np.bool_)
            while time.monotonic() < deadline:
                promises = root.promises()
                left &= promises > cut
                if not left.any():
                    break
                place = int(np.where(left, promises, NEVER).argmax())
                left[place] = False
                self._look(root, place, cut, deadline)

    def _look(self, root: _Root, place: int, cut: float, deadline: float) -> None:
        """Searches one raise at a root."""
        game, work = self.game, self.work
        self._start(root.reach, root.bid)
        self._start_raise(int(root.raises[place]), root.held(), cut)
        while not advance(game, self.opponent, work, cut, int(work.opened[0]) + NODES_PER_CALL):
            if time.monotonic() > deadline:
                cut = np.inf  # what is not yet open stays so, and the bounds stay bounds
        if work.fault[0]:
            raise BestResponseError("the policy raises to a bid that is not stronger")
        root.tighten(place, work)

    def result(self, cut: float) -> BestResponse:
        """The bounds so far."""
        return BestResponse(
            opener=self._sum(self.opener),
            responder=self._sum(self.responder),
            cut=cut,
            nodes=int(self.work.opened[0]),
            replies=int(self.work.opened[1]),
            seconds=time.monotonic() - self.began,
        )

    def _sum(self, roots: list[_Root]) -> Bounds:
        total = sum((root.bounds() for root in roots), start=Bounds(0.0, 0.0))
        return Bounds(total.lower - self.margin, total.upper + self.margin)


def showdowns(tables: BidTables) -> Showdowns:
    """The tables laid out for settling challenges, with the prior in float64."""
    matches, kind = np.unique(tables.matches, axis=0, return_inverse=True)
    exactly = np.arange(tables.dice + 2)
    # Every prior is a whole multiple of the smallest: so float32 is undone without a trace.
    multiples = np.rint(tables.prior / tables.prior.min()).astype(np.float64)
    return Showdowns(
        prior=multiples / multiples.sum(),
        kind=kind.reshape(-1).astype(np.int64),
        matches=matches,
        sorted_hands=np.argsort(matches, axis=1, kind="stable"),
        first_place=(matches[:, np.newaxis, :] < exactly[:, np.newaxis]).sum(axis=2),
        claimed=tables.claimed,
        first_raise=tables.first_raise,
        opens=tables.opens,
    )


def opponent(tables: BidTables, table: StrategyTable) -> Opponent:
    """The policy of `table`, each hand's probabilities divided by their sum.

    Raises BestResponseError if it is not one for these rules.
    """
    hands = tables.prior.size
    if table.probability.shape[1] != hands or table.recall.code.shape[1] != tables.claimed.size + 1:
        raise BestResponseError("the policy is for other rules than those given")
    sums = np.empty((table.context.size, hands), dtype=np.float64)
    sum_rows(table, sums)
    # Written so that NaN fails too.
    if not (table.probability.min() >= 0 and sums.min() > 0.0 and sums.max() < np.inf):
        raise BestResponseError("the policy has a hand whose probabilities are none")
    shared = bool((sums == sums[0, 0]).all())
    return Opponent(table, 1.0 / (sums[:1] if shared else sums))


def workspace(game: Showdowns) -> Work:
    """An empty stack; one per thread."""
    kinds, hands = game.matches.shape
    dice = game.first_place.shape[1] - 2
    bids = game.claimed.size
    # Every frame but the first takes two bids, and there is one to spare.
    frames = _longest_chain(game) // 2 + 2

    def real(*shape: int) -> NDArray[np.float64]:
        return np.zeros(shape, dtype=np.float64)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    return Work(
        history=whole(2 * frames + 2),
        root_length=whole(1),
        depth=whole(1),
        opened=whole(2),
        fault=whole(1),
        support=whole(frames),
        hand=whole(frames, hands),
        reach=real(frames, hands),
        held=real(frames, hands),
        floor=real(frames, hands),
        lower=real(frames, hands),
        upper=real(frames, hands),
        node=whole(frames, bids),
        called=real(frames, bids, dice + 1),
        raised=real(frames, bids),
        promise=real(frames, bids),
        current=whole(frames),
        raise_lower=real(frames, hands),
        raise_upper=real(frames, hands),
        slack=real(frames, hands),
        entered=whole(frames),
        replies=whole(frames),
        reply_row=whole(frames, bids),
        reply_mass=real(frames, bids),
        reply_called=real(frames, bids, dice + 1),
        reply_promise=real(frames, bids),
        tails=real(kinds + 1, dice + 1),
        own=real(kinds, dice + 1),
    )


def _longest_chain(game: Showdowns) -> int:
    """Bids in the longest history: from the weakest opening, each the weakest that may follow."""
    length, bid = 0, int(game.first_raise[NO_BID + 1])
    while bid < game.claimed.size:
        length += 1
        bid = int(game.first_raise[bid + 1])
    return length


def _margin(work: Work) -> float:
    """More than rounding can move a bound by; see Rounding above."""
    frames, hands = work.reach.shape
    eps = float(np.finfo(np.float64).eps)
    return float(8 * frames * (hands + work.called.shape[1])) * eps


# Users


def best_response(tables: BidTables, table: StrategyTable, cut: float = 0.0) -> BestResponse:
    """Bounds of what best responses to the policy of `table` earn; exact for a cut of 0.

    Raises BestResponseError if there are not two players, or the table fits other rules.
    """
    search = _Search(tables, table)
    search.sweep(cut)
    return search.result(cut)


def refine(
    tables: BidTables, table: StrategyTable, *, gap: float = 0.0, seconds: float = np.inf
) -> Iterator[BestResponse]:
    """Bounds that only get tighter, until exploitability is known to `gap` or exactly, or about
    `seconds` of searching have passed.

    Raises BestResponseError as `best_response` does.
    """
    search = _Search(tables, table)
    deadline = search.began + seconds
    for cut in _cuts():
        search.sweep(cut, deadline)
        result = search.result(cut)
        yield result
        if result.exact or result.exploitability.gap <= gap or time.monotonic() >= deadline:
            return


def _cuts() -> Iterator[float]:
    """From coarse to fine, ending with none."""
    cut = COARSEST
    while cut > FINEST:
        yield cut
        cut *= CUT_RATIO
    yield 0.0
