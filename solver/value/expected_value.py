"""Expected values of given strategies against each other: proven intervals, not estimates.

Hands are rolled independently and bids are public, so hands stay independent given the bids. All
that is known of a seat is its *reach*: for each hand, the probability of having it and bidding like
this with it. The mass of a seat is the sum of its reach. The *mass* of a history is the product of
the masses of all seats: the probability that play gets there. The walk over the public tree splits
the mover's reach by what each hand does:

- a challenge ends the round, and after a double so does giving up. Who loses depends on how many
  dice count, and the distribution of this number is the convolution of the seats' distributions. So
  an ending is settled for all hands at once. If it costs c, the loser earns -c, each of the other
  N - 1 players c / (N - 1); c is at most D;
- a raise whose mass is above the *cut* is followed. Any other raise is left open.

**The interval.** Every round takes exactly one path through the tree, so a seat's value is the sum,
over the paths, of their mass times what the seat then earns. Settled challenges enter exactly. Let
`m` be the total mass left open. Below it the seat earns on average at least -D and at most D
/ (N - 1), whatever is played there. So with `s` what settled challenges pay,

    s - D m  <=  value  <=  s + D m / (N - 1)

and this stays true wherever the walk stops. Each opening bid has an interval of its own, and the
intervals that different walks find for an opening are intersected. So the time spent on a walk that
a deadline ends is not lost.

**Rounding.** All numbers are float64. Whatever is computed at a history from the reach there is
made of at most `n = players * hands + actions` nonnegative numbers, by adding them up, a few
products, and one difference. So the endings, a mass and what is left open at a history of mass `m`
err by less than `8 * n * D * m * eps`. The parts of the reach that take the E endings have a total
mass of at most `m`. Everything below a history is linear in the reach of each seat, so no error
grows. The masses of the histories of one length total at most 1, so the result errs by less than
the sum over lengths. Contributions of histories are added up with at most E + 2 additions for each
history, which err by at most `D * eps / 2` each: in total less than `2 * E * D * eps` for each
history followed. Both errors widen the interval at either end.

**The strategies** are the given ones, with each hand's probabilities divided by their sum.

`_TableWalk` is for two players with a `StrategyTable` each. `_StrategyWalk` is for any number of
players and any strategies; the kernels of `_TableWalk` are tested against it.

Johanson et al. 2011 use the independence of hands given public actions to walk the public tree for
best responses; intervals and cuts are ours.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import NormalDist
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.errors import ZhaifeiError
from zhaifei.game.tables import BidTables
from zhaifei.solver.anytime import Limits, by_cuts, cuts
from zhaifei.solver.bidding import mover_of_bids, settled_at, state_at
from zhaifei.solver.bounds import Bounds, History, Strategies
from zhaifei.solver.machine.jit import hot_kernel
from zhaifei.solver.showdown import (
    accumulate,
    count_listed,
    matching_dice,
    paid_by_seat,
    showdown_tables,
    true_and_false,
    true_mass,
)
from zhaifei.solver.tables.normalised import NormalisedTable, normalise
from zhaifei.solver.tables.queries import BATCH, query
from zhaifei.solver.tables.rows import read_row, rows_at
from zhaifei.solver.tables.strategy_table import NO_NODE, StrategyTable, node_of, strategy_after

COARSEST, FINEST, CUT_RATIO = 1e-3, 1e-20, 0.0625
"""The first cut of `refine_values`, the finest before 0, and the ratio of successive cuts."""
HISTORIES_PER_CALL = 20_000
"""Histories followed by one call of the kernel; between calls Python looks at the clock and at
Ctrl-C."""
EPS = float(np.finfo(np.float64).eps)


class ExpectedValueError(ZhaifeiError):
    """Strategies whose expected value cannot be computed."""


@dataclass(frozen=True)
class ExpectedValues:
    """What each seat earns in a round, in penalty points saved, and what the walks took."""

    seats: tuple[Bounds, ...]
    """Bounds of each seat's value; seat 0 makes the first bid."""
    cut: float
    """The finest cut so far; its walk is incomplete if the deadline came first."""
    histories: int
    """Histories followed so far."""
    seconds: float
    exact: bool = False
    """Whether nothing but rounding is left open."""

    @property
    def gap(self) -> float:
        """Return the width of the widest interval."""
        return max(seat.gap for seat in self.seats)


