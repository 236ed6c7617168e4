"""Exact best responses to a strategy table with full recall, for any number of players.

Use this engine for tables with full recall: it visits each stored history about once per seat, in
compiled code. For two players `table_search` works for tables with any recall. Other policies are
left to `several_players`.

The responder sits in one seat, sees all bids and plays the full game; all others play the table.
Hands are independent given the bids, so all that is known of another player is their range: for
each hand, its probability times the probability of bidding like this with it. Values are vectors
over the responder's own hands, in penalty points. They are not divided by the probability `m` with
which the others bid like this, so they add up. An ending with the cost c pays its loser -c and
everyone else c / (N - 1) (`solver.bidding.Settled`); c is at most D.

**The walk.** Let V(h) be the value to the responder after the bids h, and let h be *stored* if the
table has a node for it. The walk computes a number W(h) for each own hand:

1. Another player moves, h is stored: the sum over the actions of the table. Each action enters with
   what the ending pays, or W(h, r) for the raise or double r, for the part of the mover's range
   that takes it.
2. Another player moves, h is not stored: what a challenge of the last bid pays or, after a double,
   what showing the dice pays.
3. The responder moves: the maximum over what each legal ending pays, giving up included, W(h, b)
   for each raise or double b with (h, b) stored, and the following terms. If there is a double b
   with (h, b) not stored, one term is what showing the dice after b pays. One term for each *kind*
   of bid (mode and face) is what a challenge of b pays, where b is the weakest raise of this kind
   with (h, b) not stored.

**Theorem.** W = V, with every own hand.

*Proof.* By induction on the number of bids that can still follow. It is finite since each bid is
stronger than the one before, and doubles are followed by a limited number of doubles alone. Hands
of different players are independent, so each hand of the responder is a decision problem of its own
against the same ranges. A response with perfect recall may do anything at each (hand, history). So
where another player moves, V is the sum over their actions, weighted by the policy; where the
responder moves, V is the maximum over the legal actions.

- Case 1 is this sum; actions without a row have probability 0. A part with mass 0 contributes 0.
- Case 2: at a history without a node a table challenges the last bid with every hand, or shows the
  dice after a double. Either ends the round.
- Case 3 has every ending, every double and every raise to a stored history. An ending is worth what
  it pays, and a double to a history that is not stored is worth what case 2 says. Case 3 leaves out
  only some raises: raises b' to histories that are not stored for which a weaker raise b of the
  same kind is not stored either. After (h, b') and after (h, b) it is another player's turn, since
  N >= 2, and by case 2 this player challenges with every hand. Challenges of the last bid that is
  no double cost the same, say c. So V(h, b') = c m (T' / (N - 1) - F'), where T' and F' are the
  probabilities, given the ranges and the own hand, that b' is true and false; likewise for b. Both
  count the same dice and b claims fewer, so b is true whenever b' is: T >= T', F = 1 - T <= F', and
  V(h, b) >= V(h, b'). So the actions left out do not change the maximum.

If the responder moves next after a history in case 1, case 3 applies whether the history is stored
or not: what the table does at the responder's turns is never read. ∎

The proof does not require that stored raises lead to each stored history, or that the table comes
from training: the theorem is about whatever the arrays contain, as `node_of` reads them. Full
recall is needed only for speed: with it the walk opens at most the stored histories, and the
histories one bid longer at which the responder moves. (Johanson et al. 2011 compute the exact value
by the same walk of the public tree for two players, whose strategies are defined everywhere. The
step to N players, 跳开, doubles and histories that are not stored is ours.)

**Rounding.** All sums are in float64. They are made of products and sums of nonnegative numbers,
and of differences of such sums. `solver.bounds.rounding` bounds the error, given one more than the
number of bids in the longest line walked. The error widens the result at either end.

**Bounds.** A job is one opening in one seat. Until it is done it enters with the least and the most
that the opening can pay, so bounds hold at any time. First, all jobs are walked with a *cut*: where
the others' mass m is below it, the responder does not follow raises that are stored. Leaving these
raises out in case 3 makes W too low, since a maximum over fewer terms is no larger. Counting them
as m D / (N - 1), the most that anything pays, makes W too high. Sums and maxima preserve both. Then
the jobs that still matter are walked whole, the one with the widest bounds first. An opening of the
responder does not matter if, with every hand, another opening surely pays at least as much.

**Threads.** Jobs share only tables, and one thread walks each job. Results are added up, or
maximised, in the order of the openings. All values of a job are computed by the same operations in
the same order, which are monotone also where they round, so a skipped job cannot exceed the
maximum. So exact results do not depend on the number of threads. The margin for rounding, some
1e-14, may: threads may skip different openings, and so walk a different longest line.

An illegal action is reported where the walk meets it. Lines grow only by stronger bids, so the walk
ends and stays within its arrays, whatever the table contains.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.anytime import Limits, by_steps
from zhaifei.solver.bidding import Settled, settled_at, settled_if, state_at
from zhaifei.solver.bounds import NEVER, BestResponse, Bounds, rounding
from zhaifei.solver.machine.jit import hot_kernel, kernel
from zhaifei.solver.machine.threads import Threads
from zhaifei.solver.showdown import mass_of_at_least, payoffs
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable
from zhaifei.solver.value.self_play import self_play_of
from zhaifei.solver.value.table_walk import (
    LEGAL,
    NO_LEVEL,
    Line,
    Stored,
    add_up_dice,
    arrive,
    bid_now,
    mass_of,
    mover_after,
    new_line,
    open_rows,
    stored,
    take_row,
    verify_legal,
)

COARSE_CUT = 1e-2
"""The cut of the first two walks of each opening. For the shipped policy of two players they take a
fifteenth of the time, and leave 21 of 88 openings that may be best."""
NODES_PER_CALL = 1000
"""Histories opened by one call of the kernel; between calls Python looks at the clock."""
SECONDS_PER_STEP = 0.2
"""How long threads work before Python looks at Ctrl-C, and about how long a step takes."""

_NO_RAISE = -1
_START = -1
"""Stands for the depth of the top frame when nothing has been walked yet."""
_OVER = -2
"""Stands for the depth of the top frame when the walk is over."""


class Walk(NamedTuple):
    """The stack of one thread. In each frame, either the responder moves or the history has a
    node."""

    line: Line
    seat: NDArray[np.int64]
    """[1] the responder's seat."""
    base: NDArray[np.int64]
    """[1] the depth of the frame in which the walk ends."""
    least: NDArray[np.float64]
    """[1] the cut: where the others' mass is below it, the responder's raises that lead to a node
    are not followed. 0 for exact values."""
    beyond: NDArray[np.float64]
    """[1] what a raise that is not followed pays instead, per mass. NEVER leaves the raise out, so
    the result may be too low; the most that a round can pay makes it too high."""
    place: NDArray[np.int64]
    """[1] the opening to walk, if the walk begins at the start of a round: the bid if the responder
    opens, otherwise the table's row."""
    opened: NDArray[np.int64]
    """[1] histories opened."""
    own: NDArray[np.int64]
    """[1] histories opened at which the responder moves."""
    value: NDArray[np.float64]
    """[depth, hand] what the responder gets; the value at `base` is the result."""
    watched: NDArray[np.float64]
    """[depth] what the responder gets, with any hand, by challenges between other players."""
    child: NDArray[np.int64]
    """[depth, place] where the responder moves: the raises that lead to a node, last first."""
    children: NDArray[np.int64]
    """[depth] how many raises of `child` are left."""
    leaving: NDArray[np.int64]
    """[kind + 1] the weakest raise of the kind that leads to no node, or _NO_RAISE; the last is the
    double that leads to no node."""
    earned: NDArray[np.float64]
    """[own] what a challenge pays, by how many dice of the own hand count."""


