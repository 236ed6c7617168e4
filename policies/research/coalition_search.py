"""Bounds of what two conspiring players leave to a third, who plays a table with full recall.

The two choose strategies together before the round, to make the *victim* earn as little as
possible; how they share the points does not matter to them. Given the bids, the hands of all three
players are independent. There are two kinds of coalitions:

- Players who *talk* see each other's dice at every moment. `Talking` computes what the victim earns
  against the best talking coalition.
- Players who are *silent* see their own dice and the bids, as under the rules. Their best pair of
  strategies is hard to find (a team decision problem). But `Silent` finds good pairs, and the
  victim earns against the best pair at most what it earns against any of them.

**Theorem.** Let `v` be the victim's value against the best silent coalition, `t` its value against
the best talking coalition, and `s` its value against some silent pair. Then t <= v <= s.

*Proof.* A silent pair is a talking coalition that ignores the other's dice, so the minimum over
talking coalitions is no greater: t <= v. And `v` is a minimum over a set that contains the pair
with value `s`. ∎

**Talking** is one responder who moves in two seats and holds both hands. So values are matrices
over pairs of hands, and the best response is exact as in `solver.response.full_recall`. With the
turn order victim, A, B, and the bids h made when A moves, W(h) is the minimum over

1. A challenges the victim's bid;
2. A bids b and B challenges: one of them loses, which pays the victim 1/2;
3. A bids b, B bids r and the table has (h, b, r): the sum over the victim's actions there, each
   with the part of the victim's range that takes it;
4. for each kind of bid, the weakest r that may follow some b so that the table does not have
   (h, b, r): the victim challenges.

Case 4 may leave out all stronger bids of a kind: without a node the victim challenges with every
hand. And a weaker bid of a kind is true whenever a stronger one is, which is worse for the
challenger. At the start of a round A may open, or B alone before the victim: the same cases with
fewer bids.

With a *cut*, histories that the victim's hands reach with less mass than the cut are not followed,
and the victim is taken to lose there. So the result is at most t, and is off by at most 3/2 times
the mass that is not followed.

**Silent** pairs are found by alternating best responses: A's to the victim and B's strategy, then
B's to the victim and A's, and so on until neither gains. B begins with the table, later with random
strategies, and A and B are exchanged, since the search may end where neither can gain alone though
both could together. Every step yields a pair and the victim's exact value against it, which never
increases from step to step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import BidTables
from zhaifei.solver.bidding import state_of_bids
from zhaifei.solver.bounds import History
from zhaifei.solver.showdown import showdown_tables
from zhaifei.solver.tables.lookup import Lookup
from zhaifei.solver.tables.strategy_table import (
    NO_NODE,
    StrategyTable,
    StrategyTableError,
    strategy_after,
    verify_strategy,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Strategy = Callable[[History], Floats]
"""Maps a history to [hand, action] float64."""

PLAYERS = 3
_WIN = 1.0 / (PLAYERS - 1)
STARTS = 4
"""How many initial strategies a search for silent pairs tries."""
_GAIN = 1e-12
"""Penalty points; a search for silent pairs stops when a best response gains less."""
_MOST_TURNS = 20
"""The largest number of best responses of both players together."""


class CoalitionError(StrategyTableError):
    """A policy for which coalitions are not computed."""


class Talked(NamedTuple):
    """The victim's value against the best talking coalition."""

    value: float
    """A lower bound of the victim's value in penalty points per round; exact if `cut` is 0."""
    left: float
    """How much larger the value may be."""