class Found(NamedTuple):
    """The result of one walk. Axis `opening` is the first bid, as an action."""

    settled: NDArray[np.float64]
    """[opening, seat] what challenges pay."""
    open: NDArray[np.float64]
    """[opening] the mass of what was not followed."""
    histories: int
    """Histories followed."""


class ValueWalk(Protocol):
    """A walk over the public tree, as `refine_values` needs it."""

    def __call__(self, cut: float, deadline: float) -> Found:
        """Follow raises of a mass above `cut`, but no more after `deadline` on the monotonic
        clock."""


# Kernels


class ValueLine(NamedTuple):
    """The line being followed. Axis `turn` counts the bids made before it. The range of the player
    who moves at `turn` is stored at index `turn`, the range of the other player at `turn + 1`."""

    history: NDArray[np.int64]
    """[turn] the bid made at that turn."""
    turn: NDArray[np.int64]
    """[1] how many bids the line has; 0 when the walk is over."""
    followed: NDArray[np.int64]
    """[1] histories followed so far."""
    fault: NDArray[np.int64]
    """[1] 1 once a table has taken an illegal action, which follows the line."""
    support: NDArray[np.int64]
    """[turn] how many hands the player may hold."""
    hand: NDArray[np.int64]
    """[turn, place] which hands these are: a few dozen once the player has bid twice."""
    reach: NDArray[np.float64]
    """[turn, place] the probability of having each listed hand and bidding like this with it."""
    mass: NDArray[np.float64]
    """[turn] the sum of the reach."""
    weight: NDArray[np.float64]
    """[turn, place] the reach per stored unit of probability."""
    node: NDArray[np.int64]
    """[turn] the node of the mover's table, if it has one there."""
    row: NDArray[np.int64]
    """[turn] the first row of the node that has not been looked at."""
    end: NDArray[np.int64]
    """[turn] the end of the node's raises, exclusive."""
    rest: NDArray[np.float64]
    """[turn] the mass of the histories that the rows not yet looked at lead to."""
    counts: NDArray[np.float64]
    """[2, dice + 1] scratch: the other player's mass with at least `dice` dice that count, and the
    mass with exactly `dice` dice that count of the mover's hands that take an ending."""
    settled: NDArray[np.float64]
    """[1] what challenges have paid the opener."""
    open: NDArray[np.float64]
    """[1] the mass of what was not followed."""
    played: NDArray[np.float64]
    """[hand] scratch: a row of a table."""


@hot_kernel
def count_bidder(bids: BidTables, work: ValueLine, turn: int) -> None:
    """Write into `work.counts[0]` the tails of the player who does not move at `turn`."""
    tails, matches = work.counts[0], bids.matches[work.history[turn - 1]]
    hands, reach, support = work.hand[turn + 1], work.reach[turn + 1], work.support[turn + 1]
    count_listed(hands, reach, support, matches, tails)
    accumulate(tails)


@hot_kernel
def settle(bids: BidTables, work: ValueLine, turn: int, ending: int) -> float:
    """Add what the `ending` pays, which the hands in `work.counts[1]` take; return their mass. Note
    an ending that is illegal."""
    made = settled_at(bids, work.history, turn, ending)
    if made.cost == 0:
        work.history[turn] = bids.claimed.size + ending
        work.fault[0] = 1
    count_bidder(bids, work, turn)
    other, mover = work.counts[0], work.counts[1]
    mass = 0.0
    for dice in range(mover.size):
        mass += mover[dice]
    true = true_mass(made.claimed, mover, other)
    earned = made.cost * (2.0 * true - mass * work.mass[turn + 1])
    # Turns 0, 2, 4, ... are the opener's.
    work.settled[0] += earned if made.bidder % 2 == 0 else -earned
    return mass