def new_walk(tables: BidTables) -> Walk:
    """Return an empty stack; each thread needs its own."""
    line = new_line(tables)
    depths, hands = line.scale.shape
    return Walk(
        line=line,
        seat=np.zeros(1, dtype=np.int64),
        base=np.zeros(1, dtype=np.int64),
        least=np.zeros(1),
        beyond=np.full(1, NEVER),
        place=np.zeros(1, dtype=np.int64),
        opened=np.zeros(1, dtype=np.int64),
        own=np.zeros(1, dtype=np.int64),
        value=np.zeros((depths, hands)),
        watched=np.zeros(depths),
        child=np.zeros((depths, tables.claimed.size), dtype=np.int64),
        children=np.zeros(depths, dtype=np.int64),
        leaving=np.zeros(line.counts.shape[1] + 1, dtype=np.int64),
        earned=np.zeros(tables.dice + 1),
    )


# Kernels: endings


@hot_kernel
def level_of(policy: Stored, line: Line, depth: int, seat: int) -> int:
    """Return the level of the range of `seat`, not the mover's, just after the move at `depth`."""
    return int(line.levels[depth, (seat - line.mover[depth]) % policy.players])


@hot_kernel
def settle(
    policy: Stored, walk: Walk, made: Settled, depth: int, first: int, end: int, but: int
) -> None:
    """Write into `walk.earned` [own] what the responder, who is challenger or bidder, gets by an
    ending. The others' ranges are at the places `first` to `end`, exclusive, of the levels at
    `depth`, without the level `but`."""
    add_up_dice(policy, walk.line, policy.game.kind[made.bid], depth, first, end, but)
    pay(policy, walk, made)


