"""Best responses to a two-player policy that must be queried: certified intervals from few queries.

A policy that is not a table may be slow: a network takes a millisecond for one history.
`table_search` opens millions of histories and stores none. This search queries one raise at a time,
first the raises by which a response seems to gain most, and stores every answer. Use it for two
players; for more see `several_players`. Values and reaches are as in
`solver.response.table_search`: vectors over the responder's own hands, not divided by the mass `m`
of the policy's reach.

    V(h) = max( C(h), max over raises b of V_b(h) )      the responder moves: a *place*
    V_b(h) = T_b(h) + sum over replies r of V_{b,r}(h)   the policy moves: an *answer*

**Lower bound.** Every number in a `lower` vector is earned, or exceeded, by some strategy of the
responder with this hand. At a place it is `C`, or what a queried raise earns; if there is no bid to
challenge and nothing was queried, `-D m`, where D is the most that a round can cost. In an answer
T_b and the lower bounds of the replies add up. After a reply that is not opened, the responder ends
the round at once, in the better way.

**Upper bound.** Every number in an `upper` vector is at least V(h). No strategy earns more than
`D m` at a place, so a raise that was not queried enters with `D m`. A reply that is not opened
enters with D times its mass, or with its lower bound if no raise can follow it. Until a policy
answers, nothing else is assumed of it: it might always raise, even to a false bid.

**The next query** is chosen by a third vector, `expected`, which proves nothing. For a reply that
is not opened, `expected` is what ending the round pays plus a share of the range from there to the
upper bound. The share is the one found so far at places that face the same bid. For a raise that
was not queried, `expected` assumes that the policy answers as it usually did to this bid after
other histories: by its endings, and by replies valued as above. Consider the strategy that
always takes the largest `expected`. The gap between `expected` and `lower` at the start is at most
a sum of gaps over own hands. The gaps are those at the unopened replies that this strategy reaches,
and at the raises it makes that were not queried. The search opens and queries the largest of these,
and adds everything up again. This raises the lower bound. For a fixed share of the queries it does
the same with `upper` in place of `expected`, which lowers the upper bound. All raises left at a
place are then queried together, since each is worth the same `D m`.

**Convergence.** If the strategy that always takes the largest upper bound reaches no gap between
`upper` and `lower`, then `lower = upper` at the start. For one hand, the gap of a place is at most
the gap of the raise with the largest upper bound. The gap of an answer is the sum of the gaps of
its replies. All gaps at the ends are 0.

**Rounding.** As in `solver.response.table_search`, the sums at a node of mass m have fewer than
`4 * (hands + bids)` terms of at most D m in size. The masses of nodes at one depth that a strategy
reaches total at most 1. Nothing is updated by adding differences, so errors do not accumulate. A
policy must give the same answer to the same query: a network in single precision may answer
differently by 1e-7 from batch to batch, and then the bounds are off by as much.

Best-first search by an estimate with bounds beside it is AO* (Nilsson 1980); the estimate is ours.
"""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zhaifei.game.tables import NO_BID, BidTables, longest_history
from zhaifei.solver.anytime import Limits, by_steps
from zhaifei.solver.bidding import state_of_bids
from zhaifei.solver.bounds import NEVER, BestResponse, Bounds, History, Strategies
from zhaifei.solver.machine.memory import room
from zhaifei.solver.response.query_kernels import (
    PolicyHabits,
    Vector,
    add_replies,
    expect,
    note_answer,
    query_tables,
    weigh,
    weigh_gaps,
)
from zhaifei.solver.response.table_search import BestResponseError
from zhaifei.solver.showdown import ShowdownTables, showdown_tables
from zhaifei.solver.tables.queries import BATCH, query