class _Rules:
    """The rules, and the table that the victim plays."""

    def __init__(self, tables: BidTables, table: StrategyTable) -> None:
        if tables.players != PLAYERS or tables.endings != 1 or not table.recall.is_full:
            raise CoalitionError(
                "coalitions are computed for three players without 跳开 and for policies that "
                "remember all bids"
            )
        verify_strategy(tables, table)
        self.tables, self.table = tables, table
        self.game = showdown_tables(tables)
        self.lookup = Lookup(tables, table)
        self.legal = tables.legal
        self.challenge = tables.claimed.size

    def raises(self, history: History) -> Ints:
        """Return the bids that may follow `history`."""
        return np.flatnonzero(self.legal[state_of_bids(self.tables, history)])

    def played(self, history: History) -> Floats:
        """Return [hand, action] the table's strategy. Raise StrategyTableError if it takes illegal
        actions."""
        played = strategy_after(self.table, self.tables, history)
        illegal = np.ones(played.shape[1], dtype=np.bool_)
        illegal[self.raises(history)] = False
        illegal[self.challenge] = not history
        if played[:, illegal].any():
            raise StrategyTableError("the policy takes illegal actions: it is damaged")
        return played

    def parts(self, played: Floats, range_: Floats) -> list[tuple[int, Floats]]:
        """Return the actions that are played, each with the part of `range_` [hand] that plays
        it."""
        split = range_[:, np.newaxis] * played
        return [(int(action), split[:, action]) for action in np.flatnonzero(split.any(axis=0))]

    def one_hot(self, action: Ints) -> Floats:
        """Return [hand, action] the pure strategy that takes `action` [hand]."""
        chosen: Floats = (action[:, np.newaxis] == np.arange(self.challenge + 1)).astype(np.float64)
        return chosen

    def settled(
        self, bid: int, counts: NDArray[Any], own: Ints, *, if_true: float, if_false: float
    ) -> Floats:
        """Return what the victim earns by a challenge of `bid`, in the shape of `own`. `own` are
        the known dice that count, an array of any shape; `counts` [count] is the mass by how many
        other dice count."""
        at_least = np.append(counts[::-1].cumsum()[::-1], 0.0)
        every = np.arange((PLAYERS - 1) * self.tables.dice + 1)
        true = at_least[np.clip(self.game.claimed[bid] - every, 0, counts.size)]
        paid: Floats = if_true * true + if_false * (at_least[0] - true)
        return paid[own]

    def leaving(self, bids: Ints, node: Ints) -> Ints:
        """Return the weakest of `bids` of each kind after which the table has no node."""
        left = np.unique(bids[node == NO_NODE])
        _, first = np.unique(self.game.kind[left], return_index=True)
        return left[first]


class Talking:
    """The best coalition of two who see each other's dice."""

    def __init__(self, tables: BidTables, table: StrategyTable) -> None:
        """Raise CoalitionError unless there are three players, no 跳开, and full recall. Raise
        StrategyTableError if the table does not hold a strategy for the rules."""
        self._rules = _Rules(tables, table)
        matches = self._rules.game.matches.astype(np.int64)
        self._both: Ints = matches[:, :, np.newaxis] + matches[:, np.newaxis]
        """[kind, hand, hand] how many dice of two hands count together."""
        self._cut = self._left = 0.0

    def value(self, seat: int, cut: float = 0.0) -> Talked:
        """Return what the table earns in `seat` (0 opens)."""
        self._cut, self._left = cut, 0.0
        prior = self._rules.game.prior[0]
        found = self._victim((), prior) if seat == 0 else self._conspire((), prior, seat)
        return Talked(float(prior @ found @ prior), self._left)

    def _victim(self, history: History, range_: Floats) -> Floats:
        """Return [hand, hand] what the victim earns if they move with this range."""
        mass = range_.sum()
        if mass <= self._cut:
            self._left += (1.0 + _WIN) * mass
            return np.full(self._both.shape[1:], -mass)
        value = np.zeros(self._both.shape[1:])
        for action, part in self._rules.parts(self._rules.played(history), range_):
            if action == self._rules.challenge:
                value += self._settled(history[-1], part, if_true=-1.0, if_false=_WIN)
            else:
                value += self._conspire((*history, action), part, PLAYERS - 1)
        return value

    def _conspire(self, history: History, range_: Floats, moves: int) -> Floats:
        """Return [hand, hand] what the coalition leaves to the victim. The coalition has the next
        `moves` moves, one or two."""
        rules, mass = self._rules, range_.sum()
        best = np.full(self._both.shape[1:], np.inf)
        if history:
            best = self._settled(history[-1], range_, if_true=_WIN, if_false=-1.0)
        before = [history]
        if moves == PLAYERS - 1:
            before = [(*history, int(bid)) for bid in rules.raises(history)]
            if before:  # the second conspirator may challenge the first
                best = np.minimum(best, _WIN * mass)
        turn, bid, node = self._next(before)
        for one in rules.leaving(bid, node).tolist():
            best = np.minimum(best, self._settled(one, range_, if_true=-1.0, if_false=_WIN))
        for place in np.flatnonzero(node != NO_NODE).tolist():
            raised = (*before[turn[place]], int(bid[place]))
            best = np.minimum(best, self._victim(raised, range_))
        return best

    def _next(self, before: list[History]) -> tuple[Ints, Ints, Ints]:
        """Return three arrays [place]: the index of a history in `before`, a raise after it, and
        the node to which the raise leads, or NO_NODE."""
        none = np.zeros(0, dtype=np.int64)
        if not before:
            return none, none, none
        history = np.array(before, dtype=np.int64).reshape(len(before), -1)
        states = [state_of_bids(self._rules.tables, one) for one in before]
        turn, bid = np.nonzero(self._rules.legal[states])
        return turn, bid, self._rules.lookup.after(history, turn, bid)

    def _settled(self, bid: int, range_: Floats, *, if_true: float, if_false: float) -> Floats:
        """Return [hand, hand] what the victim with this range earns by a challenge of `bid`."""
        kind, dice = self._rules.game.kind[bid], self._rules.tables.dice
        counts = np.bincount(self._rules.game.matches[kind], range_, dice + 1)
        own = self._both[kind]
        return self._rules.settled(bid, counts, own, if_true=if_true, if_false=if_false)