@hot_kernel
def pay(policy: Stored, walk: Walk, made: Settled) -> None:
    """Write into `walk.earned` [own] what the responder, who is challenger or bidder, gets by an
    ending if the others' dice have the tails `walk.line.tails`."""
    tails, earned, players = walk.line.tails, walk.earned, policy.players
    challenger, bidder = made.challenger % players, made.bidder % players
    if_true, if_false = payoffs(float(made.cost), players, walk.seat[0], challenger, bidder)
    for own in range(earned.size):
        true = mass_of_at_least(made.claimed - own, tails)
        earned[own] = if_true * true + if_false * (tails[0] - true)


@hot_kernel
def tried(policy: Stored, walk: Walk, depth: int, kind: int, way: int) -> Settled:
    """Return what ends the round if the responder moves in the frame at `depth`: by the ending
    `way`, or by the challenge of a bid that leads to no node. This bid is the weakest raise of the
    `kind` if `way` is -1, and the double if it is -2. The cost is 0 if there is no such way."""
    if way >= 0:
        return settled_at(policy.game, walk.line.bid, depth, way)
    line = walk.line
    bid = walk.leaving[kind if way == -1 else walk.leaving.size - 1]
    if bid == _NO_RAISE:
        return Settled(0, 0, 0, 0, 0)
    return settled_if(policy.game, bid, 0, mover_after(policy, line, depth, bid))


# Kernels: frames


@hot_kernel
def open_frame(policy: Stored, walk: Walk, depth: int) -> None:
    """Make the history of the first `depth` bids the top frame."""
    line = walk.line
    line.depth[0] = depth
    line.deepest[0] = max(line.deepest[0], depth)
    walk.opened[0] += 1
    arrive(policy, line, depth)
    if line.mover[depth] == walk.seat[0]:
        first, end = (
            policy.game.first_raise[state_at(policy.game, line.bid, depth)],
            policy.game.claimed.size,
        )
        if depth == 0:
            first, end = walk.place[0], walk.place[0] + 1
        open_own(policy, walk, depth, first, end)
    else:
        node = line.node[depth]
        first, end = policy.table.first_row[node], policy.table.end_row[node]
        if depth == 0:
            first, end = walk.place[0], walk.place[0] + 1
        open_other(policy, walk, depth, first, end)


@hot_kernel
def open_other(policy: Stored, walk: Walk, depth: int, first: int, end: int) -> None:
    """Fill a frame where another player moves, for the rows `first` to `end`, exclusive."""
    open_rows(policy, walk.line, depth, first, end)
    walk.watched[depth] = 0.0
    value = walk.value[depth]
    for hand in range(value.size):
        value[hand] = 0.0


@hot_kernel
def open_own(policy: Stored, walk: Walk, depth: int, first: int, end: int) -> None:
    """Fill a frame where the responder moves, for the raises `first` to `end`, exclusive: take the
    best of the endings and of the raises that lead to no node."""
    game, line, value = policy.game, walk.line, walk.value[depth]
    walk.own[0] += 1
    unfollowed = list_raises(policy, walk, depth, first, end)
    for hand in range(value.size):
        value[hand] = unfollowed
    for kind in range(game.matches.shape[0]):
        counted = False
        for way in range(-2, game.back.size):
            made = tried(policy, walk, depth, kind, way)
            if made.cost == 0 or game.kind[made.bid] != kind:
                continue
            if not counted:
                add_up_dice(policy, line, kind, depth, 1, policy.players, NO_LEVEL)
                counted = True
            pay(policy, walk, made)
            take_best(walk.earned, game.matches[kind], value)


