"""Best responses to a strategy table for two players: a certified interval.

Use this engine for two-player tables that forget bids, and to learn what a best response does: it
reads the table in compiled code and opens a history in microseconds. For tables with full recall
`full_recall` is exact several times sooner. For policies that must be queried see `query_search`,
for more players `several_players`.

The responder has perfect recall in the full game, whatever the policy remembers. All they know of
the policy's hand is its *reach*: for each hand, its probability times the probability that the
policy bids like this with it. With the reach `w` of total mass `m`, the value of a history where
the responder moves is, for each own hand `h` (values are not divided by `m`, so they add up),

    V(h) = max( C(h), max over raises b of  T_b(h) + sum over replies r of V_{b,r}(h) )

with `C`: the best ending now (`solver.bidding.Settled`); `T_b`: what the part of `w` that ends the
round after `b` pays; `V_{b,r}`: the value after the reply `r`, whose reach is `w` times its
probability. Doubles are raises, and D is the most that a round can cost. A *root* is a history
where the responder first moves. Below each raise at a root the search is depth first, for all hands
at once. Of the raises at the roots, the search next looks at the raise with the largest promise per
work, more closely than before. What the search may leave out, and why the result is still a
theorem:

**Lower bound.** Every number in a `lower` vector is earned, or exceeded, by some strategy of the
responder with this hand. The strategy ends the round (`C`), or raises and then, after each reply,
plays on as the reply's own lower bound says. After a reply that is not opened it challenges at
once. If a raise is not opened, every reply to it is assumed to win (`T_b` minus D times the mass
that replies). An information set is one own hand and one public history, so the strategies for
different hands and after different replies can be combined.

**Upper bound.** Every number in an `upper` vector is at least `V(h)`: a payoff is at most D, so
below a history no strategy earns more than D m. A reply that is not opened enters with D times its
mass, a raise that is not opened with `T_b` plus D times the mass that replies. The upper bound of a
node is the maximum over the endings and *all* raises, opened or not.

**What is left out.** `held` is a threshold for a node's value: with a value up to it, the node does
not matter. The raise that led there then does not beat what the responder already has at the node
before, even if everything else in this raise pays its upper bound. `held` decides what is opened
and nothing else, with one exception. A raise that can beat `floor = max(lower, held)` with no hand
enters `upper` as `floor`, which is no less than what it can pay. The *promise* of a raise or a
reply is by how much, averaged over own hands, opening it can move anything that matters. If the
promise is at most the cut, it is not opened.

**Cut 0.** Then something is left out only if, with every own hand, its bounds coincide or it cannot
matter. By induction from the leaves, `lower` and `upper` of a node coincide wherever `upper` is
above `held`. At a root `held` is a lower bound of the root's own value, so both bounds there are
`V`.

**Rounding.** All sums are in float64, and the terms of a node are at most D m in size. A node adds
fewer than `4 * (hands + bids)` terms, so it errs by less than this number times `D * m * eps`. The
masses of the nodes at one depth that a strategy reaches total at most 1, so the result errs by less
than the sum over depths. Twice this bound widens the result at either end.

**Several looks.** A *look* is a search of one raise at a root. Each look yields bounds of its own,
and the tightest bounds of all looks are kept. Looks at different raises share only tables, so
threads may run them in parallel.

**The policy measured** is the table's, with each hand's probabilities divided by their sum: their
rounding to float32 makes it another policy, not another value of the same policy.

Johanson et al. 2011 walk the public tree with all hands at once and compute the exact value; bounds
and cuts are ours.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import BidTables, longest_history
from zhaifei.solver.anytime import Limits, by_steps
from zhaifei.solver.bidding import state_of_bids
from zhaifei.solver.bounds import NEVER, BestResponse, Bounds, History
from zhaifei.solver.response.table_kernels import (
    DONE,
    NO_KIND,
    SearchStack,
    advance,
    open_node,
    open_raise,
    pay_ending,
)
from zhaifei.solver.showdown import ShowdownTables, showdown_tables
from zhaifei.solver.tables.normalised import normalise
from zhaifei.solver.tables.rows import rows_at
from zhaifei.solver.tables.strategy_table import StrategyTable

CUT_RATIO = 0.125
"""The cut of the next look at a raise is this times the smaller of its promise and its last cut."""
FINEST = 1e-14
"""A cut below this is set to 0."""
NODES_PER_CALL = 500
"""Nodes opened by one call of the kernel; between calls Python looks at the clock and at Ctrl-C."""


class BestResponseError(ZhaifeiError):
    """A policy against which no best response can be computed."""


class SearchRoot:
    """A history where the responder first moves, with bounds of each raise that only get
    tighter."""

    def __init__(
        self, work: SearchStack, game: ShowdownTables, history: History, reach: NDArray[np.float64]
    ):
        """Read `work` just after `ResponseSearch.start`."""
        self.history = history
        self.reach = reach
        self.prior = _responders_prior(game, history)
        """[hand] the prior of the responder's hands."""
        self.raises: NDArray[np.int64] = np.flatnonzero(game.legal[state_of_bids(game, history)])
        """[raise] the bids that may follow."""
        own = game.matches[game.kind[self.raises]]
        called = np.take_along_axis(work.called[0, self.raises], own, axis=1)
        raised = game.most_cost * work.raised[0, self.raises][:, np.newaxis]
        self.lower = called - raised
        """[raise, hand] lower bounds of each raise."""
        self.upper = called + raised
        """[raise, hand] upper bounds of each raise."""
        self.ended = _ended(work, game)
        """[ending, hand] what each ending earns, or NEVER if it is illegal."""
        self.ending: NDArray[np.float64] = self.ended.max(axis=0)
        """[hand] what the best ending earns."""
        self.cut = np.full(self.raises.size, np.inf)
        """[raise] the cut of the last look."""
        self.nodes = np.ones(self.raises.size)
        """[raise] the nodes that the last look opened."""
        self._settle()

    def _settle(self) -> None:
        self.held: NDArray[np.float64] = np.maximum(
            self.ending, self.lower.max(axis=0, initial=NEVER)
        )
        """[hand] a lower bound of the value."""
        highest = np.maximum(self.ending, self.upper.max(axis=0, initial=NEVER))
        self.bounds = Bounds(float(self.prior @ self.held), float(self.prior @ highest))
        """Bounds of the value, averaged over hands."""
        gain = np.minimum(self.upper - self.lower, self.upper - self.held)
        self.promises: NDArray[np.float64] = gain.clip(min=0.0) @ self.prior
        """[raise] by how much, averaged over hands, a closer look can move the bounds."""

    def next_cut(self, place: int) -> float:
        """Return the cut of the next, closer look at a raise."""
        cut = CUT_RATIO * min(float(self.promises[place]), float(self.cut[place]))
        return cut if cut > FINEST else 0.0

    def priorities(self) -> NDArray[np.float64]:
        """Return [raise] the promise of a closer look per node opened; 0 where the last look had a
        cut of 0."""
        return np.where(self.cut > 0.0, self.promises / self.nodes, 0.0)

    def tighten(self, place: int, look: Look) -> None:
        """Tighten the bounds of the raise at `place` by those of a look."""
        self.lower[place] = np.maximum(self.lower[place], look.lower)
        self.upper[place] = np.minimum(self.upper[place], look.upper)
        self.cut[place], self.nodes[place] = look.cut, look.nodes
        self._settle()