class Silent:
    """Good coalitions of two players who see only their own dice."""

    def __init__(self, tables: BidTables, table: StrategyTable) -> None:
        """Raise as `Talking` does."""
        self._rules = _Rules(tables, table)

    def value(self, seat: int, starts: int = STARTS) -> float:
        """Return what the table earns in `seat` (0 opens) against the best pair found from `starts`
        initial strategies. Equal arguments give equal values."""
        one, other = (seat + 1) % PLAYERS, (seat + 2) % PLAYERS
        begin: list[Strategy] = [self._rules.played]
        begin += [self._random(start) for start in range(1, starts)]
        return min(
            self._by_turns(seat, pair, strategy)
            for strategy in begin
            for pair in ((one, other), (other, one))
        )

    def _by_turns(self, seat: int, pair: tuple[int, int], strategy: Strategy) -> float:
        """Return what is left to `seat` once neither of `pair` can gain alone, if the second of
        them begins with `strategy`."""
        value, partner = np.inf, strategy
        for turn in range(_MOST_TURNS):
            response = _Response(self._rules, pair[turn % 2], partner)
            found = response.value(seat, pair[1 - turn % 2])
            if found >= value - _GAIN:
                break
            value, partner = found, response.strategy
        return value

    def _random(self, seed: int) -> Strategy:
        """Return a random pure strategy, which depends only on `seed`."""

        def strategy(history: History) -> Floats:
            actions = self._rules.raises(history)
            if history:
                actions = np.append(actions, self._rules.challenge)
            random = np.random.default_rng([seed, *history])
            return self._rules.one_hot(random.choice(actions, self._rules.tables.hands))

        return strategy


class _Response:
    """One conspirator's best response to the other conspirator and the victim."""

    def __init__(self, rules: _Rules, own: int, partner: Strategy) -> None:
        self._rules, self._own, self._partner = rules, own, partner
        self._victim = 0
        self.chosen: dict[History, Ints] = {}
        """[hand] the action, for each history that comes up."""

    def value(self, victim: int, partner: int) -> float:
        """Return what the response leaves to the victim."""
        self._victim = victim
        prior = self._rules.game.prior[0]
        return float(prior @ self._value((), {victim: prior, partner: prior}))

    def strategy(self, history: History) -> Floats:
        """Return [hand, action] the response; the table's strategy at histories that do not come
        up."""
        if history not in self.chosen:
            return self._rules.played(history)
        return self._rules.one_hot(self.chosen[history])

    def _value(self, history: History, ranges: Mapping[int, Floats]) -> Floats:
        """Return [own hand] what the victim earns if the other two have these ranges."""
        mover = len(history) % PLAYERS
        if mover == self._own:
            return self._respond(history, ranges)
        strategy = self._rules.played if mover == self._victim else self._partner
        value = np.zeros(self._rules.tables.hands)
        for action, part in self._rules.parts(strategy(history), ranges[mover]):
            after = {**ranges, mover: part}
            if action == self._rules.challenge:
                value += self._settled(history, mover, after)
            else:
                value += self._value((*history, action), after)
        return value

    def _respond(self, history: History, ranges: Mapping[int, Floats]) -> Floats:
        """Return [own hand] what the best action leaves to the victim."""
        rules, bids = self._rules, self._rules.raises(history)
        actions, values = [], []
        if history:
            actions, values = [rules.challenge], [self._settled(history, self._own, ranges)]
        if (self._own + 1) % PLAYERS == self._victim and bids.size:
            before = np.array([history], dtype=np.int64).reshape(1, -1)
            node = rules.lookup.after(before, np.zeros(bids.size, dtype=np.int64), bids)
            bids = np.concatenate([bids[node != NO_NODE], rules.leaving(bids, node)])
        for bid in bids.tolist():
            actions.append(bid)
            values.append(self._value((*history, bid), ranges))
        self.chosen[history] = np.array(actions)[np.argmin(values, axis=0)]
        least: Floats = np.min(values, axis=0)
        return least

    def _settled(self, history: History, challenger: int, ranges: Mapping[int, Floats]) -> Floats:
        """Return [own hand] what the victim earns when `challenger` challenges the last bid."""
        game, bid = self._rules.game, history[-1]
        matches, dice = game.matches[game.kind[bid]], self._rules.tables.dice
        counts = np.ones(1)
        for range_ in ranges.values():
            counts = np.convolve(counts, np.bincount(matches, range_, dice + 1))
        bidder = (len(history) - 1) % PLAYERS
        if_true = -1.0 if challenger == self._victim else _WIN
        if_false = -1.0 if bidder == self._victim else _WIN
        return self._rules.settled(bid, counts, matches, if_true=if_true, if_false=if_false)