@hot_kernel
def list_raises(policy: Stored, walk: Walk, depth: int, first: int, end: int) -> float:
    """List which of the raises `first` to `end`, exclusive, lead to a node and are followed. List
    the weakest raise of each kind, and the double, that leads to no node. Return the value of
    raises that lead to a node and are not followed, or NEVER if there are none."""
    game, double = policy.game, walk.leaving.size - 1
    for kind in range(walk.leaving.size):
        walk.leaving[kind] = _NO_RAISE
    mass = mass_of(walk.line, depth, 1, policy.players, NO_LEVEL)
    found, unfollowed = 0, NEVER
    state = state_at(policy.game, walk.line.bid, depth)
    for bid in range(end - 1, first - 1, -1):
        if not game.legal[state, bid]:
            continue
        if bid_now(policy, walk.line, depth, bid) == NO_NODE:
            walk.leaving[game.kind[bid] if bid < game.plain else double] = bid
        elif mass >= walk.least[0]:
            walk.child[depth, found] = bid
            found += 1
        elif walk.beyond[0] > NEVER:
            unfollowed = walk.beyond[0] * mass
    walk.children[depth] = found
    return unfollowed


@hot_kernel
def take_best(
    earned: NDArray[np.float64], matches: NDArray[np.int8], value: NDArray[np.float64]
) -> None:
    """Raise `value` [hand] to `earned` [own] where `earned` is higher."""
    for hand in range(value.size):
        value[hand] = max(value[hand], earned[matches[hand]])


@hot_kernel
def next_own(policy: Stored, walk: Walk, depth: int) -> bool:
    """Go on to the next raise that leads to a node; return whether there is one."""
    if walk.children[depth] == 0:
        return False
    walk.children[depth] -= 1
    bid_now(policy, walk.line, depth, walk.child[depth, walk.children[depth]])
    return True


@hot_kernel
def next_other(policy: Stored, walk: Walk, depth: int) -> bool:
    """Add up what the other player's actions pay, up to the first action after which a frame must
    be opened. Return whether there is such an action."""
    line, game, players, seat = walk.line, policy.game, policy.players, walk.seat[0]
    own = level_of(policy, line, depth, seat)
    while True:
        action = take_row(policy, line, depth)
        if action < 0:
            return False
        if action < game.claimed.size:
            node, mover = (
                bid_now(policy, line, depth, action),
                mover_after(policy, line, depth, action),
            )
            if node != NO_NODE or mover == seat:
                return True
            made = settled_if(game, action, 0, mover)
        else:
            made = settled_at(game, line.bid, depth, action - game.claimed.size)
        if seat not in (made.challenger % players, made.bidder % players):
            mass = mass_of(line, depth, 1, 1 + players, own)
            walk.watched[depth] += made.cost * mass / (players - 1)
            continue
        settle(policy, walk, made, depth, 1, 1 + players, own)
        matches, value = game.matches[game.kind[made.bid]], walk.value[depth]
        for hand in range(value.size):
            value[hand] += walk.earned[matches[hand]]


@hot_kernel
def close_frame(policy: Stored, walk: Walk, depth: int) -> None:
    """Enter the value of the top frame into the one below, if there is one."""
    value = walk.value[depth]
    if walk.line.mover[depth] != walk.seat[0]:
        for hand in range(value.size):
            value[hand] += walk.watched[depth]
    walk.line.depth[0] = depth - 1 if depth > walk.base[0] else _OVER
    if depth == walk.base[0]:
        return
    below = walk.value[depth - 1]
    if walk.line.mover[depth - 1] == walk.seat[0]:
        for hand in range(value.size):
            below[hand] = max(below[hand], value[hand])
    else:
        for hand in range(value.size):
            below[hand] += value[hand]


# Kernels: jobs


def start(walk: Walk, seat: int, place: int) -> None:
    """Prepare the walk of one opening for the responder in `seat`. If the responder opens, `place`
    is the bid, otherwise the table's row."""
    walk.seat[0], walk.place[0] = seat, place
    walk.line.depth[0], walk.line.illegal[0] = _START, LEGAL
    walk.base[0] = 0