@hot_kernel
def enter(bids: BidTables, seat: NormalisedTable, work: ValueLine, turn: int) -> None:
    """Arrive at a turn where `seat` moves: settle its endings, and prepare its raises."""
    work.followed[0] += 1
    work.row[turn] = 0
    work.end[turn] = 0
    work.rest[turn] = 0.0
    table, enders = seat.table, work.counts[1]
    matches = bids.matches[work.history[turn - 1]]
    hands, reach, weight = work.hand[turn], work.reach[turn], work.weight[turn]
    support = work.support[turn]
    node = node_of(table, work.history, turn)
    if node == NO_NODE:
        count_listed(hands, reach, support, matches, enders)
        settle(bids, work, turn, 0)
        return
    scale = seat.scale[min(node, seat.scale.shape[0] - 1)]
    for place in range(support):
        weight[place] = reach[place] * scale[hands[place]]
    work.node[turn] = node
    work.row[turn], end = table.first_row[node], table.end_row[node]
    raised, played = work.mass[turn], work.played
    while end > work.row[turn] and table.action[end - 1] >= bids.claimed.size:
        end -= 1
        read_row(table, node, end, played)
        for dice in range(enders.size):
            enders[dice] = 0.0
        for place in range(support):
            hand = hands[place]
            enders[matches[hand]] += weight[place] * played[hand]
        raised -= settle(bids, work, turn, int(table.action[end]) - bids.claimed.size)
    work.end[turn] = end
    work.rest[turn] = max(0.0, raised) * work.mass[turn + 1]


@hot_kernel
def take(seat: NormalisedTable, work: ValueLine, turn: int, row: int) -> float:
    """Store the part of the mover's range that plays `row` as their range at their next turn;
    return its mass."""
    hands, weight, played = work.hand[turn], work.weight[turn], work.played
    read_row(seat.table, work.node[turn], row, played)
    kept, reach = work.hand[turn + 2], work.reach[turn + 2]
    support, mass = 0, 0.0
    for place in range(work.support[turn]):
        hand = hands[place]
        part = weight[place] * played[hand]
        kept[support] = hand
        reach[support] = part
        mass += part
        support += part > 0.0  # else the next hand takes its place
    work.support[turn + 2] = support
    work.mass[turn + 2] = mass
    return mass


@hot_kernel
def next_raise(
    bids: BidTables, seat: NormalisedTable, work: ValueLine, turn: int, cut: float
) -> bool:
    """Make the next raise whose mass is above the cut, leave the raises before it open, and return
    True. If there is none, leave open what remains and return False."""
    rest, left = work.rest[turn], 0.0
    for row in range(work.row[turn], work.end[turn]):
        if rest <= cut:
            break
        bid = seat.table.action[row]
        work.history[turn] = bid
        if (
            not 0 <= bid < bids.claimed.size
            or not bids.legal[state_at(bids, work.history, turn), bid]
        ):
            work.fault[0] = 1
            return False
        mass = take(seat, work, turn, row) * work.mass[turn + 1]
        rest -= mass
        if mass > cut:
            work.row[turn] = row + 1
            work.rest[turn] = rest
            work.open[0] += left
            return True
        left += mass
    work.open[0] += left + max(0.0, rest)
    return False


@hot_kernel
def step(
    bids: BidTables,
    mover: NormalisedTable,
    other: NormalisedTable,
    work: ValueLine,
    turn: int,
    cut: float,
) -> None:
    """Make the next raise at `turn`, or take back the bid that led there."""
    if next_raise(bids, mover, work, turn, cut):
        enter(bids, other, work, turn + 1)
        work.turn[0] = turn + 1 - work.fault[0]
    else:
        work.turn[0] = turn - 1


@hot_kernel
def advance(
    bids: BidTables,
    opener: NormalisedTable,
    responder: NormalisedTable,
    work: ValueLine,
    cut: float,
    until: int,
) -> bool:
    """Follow lines until `until` histories have been followed; return whether the walk is over. A
    larger cut in a later call ends the walk sooner."""
    while work.turn[0] > 0 and work.fault[0] == 0:
        if work.followed[0] >= until:
            return False
        turn = work.turn[0]
        if turn % 2 == 0:
            step(bids, opener, responder, work, turn, cut)
        else:
            step(bids, responder, opener, work, turn, cut)
    return True


# Two players, two tables