def _ended(work: SearchStack, game: ShowdownTables) -> NDArray[np.float64]:
    """Return [ending, hand] what each ending earns at the root that was just opened in `work`, or
    NEVER if it is illegal."""
    found = np.full((game.back.size, work.prior.size), NEVER)
    for ending, earned in enumerate(found):
        kind = pay_ending(game, work, 0, ending)
        if kind != NO_KIND:
            earned[:] = work.own[kind, game.matches[kind]]
    return found


class Look(NamedTuple):
    """The result of a search of one raise at a root."""

    lower: NDArray[np.float64]
    """[hand] a lower bound of the raise."""
    upper: NDArray[np.float64]
    """[hand] an upper bound of the raise."""
    cut: float
    nodes: int


class ResponseSearch:
    """The search for best responses to a two-player table, with bounds that only get tighter."""

    def __init__(self, tables: BidTables, table: StrategyTable, threads: int = 1) -> None:
        """Raise BestResponseError if there are not two players, and StrategyTableError if the table
        does not hold a strategy for the rules."""
        if tables.players != 2:
            raise BestResponseError(
                "best responses are to two-player policies; these rules are for {players}",
                players=tables.players,
            )
        self.game = showdown_tables(tables)
        self.opponent = normalise(tables, table)
        self._threads = threads
        self._works: SimpleQueue[SearchStack] = SimpleQueue()
        for _ in range(threads):
            self._works.put(workspace(self.game))
        work = self._works.get()
        # With no frame this does nothing, but it compiles the kernel before the clock starts.
        work.depth[0] = -1
        advance(self.game, self.opponent, work, 0.0, 0)
        self._began = time.monotonic()
        self._deadline = np.inf
        self._nodes = 0
        self._margin = self.game.most_cost * _margin(work)
        self.opener = [self._root(work, (), self.game.prior[1])]
        self.responder = [self._root(work, *opening) for opening in self._openings()]
        self._works.put(work)

    def _openings(self) -> Iterator[tuple[History, NDArray[np.float64]]]:
        """Yield the policy's openings, and the reach of each."""
        table, scale = self.opponent.table, self.opponent.scale[0]
        for row, played in enumerate(rows_at(table, 0)):
            bid = int(table.action[row])
            if not (0 <= bid < self.game.claimed.size and self.game.legal[0, bid]):
                raise BestResponseError(
                    "the policy opens with action {action}, which is not a legal first bid",
                    action=bid,
                )
            yield (bid,), self.game.prior[0] * (played * scale)

    @property
    def roots(self) -> list[SearchRoot]:
        """The roots of both seats."""
        return [*self.opener, *self.responder]

    def _root(self, work: SearchStack, history: History, reach: NDArray[np.float64]) -> SearchRoot:
        self.start(work, history, reach)
        return SearchRoot(work, self.game, history, reach)

    def start(self, work: SearchStack, history: History, reach: NDArray[np.float64]) -> None:
        """Make a root the only frame and open it, with a threshold `held` of NEVER."""
        (support,) = reach.nonzero()
        work.prior[:] = _responders_prior(self.game, history)
        work.history[: len(history)] = history
        work.root_length[0] = len(history)
        work.depth[0] = 0
        work.support[0] = support.size
        work.hand[0, : support.size] = support
        work.reach[0, : support.size] = reach[support]
        work.held[0] = NEVER
        open_node(self.game, self.opponent, work, 0)

    def start_raise(
        self, work: SearchStack, bid: int, held: NDArray[np.float64], cut: float
    ) -> None:
        """Open `bid` and no other raise, with the threshold `held` [hand]. Call after `start`."""
        work.promise[0] = DONE
        work.lower[0] = work.upper[0] = NEVER
        work.held[0] = work.floor[0] = held
        open_raise(self.game, self.opponent, work, 0, bid, cut)

    def look(self, root: SearchRoot, place: int, cut: float, held: NDArray[np.float64]) -> Look:
        """Search the raise at `place` of a root. Raises BestResponseError if the policy makes an
        illegal bid."""
        work = self._works.get()
        try:
            return self.search(work, root, place, cut, held)
        finally:
            self._works.put(work)

    def search(
        self, work: SearchStack, root: SearchRoot, place: int, cut: float, held: NDArray[np.float64]
    ) -> Look:
        """Search one raise at a root with the workspace `work`; see `look`. After the deadline
        nothing more is opened, and the bounds remain valid."""
        before, within = int(work.opened[0]), cut
        self.start(work, root.history, root.reach)
        self.start_raise(work, int(root.raises[place]), held, cut)
        while not advance(
            self.game, self.opponent, work, within, int(work.opened[0]) + NODES_PER_CALL
        ):
            if time.monotonic() > self._deadline:
                within = np.inf
        if work.fault[0]:
            raise BestResponseError("the policy makes a bid that may not follow the last one")
        nodes = int(work.opened[0]) - before
        return Look(work.lower[0].copy(), work.upper[0].copy(), cut, nodes)

    def sweep(self, cut: float) -> None:
        """Look once at every raise at a root that promises more than `cut`."""
        for root in self.roots:
            left = np.ones(root.raises.size, dtype=np.bool_)
            while np.any(left & (root.promises > cut)):
                place = int(np.where(left, root.promises, NEVER).argmax())
                left[place] = False
                self._enter(root, place, self.look(root, place, cut, root.held))

    def _enter(self, root: SearchRoot, place: int, look: Look) -> None:
        root.tighten(place, look)
        self._nodes += look.nodes

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[BestResponse]:
        """Yield results that only get tighter, about once a second. Stop when exploitability is
        known to `gap` or exactly, or after about `seconds` of searching.

        After an exception, `result` still returns valid bounds.
        """
        limits = Limits(gap, seconds)
        self._deadline = limits.deadline
        queue = _Queue(self.roots)
        running: dict[Future[Look], tuple[int, int]] = {}
        with ThreadPoolExecutor(self._threads) as pool:

            def step() -> bool:
                """Start enough looks to keep all threads busy, and wait for one to end."""
                while len(running) < 2 * self._threads and (job := queue.pop()) is not None:
                    root, place = queue.roots[job[0]], job[1]
                    cut = root.next_cut(place)
                    running[pool.submit(self.look, root, place, cut, root.held)] = job
                if not running:
                    return False
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    job = running.pop(done)
                    self._enter(queue.roots[job[0]], job[1], done.result())
                    queue.push(*job)
                return True

            try:
                yield from by_steps(step, self.result, limits)
            finally:
                self._deadline = NEVER  # looks that still run end soon
        for done, (index, place) in running.items():
            self._enter(queue.roots[index], place, done.result())
        yield self.result()

    def result(self) -> BestResponse:
        """Return the bounds so far."""
        return BestResponse(
            seats=(self._sum(self.opener), self._sum(self.responder)),
            nodes=self._nodes,
            seconds=time.monotonic() - self._began,
        )

    def _sum(self, roots: list[SearchRoot]) -> Bounds:
        total = sum((root.bounds for root in roots), start=Bounds(0.0, 0.0))
        return Bounds(total.lower - self._margin, total.upper + self._margin)