@kernel
def advance(policy: Stored, walk: Walk, until: int) -> bool:
    """Walk until `until` histories have been opened; return whether the walk is over. It ends early
    if the table takes an illegal action."""
    line = walk.line
    opening = line.depth[0] == _START
    if opening:
        line.depth[0] = walk.base[0] - 1
    while line.depth[0] != _OVER:
        depth = line.depth[0]
        if opening:
            open_frame(policy, walk, depth + 1)
            opening = False
            continue
        if walk.opened[0] >= until:
            return False
        if line.mover[depth] == walk.seat[0]:
            opening = next_own(policy, walk, depth)
        else:
            opening = next_other(policy, walk, depth)
        if line.illegal[0] != LEGAL:
            return True
        if not opening:
            close_frame(policy, walk, depth)
    return True


# Users


class Job:
    """One opening, for the responder in one seat, with bounds of its value."""

    def __init__(self, tables: BidTables, seat: int, place: int, mass: float) -> None:
        hands = tables.hands
        self.seat = seat
        self.place = place
        """The bid in seat 0, otherwise the row of the table."""
        self.lower = np.full(hands, -tables.most_cost * mass)
        """[hand] float64, lower bounds of what the responder gets. `mass` is the probability of the
        opening if the policy opens, and 1 if the responder opens."""
        self.upper = np.full(hands, tables.most_cost / (tables.players - 1) * mass)
        """[hand] float64, upper bounds of what the responder gets."""


class Task(NamedTuple):
    """A walk of one opening."""

    job: Job
    cut: float
    lower: bool
    """Whether the result is a lower bound."""
    upper: bool
    """Whether the result is an upper bound. Without a cut it is both."""

    def begin(self, walk: Walk, most: float) -> None:
        """Prepare the walk, in a game where a round pays at most `most`."""
        start(walk, self.job.seat, self.job.place)
        walk.least[0], walk.beyond[0] = self.cut, NEVER if self.lower else most

    def enter(self, value: NDArray[np.float64]) -> None:
        """Enter the result, [hand]."""
        if self.lower:
            self.job.lower = np.maximum(self.job.lower, value)
        if self.upper:
            self.job.upper = np.minimum(self.job.upper, value)