class _TableWalk:
    """A compiled ValueWalk for two players whose strategies are tables."""

    def __init__(self, tables: BidTables, opener: StrategyTable, responder: StrategyTable) -> None:
        if tables.players != 2:
            raise ExpectedValueError(
                "two strategy tables were given, but the rules are for {players} players",
                players=tables.players,
            )
        self.tables, self.prior = tables, showdown_tables(tables).prior
        self.opener, self.responder = normalise(tables, opener), normalise(tables, responder)
        self.openings = list(self._openings())
        self.work = _work(tables)
        # With no line this does nothing, but it compiles the kernel before a clock starts.
        self._enter_opening(0, self.prior[0])
        self.work.turn[0] = 0
        self._advance(0.0)

    def _openings(self) -> Iterator[tuple[int, NDArray[np.float64]]]:
        """Yield the opener's first bids, and the reach of each bid."""
        table, scale = self.opener.table, self.opener.scale[0]
        for row, played in enumerate(rows_at(table, 0)):
            bid = int(table.action[row])
            if not (0 <= bid < self.tables.claimed.size and self.tables.legal[0, bid]):
                raise ExpectedValueError(
                    "the opener opens with action {action}, which is not a legal first bid",
                    action=bid,
                )
            yield bid, self.prior[0] * scale * played

    def __call__(self, cut: float, deadline: float) -> Found:
        """Walk the tree; see ValueWalk."""
        bids = self.tables.claimed.size
        found = Found(np.zeros((bids, 2)), np.zeros(bids), 1)
        self.work.followed[0] = 1
        for bid, reach in self.openings:
            mass = reach.sum()
            if mass <= cut or time.monotonic() >= deadline:
                found.open[bid] = mass
                continue
            self._follow(bid, reach, cut, deadline)
            found.settled[bid] = self.work.settled[0], -self.work.settled[0]
            found.open[bid] = self.work.open[0]
        return found._replace(histories=int(self.work.followed[0]))

    def _follow(self, bid: int, reach: NDArray[np.float64], cut: float, deadline: float) -> None:
        """Follow one opening; the result is in `work`."""
        self._enter_opening(bid, reach)
        while not self._advance(cut):
            if time.monotonic() >= deadline:
                cut = np.inf
        if self.work.fault[0]:
            *history, bid = self.work.history[: self.work.turn[0] + 2].tolist()
            raise ExpectedValueError(
                "after the bids {history} a policy takes the illegal action {action}",
                history=history,
                action=bid,
            )

    def _enter_opening(self, bid: int, reach: NDArray[np.float64]) -> None:
        """Start a line with one bid."""
        work, prior = self.work, self.prior
        for place, range_ in ((1, prior[1]), (2, reach)):
            (support,) = range_.nonzero()
            work.support[place] = support.size
            work.hand[place, : support.size] = support
            work.reach[place, : support.size] = range_[support]
            work.mass[place] = range_.sum()
        work.history[0] = bid
        work.turn[0] = 1
        work.settled[0] = work.open[0] = 0.0
        enter(self.tables, self.responder, work, 1)
        work.turn[0] -= work.fault[0]

    def _advance(self, cut: float) -> bool:
        """Run the kernel `advance` for a bounded number of histories."""
        until = int(self.work.followed[0]) + HISTORIES_PER_CALL
        return advance(self.tables, self.opener, self.responder, self.work, cut, until)


def _work(tables: BidTables) -> ValueLine:
    """Return arrays with room for the longest line."""
    hands, turns = tables.hands, tables.claimed.size + 3

    def real(*shape: int) -> NDArray[np.float64]:
        return np.zeros(shape, dtype=np.float64)

    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    return ValueLine(
        history=whole(turns),
        turn=whole(1),
        followed=whole(1),
        fault=whole(1),
        support=whole(turns),
        hand=whole(turns, hands),
        reach=real(turns, hands),
        mass=real(turns),
        weight=real(turns, hands),
        node=whole(turns),
        row=whole(turns),
        end=whole(turns),
        rest=real(turns),
        counts=real(2, tables.dice + 1),
        settled=real(1),
        open=real(1),
        played=real(hands),
    )


# Any number of players, any strategies


class _Line(NamedTuple):
    """A history to follow."""

    history: History
    reach: tuple[NDArray[np.float64], ...]
    """[seat][hand] the probability of having the hand and bidding like this with it."""
    mass: float