class _Queue:
    """Raises at roots, the raise with the highest priority first."""

    def __init__(self, roots: list[SearchRoot]) -> None:
        self.roots = roots
        self._first = np.cumsum([0, *(root.raises.size for root in roots)])
        self._priority = np.concatenate([root.priorities() for root in roots])
        self._out = np.zeros(self._priority.size, dtype=np.bool_)

    def pop(self) -> tuple[int, int] | None:
        """Take out the raise with the highest priority; return the index of its root and its place
        there."""
        if not self._priority.size:
            return None
        best = int(np.where(self._out, 0.0, self._priority).argmax())
        if self._out[best] or self._priority[best] <= 0.0:
            return None
        self._out[best] = True
        index = int(np.searchsorted(self._first, best, side="right")) - 1
        return index, best - int(self._first[index])

    def push(self, index: int, place: int) -> None:
        """Put a raise back, with the new priorities of its root."""
        first, last = self._first[index], self._first[index + 1]
        self._priority[first:last] = self.roots[index].priorities()
        self._out[first + place] = False


def _responders_prior(game: ShowdownTables, history: History) -> NDArray[np.float64]:
    """Return [hand] the prior of the responder, who moves after `history`."""
    own: NDArray[np.float64] = game.prior[len(history) % 2]
    return own