_FIRST_SHARE, _LEAST_SHARE = 0.3, 0.01
"""The expected value of a reply, as a share of the range from challenging it to its upper bound:
the first estimate, and the least."""
_PLACES_REMEMBERED = 100.0
"""The expected share is a moving mean over about this many places."""
_ANSWERS_REMEMBERED = 50
"""The usual answer to a bid is a moving mean over this many answers."""
_UPPER_PART = 0.1
"""The share of queries that lower the upper bound."""
_COARSEST, _FINEST, _CUT_RATIO = 1.0, 1e-15, 0.5
"""Gaps below the cut wait until there are no larger ones; gaps below the finest cut are ignored."""
_LEAST_BATCH, _BATCH_PART = 32, 0.05
"""Queries between two evaluations of the best strategy: at least this number, or this share of all
queries so far if that is more."""
_KEPT_MASS = 1e-6
"""Reaches of less mass are not stored: the few that are needed are queried again."""
_KEPT_BYTES = 2**31
"""Memory for the reaches of unopened replies. Once it is full, reaches are queried again."""
_VECTORS = 9
"""Vectors [hand] stored for each place and each answer, with some overhead."""

_UPPER, _EXPECTED = 1, 2
"""Indices into Estimate: the vector by which the responder chooses."""


@dataclass(frozen=True)
class QueryResponse(BestResponse):
    """What a best response earns in both seats."""

    calls: int
    """Queries that the policy has answered."""


class Estimate(NamedTuple):
    """Three vectors [hand] for a value to the responder: bounds, and the expected value."""

    lower: Vector
    upper: Vector
    expected: Vector


class Place:
    """A history where the responder moves."""

    def __init__(
        self, game: ShowdownTables, history: History, reach: Vector, ended: Vector
    ) -> None:
        self.history, self.reach, self.ended = history, reach, ended
        self.most = game.most_cost * float(reach.sum())
        """The most that can be earned from here."""
        self.left: NDArray[np.bool_] = game.legal[state_of_bids(game, history)].copy()
        """[bid] the raises that were not queried."""
        self.parent: Answer | None = None
        """The answer whose reply led here."""
        self.answers: dict[int, Answer] = {}
        """raise -> the policy's answer to it."""
        self.hoped = np.full(reach.size, NEVER)
        """[hand] the expected value of the best raise that was not queried."""
        self.hoped_bid = np.full(reach.size, NO_BID, dtype=np.int64)
        """[hand] the best raise that was not queried."""
        self.settle()

    def settle(self) -> None:
        """Combine what is known about the actions here."""
        lower = upper = expected = self.ended
        if self.answers:
            spans = [answer.span for answer in self.answers.values()]
            lower, upper, expected = (
                np.max([self.ended, *values], axis=0) for values in zip(*spans, strict=True)
            )
        if self.left.any():
            upper = np.maximum(upper, self.most)
            expected = np.minimum(np.maximum(expected, self.hoped), upper)
        self.span = Estimate(lower, upper, expected)


class Answer:
    """A history where the policy moves, after it was queried."""

    def __init__(self, history: History, parent: Place | None, called: Vector) -> None:
        self.history, self.parent = history, parent
        self.called = called
        """[hand] what the policy's endings pay."""
        self.opened: list[Place] = []
        """The places after opened replies."""
        self.state = 0
        """The state of the bidding."""
        self.replies: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        """[reply] the replies that are not opened."""
        self.mass: Vector = np.empty(0)
        """[reply] the mass of the reach that makes each."""
        self.paid: Vector = np.empty((0, 0))
        """[reply, own] what the best ending after each earns."""
        self.reaches: list[Vector | None] = []
        """[reply] the reach after each; None if it is not stored."""
        self.rest = self.span = Estimate(called, called, called)
        """`rest` sums endings and unopened replies, `span` everything."""

    def settle(self) -> None:
        """Combine what is known about the replies."""
        spans = [self.rest, *(place.span for place in self.opened)]
        self.span = Estimate(*(np.sum(values, axis=0) for values in zip(*spans, strict=True)))


class _Reply(NamedTuple):
    """A reply to open."""

    answer: Answer
    bid: int


class _Question(NamedTuple):
    """Raises to query the policy about."""

    place: Place
    raises: tuple[int, ...]