class FullRecallResponse:
    """Best responses in all seats to the policy of a table, with bounds that only get tighter."""

    def __init__(self, tables: BidTables, table: StrategyTable, threads: int = 1) -> None:
        """Raise StrategyTableError if the table does not hold a strategy for the rules, or not with
        full recall. Raise OutOfMemory if there is no room for the walks of `threads` threads."""
        self._tables, self._policy = tables, stored(tables, table)
        self._threads = Threads(threads)
        self._walks = [new_walk(tables) for _ in range(threads)]
        self._running: list[Task | None] = [None] * threads
        """[thread] its current task."""
        # Compiles `advance` before a clock starts; there is nothing to walk.
        self._walks[0].line.depth[0] = _OVER
        advance(self._policy, self._walks[0], 0)
        self._most = tables.most_cost / (tables.players - 1)
        """The most that a round can pay."""
        self._jobs = self._openings()
        self._choosing = threading.Lock()
        self._coarse = [
            Task(job, COARSE_CUT, lower, not lower) for job in self._jobs for lower in (True, False)
        ]
        """Coarse tasks not begun yet, the next one last."""
        self._whole = [*self._jobs]
        """Jobs that may have to be walked whole."""
        self._seats = (Bounds(NEVER, -NEVER),) * tables.players
        """[seat] the bounds of the last result."""
        self._began = time.monotonic()
        self._deadline = np.inf

    def _openings(self) -> list[Job]:
        """Return all jobs, by seat and in the order of the openings."""
        policy, prior = self._policy, self._policy.game.prior
        jobs = [
            Job(self._tables, 0, bid, 1.0) for bid in np.flatnonzero(policy.game.legal[0]).tolist()
        ]
        played = rows_at(policy.table, 0)
        masses = (played * (prior[0] / played.sum(axis=0))).sum(axis=1).tolist()
        for seat in range(1, policy.players):
            jobs += [Job(self._tables, seat, row, mass) for row, mass in enumerate(masses)]
        return jobs

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[BestResponse]:
        """Yield bounds that only get tighter, about once a second. Stop when they are exact, when
        exploitability is known to `gap`, or after about `seconds`.

        Raises StrategyTableError if the policy takes an illegal action.
        """
        limits = Limits(gap, seconds)
        self._deadline = limits.deadline

        def step() -> bool:
            self._threads.run(self._work)
            return bool(self._coarse or self._whole or any(self._running))

        yield from by_steps(step, self.result, limits)
        yield self.result()

    def _work(self, thread: int) -> None:
        """Walk tasks for a fraction of a second."""
        walk, until = self._walks[thread], min(self._deadline, time.monotonic() + SECONDS_PER_STEP)
        while time.monotonic() < until:
            task = self._running[thread]
            if task is None:
                with self._choosing:
                    task = self._next()
                if task is None:
                    return
                task.begin(walk, self._most)
                self._running[thread] = task
            if advance(self._policy, walk, int(walk.opened[0]) + NODES_PER_CALL):
                verify_legal(walk.line)
                task.enter(walk.value[0])
                self._running[thread] = None

    def _next(self) -> Task | None:
        """Return the next task, or None if nothing is left; see "Bounds" above."""
        if self._coarse:
            return self._coarse.pop()
        prior, surely = self._policy.game.prior, self._ends(0)[0]

        def left_open(job: Job) -> float:
            known = np.maximum(job.lower, surely) if job.seat == 0 else job.lower
            return float(prior[job.seat] @ np.maximum(0.0, job.upper - known))

        job = max(self._whole, key=left_open, default=None)
        if job is None or left_open(job) == 0.0:
            self._whole.clear()
            return None
        self._whole.remove(job)
        return Task(job, 0.0, lower=True, upper=True)

    def result(self) -> BestResponse:
        """Return the bounds so far."""
        self._seats = tuple(
            Bounds(max(old.lower, new.lower), min(old.upper, new.upper))
            for old, new in zip(
                self._seats, map(self._bounds, range(len(self._seats))), strict=True
            )
        )
        return BestResponse(
            seats=self._seats,
            nodes=sum(int(walk.own[0]) for walk in self._walks),
            seconds=time.monotonic() - self._began,
        )

    def own(self) -> tuple[Bounds, ...]:
        """Return what the policy itself earns in each seat. Raises as `refine` does."""
        return self_play_of(self._tables, self._policy)

    def _bounds(self, seat: int) -> Bounds:
        """Return the bounds of one seat's value, averaged over hands."""
        ends = [float(self._policy.game.prior[seat] @ end) for end in self._ends(seat)]
        least, most = -float(self._tables.most_cost), self._most
        longest = max(int(walk.line.deepest[0]) for walk in self._walks)
        margin = rounding(self._tables, longest + 1)
        return Bounds(max(least, ends[0] - margin), min(most, ends[1] + margin))

    def _ends(self, seat: int) -> list[NDArray[np.float64]]:
        """Return the lower and the upper bounds [hand] of one seat: the best opening for each hand
        if the responder opens, otherwise the sum of all openings."""
        jobs = [job for job in self._jobs if job.seat == seat]
        total = np.maximum if seat == 0 else np.add
        return [
            total.reduce([job.lower for job in jobs]),
            total.reduce([job.upper for job in jobs]),
        ]


def opening_values(tables: BidTables, table: StrategyTable) -> NDArray[np.float64]:
    """Return [opening, hand] float64: what each own hand earns by each bid that may open a round,
    in the order of the bids. A best response follows, and all others play `table`.

    Raises as `full_recall_response` does.
    """
    policy, walk = stored(tables, table), new_walk(tables)
    found = []
    for bid in np.flatnonzero(policy.game.legal[0]):
        start(walk, 0, int(bid))
        while not advance(policy, walk, int(walk.opened[0]) + NODES_PER_CALL):
            pass  # lets Python notice Ctrl-C
        verify_legal(walk.line)
        found.append(walk.value[0].copy())
    return np.array(found)


def full_recall_response(tables: BidTables, table: StrategyTable) -> BestResponse:
    """Return what best responses to the policy of `table` earn in each seat.

    Raises StrategyTableError if the table does not hold a strategy for the rules, or not with full
    recall, or takes an illegal action.
    """
    *_, result = FullRecallResponse(tables, table).refine()
    return result