def workspace(game: ShowdownTables, records: int = 0) -> SearchStack:
    """Return an empty stack with room for `records` records; each thread needs its own."""
    kinds, hands = game.matches.shape
    dice = game.first_place.shape[1] - 2
    bids = game.claimed.size
    # Every frame but the first takes two bids; there is one frame to spare.
    frames = longest_history(game.after) // 2 + 2

    def real(*shape: int) -> NDArray[np.float64]:
        return np.zeros(shape, dtype=np.float64)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    def short(*shape: int) -> NDArray[np.int16]:
        return np.zeros(shape, dtype=np.int16)

    return SearchStack(
        history=whole(2 * frames + 2),
        root_length=whole(1),
        depth=whole(1),
        opened=whole(1),
        fault=whole(1),
        support=whole(frames),
        hand=whole(frames, hands),
        reach=real(frames, hands),
        held=real(frames, hands),
        floor=real(frames, hands),
        lower=real(frames, hands),
        upper=real(frames, hands),
        prior=real(hands),
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
        choice=short(frames, hands),
        mark=whole(frames),
        recorded=whole(1),
        record_length=whole(records),
        record_history=short(records, 2 * frames + 2),
        record_choice=short(records, hands),
        tails=real(kinds + 1, dice + 1),
        own=real(kinds, dice + 1),
        own_action=short(kinds, dice + 1),
        played=real(hands),
    )


def _margin(work: SearchStack) -> float:
    """Return a bound of how far rounding moves the ends of an interval; see "Rounding" above."""
    frames, hands = work.reach.shape
    eps = float(np.finfo(np.float64).eps)
    return float(8 * frames * (hands + work.called.shape[1])) * eps


# Users


def best_response(tables: BidTables, table: StrategyTable, cut: float = 0.0) -> BestResponse:
    """Return bounds of what best responses to the policy of `table` earn; exact for a cut of 0.

    Raises BestResponseError if there are not two players, and StrategyTableError if the table does
    not hold a strategy for the rules.
    """
    search = ResponseSearch(tables, table)
    search.sweep(cut)
    return search.result()