class _Queue:
    """Work that the chosen strategy reaches, the largest gap first. Each item has a weight [hand]:
    the probability of the own hands that reach it."""

    def __init__(self, cut: float) -> None:
        self._cut, self._ties = cut, count()
        self._heap: list[tuple[float, int, Place | _Reply | _Question, Vector]] = []

    def push(self, gap: float, item: Place | _Reply | _Question, weight: Vector) -> None:
        """Add an item if its gap is larger than the cut."""
        if gap > self._cut:
            heapq.heappush(self._heap, (-gap, next(self._ties), item, weight))

    def pop(self) -> tuple[Place | _Reply | _Question, Vector] | None:
        """Return the item with the largest gap and its weight, or None."""
        if not self._heap:
            return None
        _, _, item, weight = heapq.heappop(self._heap)
        return item, weight


class QuerySearch:
    """The search for best responses to a two-player policy, with bounds that only get tighter."""

    def __init__(self, tables: BidTables, policy: Strategies) -> None:
        """Query the opening. Raises BestResponseError if there are not two players, and
        IllegalStrategy if the policy returns an invalid strategy."""
        if tables.players != 2:
            raise BestResponseError(
                "best responses are to two-player policies; these rules are for {players}",
                players=tables.players,
            )
        self._tables, self._policy = tables, policy
        game = self._game = showdown_tables(tables)
        bids, hands = game.claimed.size, tables.hands
        self._game_tables = query_tables(game)
        self._habits = PolicyHabits(
            answered=np.zeros(bids, dtype=np.int64),
            worth=np.zeros((bids, hands, len(game.matches), tables.dice + 1), dtype=np.float32),
            share=np.full(bids, _FIRST_SHARE),
        )
        self._found, self._room = self._habits.share.copy(), np.ones(bids)
        """[bid] moving sums at places that face the bid, above what challenging it pays: of the
        expected values, and of the largest possible values."""
        self._cut = {_EXPECTED: _COARSEST, _UPPER: _COARSEST}
        self._calls = {_EXPECTED: 0, _UPPER: 1}
        self._kept = 0
        """Bytes of the stored reaches of unopened replies."""
        self.nodes = 1
        """Places opened."""
        loses = np.full(hands, -game.most_cost * game.prior[1].sum())
        self._opener = Place(game, (), game.prior[1], loses)
        (opening,) = query(tables, policy, [()])
        self._responder = self._answer((), None, game.prior[0], opening)
        self._expect(self._opener)

    @property
    def calls(self) -> int:
        """Queries that the policy has answered."""
        return sum(self._calls.values())

    def bounds(self) -> tuple[Bounds, ...]:
        """Return bounds of what a best response earns as opener and as responder."""
        prior, game = self._game.prior, self._game
        operations = longest_history(game.after) * 8 * (prior.shape[1] + game.claimed.size)
        margin = float(game.most_cost * operations * np.finfo(np.float64).eps)
        return tuple(
            Bounds(float(own @ span.lower) - margin, float(own @ span.upper) + margin)
            for own, span in zip(prior, (self._opener.span, self._responder.span), strict=True)
        )

    def refine(self, *, gap: float = 0.0, seconds: float = np.inf) -> Iterator[QueryResponse]:
        """Yield results that only get tighter, about once a second. Stop when exploitability is
        known to `gap` or exactly, after about `seconds` (plus at most one batch of answers), or
        when the answers fill the memory.

        Raises IllegalStrategy if the policy returns an invalid strategy.
        """
        limits = Limits(gap, seconds)
        more = {_EXPECTED: True, _UPPER: True}

        def step() -> bool:
            """Query one batch, for the bound whose turn it is."""
            upper = self._calls[_UPPER] < _UPPER_PART * self.calls
            by = _UPPER if more[_UPPER] and (upper or not more[_EXPECTED]) else _EXPECTED
            more[by] = self._round(by, limits.deadline)
            more[_EXPECTED] |= by == _UPPER and more[_UPPER]
            return any(more.values()) and self._size() <= room(self._size())

        def result() -> QueryResponse:
            return QueryResponse(self.bounds(), self.nodes, limits.seconds, self.calls)

        yield from by_steps(step, result, limits)
        yield result()

    def _size(self) -> int:
        """Return about how many bytes are in use: each place and each answer has `_VECTORS`
        vectors."""
        return self._kept + _VECTORS * (self.nodes + self.calls) * 8 * self._tables.hands

    def _round(self, by: int, deadline: float) -> bool:
        """Query the policy where it seems to help most; return whether there may be more to
        query."""
        most = max(_LEAST_BATCH, int(_BATCH_PART * self.calls))
        opened: list[Place] = []
        questions = self._walk(by, most, opened)
        changed = [*opened, *self._ask(by, questions, deadline)]
        _settle(changed)
        for place in changed:
            self._learn(place)
        finest = self._cut[by] <= _FINEST
        if sum(len(raises) for _, raises in questions) < most:
            self._cut[by] *= _CUT_RATIO
        return bool(changed) or not finest

    def _walk(self, by: int, most: int, opened: list[Place]) -> list[_Question]:
        """Return about `most` raises to query: follow the strategy that is best by the vector `by`
        of all estimates. Open the replies that it reaches, and append their places to `opened`."""
        queue, questions, queried = _Queue(self._cut[by]), list[_Question](), 0
        self._push_place(queue, by, self._opener, self._game.prior[0])
        self._push_answer(queue, by, self._responder, self._game.prior[1])
        while queried < most and (found := queue.pop()) is not None:
            item, weight = found
            if isinstance(item, _Question):
                questions.append(item)
                queried += len(item.raises)
            elif isinstance(item, _Reply):
                place = self._open(by, item)
                opened.append(place)
                self._push_place(queue, by, place, weight)
            else:
                self._push_choices(queue, by, item, weight)
        return questions

    def _push_place(self, queue: _Queue, by: int, place: Place, weight: Vector) -> None:
        queue.push(float(weight @ (place.span[by] - place.span.lower)), place, weight)

    def _push_choices(self, queue: _Queue, by: int, place: Place, weight: Vector) -> None:
        """Queue the action that each own hand takes by the vector `by`."""
        best, lower = place.span[by], place.span.lower
        free = weight > 0.0
        if by == _UPPER and place.left.any():
            # A raise that was not queried has the largest possible upper bound.
            raises = tuple(np.flatnonzero(place.left).tolist())
            queue.push(float(weight @ (best - lower)), _Question(place, raises), weight)
            return
        free &= best > place.ended
        for answer in place.answers.values():
            chosen = free & (answer.span[by] >= best)
            if chosen.any():
                free &= ~chosen
                self._push_answer(queue, by, answer, weight * chosen)
        free &= place.hoped >= best
        for bid in np.unique(place.hoped_bid[free]).tolist():
            chosen = free & (place.hoped_bid == bid)
            part = weight * chosen
            queue.push(float(part @ (best - lower)), _Question(place, (bid,)), part)

    def _push_answer(self, queue: _Queue, by: int, answer: Answer, weight: Vector) -> None:
        for place in answer.opened:
            self._push_place(queue, by, place, weight)
        gaps = np.empty(answer.replies.size)
        weigh_gaps(
            self._game_tables, answer.state, answer.replies, answer.mass, answer.paid, weight, gaps
        )
        if by == _EXPECTED:
            gaps *= self._habits.share[answer.replies]
        for gap, bid in zip(gaps.tolist(), answer.replies.tolist(), strict=True):
            queue.push(gap, _Reply(answer, bid), weight)

    def _open(self, by: int, reply: _Reply) -> Place:
        answer, bid = reply
        index = int(np.searchsorted(answer.replies, bid))
        reach = answer.reaches.pop(index)
        if reach is None:
            reach = self._ask_again(by, answer, bid)
        else:
            self._kept -= reach.nbytes
        own = self._game.matches[self._game.kind[bid]]
        place = Place(self._game, (*answer.history, bid), reach, answer.paid[index, own])
        place.parent = answer
        self.nodes += 1
        answer.opened.append(place)
        answer.replies = np.delete(answer.replies, index)
        answer.mass = np.delete(answer.mass, index)
        answer.paid = np.delete(answer.paid, index, axis=0)
        self._add_rest(answer)
        self._expect(place)
        return place

    def _ask_again(self, by: int, answer: Answer, bid: int) -> Vector:
        """Return [hand] the reach after a reply whose reach was not stored."""
        self._calls[by] += 1
        (strategy,) = query(self._tables, self._policy, [answer.history])
        before = self._game.prior[0] if answer.parent is None else answer.parent.reach
        reach: Vector = before * strategy[:, bid]
        return reach

    def _ask(self, by: int, questions: Iterable[_Question], deadline: float) -> list[Place]:
        """Query the policy until the deadline, and return the places where it has answered."""
        raises = [(place, bid) for place, bids in questions for bid in bids]
        changed: dict[History, Place] = {}
        for start in range(0, len(raises), BATCH):
            if time.monotonic() >= deadline:
                break
            batch = raises[start : start + BATCH]
            histories = [(*place.history, bid) for place, bid in batch]
            self._calls[by] += len(batch)
            answers = query(self._tables, self._policy, histories)
            for (place, bid), history, strategy in zip(batch, histories, answers, strict=True):
                place.answers[bid] = self._answer(history, place, place.reach, strategy)
                place.left[bid] = False
                changed[place.history] = place
        for place in changed.values():
            self._expect(place)
        return [*changed.values()]

    def _answer(
        self, history: History, place: Place | None, reach: Vector, strategy: Vector
    ) -> Answer:
        game = self._game
        bids, dice = game.claimed.size, self._tables.dice
        bid = history[-1] if history else NO_BID
        state = state_of_bids(game, history)
        called, mass, paid = np.empty(dice + 1), np.zeros(bids), np.zeros((bids, dice + 1))
        weigh(self._game_tables, reach, strategy, bid, state, (called, mass, paid))
        nothing = np.zeros(reach.size)
        answer = Answer(
            history, place, called[game.matches[game.kind[bid]]] if history else nothing
        )
        answer.state, answer.replies = state, np.flatnonzero(mass)
        answer.mass, answer.paid = mass[answer.replies], paid[answer.replies]
        for reply in answer.replies.tolist():
            kept = mass[reply] > _KEPT_MASS and self._kept < _KEPT_BYTES
            part = reach * strategy[:, reply] if kept else None
            self._kept += 0 if part is None else part.nbytes
            answer.reaches.append(part)
        self._add_rest(answer)
        answer.settle()
        if history:
            self._habits.answered[bid] += 1
            weight = 1.0 / min(self._habits.answered[bid], _ANSWERS_REMEMBERED)
            note_answer(self._game_tables, self._habits, strategy, answer.state, bid, weight)
        return answer

    def _add_rest(self, answer: Answer) -> None:
        rest = Estimate(answer.called.copy(), answer.called.copy(), answer.called.copy())
        add_replies(
            self._game_tables,
            answer.state,
            answer.replies,
            answer.mass,
            answer.paid,
            self._habits.share,
            (rest.lower, rest.upper, rest.expected),
        )
        answer.rest = rest

    def _expect(self, place: Place) -> None:
        """Estimate the raises that were not queried."""
        expect(
            self._game_tables,
            self._habits,
            place.reach,
            place.ended,
            place.left,
            place.hoped,
            place.hoped_bid,
        )
        place.settle()

    def _learn(self, place: Place) -> None:
        """Update the expected share for the bid that the place faces, from what the place is worth
        above challenging this bid."""
        if not place.history:
            return
        prior, last, keep = (
            self._game.prior[len(place.history) % 2],
            place.history[-1],
            1.0 - 1.0 / _PLACES_REMEMBERED,
        )
        found = float(prior @ (place.span.expected - place.ended)) / place.most
        room = float(prior @ (place.most - place.ended)) / place.most
        self._found[last] = keep * self._found[last] + found
        self._room[last] = keep * self._room[last] + room
        self._habits.share[last] = max(_LEAST_SHARE, self._found[last] / self._room[last])


def _settle(places: Iterable[Place]) -> None:
    """Combine again what is known at `places` and at all histories that lead to them, the longest
    first."""
    waiting: dict[int, set[Place | Answer]] = defaultdict(set)
    for place in places:
        waiting[len(place.history)].add(place)
    for length in range(max(waiting, default=-1), -1, -1):
        for node in waiting[length]:
            node.settle()
            if node.parent is not None:
                waiting[length - 1].add(node.parent)