class _StrategyWalk:
    """A ValueWalk in numpy for any number of players and any strategies."""

    def __init__(self, tables: BidTables, seats: Sequence[Strategies]) -> None:
        if len(seats) != tables.players:
            raise ExpectedValueError(
                "strategies for {seats} seats were given, but the rules are for {players} players",
                seats=len(seats),
                players=tables.players,
            )
        self.tables, self.seats = tables, seats
        self.root = _Line((), tuple(showdown_tables(tables).prior), 1.0)

    def __call__(self, cut: float, deadline: float) -> Found:
        """Walk the tree depth first, so that few lines wait, in batches of histories; see
        ValueWalk."""
        bids, players = self.tables.claimed.size, self.tables.players
        found = Found(np.zeros((bids, players)), np.zeros(bids), 1)
        waiting, histories = self._follow([self.root], cut, found), 1
        while waiting and time.monotonic() < deadline:
            lines = waiting.pop()
            waiting += self._follow(lines, cut, found)
            histories += len(lines)
        for bid, masses in _by_opening(chain.from_iterable(waiting)).items():
            found.open[bid] += math.fsum(masses)
        return found._replace(histories=histories)

    def _follow(self, lines: Sequence[_Line], cut: float, found: Found) -> list[list[_Line]]:
        """Query the strategies at `lines`, all of one length and mover; return the lines that go
        on, in such batches."""
        seat = self.seats[self._mover(lines[0])]
        strategies = query(self.tables, seat, [line.history for line in lines])
        followed: dict[int, list[_Line]] = {}
        for line, strategy in zip(lines, strategies, strict=True):
            for after in self._split(line, strategy, cut, found):
                followed.setdefault(self._mover(after), []).append(after)
        return [
            of_mover[start : start + BATCH]
            for of_mover in followed.values()
            for start in range(0, len(of_mover), BATCH)
        ]

    def _mover(self, line: _Line) -> int:
        return mover_of_bids(self.tables, line.history)

    def _split(
        self, line: _Line, strategy: NDArray[np.float64], cut: float, found: Found
    ) -> list[_Line]:
        """Settle challenges, leave raises open whose mass is not above the cut, and return the
        others."""
        mover = self._mover(line)
        before, own, after = line.reach[:mover], line.reach[mover], line.reach[mover + 1 :]
        bids = self.tables.claimed.size
        masses = (own @ strategy[:, :bids]) * math.prod(map(np.sum, (*before, *after)))
        small = np.where(masses > cut, 0.0, masses)
        if line.history:
            for ending in np.flatnonzero(strategy[:, bids:].any(axis=0)).tolist():
                enders = own * strategy[:, bids + ending]
                found.settled[line.history[0]] += self._settled(line, ending, enders)
            found.open[line.history[0]] += small.sum()
        else:
            found.open[:] = small
        return [
            _Line((*line.history, bid), (*before, own * strategy[:, bid], *after), masses[bid])
            for bid in np.flatnonzero(masses > cut).tolist()
        ]

    def _settled(
        self, line: _Line, ending: int, enders: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return [seat] what each seat earns where the `enders`, a part of the mover's reach, take
        the `ending`."""
        tables, mover, length = self.tables, self._mover(line), len(line.history)
        made = settled_at(tables, np.array(line.history), length, ending)
        ranges = (*line.reach[:mover], enders, *line.reach[mover + 1 :])
        counts = matching_dice(tables.matches[made.bid], ranges, tables.dice)
        true, false = true_and_false(made.claimed, 0, counts)
        challenger, bidder = made.challenger % tables.players, made.bidder % tables.players
        return made.cost * paid_by_seat(tables.players, challenger, bidder, true, false)


def _by_opening(lines: Iterable[_Line]) -> dict[int, list[float]]:
    """Return the masses of `lines` by their first bid."""
    masses: dict[int, list[float]] = {}
    for line in lines:
        masses.setdefault(line.history[0], []).append(line.mass)
    return masses


def table_strategies(tables: BidTables, table: StrategyTable) -> Strategies:
    """Return the strategy of `table` as a function of histories, for one seat among others.

    Raises StrategyTableError if the table does not hold a strategy for the rules.
    """
    normalise(tables, table)  # raises StrategyTableError
    return lambda histories: [strategy_after(table, tables, history) for history in histories]


# Intervals


class _Known:
    """The intervals that all walks together have found."""

    def __init__(self, tables: BidTables) -> None:
        self.tables = tables
        shape = tables.claimed.size, tables.players
        self.lower = np.full(shape, -np.inf)
        """[opening, seat] lower bounds of value, split by opening bid."""
        self.upper = np.full(shape, np.inf)
        """[opening, seat] upper bounds of value, split by opening bid."""
        self.margin = 0.0
        """More than rounding can have moved any bound by."""
        self.seats = (Bounds(-np.inf, np.inf),) * tables.players

    def learn(self, found: Found) -> bool:
        """Enter the result of another walk; return whether it left open no more than the margin for
        rounding."""
        self.margin = max(self.margin, _margin(self.tables, found.histories))
        most = self.tables.most_cost * found.open[:, np.newaxis]
        np.maximum(self.lower, found.settled - most, out=self.lower)
        np.minimum(self.upper, found.settled + most / (self.tables.players - 1), out=self.upper)
        lower, upper = self.lower.sum(axis=0) - self.margin, self.upper.sum(axis=0) + self.margin
        self.seats = tuple(
            Bounds(max(seat.lower, float(lower[place])), min(seat.upper, float(upper[place])))
            for place, seat in enumerate(self.seats)
        )
        return bool(found.open.sum() <= self.margin)


def _margin(tables: BidTables, histories: int) -> float:
    """Return a bound of how far rounding moves the ends of an interval; see "Rounding" above."""
    bids, most = tables.claimed.size, tables.most_cost
    numbers = tables.players * tables.hands + bids + tables.endings
    return EPS * most * (8 * (bids + 1) * numbers + 2 * tables.endings * histories)


# Users


def expected_values(
    tables: BidTables, seats: Sequence[Strategies], cut: float
) -> tuple[Bounds, ...]:
    """Return bounds of what each seat earns in a round, in penalty points saved; seat 0 makes the
    first bid.

    Raises made with a probability of at most `cut` are left open; a cut of 0 leaves nothing open.
    Raises ExpectedValueError if there are not as many seats as players, and IllegalStrategy if a
    seat returns an invalid strategy.
    """
    return _once(tables, _StrategyWalk(tables, seats), cut)


def table_values(
    tables: BidTables, opener: StrategyTable, responder: StrategyTable, cut: float
) -> tuple[Bounds, ...]:
    """Return bounds of what two players with a table each earn, as `expected_values` does, some
    hundred times as fast.

    Raises ExpectedValueError if there are not two players or a table makes an illegal bid, and
    StrategyTableError if a table does not hold a strategy for the rules.
    """
    return _once(tables, _TableWalk(tables, opener, responder), cut)


def refine_values(
    tables: BidTables,
    seats: Sequence[Strategies | StrategyTable],
    *,
    gap: float = 0.0,
    seconds: float = np.inf,
) -> Iterator[ExpectedValues]:
    """Yield intervals that only get narrower. Stop when all are at most `gap` wide, when only
    rounding is left open, or after about `seconds`.

    Raises what `expected_values` and `table_values` do.
    """
    walk, known, histories = _walk(tables, seats), _Known(tables), 0
    limits = Limits(gap, seconds)

    def sweep(cut: float) -> ExpectedValues:
        nonlocal histories
        found = walk(cut, limits.deadline)
        exact = known.learn(found)
        histories += found.histories
        return ExpectedValues(known.seats, cut, histories, limits.seconds, exact)

    yield from by_cuts(sweep, cuts(COARSEST, FINEST, CUT_RATIO), limits)


def _walk(tables: BidTables, seats: Sequence[Strategies | StrategyTable]) -> ValueWalk:
    """Return the fastest walk for these seats."""
    if len(seats) == 2:
        opener, responder = seats
        if isinstance(opener, StrategyTable) and isinstance(responder, StrategyTable):
            return _TableWalk(tables, opener, responder)
    return _StrategyWalk(
        tables,
        [
            table_strategies(tables, seat) if isinstance(seat, StrategyTable) else seat
            for seat in seats
        ],
    )


def _once(tables: BidTables, walk: ValueWalk, cut: float) -> tuple[Bounds, ...]:
    known = _Known(tables)
    known.learn(walk(cut, np.inf))
    return known.seats


def rounds_needed(value: Bounds, players: int = 2) -> int:
    """Return how many randomly dealt and played rounds would give a 95 % confidence interval as
    narrow as `value`, the bounds of what a seat earns in a round.

    A round pays -1 or w = 1 / (players - 1). So if the mean is v, the variance is (1 + v) (w - v);
    with 跳开 or 劈 a round may pay or cost more, and the variance is at least this. The mean is
    taken from where in `value` the variance is least, so fewer rounds would not do. An interval
    that reaches the best or worst payment of an ordinary challenge needs no rounds. An interval
    narrower than floats can tell apart counts as EPS wide.
    """
    worst, best = -1.0, 1.0 / (players - 1)
    ends = (min(max(end, worst), best) for end in (value.lower, value.upper))
    variance = min((end - worst) * (best - end) for end in ends)
    half_width = max(value.gap, EPS) / 2.0
    return math.ceil(variance * (NormalDist().inv_cdf(0.975) / half_width) ** 2)
